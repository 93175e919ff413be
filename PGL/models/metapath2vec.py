"""metapath2vec: embeddings of nodes of several types from walks along given types of edges.

Paper: Dong, Chawla and Swami, "metapath2vec: Scalable Representation Learning for Heterogeneous Networks", KDD 2017,
https://ericdongyx.github.io/papers/KDD17-dong-chawla-swami-metapath2vec.pdf
"""

from __future__ import annotations

import functools
from typing import Any

from PGL.models.deepwalk import DeepWalk
from PGL.models.windows import WalkWindows
from PGL.sampling import metapath_walk


class Metapath2vec(DeepWalk):
    """DeepWalk on a :class:`PGL.HeterGraph`, with walks that take edges of given types in turn.

    Args:
        num_nodes: how many nodes there are.
        metapath: the edge types of the first step, the second one ..., again and again from the first.
        embedding_size: size of an embedding.
        negatives: how many nodes are drawn for a node of a walk.
        walk_length: nodes of a walk.
        window_size: the farthest place that is near; each node's window reaches 1 to so many places.

    Raises:
        ValueError: an argument is out of range.
    """

    def __init__(
        self,
        num_nodes: int,
        metapath: list[str],
        embedding_size: int = 128,
        negatives: int = 5,
        walk_length: int = 40,
        window_size: int = 5,
    ) -> None:
        super().__init__(num_nodes, embedding_size, negatives, walk_length, window_size)
        self.metapath = list(metapath)

    def sampler(self, graph: Any) -> WalkWindows:
        """Return what makes windows of a graph's walks.

        Args:
            graph: the graph, in numpy's arrays.
        """
        walk = functools.partial(metapath_walk, max_depth=self.walk_length, metapath=self.metapath)
        return WalkWindows(graph, walk, self.window_size, self.negatives)

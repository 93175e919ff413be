"""DeepWalk: embeddings of nodes from random walks.

Paper: Perozzi, Al-Rfou and Skiena, "DeepWalk: Online Learning of Social Representations", KDD 2014,
https://arxiv.org/abs/1403.6652
"""

from __future__ import annotations

import functools
from typing import Any

from PGL.models.skip_gram import SkipGram
from PGL.models.windows import WalkWindows
from PGL.sampling import random_walk


class DeepWalk(SkipGram):
    """Nodes are near each other that stand near each other in walks along random edges.

    Args:
        num_nodes: how many nodes there are.
        embedding_size: size of an embedding.
        negatives: how many nodes are drawn for a node of a walk.
        walk_length: nodes of a walk.
        window_size: the farthest place that is near; each node's window reaches 1 to so many places.

    Raises:
        ValueError: a size is not positive, or a walk has fewer than two nodes.
    """

    def __init__(
        self,
        num_nodes: int,
        embedding_size: int = 128,
        negatives: int = 5,
        walk_length: int = 40,
        window_size: int = 5,
    ) -> None:
        super().__init__(num_nodes, embedding_size, negatives)
        if walk_length < 2 or window_size < 1:
            raise ValueError(
                f"{type(self).__name__}: a walk has at least 2 nodes and a window reaches 1 place, not {walk_length} "
                f"and {window_size}"
            )
        self.walk_length, self.window_size = walk_length, window_size

    def sampler(self, graph: Any) -> WalkWindows:
        """Return what makes windows of a graph's walks.

        Args:
            graph: the graph, in numpy's arrays.
        """
        walk = functools.partial(random_walk, max_depth=self.walk_length)
        return WalkWindows(graph, walk, self.window_size, self.negatives)

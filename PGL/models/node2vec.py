"""node2vec: embeddings of nodes from walks that stay near or lead away.

Paper: Grover and Leskovec, "node2vec: Scalable Feature Learning for Networks", KDD 2016,
https://arxiv.org/abs/1607.00653
"""

from __future__ import annotations

import functools
from typing import Any

from PGL.models.deepwalk import DeepWalk
from PGL.models.windows import WalkWindows
from PGL.sampling import node2vec_walk, sorted_neighbors


class Node2vec(DeepWalk):
    """DeepWalk with walks whose steps weigh 1 / p back, 1 to neighbours of the node before, and 1 / q elsewhere.

    Args:
        num_nodes: how many nodes there are.
        embedding_size: size of an embedding.
        negatives: how many nodes are drawn for a node of a walk.
        walk_length: nodes of a walk.
        window_size: the farthest place that is near; each node's window reaches 1 to so many places.
        p: positive: a small one leads back.
        q: positive: a small one leads away.

    Raises:
        ValueError: an argument is out of range.
    """

    def __init__(
        self,
        num_nodes: int,
        embedding_size: int = 128,
        negatives: int = 5,
        walk_length: int = 40,
        window_size: int = 5,
        p: float = 0.25,
        q: float = 0.25,
    ) -> None:
        super().__init__(num_nodes, embedding_size, negatives, walk_length, window_size)
        if not (p > 0 and q > 0):
            raise ValueError(f"Node2vec: p and q must be positive, not {p} and {q}")
        self.p, self.q = p, q

    def sampler(self, graph: Any) -> WalkWindows:
        """Return what makes windows of a graph's walks.

        Args:
            graph: the graph, in numpy's arrays.
        """
        neighbors = sorted_neighbors(graph)
        walk = functools.partial(node2vec_walk, max_depth=self.walk_length, p=self.p, q=self.q, neighbors=neighbors)
        return WalkWindows(graph, walk, self.window_size, self.negatives)

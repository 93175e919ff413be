"""Batches of skip-gram's windows from walks, or from edges; made in any process, as nothing here loads the engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Callable

import numpy as np

from core.graphs import alias_tables, draw_alias, random_key, walk_windows
from core.io.randomness import integer

POWER = 0.75
"""Of the degree, in the probability of a negative."""


class Negatives:
    """Draws nodes by degree^¾, with https://arxiv.org/abs/1310.4546.

    Args:
        graph: the graph, in numpy's arrays; of a :class:`PGL.HeterGraph` edges of all types count.
        count: how many are drawn for a window.
    """

    def __init__(self, graph: Any, count: int) -> None:
        kinds = [graph[kind] for kind in graph.edge_types] if hasattr(graph, "edge_types") else [graph]
        degrees = sum(one.outgoing.degrees() + one.incoming.degrees() for one in kinds)
        self.count, self.tables = count, alias_tables(degrees.astype(np.float64) ** POWER)

    def __call__(self, windows: int, seed: int) -> np.ndarray:
        """Return nodes, int32 of shape [windows, count].

        Args:
            windows: for how many.
            seed: what the draws follow from.
        """
        drawn = draw_alias(self.tables, windows * self.count, random_key(seed, 1))
        return drawn.astype(np.int32).reshape(windows, self.count)


class WalkWindows:
    """Makes windows of walks that begin at given nodes.

    Args:
        graph: the graph, in numpy's arrays.
        walk: called with the graph, nodes and ``seed``; returns walks, [nodes, length], -1 behind their ends.
        window_size: the farthest place that is near; each window reaches 1 to so many places, drawn evenly.
        negatives: draws of each window.

    Attributes:
        count: how many nodes there are to begin at.
    """

    def __init__(self, graph: Any, walk: Callable[..., np.ndarray], window_size: int, negatives: int) -> None:
        self.graph, self.walk, self.window_size = graph, walk, window_size
        self.count, self.negatives = graph.num_nodes, Negatives(graph, negatives)

    def __call__(self, nodes: Sequence[int]) -> list[np.ndarray]:
        """Return the windows of one walk from each node: nodes, starts of contexts, contexts, negatives."""
        seed = integer(0, 2**62)
        walks = self.walk(self.graph, np.asarray(nodes, np.int64), seed=seed)
        found = walk_windows(walks, self.window_size, random_key(seed, 0))
        return [*found, self.negatives(len(found[0]), seed)]


class EdgeWindows:
    """Makes a window of each edge: its source, near which its target is.

    Args:
        graph: the graph, in numpy's arrays.
        negatives: draws of each window.

    Attributes:
        count: how many edges there are.
    """

    def __init__(self, graph: Any, negatives: int) -> None:
        self.edges, self.count = graph.edges, graph.num_edges
        self.negatives = Negatives(graph, negatives)

    def __call__(self, numbers: Sequence[int]) -> list[np.ndarray]:
        """Return the windows of edges: nodes, starts of contexts, contexts, negatives."""
        chosen = self.edges[np.asarray(numbers, np.int64)].astype(np.int32)
        drawn = self.negatives(len(chosen), integer(0, 2**62))
        return [chosen[:, 0].copy(), np.arange(len(chosen) + 1), chosen[:, 1].copy(), drawn]

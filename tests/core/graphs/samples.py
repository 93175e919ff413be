"""Graphs for the tests of this folder."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.graphs import Adjacency


def graph(rows: list[list[int]], columns: int = 0) -> Adjacency:
    """Return the graph in which row r leads to ``rows[r]``; by default the same nodes are at both ends."""
    sources = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
    targets = np.array([node for row in rows for node in row], np.int64)
    return Adjacency.from_edges(sources, targets, len(rows), columns or len(rows))


ROWS = [[1, 2, 3, 4], [0, 2], [2, 4, 4], [], [0]]
"""A small graph: a self loop, two edges alike, a node without edges."""

SMALL = 50


def small_graph() -> Adjacency:
    """Return a graph in which some nodes have many edges and the last ones none."""
    draw = np.random.default_rng(0)
    sources = np.minimum(draw.geometric(0.1, 200) - 1, SMALL - 5)
    return Adjacency.from_edges(sources, draw.integers(0, SMALL, 200), SMALL, SMALL, False)


def edges_of(stream: Any) -> np.ndarray:
    """Return all edges of a stream, int64 [edges, 2]."""
    return np.concatenate([np.stack(chunk, axis=1).astype(np.int64) for chunk in stream.chunks()])

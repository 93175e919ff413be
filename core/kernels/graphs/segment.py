"""Reducing rows that edges, in any order, bring from one table to another.

Edges of wide rows are grouped by the row where they end, which costs less than to reach each row again and again; the
kernels of message passing do the rest. For narrow rows the threads share the rows of the result and walk through the
edges in order, as in :mod:`core.kernels.numeric.scatter`. Neither result depends on the number of threads.
"""

from __future__ import annotations

from typing import Optional

import numpy as np

from core.kernels.engine.compiled import compiled, number_of_threads, serial, threads
from core.kernels.graphs.adjacency import compress
from core.kernels.graphs.message_extremes import gather_extreme
from core.kernels.graphs.message_passing import gather_sum
from core.kernels.numeric.scatter import PARALLEL_ELEMENTS

_WIDE = 4
"""From so many numbers a row on, grouping pays."""


@serial
def _sum_range(table, source, target, result, first, last):
    """Serve the rows from first to last."""
    width = result.shape[1]
    for row in range(first, last):
        for k in range(width):
            result[row, k] = 0
    for edge in range(target.shape[0]):
        row = target[edge]
        if first <= row < last:
            origin = source[edge]
            for k in range(width):
                result[row, k] += table[origin, k]


@compiled
def _sum_edges(table, source, target, result, parts):
    rows = result.shape[0]
    for part in threads(parts):
        _sum_range(table, source, target, result, rows * part // parts, rows * (part + 1) // parts)


def _is_small(target: np.ndarray, result: np.ndarray) -> bool:
    return max(target.size * result.shape[1], result.size) < PARALLEL_ELEMENTS


def sum_edges(
    table: np.ndarray, source: np.ndarray, target: np.ndarray, size: int, out: Optional[np.ndarray] = None
) -> np.ndarray:
    """Sum rows of a table into the rows of another one, edge by edge.

    Args:
        table: Shape [n, width].
        source: int64 of shape [edges]: the row that each edge brings, in [0, n).
        target: int64 of shape [edges]: where it brings it, in [0, size).
        size: Number of rows of the result.
        out: Memory for the result; new when None.

    Returns:
        Sums of shape [size, width]; 0 where no edge ends.
    """
    width = table.shape[1]
    result = np.empty((size, width), table.dtype) if out is None else out
    if width >= _WIDE and not _is_small(target, result):
        indptr, neighbors, _ = compress(target, source, size, number=False, dtype=np.int32)
        gather_sum(table.reshape(-1), indptr, neighbors, False, width, result.reshape(-1))
    elif _is_small(target, result):
        _sum_range(table, source, target, result, 0, size)
    else:
        _sum_edges(table, source, target, result, number_of_threads())
    return result


def sum_edges_reference(table: np.ndarray, source: np.ndarray, target: np.ndarray, size: int) -> np.ndarray:
    """The definition of :func:`sum_edges` in plain numpy."""
    result = np.zeros((size, table.shape[1]), table.dtype)
    np.add.at(result, target, table[source])
    return result


def extreme_edges(
    table: np.ndarray,
    source: np.ndarray,
    target: np.ndarray,
    size: int,
    largest: bool,
    out: Optional[np.ndarray] = None,
) -> np.ndarray:
    """Find, for each element of the result, the row of the table that brings its largest (or smallest) element.

    Args:
        table, source, target, size: As for :func:`sum_edges`.
        largest: Whether the largest element is wanted.
        out: Memory for the result; new when None.

    Returns:
        int64 rows of shape [size, width]; the first of several equal ones, -1 where no edge ends.
    """
    width = table.shape[1]
    result = np.empty((size, width), np.int64) if out is None else out
    found, winners = np.empty(size * width, table.dtype), np.empty(size * width, np.int32)
    indptr, neighbors, edge_ids = compress(target, source, size)
    assert edge_ids is not None
    gather_extreme(table.reshape(-1), indptr, neighbors, edge_ids, largest, width, (found, winners))
    result[:] = np.where(winners < 0, -1, source[winners] if source.size else -1).reshape(result.shape)
    return result


def extreme_edges_reference(
    table: np.ndarray, source: np.ndarray, target: np.ndarray, size: int, largest: bool
) -> np.ndarray:
    """The definition of :func:`extreme_edges` in plain numpy."""
    result = np.full((size, table.shape[1]), -1, np.int64)
    for row in range(size):
        brought = source[target == row]
        if brought.size:
            values = table[brought]
            result[row] = brought[values.argmax(0) if largest else values.argmin(0)]
    return result

"""Reducing rows that edges bring from one table to another: the kernels under segment reduction and message passing.

As in :mod:`core.kernels.scatter` the threads share the rows of the result and walk through the edges in order, so
the result does not depend on their number.
"""

from __future__ import annotations

from typing import Optional

import numpy as np

from core.kernels.compiled import compiled, number_of_threads, serial, threads
from core.kernels.scatter import PARALLEL_ELEMENTS


@serial
def _sum_range(table, source, target, result, first, last):  # type: ignore[no-untyped-def]
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
def _sum_edges(table, source, target, result, parts):  # type: ignore[no-untyped-def]
    rows = result.shape[0]
    for part in threads(parts):
        _sum_range(table, source, target, result, rows * part // parts, rows * (part + 1) // parts)


@serial
def _extreme_range(table, source, target, sign, result, first, last):  # type: ignore[no-untyped-def]
    """Serve the rows from first to last."""
    width = result.shape[1]
    for row in range(first, last):
        for k in range(width):
            result[row, k] = -1
    for edge in range(target.shape[0]):
        row = target[edge]
        if first <= row < last:
            origin = source[edge]
            for k in range(width):
                best = result[row, k]
                if best < 0:
                    result[row, k] = origin
                else:
                    new = table[origin, k]
                    old = table[best, k]
                    if (new > old) if sign > 0 else (new < old):
                        result[row, k] = origin
                    elif new != new and old == old:  # NaN stays visible
                        result[row, k] = origin


@compiled
def _extreme_edges(table, source, target, sign, result, parts):  # type: ignore[no-untyped-def]
    rows = result.shape[0]
    for part in threads(parts):
        _extreme_range(table, source, target, sign, result, rows * part // parts, rows * (part + 1) // parts)


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
    result = np.empty((size, table.shape[1]), table.dtype) if out is None else out
    if _is_small(target, result):
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
    result = np.empty((size, table.shape[1]), np.int64) if out is None else out
    sign = 1 if largest else -1
    if _is_small(target, result):
        _extreme_range(table, source, target, sign, result, 0, size)
    else:
        _extreme_edges(table, source, target, sign, result, number_of_threads())
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

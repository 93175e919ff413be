"""Edges grouped by one of their ends: compressed sparse rows by a counting sort, in time O(edges + rows).

The edges are cut into as many pieces as there are threads. Each piece counts its edges in each row, and so knows where
in a row its first edge goes: behind those of all pieces before it. The order within a row is that of the edges, and the
result does not depend on the number of threads.
"""

from __future__ import annotations

from typing import Optional

import numpy as np

from core.kernels.engine.compiled import compiled, number_of_threads, threads

_PARALLEL_EDGES = 1 << 16
"""Below this many edges starting threads costs more than it saves."""


def read_only(array: np.ndarray) -> np.ndarray:
    """Return a view that cannot be written, so that one compiled function serves memory-mapped and other arrays."""
    view = np.asarray(array).view()
    view.flags.writeable = False
    return view


@compiled
def _count(rows, counts):
    """Count each piece's edges in each row."""
    pieces, edges = counts.shape[0], rows.shape[0]
    for piece in threads(pieces):
        for edge in range(edges * piece // pieces, edges * (piece + 1) // pieces):
            counts[piece, rows[edge]] += 1


@compiled
def _place(rows, columns, starts, indices, edge_ids):
    """Write each edge to where its piece's next one of that row goes; ``edge_ids`` may be empty."""
    pieces, edges = starts.shape[0], rows.shape[0]
    numbered = edge_ids.shape[0] == edges
    for piece in threads(pieces):
        for edge in range(edges * piece // pieces, edges * (piece + 1) // pieces):
            row = rows[edge]
            place = starts[piece, row]
            starts[piece, row] = place + 1
            indices[place] = columns[edge]
            if numbered:
                edge_ids[place] = edge


def compress(
    rows: np.ndarray, columns: np.ndarray, size: int, number: bool = True, dtype: Optional[type] = None
) -> tuple[np.ndarray, np.ndarray, Optional[np.ndarray]]:
    """Group edges by row; those of one row stay in the order in which they are given.

    Args:
        rows: int32 or int64 (edges,): the row of each edge, in [0, size). The caller has checked it.
        columns: int32 or int64 (edges,): the other end of each edge.
        size: Number of rows.
        number: Whether to return the edges' ids.
        dtype: Type of the columns that are returned, np.int32 or np.int64; that of ``columns`` when None.

    Returns:
        indptr int64 (size + 1,), where each row begins in the two others; the columns (edges,); the ids
        (edges,), int32 while there are fewer than 2^31 edges and int64 beyond, or None.
    """
    edges = rows.shape[0]
    pieces = min(number_of_threads(), max(1, edges // max(size, _PARALLEL_EDGES)))
    starts = np.zeros((pieces, size), np.int64)
    _count(rows, starts)
    indptr = np.zeros(size + 1, np.int64)
    np.cumsum(starts.sum(0), out=indptr[1:])
    before = indptr[:-1].copy()
    for counts in starts:  # each piece's counts give way to the places of its first edges
        held = counts.copy()
        counts[:] = before
        before += held
    indices = np.empty(edges, dtype or columns.dtype)
    edge_ids = np.empty(edges if number else 0, np.int32 if edges < 2**31 else np.int64)
    _place(rows, columns, starts, indices, edge_ids)
    return indptr, indices, edge_ids if number else None


def compress_reference(rows: np.ndarray, columns: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The definition of :func:`compress` in plain numpy."""
    order = np.argsort(rows, kind="stable")
    return np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=size))]), columns[order], order

"""Grouping a stream of edges by row, piece by piece, without holding the stream: counting them, then placing them.

The threads share the rows; each walks through the whole piece and serves its own. So the order within a row is that of
the stream, and the result does not depend on the number of threads.
"""

from __future__ import annotations

import numpy as np

from core.kernels.engine.compiled import compiled, number_of_threads, threads


@compiled
def _count(rows, counts, parts):
    size = counts.shape[0]
    for part in threads(parts):
        first, last = size * part // parts, size * (part + 1) // parts
        for edge in range(rows.shape[0]):
            row = rows[edge]
            if first <= row < last:
                counts[row] += 1


@compiled
def _place(rows, columns, begin, end, cursors, block, parts):
    size, room = end - begin, block.shape[0]
    for part in threads(parts):
        first, last = begin + size * part // parts, begin + size * (part + 1) // parts
        for edge in range(rows.shape[0]):
            row = rows[edge]
            if first <= row < last:
                place = cursors[row - begin]
                cursors[row - begin] = place + 1
                if place < room:  # a stream that differs when it is replayed must not write elsewhere
                    block[place] = columns[edge]


def count_rows(rows: np.ndarray, counts: np.ndarray) -> None:
    """Add how many edges each row has.

    Args:
        rows: int32 or int64 (edges,); those that are no row are not counted.
        counts: int64 (rows,), added to.
    """
    _count(rows, counts, number_of_threads())


def place_edges(rows: np.ndarray, columns: np.ndarray, first_row: int, cursors: np.ndarray, block: np.ndarray) -> None:
    """Write the edges of some neighbouring rows to their places.

    Args:
        rows, columns: int32 or int64 (edges,); edges of other rows are passed over.
        first_row: The first of the rows.
        cursors: int64 (n,): where in ``block`` the next edge of each of the n rows goes; advanced.
        block: int32 or int64: the edges of these rows.
    """
    _place(rows, columns, first_row, first_row + cursors.shape[0], cursors, block, number_of_threads())

"""How kernels over compressed rows share their work, and the check that they address no other memory.

The edges of a row stand together, so whoever computes a row of the result needs nobody's help: no atomic additions, and
results that do not depend on the number of threads. Rows differ in their number of edges; the work is cut where the
edges are many, and each thread takes the next piece that nobody works at.
"""

from __future__ import annotations

import numpy as np

from core.kernels.engine.compiled import number_of_threads, serial

PARALLEL_ELEMENTS = 1 << 15
"""Below this many elements starting threads costs more than it saves."""

_PIECES_OF_A_THREAD = 16
_ROW_COST = 4
"""What a row costs beside its edges, in edges."""


def workers(elements: int) -> int:
    """Return how many threads are worth their start for so many elements."""
    return number_of_threads() if elements >= PARALLEL_ELEMENTS else 1


@serial
def pieces(indptr, threads):
    """Cut the rows into pieces of about as many edges each.

    Args:
        indptr: int64 (rows + 1,).
        threads: How many threads share them.

    Returns:
        int64: the first row of each piece, and the number of rows.
    """
    rows = indptr.shape[0] - 1
    count = 1 if threads == 1 else max(1, min(rows, threads * _PIECES_OF_A_THREAD))
    bounds = np.empty(count + 1, np.int64)
    total = indptr[rows] + rows * _ROW_COST
    row = 0
    for piece in range(count):
        wanted = total * piece // count
        low, high = row, rows
        while low < high:
            middle = (low + high) // 2
            if indptr[middle] + middle * _ROW_COST < wanted:
                low = middle + 1
            else:
                high = middle
        row = low
        bounds[piece] = row
    bounds[count] = rows
    return bounds


@serial
def rows_fit(indptr, edges):
    """Return whether ``indptr`` cuts so many edges into rows."""
    rows = indptr.shape[0] - 1
    if rows < 0 or indptr[0] != 0 or indptr[rows] != edges:
        return False
    falls = 0
    for row in range(rows):
        falls |= indptr[row + 1] - indptr[row]
    return falls >= 0


@serial
def ids_fit(ids, limit):
    """Return whether all ids are in [0, limit)."""
    lowest, highest = 0, -1
    for i in range(ids.shape[0]):
        lowest = min(lowest, ids[i])
        highest = max(highest, ids[i])
    return lowest >= 0 and highest < limit


@serial
def edges_fit(indptr, neighbors, numbers, nodes):
    """Return whether compressed rows address no other memory: 0, or 1 for a wrong node and 2 for a wrong edge number.

    Args:
        indptr: int64 (rows + 1,).
        neighbors: (edges,): nodes.
        numbers: (edges,): what the edges are called.
        nodes: How many nodes there are.
    """
    if not rows_fit(indptr, numbers.size) or neighbors.size != numbers.size or not ids_fit(neighbors, nodes):
        return 1
    return 0 if ids_fit(numbers, numbers.size) else 2

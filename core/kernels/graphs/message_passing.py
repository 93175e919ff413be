"""Messages along the edges of a graph: gathered, weighted and summed in one pass; nothing as long as edges x features.

What is right is defined by :mod:`core.kernels.graphs.message_passing_reference`; how threads share the work, and why
their number changes no bit, is described in :mod:`core.kernels.graphs.edge_work`.

Shapes: a table of nodes (nodes, H, D); numbers of edges (edges, H), in the order of the edges' ids. All are flat here.
Rows of the result are compressed: to row r belong the places from ``indptr[r]`` to before ``indptr[r + 1]``, and each
place has the other end of its edge (``neighbors``) and the edge's id (``edge_ids``).
"""

from __future__ import annotations

from typing import Optional

import numpy as np

from core.kernels.engine.compiled import compiled, serial, taken, threads
from core.kernels.graphs.edge_work import pieces, workers
from core.kernels.graphs.row_tiles import COLUMNS, pass_rows, pass_rows_of_elements, pass_rows_of_heads


def gather_sum(
    table: np.ndarray, indptr: np.ndarray, neighbors: np.ndarray, mean: bool, width: int, out: np.ndarray
) -> None:
    """Add up (or average) the neighbours' rows.

    Args:
        table: Rows of ``width`` numbers, flat.
        indptr: int64 (rows + 1,).
        neighbors: int32 (edges,).
        mean: Whether to divide by the number of edges.
        width: Numbers of a row.
        out: Memory for the result, (rows * width,).
    """
    _let_pass(table, None, None, out, None, indptr, neighbors, neighbors, 1, width)
    if mean:
        _average(out, indptr, width)


@serial
def _average(result, indptr, width):
    for row in range(indptr.shape[0] - 1):
        count = indptr[row + 1] - indptr[row]
        if count > 1:
            for k in range(row * width, (row + 1) * width):
                result[k] /= count


def gather_multiply_sum(
    table: np.ndarray,
    weight: np.ndarray,
    indptr: np.ndarray,
    neighbors: np.ndarray,
    edge_ids: np.ndarray,
    heads: int,
    size: int,
    out: np.ndarray,
) -> None:
    """Add up the neighbours' rows, each head of them times the edge's weight of that head.

    Args:
        table: (nodes, heads, size), flat.
        weight: (edges, heads), flat.
        indptr, neighbors, edge_ids: Compressed rows.
        heads, size: See above.
        out: Memory for the result, (rows, heads, size), flat.
    """
    _let_pass(table, weight, None, out, None, indptr, neighbors, edge_ids, heads, size)


def gather_multiply_gradients(
    gradient: np.ndarray,
    table: np.ndarray,
    weight: np.ndarray,
    indptr: np.ndarray,
    neighbors: np.ndarray,
    edge_ids: np.ndarray,
    heads: int,
    size: int,
    out: tuple[np.ndarray, np.ndarray],
) -> None:
    """Write the gradients of (table, weight) of :func:`gather_multiply_sum` in one pass over the edges.

    Args:
        gradient: Gradient of its result, flat.
        table, weight, heads, size: As there.
        indptr, neighbors, edge_ids: The same edges, compressed by the rows of the table.
        out: (gradient of the table, gradient of the weight).
    """
    _let_pass(gradient, weight, table, *out, indptr, neighbors, edge_ids, heads, size)


def dot_ends(
    sources: np.ndarray,
    targets: np.ndarray,
    indptr: np.ndarray,
    neighbors: np.ndarray,
    edge_ids: np.ndarray,
    heads: int,
    size: int,
    out: np.ndarray,
) -> None:
    """Multiply, for each edge and head, the rows of its two ends.

    Args:
        sources: (nodes, heads, size), flat: of the neighbours.
        targets: (rows, heads, size), flat.
        indptr, neighbors, edge_ids: Compressed rows.
        heads, size: See above.
        out: Memory for the products, (edges, heads), flat.
    """
    _let_pass(sources, None, targets, None, out, indptr, neighbors, edge_ids, heads, size)


Given = Optional[np.ndarray]


def _let_pass(
    table: np.ndarray,
    weight: Given,
    mine: Given,
    sums: Given,
    products: Given,
    indptr: np.ndarray,
    neighbors: np.ndarray,
    edge_ids: np.ndarray,
    heads: int,
    size: int,
) -> None:
    """Let all edges pass; code is compiled for what is given.

    Args:
        table: (nodes, heads, size): what the neighbours send.
        weight: (edges, heads); None: all weigh 1.
        mine: (rows, heads, size): what each edge's message is multiplied with for ``products``.
        sums: Memory for the sums of weight times message, (rows, heads, size).
        products: Memory for each edge's products with ``mine``, added up, (edges, heads).
        indptr, neighbors, edge_ids, heads, size: See above.
    """
    count = workers(neighbors.size * heads * size)
    arrays = (table, weight, mine, sums, products, neighbors, edge_ids)
    rest = (indptr, heads, size, pieces(indptr, count))
    if count == 1:
        _share(*arrays, *rest, np.zeros(1, np.int64))
    else:
        _shares(*arrays, *rest, count)


@compiled
def _shares(
    table, weight, mine, sums, products, neighbors, edge_ids, indptr, heads, size, bounds, workers
):
    counter = np.zeros(1, np.int64)
    for _ in threads(workers):
        _share(table, weight, mine, sums, products, neighbors, edge_ids, indptr, heads, size, bounds, counter)


@serial
def _share(
    table, weight, mine, sums, products, neighbors, edge_ids, indptr, heads, size, bounds, counter
):
    width = heads * size
    piece = taken(counter)
    while piece < bounds.shape[0] - 1:
        for row in range(bounds[piece], bounds[piece + 1]):
            arrays = (table, weight, mine, sums, products, neighbors, edge_ids)
            numbers = (indptr[row], indptr[row + 1], width, row * width)
            head = 0
            while head < heads:
                together = _together(heads - head, size)
                column = head * size
                if size == 1 and heads > 1:
                    pass_rows_of_elements(*arrays, *numbers, head, together, heads, 0, 1)
                elif together > 1:
                    pass_rows_of_heads(*arrays, *numbers, column, together * size, heads, head, size)
                else:
                    for start in range(column, column + size, COLUMNS):
                        count = min(COLUMNS, column + size - start)
                        pass_rows(*arrays, *numbers, start, count, heads, head, size)
                head += together
        piece = taken(counter)


@serial
def _together(heads, size):
    """Return how many of the remaining heads pass in one go: where a head is one element, or one vector."""
    if size == 1 and heads > 1:
        return min(heads, COLUMNS)
    if size == 8 and heads >= 8:
        return 8
    if size == 4 and heads >= 8:
        return 8
    if (size == 8 or size == 16) and heads >= 4:
        return 4
    return 1

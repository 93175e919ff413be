"""Messages along the edges of a graph: gathered, weighted and summed in one pass; nothing as long as edges x features.

What is right is defined by :mod:`core.kernels.message_passing_reference`; how threads share the work, and why their
number changes no bit, is told in :mod:`core.kernels.edge_work`.

Shapes: a table of nodes (nodes, H, D); numbers of edges (edges, H), in the order of the edges' ids. All are flat here.
Rows of the result are compressed: to row r belong the places from ``indptr[r]`` to before ``indptr[r + 1]``, and each
place has the other end of its edge (``neighbors``) and the edge's id (``edge_ids``).
"""

from __future__ import annotations

import numpy as np

from core.kernels.compiled import compiled, serial, taken, threads
from core.kernels.edge_work import pieces, workers
from core.kernels.row_tiles import (
    COLUMNS,
    dots_of_elements,
    dots_of_heads,
    dots_of_one,
    gradients_of_elements,
    gradients_of_heads,
    gradients_of_one,
    sum_rows,
    sum_rows_of_elements,
    sum_rows_of_heads,
    sum_rows_of_one,
)


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
    count = workers(neighbors.size * width)
    bounds = pieces(indptr, count)
    given = (table, indptr, neighbors, mean, width, out, bounds)
    if count == 1:
        _sum_share(*given, np.zeros(1, np.int64))
    else:
        _sum_shares(*given, count)


@compiled
def _sum_shares(table, indptr, neighbors, mean, width, result, bounds, workers):  # type: ignore[no-untyped-def]
    counter = np.zeros(1, np.int64)
    for _ in threads(workers):
        _sum_share(table, indptr, neighbors, mean, width, result, bounds, counter)


@serial
def _sum_share(table, indptr, neighbors, mean, width, result, bounds, counter):  # type: ignore[no-untyped-def]
    piece = taken(counter)
    while piece < bounds.shape[0] - 1:
        for row in range(bounds[piece], bounds[piece + 1]):
            place, first, last = row * width, indptr[row], indptr[row + 1]
            for column in range(0, width, COLUMNS):
                count = min(COLUMNS, width - column)
                sum_rows(
                    table, table, table, result, table, neighbors, neighbors, first, last, width, place, column, count,
                    1, 0, width,
                )  # fmt: skip
            if mean and last - first > 1:
                for k in range(place, place + width):
                    result[k] /= last - first
        piece = taken(counter)


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
    count = workers(neighbors.size * heads * size)
    given = (table, weight, indptr, neighbors, edge_ids, heads, size, out, pieces(indptr, count))
    if count == 1:
        _multiply_share(*given, np.zeros(1, np.int64))
    else:
        _multiply_shares(*given, count)


@compiled
def _multiply_shares(  # type: ignore[no-untyped-def]
    table, weight, indptr, neighbors, edge_ids, heads, size, result, bounds, workers
):
    counter = np.zeros(1, np.int64)
    for _ in threads(workers):
        _multiply_share(table, weight, indptr, neighbors, edge_ids, heads, size, result, bounds, counter)


@serial
def _multiply_share(  # type: ignore[no-untyped-def]
    table, weight, indptr, neighbors, edge_ids, heads, size, result, bounds, counter
):
    width = heads * size
    piece = taken(counter)
    while piece < bounds.shape[0] - 1:
        for row in range(bounds[piece], bounds[piece + 1]):
            arrays = (table, weight, table, result, table, neighbors, edge_ids)
            numbers = (indptr[row], indptr[row + 1], width, row * width)
            head = 0
            while head < heads:
                together = _together(heads - head, size)
                column = head * size
                if size == 1 and heads > 1:
                    sum_rows_of_elements(*arrays, *numbers, head, together, heads, 0, 1)
                elif together > 1:
                    sum_rows_of_heads(*arrays, *numbers, column, together * size, heads, head, size)
                else:
                    for start in range(column, column + size, COLUMNS):
                        count = min(COLUMNS, column + size - start)
                        sum_rows_of_one(*arrays, *numbers, start, count, heads, head, size)
                head += together
        piece = taken(counter)


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
    count = workers(neighbors.size * heads * size)
    given = (gradient, table, weight, indptr, neighbors, edge_ids, heads, size, *out, pieces(indptr, count))
    if count == 1:
        _gradients_share(*given, np.zeros(1, np.int64))
    else:
        _gradients_shares(*given, count)


@compiled
def _gradients_shares(  # type: ignore[no-untyped-def]
    gradient, table, weight, indptr, neighbors, edge_ids, heads, size, of_table, of_weight, bounds, workers
):
    counter = np.zeros(1, np.int64)
    for _ in threads(workers):
        given = (gradient, table, weight, indptr, neighbors, edge_ids, heads, size, of_table, of_weight, bounds)
        _gradients_share(*given, counter)


@serial
def _gradients_share(  # type: ignore[no-untyped-def]
    gradient, table, weight, indptr, neighbors, edge_ids, heads, size, of_table, of_weight, bounds, counter
):
    width = heads * size
    piece = taken(counter)
    while piece < bounds.shape[0] - 1:
        for row in range(bounds[piece], bounds[piece + 1]):
            arrays = (gradient, weight, table, of_table, of_weight, neighbors, edge_ids)
            numbers = (indptr[row], indptr[row + 1], width, row * width)
            head = 0
            while head < heads:
                together = _together(heads - head, size)
                column = head * size
                if size == 1 and heads > 1:
                    gradients_of_elements(*arrays, *numbers, head, together, heads, 0, 1)
                elif together > 1:
                    gradients_of_heads(*arrays, *numbers, column, together * size, heads, head, size)
                else:
                    for start in range(column, column + size, COLUMNS):
                        count = min(COLUMNS, column + size - start)
                        gradients_of_one(*arrays, *numbers, start, count, heads, head, size)
                head += together
        piece = taken(counter)


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
    count = workers(neighbors.size * heads * size)
    given = (sources, targets, indptr, neighbors, edge_ids, heads, size, out, pieces(indptr, count))
    if count == 1:
        _dot_share(*given, np.zeros(1, np.int64))
    else:
        _dot_shares(*given, count)


@compiled
def _dot_shares(  # type: ignore[no-untyped-def]
    sources, targets, indptr, neighbors, edge_ids, heads, size, result, bounds, workers
):
    counter = np.zeros(1, np.int64)
    for _ in threads(workers):
        _dot_share(sources, targets, indptr, neighbors, edge_ids, heads, size, result, bounds, counter)


@serial
def _dot_share(  # type: ignore[no-untyped-def]
    sources, targets, indptr, neighbors, edge_ids, heads, size, result, bounds, counter
):
    width = heads * size
    piece = taken(counter)
    while piece < bounds.shape[0] - 1:
        for row in range(bounds[piece], bounds[piece + 1]):
            arrays = (sources, sources, targets, result, result, neighbors, edge_ids)
            numbers = (indptr[row], indptr[row + 1], width, row * width)
            head = 0
            while head < heads:
                together = _together(heads - head, size)
                column = head * size
                if size == 1 and heads > 1:
                    dots_of_elements(*arrays, *numbers, head, together, heads, 0, 1)
                elif together > 1:
                    dots_of_heads(*arrays, *numbers, column, together * size, heads, head, size)
                else:
                    for start in range(column, column + size, COLUMNS):
                        count = min(COLUMNS, column + size - start)
                        dots_of_one(*arrays, *numbers, start, count, heads, head, size)
                head += together
        piece = taken(counter)


@serial
def _together(heads, size):  # type: ignore[no-untyped-def]
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

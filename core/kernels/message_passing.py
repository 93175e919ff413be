"""Messages along the edges of a graph: gathered, weighted and summed in one pass; nothing as long as edges x features.

What is right is defined by :mod:`core.kernels.message_passing_reference`; how threads share the work, and why their
number changes no bit, is told in :mod:`core.kernels.edge_work`.

Shapes: a table of nodes (nodes, H, D); numbers of edges (edges, H), in the order of the edges' ids. All are flat here.
Rows of the result are compressed: to row r belong the places from ``indptr[r]`` to before ``indptr[r + 1]``, and each
place has the other end of its edge (``neighbors``) and the edge's id (``edge_ids``).
"""

from __future__ import annotations

import numpy as np

from core.kernels.compiled import compiled, serial, taken, threads, vectorized
from core.kernels.edge_work import pieces, workers


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
            for k in range(place, place + width):
                result[k] = 0
            for at in range(first, last):
                _add(result, place, table, neighbors[at] * width, width)
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
            place = row * width
            for k in range(place, place + width):
                result[k] = 0
            for at in range(indptr[row], indptr[row + 1]):
                _add_weighted(result, place, table, neighbors[at] * width, weight, edge_ids[at] * heads, heads, size)
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
            place = row * width
            for k in range(place, place + width):
                of_table[k] = 0
            for at in range(indptr[row], indptr[row + 1]):
                start, edge = neighbors[at] * width, edge_ids[at] * heads
                _add_weighted(of_table, place, gradient, start, weight, edge, heads, size)
                _dots(of_weight, edge, gradient, start, table, place, heads, size)
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
            for at in range(indptr[row], indptr[row + 1]):
                start = neighbors[at] * width
                _dots(result, edge_ids[at] * heads, sources, start, targets, row * width, heads, size)
        piece = taken(counter)


@vectorized
def _add(result, place, table, start, width):  # type: ignore[no-untyped-def]
    for k in range(width):
        result[place + k] += table[start + k]


@vectorized
def _add_weighted(result, place, table, start, weight, edge, heads, size):  # type: ignore[no-untyped-def]
    if size == 1:
        for k in range(heads):
            result[place + k] += weight[edge + k] * table[start + k]
        return
    for head in range(heads):
        factor, ahead = weight[edge + head], head * size
        for k in range(ahead, ahead + size):
            result[place + k] += factor * table[start + k]


@vectorized
def _dots(result, edge, first, start, second, place, heads, size):  # type: ignore[no-untyped-def]
    if size == 1:
        for k in range(heads):
            result[edge + k] = first[start + k] * second[place + k]
        return
    for head in range(heads):
        total = first.dtype.type(0)
        for k in range(head * size, head * size + size):
            total += first[start + k] * second[place + k]
        result[edge + head] = total

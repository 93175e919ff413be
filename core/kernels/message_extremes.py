"""The largest (or smallest) numbers that edges bring to a node, and the gradient, which flows to those that brought it.

Shapes as in :mod:`core.kernels.message_passing`; what is right is defined by
:mod:`core.kernels.message_passing_reference`.
"""

from __future__ import annotations

import numpy as np

from core.kernels.compiled import compiled, serial, taken, threads, vectorized
from core.kernels.edge_work import pieces, workers


def gather_extreme(
    table: np.ndarray,
    indptr: np.ndarray,
    neighbors: np.ndarray,
    edge_ids: np.ndarray,
    largest: bool,
    width: int,
    out: tuple[np.ndarray, np.ndarray],
) -> None:
    """Find the largest (or smallest) element among the neighbours' rows; NaN wins, 0 where there is no neighbour.

    Args:
        table: Rows of ``width`` numbers, flat.
        indptr, neighbors, edge_ids: Compressed rows.
        largest: Whether the largest is wanted.
        width: Numbers of a row.
        out: (elements (rows, width), int32 ids of the first edges that bring them, -1 where there is none), flat.
    """
    count = workers(neighbors.size * width)
    given = (table, indptr, neighbors, edge_ids, largest, width, *out, pieces(indptr, count))
    if count == 1:
        _extreme_share(*given, np.zeros(1, np.int64))
    else:
        _extreme_shares(*given, count)


@compiled
def _extreme_shares(  # type: ignore[no-untyped-def]
    table, indptr, neighbors, edge_ids, largest, width, result, winners, bounds, workers
):
    counter = np.zeros(1, np.int64)
    for _ in threads(workers):
        _extreme_share(table, indptr, neighbors, edge_ids, largest, width, result, winners, bounds, counter)


@serial
def _extreme_share(  # type: ignore[no-untyped-def]
    table, indptr, neighbors, edge_ids, largest, width, result, winners, bounds, counter
):
    piece = taken(counter)
    while piece < bounds.shape[0] - 1:
        for row in range(bounds[piece], bounds[piece + 1]):
            place, first, last = row * width, indptr[row], indptr[row + 1]
            start = neighbors[first] * width if first < last else 0
            for k in range(width):
                result[place + k] = table[start + k] if first < last else 0
                winners[place + k] = edge_ids[first] if first < last else -1
            for at in range(first + 1, last):
                if largest:
                    _raise(result, winners, place, table, neighbors[at] * width, edge_ids[at], width)
                else:
                    _lower(result, winners, place, table, neighbors[at] * width, edge_ids[at], width)
        piece = taken(counter)


@vectorized
def _raise(result, winners, place, table, start, edge, width):  # type: ignore[no-untyped-def]
    for k in range(width):
        old, new = result[place + k], table[start + k]
        wins = new > old or (new != new and old == old)
        result[place + k] = new if wins else old
        winners[place + k] = edge if wins else winners[place + k]


@vectorized
def _lower(result, winners, place, table, start, edge, width):  # type: ignore[no-untyped-def]
    for k in range(width):
        old, new = result[place + k], table[start + k]
        wins = new < old or (new != new and old == old)
        result[place + k] = new if wins else old
        winners[place + k] = edge if wins else winners[place + k]


def sum_of_winners(
    table: np.ndarray,
    winners: np.ndarray,
    indptr: np.ndarray,
    neighbors: np.ndarray,
    edge_ids: np.ndarray,
    forward: bool,
    width: int,
    out: np.ndarray,
) -> None:
    """Add up those elements of the neighbours' rows whose edges won.

    Args:
        table: Rows of ``width`` numbers, flat.
        winners: The edges that won: of the rows of the result, or of those of the table.
        indptr, neighbors, edge_ids: Compressed rows.
        forward: Whether the winners are those of the result's rows.
        width: Numbers of a row.
        out: Memory for the sums, (rows, width), flat.
    """
    count = workers(neighbors.size * width)
    given = (table, winners, indptr, neighbors, edge_ids, forward, width, out, pieces(indptr, count))
    if count == 1:
        _winners_share(*given, np.zeros(1, np.int64))
    else:
        _winners_shares(*given, count)


@compiled
def _winners_shares(  # type: ignore[no-untyped-def]
    table, winners, indptr, neighbors, edge_ids, forward, width, result, bounds, workers
):
    counter = np.zeros(1, np.int64)
    for _ in threads(workers):
        _winners_share(table, winners, indptr, neighbors, edge_ids, forward, width, result, bounds, counter)


@serial
def _winners_share(  # type: ignore[no-untyped-def]
    table, winners, indptr, neighbors, edge_ids, forward, width, result, bounds, counter
):
    piece = taken(counter)
    while piece < bounds.shape[0] - 1:
        for row in range(bounds[piece], bounds[piece + 1]):
            place = row * width
            for k in range(place, place + width):
                result[k] = 0
            for at in range(indptr[row], indptr[row + 1]):
                start = neighbors[at] * width
                _add_won(result, place, table, start, winners, place if forward else start, edge_ids[at], width)
        piece = taken(counter)


@vectorized
def _add_won(result, place, table, start, winners, other, edge, width):  # type: ignore[no-untyped-def]
    zero = table.dtype.type(0)
    for k in range(width):
        result[place + k] += table[start + k] if winners[other + k] == edge else zero

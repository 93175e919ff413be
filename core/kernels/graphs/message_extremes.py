"""The largest (or smallest) numbers that edges bring to a node, and the gradient, which flows to those that brought it.

Shapes as in :mod:`core.kernels.graphs.message_passing`; what is right is defined by
:mod:`core.kernels.graphs.message_passing_reference`.
"""

from __future__ import annotations

import numpy as np

from core.kernels.engine.compiled import compiled, serial, taken, threads
from core.kernels.graphs.edge_work import pieces, workers
from core.kernels.graphs.extreme_tiles import (
    largest_of_row,
    smallest_of_row,
    sum_of_neighbor_winners,
    sum_of_row_winners,
)
from core.kernels.graphs.row_tiles import COLUMNS


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
def _extreme_shares(
    table, indptr, neighbors, edge_ids, largest, width, result, winners, bounds, workers
):
    counter = np.zeros(1, np.int64)
    for _ in threads(workers):
        _extreme_share(table, indptr, neighbors, edge_ids, largest, width, result, winners, bounds, counter)


@serial
def _extreme_share(
    table, indptr, neighbors, edge_ids, largest, width, result, winners, bounds, counter
):
    piece = taken(counter)
    while piece < bounds.shape[0] - 1:
        for row in range(bounds[piece], bounds[piece + 1]):
            arrays = (table, result, winners, neighbors, edge_ids)
            numbers = (indptr[row], indptr[row + 1], width, row * width)
            for column in range(0, width, COLUMNS):
                if largest:
                    largest_of_row(*arrays, *numbers, column, min(COLUMNS, width - column))
                else:
                    smallest_of_row(*arrays, *numbers, column, min(COLUMNS, width - column))
        piece = taken(counter)


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
def _winners_shares(
    table, winners, indptr, neighbors, edge_ids, forward, width, result, bounds, workers
):
    counter = np.zeros(1, np.int64)
    for _ in threads(workers):
        _winners_share(table, winners, indptr, neighbors, edge_ids, forward, width, result, bounds, counter)


@serial
def _winners_share(
    table, winners, indptr, neighbors, edge_ids, forward, width, result, bounds, counter
):
    piece = taken(counter)
    while piece < bounds.shape[0] - 1:
        for row in range(bounds[piece], bounds[piece + 1]):
            arrays = (table, result, winners, neighbors, edge_ids)
            numbers = (indptr[row], indptr[row + 1], width, row * width)
            for column in range(0, width, COLUMNS):
                if forward:
                    sum_of_row_winners(*arrays, *numbers, column, min(COLUMNS, width - column))
                else:
                    sum_of_neighbor_winners(*arrays, *numbers, column, min(COLUMNS, width - column))
        piece = taken(counter)

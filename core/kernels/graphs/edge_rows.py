"""Numbers of edges beside the rows of their ends: copied from them, added up from them, normalised among them.

As in :mod:`core.kernels.graphs.message_passing`: numbers of edges (edges, width) in the order of the edges' ids, tables
of nodes (nodes, width), all flat, and compressed rows. What is right is defined by
:mod:`core.kernels.graphs.message_passing_reference`.
"""

from __future__ import annotations

import numpy as np

from core.kernels.engine.compiled import compiled, serial, taken, threads
from core.kernels.graphs.edge_work import pieces, workers


def edge_expand(table: np.ndarray, indptr: np.ndarray, edge_ids: np.ndarray, width: int, out: np.ndarray) -> None:
    """Copy each row to its edges.

    Args:
        table: (rows, width), flat.
        indptr, edge_ids: Compressed rows.
        width: Numbers of a row.
        out: Memory for the copies, (edges, width), flat.
    """
    count = workers(edge_ids.size * width)
    given = (table, indptr, edge_ids, width, out, pieces(indptr, count))
    if count == 1:
        _expand_share(*given, np.zeros(1, np.int64))
    else:
        _expand_shares(*given, count)


@compiled
def _expand_shares(table, indptr, edge_ids, width, result, bounds, workers):
    counter = np.zeros(1, np.int64)
    for _ in threads(workers):
        _expand_share(table, indptr, edge_ids, width, result, bounds, counter)


@serial
def _expand_share(table, indptr, edge_ids, width, result, bounds, counter):
    piece = taken(counter)
    while piece < bounds.shape[0] - 1:
        for row in range(bounds[piece], bounds[piece + 1]):
            for at in range(indptr[row], indptr[row + 1]):
                place = edge_ids[at] * width
                for k in range(width):
                    result[place + k] = table[row * width + k]
        piece = taken(counter)


def add_ends(
    sources: np.ndarray,
    targets: np.ndarray,
    indptr: np.ndarray,
    neighbors: np.ndarray,
    edge_ids: np.ndarray,
    width: int,
    out: np.ndarray,
) -> None:
    """Add, for each edge, the rows of its two ends.

    Args:
        sources: (nodes, width), flat: of the neighbours.
        targets: (rows, width), flat.
        indptr, neighbors, edge_ids: Compressed rows.
        width: Numbers of a row.
        out: Memory for the sums, (edges, width), flat.
    """
    count = workers(edge_ids.size * width)
    given = (sources, targets, indptr, neighbors, edge_ids, width, out, pieces(indptr, count))
    if count == 1:
        _ends_share(*given, np.zeros(1, np.int64))
    else:
        _ends_shares(*given, count)


@compiled
def _ends_shares(
    sources, targets, indptr, neighbors, edge_ids, width, result, bounds, workers
):
    counter = np.zeros(1, np.int64)
    for _ in threads(workers):
        _ends_share(sources, targets, indptr, neighbors, edge_ids, width, result, bounds, counter)


@serial
def _ends_share(
    sources, targets, indptr, neighbors, edge_ids, width, result, bounds, counter
):
    piece = taken(counter)
    while piece < bounds.shape[0] - 1:
        for row in range(bounds[piece], bounds[piece + 1]):
            for at in range(indptr[row], indptr[row + 1]):
                place, start = edge_ids[at] * width, neighbors[at] * width
                for k in range(width):
                    result[place + k] = sources[start + k] + targets[row * width + k]
        piece = taken(counter)

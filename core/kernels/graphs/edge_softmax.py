"""Softmax among the edges of each row, forward and backward.

As in :mod:`core.kernels.graphs.message_passing`: numbers of edges (edges, heads) in the order of the edges' ids, flat,
and compressed rows. What is right is defined by :mod:`core.kernels.graphs.message_passing_reference`.
"""

from __future__ import annotations

import math

import numpy as np

from core.kernels.engine.compiled import compiled, serial, taken, threads
from core.kernels.graphs.edge_work import pieces, workers


def edge_softmax(logits: np.ndarray, indptr: np.ndarray, edge_ids: np.ndarray, heads: int, out: np.ndarray) -> None:
    """Divide exp of each edge's number by the sum of those of the edges in its row.

    Args:
        logits: (edges, heads), flat.
        indptr, edge_ids: Compressed rows.
        heads: Numbers of an edge.
        out: Memory for the result, of the same shape.
    """
    count = workers(4 * logits.size)
    given = (logits, indptr, edge_ids, heads, out, pieces(indptr, count))
    if count == 1:
        _softmax_share(*given, np.zeros(1, np.int64))
    else:
        _softmax_shares(*given, count)


@compiled
def _softmax_shares(logits, indptr, edge_ids, heads, result, bounds, workers):
    counter = np.zeros(1, np.int64)
    for _ in threads(workers):
        _softmax_share(logits, indptr, edge_ids, heads, result, bounds, counter)


@serial
def _softmax_share(logits, indptr, edge_ids, heads, result, bounds, counter):
    piece = taken(counter)
    while piece < bounds.shape[0] - 1:
        for row in range(bounds[piece], bounds[piece + 1]):
            first, last = indptr[row], indptr[row + 1]
            for head in range(heads):
                highest = -np.inf
                for at in range(first, last):
                    number = logits[edge_ids[at] * heads + head]
                    highest = number if number > highest or number != number else highest
                total = logits.dtype.type(0)
                for at in range(first, last):
                    place = edge_ids[at] * heads + head
                    power = math.exp(logits[place] - highest)
                    result[place] = power
                    total += power
                for at in range(first, last):
                    result[edge_ids[at] * heads + head] /= total
        piece = taken(counter)


def edge_softmax_gradient(
    gradient: np.ndarray,
    result: np.ndarray,
    indptr: np.ndarray,
    edge_ids: np.ndarray,
    heads: int,
    out: np.ndarray,
) -> None:
    """Write the gradient of the logits of :func:`edge_softmax`.

    Args:
        gradient: Gradient of its result, flat.
        result: Its result, flat.
        indptr, edge_ids, heads: As there.
        out: Memory for the gradient.
    """
    count = workers(2 * result.size)
    given = (gradient, result, indptr, edge_ids, heads, out, pieces(indptr, count))
    if count == 1:
        _gradient_share(*given, np.zeros(1, np.int64))
    else:
        _gradient_shares(*given, count)


@compiled
def _gradient_shares(
    gradient, result, indptr, edge_ids, heads, of_logits, bounds, workers
):
    counter = np.zeros(1, np.int64)
    for _ in threads(workers):
        _gradient_share(gradient, result, indptr, edge_ids, heads, of_logits, bounds, counter)


@serial
def _gradient_share(
    gradient, result, indptr, edge_ids, heads, of_logits, bounds, counter
):
    piece = taken(counter)
    while piece < bounds.shape[0] - 1:
        for row in range(bounds[piece], bounds[piece + 1]):
            first, last = indptr[row], indptr[row + 1]
            for head in range(heads):
                along = result.dtype.type(0)
                for at in range(first, last):
                    place = edge_ids[at] * heads + head
                    along += gradient[place] * result[place]
                for at in range(first, last):
                    place = edge_ids[at] * heads + head
                    of_logits[place] = result[place] * (gradient[place] - along)
        piece = taken(counter)

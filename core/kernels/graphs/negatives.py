"""Drawing nodes that are not among given ones."""

from __future__ import annotations

import numpy as np

from core.kernels.engine.compiled import compiled, serial, threads
from core.kernels.graphs.adjacency import read_only
from core.kernels.graphs.graph_results import AliasTables
from core.kernels.graphs.walks import lower_bound
from core.kernels.numeric.draws import below, mixed, unit

NONE = -1
"""Marks where every node with a chance is excluded."""
_TRIES = 64


@serial
def _excluded(indices, start, end, node):
    place = lower_bound(indices, start, end, node)
    return place < end and indices[place] == node


@serial
def _chosen(indices, start, end, chances, others, weights, key):
    """Draw until a node is not excluded; after many draws, weigh all nodes that are not."""
    for attempt in range(_TRIES):
        draw = mixed(key, attempt)
        node = below(draw, weights.shape[0])
        if unit(mixed(draw, 0)) >= chances[node]:
            node = int(others[node])
        if not _excluded(indices, start, end, node):
            return node
    total = 0.0
    for node in range(weights.shape[0]):
        if not _excluded(indices, start, end, node):
            total += weights[node]
    height = unit(mixed(key, _TRIES)) * total
    last = NONE
    for node in range(weights.shape[0]):
        if weights[node] > 0 and not _excluded(indices, start, end, node):
            last = node
            height -= weights[node]
            if height < 0:
                break
    return last


@compiled
def _draw(indptr, indices, sources, chances, others, weights, key, result):
    for i in threads(result.shape[0]):
        start, end = indptr[sources[i]], indptr[sources[i] + 1]
        row = mixed(key, i)
        for j in range(result.shape[1]):
            result[i, j] = _chosen(indices, start, end, chances, others, weights, mixed(row, j))


def draw_negatives(
    indptr: np.ndarray,
    indices: np.ndarray,
    sources: np.ndarray,
    count: int,
    weights: np.ndarray,
    tables: AliasTables,
    key: np.uint64,
) -> np.ndarray:
    """Draw nodes for each source that are not among its excluded ones.

    Args:
        indptr: int64 (sources + 1,): the excluded nodes of each source, in compressed rows.
        indices: int32 or int64, sorted within each row.
        sources: int64 (n,), checked by the caller.
        count: How many nodes for each; one may be drawn several times.
        weights: float64 (nodes,): the nodes' chances.
        tables: Their alias table.
        key: What the draws follow from.

    Returns:
        int64 (n, count); -1 where every node with a chance is excluded.
    """
    result = np.empty((sources.shape[0], count), np.int64)
    _draw(read_only(indptr), read_only(indices), read_only(sources), *tables, weights, key, result)
    return result

"""The definitions of the kernels of message passing in plain numpy.

Tables are (nodes, H, D) or (nodes, D), numbers of edges (edges, H) in the order of the edges' ids; edge e leads from
``source[e]`` to ``target[e]``.
"""

from __future__ import annotations

import numpy as np


def gather_sum(table: np.ndarray, source: np.ndarray, target: np.ndarray, rows: int, mean: bool = False) -> np.ndarray:
    """Add up (or average) the rows of the sources at each target."""
    result = np.zeros((rows, *table.shape[1:]), table.dtype)
    np.add.at(result, target, table[source])
    if mean:
        result /= np.maximum(np.bincount(target, minlength=rows), 1).reshape(-1, *[1] * (table.ndim - 1))
    return result


def gather_multiply_sum(
    table: np.ndarray, weight: np.ndarray, source: np.ndarray, target: np.ndarray, rows: int
) -> np.ndarray:
    """Add up the rows of the sources (nodes, H, D), times the edges' weights (edges, H), at each target."""
    result = np.zeros((rows, *table.shape[1:]), table.dtype)
    np.add.at(result, target, table[source] * weight[:, :, None])
    return result


def dot_ends(sources: np.ndarray, targets: np.ndarray, source: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Multiply the rows (nodes, H, D) of the two ends of each edge, and add up along the last axis."""
    return np.asarray((sources[source] * targets[target]).sum(-1))


def gather_extreme(
    table: np.ndarray, source: np.ndarray, target: np.ndarray, rows: int, largest: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Find the largest (or smallest) elements (rows, D) that arrive, and the first edges that bring them."""
    result, winners = np.zeros((rows, table.shape[1]), table.dtype), np.full((rows, table.shape[1]), -1, np.int32)
    for row in range(rows):
        edges = np.flatnonzero(target == row)
        if edges.size:
            brought = table[source[edges]]
            best = brought.argmax(0) if largest else brought.argmin(0)
            result[row], winners[row] = brought[best, np.arange(table.shape[1])], edges[best]
    return result, winners


def sum_of_winners(table: np.ndarray, winners: np.ndarray, source: np.ndarray, rows: int) -> np.ndarray:
    """Send the elements of targets (targets, D) back to the sources of the edges that won."""
    result = np.zeros((rows, table.shape[1]), table.dtype)
    won, column = np.nonzero(winners >= 0)
    np.add.at(result, (source[winners[won, column]], column), table[won, column])
    return result


def edge_softmax(logits: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Divide exp of each edge's numbers (edges, H) by the sums of those of the edges with the same target."""
    result = np.empty_like(logits)
    for row in np.unique(target):
        powers = np.exp(logits[target == row] - logits[target == row].max(0))
        result[target == row] = powers / powers.sum(0)
    return result


def edge_softmax_gradient(gradient: np.ndarray, result: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Return the gradient of the logits, from that of the result (edges, H)."""
    along = np.zeros((int(target.max(initial=-1)) + 1, result.shape[1]), result.dtype)
    np.add.at(along, target, gradient * result)
    return np.asarray(result * (gradient - along[target]))

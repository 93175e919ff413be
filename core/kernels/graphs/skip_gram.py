"""Skip-gram with negative sampling: gradient descent on the rows of two tables that a batch of windows touches.

A window is a node with the nodes that occurred near it, its contexts, and some that were drawn, its negatives, which
serve all its contexts (https://arxiv.org/abs/1310.4546, equation 4, with the negatives shared). With s its node's row
of the one table and t rows of the other, its loss is

    sum over contexts c of -log σ(s · t_c)  +  contexts × sum over negatives n of -log σ(-s · t_n).

The windows are taken in blocks. Within a block every gradient is of the rows as they were before it, and each thread
adds to the rows that it owns, in the order of the windows; so the result does not depend on the number of threads. A
block is a step of gradient descent: small ones follow the gradient more closely, large ones occupy more threads.
"""

from __future__ import annotations

import math

import numpy as np

from core.kernels.engine.compiled import compiled, number_of_threads, serial, threads, vectorized

BLOCK = 128
"""Windows of a block."""


@vectorized
def _product(table, row, others, other):
    total = np.float32(0)
    for k in range(table.shape[1]):
        total += table[row, k] * others[other, k]
    return total


@vectorized
def _add(table, row, factor, others, other):
    for k in range(table.shape[1]):
        table[row, k] += factor * others[other, k]


@serial
def _window(held, targets, contexts, negatives, slopes, changes, place):
    """Set a window's slopes, of its loss by its scores, and its gradient by the node's row; return the loss."""
    zero, one = np.float32(0), np.float32(1)
    near, loss = contexts.shape[0], zero
    changes[place] = zero
    for k in range(near):
        score = _product(held, place, targets, contexts[k])
        small = math.exp(-abs(score))
        loss += max(-score, zero) + math.log1p(small)
        slopes[k] = -(small if score > zero else one) / (one + small)
        _add(changes, place, slopes[k], targets, contexts[k])
    weight = np.float32(near)
    for k in range(negatives.shape[0]):
        score = _product(held, place, targets, negatives[k])
        small = math.exp(-abs(score))
        loss += weight * (max(score, zero) + math.log1p(small))
        slopes[near + k] = weight * (one if score > zero else small) / (one + small)
        _add(changes, place, slopes[near + k], targets, negatives[k])
    return loss


@serial
def _move_targets(targets, starts, contexts, negatives, slopes, held, rate, part, parts):
    """Move the targets' rows that a part owns."""
    for i in range(negatives.shape[0]):
        near = starts[i + 1] - starts[i]
        for k in range(near):
            row = contexts[starts[i] + k]
            if row % parts == part:
                _add(targets, row, -rate * slopes[i, k], held, i)
        for k in range(negatives.shape[1]):
            row = negatives[i, k]
            if row % parts == part:
                _add(targets, row, -rate * slopes[i, near + k], held, i)


@serial
def _move_sources(sources, centers, changes, rate, part, parts):
    """Move the sources' rows that a part owns."""
    for i in range(centers.shape[0]):
        if centers[i] % parts == part:
            _add(sources, centers[i], -rate, changes, i)


@compiled
def _descend(sources, targets, centers, starts, contexts, negatives, rate, block, slopes, losses, parts):
    changes = np.empty((block, sources.shape[1]), np.float32)
    held = np.empty((block, sources.shape[1]), np.float32)  # the nodes' rows as they were: both tables may be one
    for first in range(0, centers.shape[0], block):
        last = min(first + block, centers.shape[0])
        for part in threads(parts):
            for i in range(first + (last - first) * part // parts, first + (last - first) * (part + 1) // parts):
                place, near = i - first, contexts[starts[i] : starts[i + 1]]
                held[place] = sources[centers[i]]
                losses[i] = _window(held, targets, near, negatives[i], slopes[place], changes, place)
        for part in threads(parts):
            own = starts[first : last + 1]
            _move_targets(targets, own, contexts, negatives[first:last], slopes, held, rate, part, parts)
        for part in threads(parts):
            _move_sources(sources, centers[first:last], changes, rate, part, parts)


def descend(
    sources: np.ndarray,
    targets: np.ndarray,
    centers: np.ndarray,
    starts: np.ndarray,
    contexts: np.ndarray,
    negatives: np.ndarray,
    rate: float,
    block: int = BLOCK,
) -> float:
    """Move the rows of both tables against the gradient of the windows' losses, in place.

    Args:
        sources: float32 [nodes, size]: a row for each node. May be the same memory as ``targets``.
        targets: float32 [nodes, size]: a row for each node that occurs near others.
        centers: int32 [windows]: their nodes, in [0, nodes).
        starts: int64 [windows + 1]: where the contexts of each begin; from 0 to the number of contexts.
        contexts: int32 [contexts], in [0, nodes).
        negatives: int32 [windows, negatives], in [0, nodes).
        rate: The learning rate.
        block: Windows whose gradients are of the same rows.

    Returns:
        The sum of the windows' losses, each of the rows as they were before its block.
    """
    losses = np.zeros(len(centers), np.float32)
    most = int(np.diff(starts).max()) if len(centers) else 0
    slopes = np.empty((block, most + negatives.shape[1]), np.float32)
    parts = number_of_threads()
    _descend(sources, targets, centers, starts, contexts, negatives, np.float32(rate), block, slopes, losses, parts)
    return float(losses.sum(dtype=np.float64))


def descend_reference(
    sources: np.ndarray,
    targets: np.ndarray,
    centers: np.ndarray,
    starts: np.ndarray,
    contexts: np.ndarray,
    negatives: np.ndarray,
    rate: float,
    block: int = BLOCK,
) -> float:
    """The definition of :func:`descend` in plain numpy; also of tables of float64."""
    total = 0.0
    for first in range(0, len(centers), block):
        moves = []
        for i in range(first, min(first + block, len(centers))):
            near = contexts[starts[i] : starts[i + 1]]
            others = np.concatenate([near, negatives[i]])
            signs = np.where(np.arange(len(others)) < len(near), -1.0, 1.0)
            weights = np.where(signs < 0, 1.0, len(near))
            row, rows = sources[centers[i]].copy(), targets[others]
            scores = rows @ row
            total += float((weights * np.logaddexp(0, signs * scores)).sum())
            slopes = weights * signs / (1 + np.exp(-signs * scores))
            moves.append((centers[i], slopes @ rows, others, slopes[:, None] * row))
        for center, change, others, changes in moves:
            np.subtract.at(targets, others, rate * changes)
            sources[center] -= rate * change
    return total

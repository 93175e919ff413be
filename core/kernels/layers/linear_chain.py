"""Chains of tags: the sum over all paths, its derivatives, and the best path, one sample a task, in float64.

Sums are taken over numbers, not over logarithms: a step multiplies what was reached by the matrix of exponentiated
transitions. Only where such a sum is too small for float64, as under forbidden transitions, it is taken in logarithms.
What is right is defined by :mod:`core.kernels.layers.linear_chain_reference`.

Shapes: emissions (N, L, K), moves (K, K) from the row's tag to the column's, start and stop (K,), lengths (N,).
"""

from __future__ import annotations

import numpy as np

from core.kernels.engine.compiled import compiled, number_of_threads, serial, summing, threads
from core.kernels.layers.lengths import check_lengths

_TINY = 1e-200
"""Smaller sums are taken again in logarithms."""
_NO_VECTOR = np.zeros(0)


def partition(
    emissions: np.ndarray,
    moves: np.ndarray,
    start: np.ndarray,
    stop: np.ndarray,
    lengths: np.ndarray,
    *,
    out: tuple[np.ndarray, ...],
) -> None:
    """Write the logarithms of the sums of all paths' exponentiated scores, and what the derivatives read.

    Args:
        emissions, moves, start, stop, lengths: As the module says; a chain of length 0 gives 0.
        out: (sums (N,), logarithms of what reaches each tag, less their maximum, float64 (N, L, K)).
    """
    check_lengths(lengths, emissions.shape[1], "crf_log_norm")
    total, reached = out
    tops, factors = _exponentiated(moves)
    parts = [_double(array) for array in (emissions, moves, start, stop)]
    sums = np.empty(len(lengths))
    _partition(*parts, lengths, tops, factors, sums, reached, number_of_threads())
    total[...] = sums


def partition_gradients(
    gradient: np.ndarray,
    emissions: np.ndarray,
    moves: np.ndarray,
    start: np.ndarray,
    stop: np.ndarray,
    lengths: np.ndarray,
    reached: np.ndarray,
    *,
    out: tuple[np.ndarray, ...],
) -> None:
    """Write the gradients of (emissions, moves, start, stop) of :func:`partition`.

    Args:
        gradient: Those of the sums (N,).
        emissions, moves, start, stop, lengths: The inputs.
        reached: Its second result.
        out: The gradients.
    """
    tops, factors = _exponentiated(moves)
    samples, _, tags = emissions.shape
    shares, weights, before = (np.zeros(emissions.shape) for _ in range(3))
    groups = number_of_threads()
    rare, ends = np.zeros((groups, tags, tags)), np.zeros((groups, tags))
    parts = [_double(array) for array in (gradient, moves, stop)]
    _partition_back(*parts, lengths, tops, factors, reached, shares, weights, before, rare, ends, groups)
    out[0][...] = shares
    joined = before.reshape(-1, tags).T @ weights.reshape(-1, tags)
    out[1][...] = joined * factors + rare.sum(0)
    out[2][...] = shares[:, 0].sum(0) if shares.shape[1] else 0
    out[3][...] = ends.sum(0)


def best_paths(
    emissions: np.ndarray,
    moves: np.ndarray,
    lengths: np.ndarray,
    start: np.ndarray = _NO_VECTOR,
    stop: np.ndarray = _NO_VECTOR,
    *,
    tagged: bool,
    out: tuple[np.ndarray, ...],
) -> None:
    """Write the score of each sequence's best path, and the path, 0 behind its end; the first of equals wins.

    Args:
        emissions, moves, lengths: As the module says.
        start, stop: What is added at the ends. A sequence of length 0 then has the score 0; without them it has its
            first step's, as in Paddle.
        tagged: Whether the last two rows of the moves are what is added, instead.
        out: (scores (N,), paths int64 (N, L)).
    """
    check_lengths(lengths, emissions.shape[1], "viterbi_decode")
    scores, paths = out
    given = bool(len(start))
    zeros = np.zeros(emissions.shape[2], emissions.dtype)
    if tagged:
        start, stop = moves[-1], moves[-2]
    elif not given:
        start, stop = zeros, zeros
    _best_paths(emissions, moves, start, stop, lengths, given, scores, paths, number_of_threads())


def _double(array: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(array, np.float64)


def _exponentiated(moves: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the largest move to each tag, 0 where none is possible, and the exponential of what the others lack."""
    tops = moves.max(0).astype(np.float64)
    tops[np.isneginf(tops)] = 0
    return tops, np.exp(moves - tops)


@compiled
def _partition(
    emissions: np.ndarray,
    moves: np.ndarray,
    start: np.ndarray,
    stop: np.ndarray,
    lengths: np.ndarray,
    tops: np.ndarray,
    factors: np.ndarray,
    sums: np.ndarray,
    reached: np.ndarray,
    groups: int,
) -> None:
    samples, steps, tags = emissions.shape
    for group in threads(groups):
        numbers = np.empty(tags)
        for b in range(samples * group // groups, samples * (group + 1) // groups):
            total = 0.0
            for t in range(lengths[b]):
                row = reached[b, t]
                if t == 0:
                    for j in range(tags):
                        row[j] = emissions[b, t, j] + start[j]
                else:
                    _step(reached[b, t - 1], moves, factors, numbers, row)
                    for j in range(tags):
                        if row[j] >= _TINY:
                            row[j] = np.log(row[j]) + tops[j] + emissions[b, t, j]
                        else:
                            row[j] = _logarithm(reached[b, t - 1], moves[:, j]) + emissions[b, t, j]
                top = row.max()
                if np.isfinite(top):
                    total += top
                    for j in range(tags):
                        row[j] -= top
            sums[b] = total + _logarithm(reached[b, lengths[b] - 1], stop) if lengths[b] else 0.0
            for t in range(lengths[b], steps):
                for j in range(tags):
                    reached[b, t, j] = 0


@compiled
def _partition_back(
    gradient: np.ndarray,
    moves: np.ndarray,
    stop: np.ndarray,
    lengths: np.ndarray,
    tops: np.ndarray,
    factors: np.ndarray,
    reached: np.ndarray,
    shares: np.ndarray,
    weights: np.ndarray,
    before: np.ndarray,
    rare: np.ndarray,
    ends: np.ndarray,
    groups: int,
) -> None:
    """Fill the shares that paths through each tag have, and the two factors of those through each move.

    A tag's share goes to the tags before it as the terms of the sum that reached it.
    """
    samples, _, tags = shares.shape
    for group in threads(groups):
        sums = np.empty(tags)
        for b in range(samples * group // groups, samples * (group + 1) // groups):
            if lengths[b] == 0:
                continue
            last = lengths[b] - 1
            total = _logarithm(reached[b, last], stop)
            for j in range(tags):
                if np.exp(reached[b, last, j] + stop[j] - total) > 0:
                    shares[b, last, j] = gradient[b] * np.exp(reached[b, last, j] + stop[j] - total)
                ends[group, j] += shares[b, last, j]
            for t in range(last, 0, -1):
                _step(reached[b, t - 1], moves, factors, before[b, t], sums)
                for j in range(tags):
                    if sums[j] >= _TINY:
                        weights[b, t, j] = shares[b, t, j] / sums[j]
                    elif shares[b, t, j] != 0:
                        total = _logarithm(reached[b, t - 1], moves[:, j])
                        for i in range(tags):
                            share = shares[b, t, j] * np.exp(reached[b, t - 1, i] + moves[i, j] - total)
                            rare[group, i, j] += share
                            shares[b, t - 1, i] += share
                for i in range(tags):
                    shares[b, t - 1, i] += before[b, t, i] * _dot(factors[i], weights[b, t])


@serial
def _step(
    reached: np.ndarray, moves: np.ndarray, factors: np.ndarray, numbers: np.ndarray, result: np.ndarray
) -> None:
    """Write the sums of what reaches each tag by one more move, less the largest move to it."""
    for j in range(result.size):
        result[j] = 0
    for i in range(result.size):
        numbers[i] = np.exp(reached[i])
        for j in range(result.size):
            result[j] += numbers[i] * factors[i, j]


@serial
def _logarithm(x: np.ndarray, y: np.ndarray) -> float:
    """Return the logarithm of the sum of the exponentials of x + y."""
    top = -np.inf
    for i in range(x.size):
        top = max(top, x[i] + y[i])
    if not np.isfinite(top):
        return float(top)
    total = 0.0
    for i in range(x.size):
        total += np.exp(x[i] + y[i] - top)
    return float(np.log(total) + top)


@summing
def _dot(x: np.ndarray, y: np.ndarray) -> float:
    total = 0.0
    for i in range(x.size):
        total += x[i] * y[i]
    return total


@compiled
def _best_paths(
    emissions: np.ndarray,
    moves: np.ndarray,
    start: np.ndarray,
    stop: np.ndarray,
    lengths: np.ndarray,
    given: bool,
    scores: np.ndarray,
    paths: np.ndarray,
    groups: int,
) -> None:
    samples, steps, tags = emissions.shape
    for group in threads(groups):
        best, through = np.empty(tags, emissions.dtype), np.empty(tags, emissions.dtype)
        sources = np.empty((steps, tags), np.int32)
        for b in range(samples * group // groups, samples * (group + 1) // groups):
            length = lengths[b]
            for j in range(tags):
                best[j] = emissions[b, 0, j] + start[j]
                if length <= 1:
                    best[j] += stop[j]
            for t in range(1, length):
                _best_step(best, moves, through, sources[t])
                for j in range(tags):
                    best[j] = through[j] + emissions[b, t, j]
                    if t == length - 1:
                        best[j] += stop[j]
            tag = best.argmax()
            scores[b] = best[tag] if length or not given else emissions.dtype.type(0)
            for t in range(steps - 1, -1, -1):
                paths[b, t] = tag if t < length else 0
                if 0 < t < length:
                    tag = sources[t, tag]


@serial
def _best_step(best: np.ndarray, moves: np.ndarray, through: np.ndarray, sources: np.ndarray) -> None:
    """Write the best score with which one more move reaches each tag, and from which tag."""
    for j in range(best.size):
        through[j] = best[0] + moves[0, j]
        sources[j] = 0
    for i in range(1, best.size):
        for j in range(best.size):
            score = best[i] + moves[i, j]
            sources[j] = i if score > through[j] else sources[j]
            through[j] = score if score > through[j] else through[j]

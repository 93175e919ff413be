"""Attention of one new token a row to keys and values that are kept, float32 on the CPU.

Rows of a beam search share what was kept: nothing is moved when a beam takes another one's place, but it is noted, for
each row and step, in which row the step's keys and values stand.

Shapes: query, key, value and result (R, H · D); kept keys and values (R, T, H · D), or (N, S, H · D) of a memory that
R / N rows read each.
"""

from __future__ import annotations

import numpy as np

from core.kernels.dispatch.errors import OperatorError
from core.kernels.engine.compiled import compiled, serial, threads, vectorized
from core.kernels.numeric.smooth import exp

_ZERO, _LOWEST = np.float32(0), np.float32(-87)


def attend_to_kept(
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    keys: np.ndarray,
    values: np.ndarray,
    sources: np.ndarray,
    time: np.ndarray,
    *,
    heads: int,
    out: tuple[np.ndarray, np.ndarray, np.ndarray],
) -> None:
    """Write softmax(q · kᵀ / sqrt(D)) · v over all steps so far, and keys and values with the new ones.

    Args:
        query, key, value: Of the new token.
        keys, values: What is kept of earlier steps.
        sources: In which row each step's keys and values stand, for each row, int64 (R, T).
        time: The step's number, int64 (1,).
        heads: H.
        out: (result, keys, values); behind the step nothing is written.
    """
    step = checked_step(time, keys.shape[1], "attend_to_kept")
    _attend_to_kept(query, key, value, keys, values, sources, step, heads, *out)


def checked_step(time: np.ndarray, steps: int, caller: str) -> int:
    """Return a step's number.

    Args:
        time: It, int64 (1,).
        steps: For how many there is room.
        caller: Named in the message.

    Raises:
        OperatorError: there is no room for it.
    """
    if not 0 <= time[0] < steps:
        raise OperatorError(f"{caller}: step {time[0]} is beyond the {steps} steps that there is room for")
    return int(time[0])


@compiled
def _attend_to_kept(
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    keys: np.ndarray,
    values: np.ndarray,
    sources: np.ndarray,
    time: int,
    heads: int,
    result: np.ndarray,
    new_keys: np.ndarray,
    new_values: np.ndarray,
) -> None:
    rows, steps, width = keys.shape
    for r in threads(rows):
        _copy(keys[r, :time].reshape(-1), new_keys[r, :time].reshape(-1))
        _copy(values[r, :time].reshape(-1), new_values[r, :time].reshape(-1))
        _copy(key[r], new_keys[r, time])
        _copy(value[r], new_values[r, time])
        scores, size = np.empty(time + 1, np.float32), width // heads
        scale = np.float32(1 / np.sqrt(size))
        for h in range(heads):
            part = query[r, h * size : (h + 1) * size]
            for t in range(time):
                scores[t] = scale * _dot(part, keys[min(max(sources[r, t], 0), rows - 1), t, h * size : (h + 1) * size])
            scores[time] = scale * _dot(part, key[r, h * size : (h + 1) * size])
            _to_shares(scores)
            target = result[r, h * size : (h + 1) * size]
            target[:] = 0
            for t in range(time):
                row = min(max(sources[r, t], 0), rows - 1)
                _add(scores[t], values[row, t, h * size : (h + 1) * size], target)
            _add(scores[time], value[r, h * size : (h + 1) * size], target)


def attend_to_memory(
    query: np.ndarray, keys: np.ndarray, values: np.ndarray, added: np.ndarray, *, heads: int, out: np.ndarray
) -> None:
    """Write softmax(q · kᵀ / sqrt(D) + added) · v over a memory.

    Args:
        query: Of the new tokens; R / N rows behind each other read one row of the memory.
        keys, values: The memory.
        added: What is added to the scores of each place of the memory, (N, S).
        heads: H.
        out: (R, H · D).
    """
    _attend_to_memory(query, keys, values, added, heads, out)


@compiled
def _attend_to_memory(
    query: np.ndarray, keys: np.ndarray, values: np.ndarray, added: np.ndarray, heads: int, result: np.ndarray
) -> None:
    samples, places, width = keys.shape
    for r in threads(query.shape[0]):
        scores, size = np.empty(places, np.float32), width // heads
        scale, n = np.float32(1 / np.sqrt(size)), r * samples // query.shape[0]
        for h in range(heads):
            for s in range(places):
                one = keys[n, s, h * size : (h + 1) * size]
                scores[s] = scale * _dot(query[r, h * size : (h + 1) * size], one) + added[n, s]
            _to_shares(scores)
            target = result[r, h * size : (h + 1) * size]
            target[:] = 0
            for s in range(places):
                _add(scores[s], values[n, s, h * size : (h + 1) * size], target)


@serial
def _copy(source: np.ndarray, target: np.ndarray) -> None:
    for j in range(source.size):
        target[j] = source[j]


@vectorized
def _dot(x: np.ndarray, y: np.ndarray) -> np.float32:
    total = _ZERO
    for j in range(x.size):
        total += x[j] * y[j]
    return total


@serial
def _add(factor: np.float32, x: np.ndarray, total: np.ndarray) -> None:
    for j in range(x.size):
        total[j] += factor * x[j]


@vectorized
def _to_shares(x: np.ndarray) -> None:
    """Replace scores by their softmax."""
    highest, total = x[0], _ZERO
    for j in range(x.size):
        highest = x[j] if x[j] > highest or x[j] != x[j] else highest
    for j in range(x.size):
        below = x[j] - highest
        x[j] = _ZERO if below < _LOWEST else exp(below)
        total += x[j]
    share = np.float32(1) / total
    for j in range(x.size):
        x[j] *= share


def follow(sources: np.ndarray, parents: np.ndarray, time: np.ndarray, *, out: np.ndarray) -> None:
    """Write where the keys and values of each row's steps stand when it continues another one.

    Args:
        sources: Where those of the rows before stand, int64 (R, T).
        parents: Which row each one continues, int64 (R,).
        time: The number of the step that was just computed, int64 (1,).
        out: (R, T).
    """
    step = checked_step(time, sources.shape[1], "follow_parents")
    out[...] = sources
    out[:, :step] = sources[parents, :step]
    out[:, step] = parents

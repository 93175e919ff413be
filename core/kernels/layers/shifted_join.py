"""Two feature maps added, activated by ReLU, and shifted between the frames of a video, float32 on the CPU."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Optional

import numpy as np

from core.kernels.engine.compiled import compiled, serial, threads, vectorized

_ZERO = np.float32(0)


def join_and_shift(
    first: np.ndarray,
    second: np.ndarray,
    *,
    frames: int,
    ends: tuple[int, int],
    reverse: bool,
    out: tuple[np.ndarray, np.ndarray],
) -> None:
    """Write relu(first + second), and the shift of that.

    Args:
        first, second: Frames (N * frames, C, H, W), video by video.
        frames, ends, reverse: As of :func:`core.kernels.layers.temporal_shift.temporal_shift`.
        out: Memory for both results, of the same shape.
    """
    flat, sizes = _flat(first, frames, ends, reverse)
    _join(first.reshape(flat), second.reshape(flat), *sizes, out[0].reshape(flat), out[1].reshape(flat))


def join_and_shift_gradients(
    given: Sequence[np.ndarray],
    inputs: Sequence[np.ndarray],
    outputs: Sequence[np.ndarray],
    out: Sequence[Optional[np.ndarray]],
    *,
    frames: int,
    ends: tuple[int, int],
    reverse: bool,
) -> None:
    """Write the gradients of both inputs of :func:`join_and_shift` where they are wanted; they are equal."""
    flat, sizes = _flat(given[0], frames, ends, reverse)
    targets = [target.reshape(flat) for target in out if target is not None]
    if targets:
        arrays = [array.reshape(flat) for array in (given[0], given[1], outputs[0])]
        _join_gradients(*arrays, *sizes, targets[0], targets[-1])


def _flat(
    images: np.ndarray, frames: int, ends: tuple[int, int], reverse: bool
) -> tuple[tuple[int, int], tuple[int, int, int, int]]:
    """Return the shape of a row for each frame, and frames, the ends in it, where its first numbers come from."""
    inner = math.prod(images.shape[2:])
    return (len(images), -1), (frames, ends[0] * inner, ends[1] * inner, 1 if reverse else -1)


@compiled
def _join(
    first: np.ndarray,
    second: np.ndarray,
    frames: int,
    end: int,
    other_end: int,
    away: int,
    joined: np.ndarray,
    result: np.ndarray,
) -> None:
    for number in threads(first.shape[0]):
        frame = number % frames
        for begin, last, step in ((0, end, away), (end, other_end, -away), (other_end, first.shape[1], 0)):
            rows = (first[number, begin:last], second[number, begin:last], joined[number, begin:last])
            if 0 <= frame - step < frames:  # the frame that reads it
                _join_row(*rows, result[number - step, begin:last])
            else:
                _join_row(*rows, joined[number, begin:last])
            if not 0 <= frame + step < frames:
                _clear(result[number, begin:last])


@vectorized
def _join_row(first: np.ndarray, second: np.ndarray, joined: np.ndarray, result: np.ndarray) -> None:
    for i in range(first.size):
        value = first[i] + second[i]
        value = _ZERO if value <= _ZERO else value  # NaN stays
        joined[i] = value
        result[i] = value


@serial
def _clear(row: np.ndarray) -> None:
    for i in range(row.size):
        row[i] = _ZERO


@compiled
def _join_gradients(
    gradient: np.ndarray,
    of_shifted: np.ndarray,
    joined: np.ndarray,
    frames: int,
    end: int,
    other_end: int,
    away: int,
    result: np.ndarray,
    other: np.ndarray,
) -> None:
    for number in threads(gradient.shape[0]):
        frame = number % frames
        for begin, last, step in ((0, end, away), (end, other_end, -away), (other_end, gradient.shape[1], 0)):
            rows = (gradient[number, begin:last], joined[number, begin:last])
            targets = (result[number, begin:last], other[number, begin:last])
            if 0 <= frame - step < frames:
                _add_and_cut(*rows, of_shifted[number - step, begin:last], *targets)
            else:
                _cut(*rows, *targets)


@vectorized
def _add_and_cut(
    gradient: np.ndarray, joined: np.ndarray, more: np.ndarray, result: np.ndarray, other: np.ndarray
) -> None:
    for i in range(gradient.size):
        value = _ZERO if joined[i] <= _ZERO else gradient[i] + more[i]
        result[i] = value
        other[i] = value


@vectorized
def _cut(gradient: np.ndarray, joined: np.ndarray, result: np.ndarray, other: np.ndarray) -> None:
    for i in range(gradient.size):
        value = _ZERO if joined[i] <= _ZERO else gradient[i]
        result[i] = value
        other[i] = value

"""Channels of a video's frames shifted to the frames before or after, in one copy of the frames, float32 on the CPU."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from core.kernels.engine.compiled import compiled, serial, threads, vectorized

_ZERO = np.float32(0)


def temporal_shift(
    x: np.ndarray, *, frames: int, ends: tuple[int, int], axis: int, reverse: bool, out: np.ndarray
) -> None:
    """Write frames of which some channels are those of the frame before, others those of the frame after.

    Args:
        x: Frames (N * frames, ...), video by video.
        frames: Of a video.
        ends: Channels up to the first number come from the frame before, from there up to the second one from the frame
            after; what has no neighbour is 0.
        axis: Where the channels are.
        reverse: Exchange before and after: what this makes of a gradient is the gradient of x.
        out: Memory for the result.
    """
    inner = math.prod(x.shape[axis + 1 :])
    blocks = (len(x), -1, x.shape[axis] * inner)
    first, second = (end * inner for end in ends)
    _shift(x.reshape(blocks), frames, first, second, 1 if reverse else -1, out.reshape(blocks))


def temporal_shift_gradient(gradient: np.ndarray, *, reverse: bool, out: np.ndarray, **options: Any) -> None:
    """Write the gradient of x of :func:`temporal_shift`."""
    temporal_shift(gradient, reverse=not reverse, out=out, **options)


@compiled
def _shift(x: np.ndarray, frames: int, first: int, second: int, away: int, result: np.ndarray) -> None:
    for number in threads(x.shape[0]):
        _shift_frame(x, number, number % frames, frames, first, second, away, result[number])


@serial
def _shift_frame(
    x: np.ndarray, number: int, frame: int, frames: int, first: int, second: int, away: int, result: np.ndarray
) -> None:
    """Write one frame, the first channels of which are so far away, those behind them as far on the other side."""
    for block in range(result.shape[0]):
        for begin, end, step in ((0, first, away), (first, second, -away)):
            if 0 <= frame + step < frames:
                _copy(x[number + step, block, begin:end], result[block, begin:end])
            else:
                _clear(result[block, begin:end])
        _copy(x[number, block, second:], result[block, second:])


@vectorized
def _copy(x: np.ndarray, result: np.ndarray) -> None:
    for i in range(x.size):
        result[i] = x[i]


@vectorized
def _clear(x: np.ndarray) -> None:
    for i in range(x.size):
        x[i] = _ZERO

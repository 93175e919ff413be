"""The input of networks of bytes: rounded in the plain order, or packed pixel by pixel."""

from __future__ import annotations

import numpy as np

from core.kernels.channels_last import table as t
from core.kernels.engine.compiled import serial

_LARGEST = np.float32(255)
_ROUNDING = np.float32(12582912)  # 1.5 * 2 ** 23: numbers of up to 2 ** 22 that are added to it are rounded


@serial
def round_plain(memory: np.ndarray, step: np.ndarray, number: np.ndarray, task: int) -> None:
    """Round one channel of an image, in the plain order, to what bytes stand for."""
    for y in range(step[t.ROWS]):
        start = step[t.TARGET] + task * step[t.TARGET_STEP] + y * step[t.TARGET_LINE]
        row = memory[start : start + step[t.WIDTH]]
        _round(row, number[t.INVERSE], number[t.SOURCE_SCALE], -number[t.SOURCE_ZERO])


@serial
def _round(row: np.ndarray, inverse: float, scale: float, low: float) -> None:
    high = low + _LARGEST
    for i in range(row.size):
        x = row[i] * inverse
        x = x if x > low else low  # what is not a number becomes the lowest
        x = x if x < high else high
        row[i] = ((x + _ROUNDING) - _ROUNDING) * scale


@serial
def pack_plain(image: np.ndarray, memory: np.ndarray, step: np.ndarray, number: np.ndarray, task: int) -> None:
    """Write one row of an image, in the plain order, as bytes: a word for each pixel of up to four channels."""
    rows, width, channels = step[t.ROWS], step[t.WIDTH], step[t.CHANNELS]
    n, y = task // rows, task % rows
    target = step[t.TARGET] + n * step[t.TARGET_STEP] + y * step[t.TARGET_LINE]
    words = memory.view(np.int32)[target : target + width]
    for c in range(channels):
        source = step[t.SOURCE] + ((n * channels + c) * rows + y) * width
        _pack(image[source : source + width], words, number[t.INVERSE], number[t.ZERO], c)


@serial
def _pack(row: np.ndarray, words: np.ndarray, inverse: float, zero: float, channel: int) -> None:
    low, factor = -zero, np.int32(1 << (8 * channel))
    high = low + _LARGEST
    for i in range(row.size):
        x = row[i] * inverse
        x = x if x > low else low  # what is not a number becomes 0
        x = x if x < high else high
        count = np.int32((x + _ROUNDING) - _ROUNDING + zero)
        words[i] = count * factor + (words[i] if channel > 0 else np.int32(0))

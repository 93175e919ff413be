"""The steps of a channels-last network that are no convolutions: what one task of each kind does."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.kernels.channels_last import table as t
from core.kernels.channels_last.activation import ACTIVATIONS, activate
from core.kernels.channels_last.forms import FLOAT32
from core.kernels.channels_last.narrow_pixels import pool_window
from core.kernels.channels_last.vectors import LANES
from core.kernels.engine.compiled import serial, vectorized

_NOTHING, _SCALED = ACTIVATIONS.index("nothing"), ACTIVATIONS.index("scaled")
_ZERO, _ONE = np.float32(0), np.float32(1)
_WIDE = np.empty(0, np.float32)  # no other form


@serial
def clear_border(memory: np.ndarray, step: np.ndarray, number: np.ndarray, places: np.ndarray, image: int) -> None:
    """Write zeros around one image of the target."""
    zeros = number[t.FILL]
    start = step[t.BORDER_TARGET] + image * step[t.BORDER_STEP]
    for part in range(step[t.BORDER_PARTS]):
        place = start + places[step[t.BORDERS] + 2 * part]
        for i in range(place, place + places[step[t.BORDERS] + 2 * part + 1]):
            memory[i] = zeros


@serial
def copy_plain(image: np.ndarray, memory: np.ndarray, step: np.ndarray, task: int) -> None:
    """Copy one channel of an image, in the plain order, to where it has a border."""
    height, width = step[t.ROWS], step[t.WIDTH]
    for y in range(height):
        source = step[t.SOURCE] + (task * height + y) * width
        target = step[t.TARGET] + task * step[t.TARGET_STEP] + y * step[t.TARGET_LINE]
        _copy(image[source : source + width], memory[target : target + width])


@vectorized
def times(x: np.ndarray, y: np.ndarray, result: np.ndarray) -> None:
    """Write x * y."""
    for i in range(x.size):
        result[i] = x[i] * y[i]


@vectorized
def add_pixels(row: np.ndarray, sums: np.ndarray) -> None:
    """Add the pixels of a row to as many sums as a pixel has channels."""
    for start in range(0, row.size, sums.size):
        for c in range(sums.size):
            sums[c] += row[start + c]


@serial
def add_up(memory: np.ndarray, step: np.ndarray, task: int) -> None:
    """Add the pixels of some rows of an image up."""
    blocks, rows, channels = step[t.BLOCKS], step[t.ROWS], step[t.CHANNELS]
    image, block = task // blocks, task % blocks
    sums = step[t.SUMS] + task * channels
    fill(memory[sums : sums + channels], _ZERO)
    for y in range(rows * block // blocks, rows * (block + 1) // blocks):
        source = step[t.SOURCE] + image * step[t.SOURCE_STEP] + y * step[t.SOURCE_LINE]
        activate(memory, source, step[t.WIDTH], channels, sums, _NOTHING, _ZERO, _ZERO)


@serial
def average(memory: np.ndarray, step: np.ndarray, number: np.ndarray, image: int) -> None:
    """Turn the sums of an image's parts into the mean."""
    blocks, channels = step[t.BLOCKS], step[t.CHANNELS]
    sums, target = step[t.SUMS] + image * blocks * channels, step[t.TARGET] + image * step[t.TARGET_STEP]
    result = memory[target : target + channels]
    fill(result, _ZERO)
    add_pixels(memory[sums : sums + blocks * channels], result)
    activate(memory, target, 1, channels, -1, _SCALED, number[2], number[3])


@serial
def pool(memory: np.ndarray, step: np.ndarray, number: np.ndarray, task: int) -> None:
    """Write the largest number of each window of one row, where the border counts for nothing, or its mean."""
    rows, width, channels, kernel = step[t.ROWS], step[t.WIDTH], step[t.CHANNELS], step[t.KERNEL]
    image, y = task // rows, task % rows
    stride, length, before = step[t.STRIDE], step[t.SOURCE_WIDTH], step[t.BEFORE]
    first, last = max(0, y * stride - before), min(step[t.SOURCE_HEIGHT], y * stride - before + kernel)
    source = step[t.SOURCE] + image * step[t.SOURCE_STEP] + first * step[t.SOURCE_LINE]
    target = step[t.TARGET] + image * step[t.TARGET_STEP] + y * step[t.TARGET_LINE]
    which = (FLOAT32, step[t.ADDS], channels // LANES)
    for x in range(width):
        left, right = max(0, x * stride - before), min(length, x * stride - before + kernel)
        window = (source + left * channels, step[t.SOURCE_LINE], channels, last - first, right - left)
        pool_window(_WIDE, memory, *which, *window, target + x * channels, _ONE, _ZERO)
    if step[t.ADDS]:
        activate(memory, target, width, channels, -1, _SCALED, number[2], number[3])


@serial
def combine(memory: np.ndarray, step: np.ndarray, number: np.ndarray, task: int) -> None:
    """Write activation(x * scale + other) of one row, without the scale or the other where there is none."""
    rows, size, channels = step[t.ROWS], step[t.WIDTH] * step[t.CHANNELS], step[t.CHANNELS]
    image, y = task // rows, task % rows
    source = step[t.SOURCE] + image * step[t.SOURCE_STEP] + y * step[t.SOURCE_LINE]
    target = step[t.TARGET] + image * step[t.TARGET_STEP] + y * step[t.TARGET_LINE]
    result = memory[target : target + size]
    if step[t.SCALE] >= 0:
        scale = step[t.SCALE] + image * channels
        for x in range(0, size, channels):
            times(
                memory[source + x : source + x + channels], memory[scale : scale + channels], result[x : x + channels]
            )
    else:
        _copy(memory[source : source + size], result)
    if step[t.OTHERS] >= 0:
        other = step[t.OTHER] + image * step[t.OTHER_STEP] + y * step[t.OTHER_LINE]
        _add(memory[other : other + size], result)
    _bound(result, number[0], number[1])
    if step[t.ACTIVATION] != _NOTHING:
        activate(memory, target, step[t.WIDTH], channels, -1, step[t.ACTIVATION], number[2], number[3])


@serial
def join(memory: np.ndarray, step: np.ndarray, places: np.ndarray, task: int) -> None:
    """Write the channels of several values, pixels of which may be repeated, one behind the other into one row."""
    rows, channels = step[t.ROWS], step[t.CHANNELS]
    image, y = task // rows, task % rows
    target = step[t.TARGET] + image * step[t.TARGET_STEP] + y * step[t.TARGET_LINE]
    done = 0
    for part in range(step[t.PART_COUNT]):
        at = step[t.PARTS] + 6 * part
        numbers, pixel, times = places[at + 3], places[at + 4], places[at + 5]
        source = places[at] + image * places[at + 1] + y // times * places[at + 2]
        for x in range(step[t.WIDTH]):
            begin, end = source + x // times * pixel, target + x * channels + done
            _copy(memory[begin : begin + numbers], memory[end : end + numbers])
        done += numbers
    if done < channels:
        for x in range(step[t.WIDTH]):
            fill(memory[target + x * channels + done : target + (x + 1) * channels], _ZERO)


@serial
def shift(memory: np.ndarray, step: np.ndarray, y: int) -> None:
    """Write one row of an image, some channels of which are those of the images before and after."""
    channels, first, second = step[t.CHANNELS], step[t.EARLIER_END], step[t.LATER_END]
    source, target = step[t.SOURCE] + y * step[t.SOURCE_LINE], step[t.TARGET] + y * step[t.TARGET_LINE]
    for _ in range(step[t.WIDTH]):
        _copy_channels(memory, source, step[t.EARLIER], target, 0, first)
        _copy_channels(memory, source, step[t.LATER], target, first, second)
        _copy(memory[source + second : source + channels], memory[target + second : target + channels])
        source += channels
        target += channels


@serial
def _copy_channels(memory: np.ndarray, source: int, away: int, target: int, first: int, last: int) -> None:
    """Copy channels of the same pixel of the image that is so far away; write zeros where there is none."""
    result = memory[target + first : target + last]
    if away == 0:
        fill(result, _ZERO)
    else:
        _copy(memory[source + away + first : source + away + last], result)


@vectorized
def _copy(x: np.ndarray, result: np.ndarray) -> None:
    for i in range(x.size):
        result[i] = x[i]


@vectorized
def fill(x: np.ndarray, value: Any) -> None:
    """Write one number everywhere."""
    for i in range(x.size):
        x[i] = value


@vectorized
def _add(x: np.ndarray, result: np.ndarray) -> None:
    for i in range(x.size):
        result[i] += x[i]


@vectorized
def _bound(x: np.ndarray, low: Any, high: Any) -> None:
    for i in range(x.size):
        x[i] = low if x[i] < low else (high if x[i] > high else x[i])

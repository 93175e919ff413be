"""The steps of a channels-last network whose values are of 16 or 8 bits: what one task of each kind does.

They compute in float32 in a thread's own room, and read and write values in the forms in which they stand.
"""

from __future__ import annotations

import numpy as np

from core.kernels.channels_last import table as t
from core.kernels.channels_last.activation import ACTIVATIONS, activate
from core.kernels.channels_last.forms import FLOAT32
from core.kernels.channels_last.narrow_tiles import (
    AS_THEY_ARE,
    IN_PLACE,
    convolve_narrow_row,
    dot_tile,
    finish,
    scale_pixels,
    take,
)
from core.kernels.channels_last.steps import add_pixels, fill, larger, times
from core.kernels.channels_last.tiles import HEIGHT, VECTORS, convolve_row, height, product_tile
from core.kernels.channels_last.vectors import LANES
from core.kernels.engine.compiled import serial

GROUP = 7 * HEIGHT
"""Pixels that are finished together: their sums, of a panel's channels, stay in the processor's first cache."""

ROOM = GROUP * VECTORS * LANES
"""Words that these take up."""

_NOTHING = ACTIVATIONS.index("nothing")
_LARGEST = np.float32(255)
_ROUNDING = np.float32(12582912)  # 1.5 * 2 ** 23: numbers of up to 2 ** 22 that are added to it are rounded
_ZERO, _LOWEST, _HIGHEST = np.float32(0), np.float32(-np.inf), np.float32(np.inf)


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


@serial
def _write(
    marker: np.ndarray,
    memory: np.ndarray,
    weights: np.ndarray,
    step: np.ndarray,
    number: np.ndarray,
    places: np.ndarray,
    vectors: int,
    rows: int,
    scratch: int,
    sums_are: int,
    scale: int,
    bias: int,
    other_form: int,
    added: int,
    others: int,
    target: int,
    targets: int,
    totals: int,
) -> None:
    """Turn the sums of some pixels into values; where ``totals`` is not below 0, add them up over the pixels there."""
    low, high, form = number[t.LOW], number[t.HIGH], step[t.TARGET_FORM]
    numbers = (number[t.OTHER_SCALE], number[t.OTHER_ZERO])
    grid = (number[t.INVERSE], number[t.ZERO])
    if step[t.ACTIVATION] != _NOTHING or totals >= 0:
        if sums_are != AS_THEY_ARE or other_form >= 0 or low != _LOWEST or high != _HIGHEST:
            ready, more = (sums_are, vectors, rows, scratch, scale, bias), (other_form, added, others, IN_PLACE, 0, 0)
            finish(marker, memory, weights, places, memory, *ready, *more, *numbers, low, high, *grid)
        sizes = (rows, vectors * LANES) if totals >= 0 else (rows * vectors, LANES)
        activate(memory, scratch, *sizes, totals, step[t.ACTIVATION], number[t.FIRST], number[t.SECOND])
        sums_are, other_form, low, high = AS_THEY_ARE, -1, _LOWEST, _HIGHEST
    ready, more = (sums_are, vectors, rows, scratch, scale, bias), (other_form, added, others, form, target, targets)
    finish(marker, memory, weights, places, memory, *ready, *more, *numbers, low, high, *grid)


@serial
def multiply_narrow(
    marker: np.ndarray,
    memory: np.ndarray,
    weights: np.ndarray,
    step: np.ndarray,
    number: np.ndarray,
    places: np.ndarray,
    scratch: int,
    task: int,
) -> None:
    """Compute some channels of some pixels of a convolution."""
    chunks, blocks, rows = step[t.CHUNKS], step[t.BLOCKS], step[t.ROWS]
    chunk, block = task % chunks, task // chunks
    unit, block = block // blocks, block % blocks
    begin, end = block * step[t.BLOCK], min(rows, (block + 1) * step[t.BLOCK])
    base, pixels = step[t.SOURCE] + unit * step[t.SOURCE_STEP], step[t.PIXELS]
    if step[t.SCALE] >= 0:
        every, channels = step[t.PIXELS_OF_IMAGE], step[t.CHANNELS]
        r = begin
        while r < end:
            image = r // every
            last = min(end, (image + 1) * every)
            given = (step[t.FORM], channels // LANES, last - r, base, pixels + r)
            scale = step[t.SCALE] + (unit * (rows // every) + image) * channels
            scale_pixels(marker, memory, places, *given, scale, scratch + ROOM, step[t.SCRATCH_ROWS] + r - begin)
            r = last
        base, pixels = scratch + ROOM, step[t.SCRATCH_ROWS] - begin
    target, addend = step[t.TARGET] + unit * step[t.TARGET_STEP], step[t.OTHER] + unit * step[t.OTHER_STEP]
    form, other_form, depth = step[t.TARGET_FORM], step[t.OTHER_FORM], step[t.DEPTH]
    count = step[t.OUT_PANELS]
    for panel in range(count * chunk // chunks, count * (chunk + 1) // chunks):
        place = step[t.PANELS] + 4 * panel
        vectors, factors, column, shift = places[place], places[place + 1], places[place + 2], places[place + 3]
        bias = step[t.BIAS] + column
        start = bias if step[t.SUMS_ARE] == AS_THEY_ARE else step[t.STARTS] + column
        tiles = step[t.TILE_ROWS] + (vectors - 1) * GROUP
        inputs = (base + shift, step[t.DEPTHS], depth, factors, start)
        first = begin
        while first < end:
            last = min(end, first + GROUP)
            r = first
            while r < last:
                tile, at = height(last - r), (r - first) * vectors * LANES
                if step[t.FORM] == FLOAT32:
                    results = (scratch, tiles + r - first, 0, -1, _LOWEST, _HIGHEST)
                    product_tile(memory, weights, places, vectors, tile, pixels + r, *inputs, *results)
                else:
                    dot_tile(marker, memory, weights, places, vectors, tile, pixels + r, *inputs, scratch + at)
                r += tile
            sums = (vectors, last - first, scratch, step[t.SUMS_ARE], step[t.SCALES] + column, bias)
            more = (other_form, addend + (column >> max(0, other_form)), step[t.OTHERS] + first)
            ends = (target + (column >> form), step[t.TARGETS] + first, -1)
            _write(marker, memory, weights, step, number, places, *sums, *more, *ends)
            first = last


@serial
def convolve_narrow_rows(
    marker: np.ndarray,
    memory: np.ndarray,
    weights: np.ndarray,
    step: np.ndarray,
    number: np.ndarray,
    places: np.ndarray,
    scratch: int,
    task: int,
) -> None:
    """Compute some rows of a depthwise or finely grouped convolution, and where wanted the sum of their pixels."""
    blocks, rows, width, channels = step[t.BLOCKS], step[t.ROWS], step[t.WIDTH], step[t.CHANNELS]
    image, block = task // blocks, task % blocks
    totals = step[t.SUMS] + task * channels if step[t.SUMS] >= 0 else -1
    if totals >= 0:
        fill(memory[totals : totals + channels], _ZERO)
    sizes = (width, step[t.KERNEL_ROWS], step[t.NEIGHBOURS])
    for y in range(rows * block // blocks, rows * (block + 1) // blocks):
        source = step[t.SOURCE] + image * step[t.SOURCE_STEP] + y * step[t.STRIDE] * step[t.SOURCE_LINE]
        target = step[t.TARGET] + image * step[t.TARGET_STEP] + y * step[t.TARGET_LINE]
        given = (step[t.KERNEL], source, step[t.SOURCE_LINE], channels, step[t.PANELS])
        if step[t.FORM] == FLOAT32:
            convolve_row(memory, weights, *given, step[t.BIAS], scratch, *sizes, _LOWEST, _HIGHEST)
        else:
            start = step[t.BIAS] if step[t.SUMS_ARE] == AS_THEY_ARE else step[t.STARTS]
            convolve_narrow_row(marker, memory, weights, *given, start, scratch, *sizes, _LOWEST, _HIGHEST)
        sums = (channels // LANES, width, scratch, step[t.SUMS_ARE], step[t.SCALES], step[t.BIAS])
        _write(marker, memory, weights, step, number, places, *sums, -1, 0, 0, target, step[t.TARGETS], totals)


@serial
def add_narrow_up(
    marker: np.ndarray, memory: np.ndarray, step: np.ndarray, number: np.ndarray, scratch: int, task: int
) -> None:
    """Add the pixels of some rows of an image up."""
    blocks, rows, width, channels = step[t.BLOCKS], step[t.ROWS], step[t.WIDTH], step[t.CHANNELS]
    image, block = task // blocks, task % blocks
    sums = step[t.SUMS] + task * channels
    fill(memory[sums : sums + channels], _ZERO)
    for y in range(rows * block // blocks, rows * (block + 1) // blocks):
        source = step[t.SOURCE] + image * step[t.SOURCE_STEP] + y * step[t.SOURCE_LINE]
        _take_row(marker, memory, step, number, source, width, scratch)
        activate(memory, scratch, width, channels, sums, _NOTHING, _ZERO, _ZERO)


@serial
def _take_row(
    marker: np.ndarray,
    memory: np.ndarray,
    step: np.ndarray,
    number: np.ndarray,
    source: int,
    width: int,
    target: int,
) -> None:
    grid = (number[t.SOURCE_SCALE], number[t.SOURCE_ZERO])
    take(marker, memory, step[t.FORM], width * step[t.CHANNELS] // LANES, source, target, *grid)


@serial
def average_narrow(
    marker: np.ndarray,
    memory: np.ndarray,
    weights: np.ndarray,
    step: np.ndarray,
    number: np.ndarray,
    places: np.ndarray,
    scratch: int,
    image: int,
) -> None:
    """Turn the sums of an image's parts into the mean."""
    blocks, channels = step[t.BLOCKS], step[t.CHANNELS]
    sums, target = step[t.SUMS] + image * blocks * channels, step[t.TARGET] + image * step[t.TARGET_STEP]
    result = memory[scratch : scratch + channels]
    fill(result, _ZERO)
    add_pixels(memory[sums : sums + blocks * channels], result)
    ends = (0, 0, -1, 0, 0, target, step[t.TARGETS], -1)
    _write(marker, memory, weights, step, number, places, channels // LANES, 1, scratch, AS_THEY_ARE, *ends)


@serial
def gather_narrow(
    marker: np.ndarray,
    memory: np.ndarray,
    weights: np.ndarray,
    step: np.ndarray,
    number: np.ndarray,
    places: np.ndarray,
    scratch: int,
    task: int,
) -> None:
    """Write the largest number, or the sum, of each window of one row, where the border counts for nothing."""
    rows, width, channels, kernel = step[t.ROWS], step[t.WIDTH], step[t.CHANNELS], step[t.KERNEL]
    adds = step[t.ADDS] > 0
    image, y = task // rows, task % rows
    stride, length, before = step[t.STRIDE], step[t.SOURCE_WIDTH], step[t.BEFORE]
    line = scratch + width * channels
    fill(memory[scratch:line], _ZERO if adds else _LOWEST)
    for row in range(max(0, y * stride - before), min(step[t.SOURCE_HEIGHT], y * stride - before + kernel)):
        source = step[t.SOURCE] + image * step[t.SOURCE_STEP] + row * step[t.SOURCE_LINE]
        _take_row(marker, memory, step, number, source, length, line)
        for x in range(width):
            result = memory[scratch + x * channels : scratch + (x + 1) * channels]
            for column in range(max(0, x * stride - before), min(length, x * stride - before + kernel)):
                pixel = memory[line + column * channels : line + (column + 1) * channels]
                if adds:
                    add_pixels(pixel, result)
                else:
                    larger(pixel, result)
    target = step[t.TARGET] + image * step[t.TARGET_STEP] + y * step[t.TARGET_LINE]
    sums, ends = (channels // LANES, width, scratch, AS_THEY_ARE), (0, 0, -1, 0, 0, target, step[t.TARGETS], -1)
    _write(marker, memory, weights, step, number, places, *sums, *ends)


@serial
def combine_narrow(
    marker: np.ndarray,
    memory: np.ndarray,
    weights: np.ndarray,
    step: np.ndarray,
    number: np.ndarray,
    places: np.ndarray,
    scratch: int,
    task: int,
) -> None:
    """Compute activation(source * scale + other) of one row, without the scale or the other where there is none."""
    rows, width, channels = step[t.ROWS], step[t.WIDTH], step[t.CHANNELS]
    image, y = task // rows, task % rows
    source = step[t.SOURCE] + image * step[t.SOURCE_STEP] + y * step[t.SOURCE_LINE]
    target = step[t.TARGET] + image * step[t.TARGET_STEP] + y * step[t.TARGET_LINE]
    other = step[t.OTHER] + image * step[t.OTHER_STEP] + y * step[t.OTHER_LINE]
    _take_row(marker, memory, step, number, source, width, scratch)
    if step[t.SCALE] >= 0:
        scale = step[t.SCALE] + image * channels
        for x in range(scratch, scratch + width * channels, channels):
            times(memory[x : x + channels], memory[scale : scale + channels], memory[x : x + channels])
    sums, more = (channels // LANES, width, scratch, AS_THEY_ARE, 0, 0), (step[t.OTHER_FORM], other, step[t.OTHERS])
    _write(marker, memory, weights, step, number, places, *sums, *more, target, step[t.TARGETS], -1)

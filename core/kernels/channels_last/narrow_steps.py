"""The steps of a channels-last network whose values are of 16 or 8 bits: what one task of each kind does.

They compute in float32 in a thread's own room, and read and write values in the forms in which they stand.
"""

from __future__ import annotations

import numpy as np

from core.kernels.channels_last import table as t
from core.kernels.channels_last.activation import ACTIVATIONS, activate
from core.kernels.channels_last.forms import FLOAT32
from core.kernels.channels_last.narrow_pixels import pool_window, scale_pixels, take
from core.kernels.channels_last.narrow_tiles import (
    AS_THEY_ARE,
    IN_PLACE,
    convolve_narrow_row,
    dot_tile,
    finish,
)
from core.kernels.channels_last.narrow_written import ADDS_NARROW, HARD_SWISH, PLAIN, convolve_words, written_tile
from core.kernels.channels_last.steps import add_pixels, fill, times
from core.kernels.channels_last.tiles import HEIGHT, VECTORS, convolve_row, height, product_tile
from core.kernels.channels_last.vectors import LANES
from core.kernels.engine.compiled import serial

GROUP = 7 * HEIGHT
"""Pixels that are finished together: their sums, of a panel's channels, stay in the processor's first cache."""

ROOM = GROUP * VECTORS * LANES
"""Words that these take up."""

_NOTHING = ACTIVATIONS.index("nothing")
_ZERO, _LOWEST, _HIGHEST = np.float32(0), np.float32(-np.inf), np.float32(np.inf)


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
            stop = min(end, (image + 1) * every)
            which = (step[t.FORM], channels // LANES, stop - r, base, pixels + r)
            scale = step[t.SCALE] + (unit * (rows // every) + image) * channels
            scale_pixels(marker, memory, places, *which, scale, scratch + ROOM, step[t.SCRATCH_ROWS] + r - begin)
            r = stop
        base, pixels = scratch + ROOM, step[t.SCRATCH_ROWS] - begin
    target, addend = step[t.TARGET] + unit * step[t.TARGET_STEP], step[t.OTHER] + unit * step[t.OTHER_STEP]
    form, other_form, depth = step[t.TARGET_FORM], step[t.OTHER_FORM], step[t.DEPTH]
    change = HARD_SWISH if step[t.ACTIVATION] != _NOTHING else other_form + 1
    if other_form > FLOAT32:
        change = ADDS_NARROW
    others, bounds = (number[t.OTHER_SCALE], number[t.OTHER_ZERO]), (number[t.LOW], number[t.HIGH])
    last = (number[t.INVERSE], number[t.ZERO], number[t.FIRST], number[t.SECOND])
    count = step[t.OUT_PANELS]
    for panel in range(count * chunk // chunks, count * (chunk + 1) // chunks):
        place = step[t.PANELS] + 4 * panel
        vectors, factors, column, shift = places[place], places[place + 1], places[place + 2], places[place + 3]
        bias = step[t.BIAS] + column
        start = bias if step[t.SUMS_ARE] == AS_THEY_ARE else step[t.STARTS] + column
        tiles = step[t.TILE_ROWS] + (vectors - 1) * GROUP
        inputs = (base + shift, step[t.DEPTHS], depth, factors, start)
        if step[t.AT_ONCE] > 0:
            becomes = (step[t.SCALES] + column, bias, change, addend + (column >> max(0, other_form)))
            r = begin
            while r < end:
                tile = height(end - r)
                targets = (step[t.OTHERS] + r, target + (column >> form), step[t.TARGETS] + r)
                given = (memory, weights, places, vectors, tile, pixels + r)
                written_tile(marker, *given, *inputs, *becomes, *targets, *others, *bounds, *last)
                r += tile
            continue
        first = begin
        while first < end:
            stop = min(end, first + GROUP)
            r = first
            while r < stop:
                tile, at = height(stop - r), (r - first) * vectors * LANES
                if step[t.FORM] == FLOAT32:
                    results = (scratch, tiles + r - first, 0, -1, _LOWEST, _HIGHEST)
                    product_tile(memory, weights, places, vectors, tile, pixels + r, *inputs, *results)
                else:
                    dot_tile(marker, memory, weights, places, vectors, tile, pixels + r, *inputs, scratch + at)
                r += tile
            sums = (vectors, stop - first, scratch, step[t.SUMS_ARE], step[t.SCALES] + column, bias)
            more = (other_form, addend + (column >> max(0, other_form)), step[t.OTHERS] + first)
            ends = (target + (column >> form), step[t.TARGETS] + first, -1)
            _write(marker, memory, weights, step, number, places, *sums, *more, *ends)
            first = stop


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
    start, change = step[t.BIAS] if step[t.SUMS_ARE] == AS_THEY_ARE else step[t.STARTS], -1
    if step[t.AT_ONCE] > 0:
        change = PLAIN if step[t.ACTIVATION] == _NOTHING else HARD_SWISH
    bounds, ends = (number[t.LOW], number[t.HIGH]), (number[t.INVERSE], number[t.ZERO])
    slope = (number[t.FIRST], number[t.SECOND])
    for y in range(rows * block // blocks, rows * (block + 1) // blocks):
        source = step[t.SOURCE] + image * step[t.SOURCE_STEP] + y * step[t.STRIDE] * step[t.SOURCE_LINE]
        target = step[t.TARGET] + image * step[t.TARGET_STEP] + y * step[t.TARGET_LINE]
        given = (step[t.KERNEL], source, step[t.SOURCE_LINE], channels, step[t.PANELS])
        if step[t.FORM] == FLOAT32:
            convolve_row(memory, weights, *given, step[t.BIAS], scratch, *sizes, _LOWEST, _HIGHEST)
        elif step[t.NEIGHBOURS] == 1:
            end = target if change >= 0 else scratch
            which = (start, step[t.SCALES], step[t.BIAS], change, end, width, step[t.KERNEL_ROWS])
            convolve_words(marker, memory, weights, *given, *which, *bounds, *ends, *slope)
            if change >= 0:
                continue
        else:
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
    image, y = task // rows, task % rows
    stride, length, before = step[t.STRIDE], step[t.SOURCE_WIDTH], step[t.BEFORE]
    form, adds, pixel = step[t.FORM], step[t.ADDS], channels >> step[t.FORM]
    first, last = max(0, y * stride - before), min(step[t.SOURCE_HEIGHT], y * stride - before + kernel)
    source = step[t.SOURCE] + image * step[t.SOURCE_STEP] + first * step[t.SOURCE_LINE]
    which, grid = (form, adds, channels // LANES), (number[t.SOURCE_SCALE], number[t.SOURCE_ZERO])
    for x in range(width):
        left, right = max(0, x * stride - before), min(length, x * stride - before + kernel)
        window = (source + left * pixel, step[t.SOURCE_LINE], pixel, last - first, right - left)
        pool_window(marker, memory, *which, *window, scratch + x * channels, *grid)
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

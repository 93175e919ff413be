"""The steps of a channels-last network whose values are of 16 or 8 bits: what one task of each kind does.

They compute in float32 in a thread's own room, and read and write values in the forms in which they stand.
"""

from __future__ import annotations

import numpy as np

from core.kernels.channels_last import table as t
from core.kernels.channels_last.activation import ACTIVATIONS, activate
from core.kernels.channels_last.forms import FLOAT32
from core.kernels.channels_last.narrow_tiles import AS_THEY_ARE, convolve_narrow_row, dot_tile, give, settle, take
from core.kernels.channels_last.steps import add_pixels, fill, larger, times
from core.kernels.channels_last.tiles import HEIGHT, VECTORS, convolve_row, height, product_tile
from core.kernels.channels_last.vectors import LANES
from core.kernels.channels_last.weights import ZEROS
from core.kernels.engine.compiled import serial

TILE = HEIGHT * VECTORS * LANES
"""Words that the sums of a tile take up."""

_NOTHING, _SCALED = ACTIVATIONS.index("nothing"), ACTIVATIONS.index("scaled")
_ZERO, _LOWEST, _HIGHEST = np.float32(0), np.float32(-np.inf), np.float32(np.inf)


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
        scaled = scratch + TILE + step[t.CHANNELS]
        _scale_rows(marker, memory, places, base, pixels, begin, end, step, number, unit, scratch + TILE, scaled)
        base, pixels = scaled, step[t.SCRATCH_ROWS] - begin
    target, addend = step[t.TARGET] + unit * step[t.TARGET_STEP], step[t.OTHER] + unit * step[t.OTHER_STEP]
    form, other_form, depth = step[t.TARGET_FORM], step[t.OTHER_FORM], step[t.DEPTH]
    is_settled = step[t.SUMS_ARE] == AS_THEY_ARE and other_form < 0 and number[0] == _LOWEST and number[1] == _HIGHEST
    count = step[t.OUT_PANELS]
    for panel in range(count * chunk // chunks, count * (chunk + 1) // chunks):
        place = step[t.PANELS] + 4 * panel
        vectors, factors, column, shift = places[place], places[place + 1], places[place + 2], places[place + 3]
        bias = step[t.BIAS] + column
        start = bias if step[t.SUMS_ARE] == AS_THEY_ARE else step[t.STARTS] + column
        tiles = step[t.TILE_ROWS] + (vectors - 1) * HEIGHT
        inputs = (base + shift, step[t.DEPTHS], depth, factors, start)
        r = begin
        while r < end:
            tile = height(end - r)
            if step[t.FORM] == FLOAT32:
                results = (scratch, tiles, 0, -1, _LOWEST, _HIGHEST)
                product_tile(memory, weights, places, vectors, tile, pixels + r, *inputs, *results)
            else:
                dot_tile(marker, memory, weights, places, vectors, tile, pixels + r, *inputs, scratch)
            if not is_settled:
                more = (other_form, addend + (column >> max(0, other_form)), step[t.OTHERS] + r)
                numbers = (number[t.OTHER_SCALE], number[t.OTHER_ZERO], number[0], number[1])
                sums = (step[t.SUMS_ARE], vectors, tile, scratch, step[t.SCALES] + column, bias)
                settle(marker, memory, weights, places, *sums, *more, *numbers)
            if step[t.ACTIVATION] != _NOTHING:
                activate(memory, scratch, tile * vectors, LANES, -1, step[t.ACTIVATION], number[2], number[3])
            ends = (scratch, target + (column >> form), step[t.TARGETS] + r, number[t.INVERSE], number[t.ZERO])
            give(marker, memory, places, form, vectors, tile, *ends)
            r += tile


@serial
def _scale_rows(
    marker: np.ndarray,
    memory: np.ndarray,
    places: np.ndarray,
    base: int,
    pixels: int,
    begin: int,
    end: int,
    step: np.ndarray,
    number: np.ndarray,
    unit: int,
    row: int,
    target: int,
) -> None:
    """Copy pixels, each channel times the factor of its image."""
    channels, every, form = step[t.CHANNELS], step[t.PIXELS_OF_IMAGE], step[t.FORM]
    vectors = channels // LANES
    first = unit * (step[t.ROWS] // every)
    for r in range(begin, end):
        take(marker, memory, form, vectors, base + places[pixels + r], row, _ZERO, _ZERO)
        scale = step[t.SCALE] + (first + r // every) * channels
        times(memory[row : row + channels], memory[scale : scale + channels], memory[row : row + channels])
        give(marker, memory, places, form, vectors, 1, row, target, step[t.SCRATCH_ROWS] + r - begin, _ZERO, _ZERO)


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
    sums = step[t.SUMS] + task * channels if step[t.SUMS] >= 0 else -1
    if sums >= 0:
        fill(memory[sums : sums + channels], _ZERO)
    sizes = (width, step[t.KERNEL_ROWS], step[t.NEIGHBOURS])
    for y in range(rows * block // blocks, rows * (block + 1) // blocks):
        source = step[t.SOURCE] + image * step[t.SOURCE_STEP] + y * step[t.STRIDE] * step[t.SOURCE_LINE]
        target = step[t.TARGET] + image * step[t.TARGET_STEP] + y * step[t.TARGET_LINE]
        given = (step[t.KERNEL], source, step[t.SOURCE_LINE], channels, step[t.PANELS])
        if step[t.FORM] == FLOAT32:
            convolve_row(memory, weights, *given, step[t.BIAS], scratch, *sizes, number[0], number[1])
        elif step[t.SUMS_ARE] == AS_THEY_ARE:
            convolve_narrow_row(marker, memory, weights, *given, step[t.BIAS], scratch, *sizes, number[0], number[1])
        else:
            convolve_narrow_row(marker, memory, weights, *given, step[t.STARTS], scratch, *sizes, _LOWEST, _HIGHEST)
            scales = (step[t.SUMS_ARE], channels // LANES, width, scratch, step[t.SCALES], step[t.BIAS])
            settle(marker, memory, weights, places, *scales, -1, 0, 0, _ZERO, _ZERO, number[0], number[1])
        if step[t.ACTIVATION] != _NOTHING or sums >= 0:
            activate(memory, scratch, width, channels, sums, step[t.ACTIVATION], number[2], number[3])
        _give_row(marker, memory, step, number, places, scratch, target)


@serial
def _give_row(
    marker: np.ndarray,
    memory: np.ndarray,
    step: np.ndarray,
    number: np.ndarray,
    places: np.ndarray,
    source: int,
    target: int,
) -> None:
    vectors, results = step[t.CHANNELS] // LANES, (target, step[t.TARGETS], number[t.INVERSE], number[t.ZERO])
    give(marker, memory, places, step[t.TARGET_FORM], vectors, step[t.WIDTH], source, *results)


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
    activate(memory, scratch, 1, channels, -1, _SCALED, number[2], number[3])
    _give_row(marker, memory, step, number, places, scratch, target)


@serial
def largest_narrow(
    marker: np.ndarray,
    memory: np.ndarray,
    step: np.ndarray,
    number: np.ndarray,
    places: np.ndarray,
    scratch: int,
    task: int,
) -> None:
    """Write the largest number of each window of one row, where the border counts for nothing."""
    rows, width, channels, kernel = step[t.ROWS], step[t.WIDTH], step[t.CHANNELS], step[t.KERNEL]
    image, y = task // rows, task % rows
    stride, length, before = step[t.STRIDE], step[t.SOURCE_WIDTH], step[t.BEFORE]
    line = scratch + width * channels
    fill(memory[scratch:line], _LOWEST)
    for row in range(max(0, y * stride - before), min(step[t.SOURCE_HEIGHT], y * stride - before + kernel)):
        source = step[t.SOURCE] + image * step[t.SOURCE_STEP] + row * step[t.SOURCE_LINE]
        _take_row(marker, memory, step, number, source, length, line)
        for x in range(width):
            result = memory[scratch + x * channels : scratch + (x + 1) * channels]
            for column in range(max(0, x * stride - before), min(length, x * stride - before + kernel)):
                larger(memory[line + column * channels : line + (column + 1) * channels], result)
    target = step[t.TARGET] + image * step[t.TARGET_STEP] + y * step[t.TARGET_LINE]
    _give_row(marker, memory, step, number, places, scratch, target)


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
    sums, more = (AS_THEY_ARE, channels // LANES, width, scratch, ZEROS, ZEROS), (other, step[t.OTHERS])
    numbers = (number[t.OTHER_SCALE], number[t.OTHER_ZERO], number[0], number[1])
    settle(marker, memory, weights, places, *sums, step[t.OTHER_FORM], *more, *numbers)
    if step[t.ACTIVATION] != _NOTHING:
        activate(memory, scratch, width, channels, -1, step[t.ACTIVATION], number[2], number[3])
    _give_row(marker, memory, step, number, places, scratch, target)

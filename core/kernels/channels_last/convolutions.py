"""The steps of a channels-last network that are convolutions: as products, and along rows."""

from __future__ import annotations

import numpy as np

from core.kernels.channels_last import table as t
from core.kernels.channels_last.activation import ACTIVATIONS, activate
from core.kernels.channels_last.steps import fill, times
from core.kernels.channels_last.tiles import convolve_row, height, prefetch, product_tile
from core.kernels.channels_last.vectors import LANES
from core.kernels.channels_last.weights import ZEROS
from core.kernels.engine.compiled import serial

_NOTHING = ACTIVATIONS.index("nothing")
_ZERO, _LOWEST, _HIGHEST = np.float32(0), np.float32(-np.inf), np.float32(np.inf)
_DEPTH = 512  # lines of weights that stay in the cache while all pixels of a task pass
_LINE = 16  # numbers of a line of the processor's cache


@serial
def multiply(
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
        _scale_rows(memory, places, base, pixels, begin, end, step, unit, scratch)
        base, pixels = scratch, step[t.SCRATCH_ROWS] - begin
    target, addend = step[t.TARGET] + unit * step[t.TARGET_STEP], step[t.OTHER] + unit * step[t.OTHER_STEP]
    count = step[t.OUT_PANELS]
    first, last = count * chunk // chunks, count * (chunk + 1) // chunks
    left = right = 0
    for panel in range(first, last):
        place = step[t.PANELS] + 4 * panel
        vectors, factors, column, shift = places[place], places[place + 1], places[place + 2], places[place + 3]
        if panel == first:
            left = column
        right = column + vectors * LANES
        depth, width = step[t.DEPTH], vectors * LANES
        added, others = addend + column, step[t.OTHERS]
        bias, low, high = step[t.BIAS] + column, _LOWEST, _HIGHEST
        for k in range(0, depth, _DEPTH):
            lines = min(_DEPTH, depth - k)
            if k + lines == depth:
                low, high = number[0], number[1]
            inputs = (base + shift, step[t.DEPTHS] + k, lines, factors + k * width, bias)
            r = begin
            while r < end:
                tile = height(end - r)
                if panel == first and k == 0 and step[t.PREFETCH]:
                    _prefetch_pixels(memory, step, places, base, target, r + tile, min(rows, r + 2 * tile))
                more = others + r if others >= 0 else -1
                results = (target + column, step[t.TARGETS] + r, added, more, low, high)
                product_tile(memory, weights, places, vectors, tile, pixels + r, *inputs, *results)
                r += tile
            bias, added, others = ZEROS, target + column, step[t.TARGETS]
    if step[t.ACTIVATION] != _NOTHING:
        _activate_pixels(memory, places, target, step[t.TARGETS], begin, end, left, right, step, number)


@serial
def _prefetch_pixels(
    memory: np.ndarray, step: np.ndarray, places: np.ndarray, base: int, target: int, begin: int, end: int
) -> None:
    """Ask for the memory of some pixels and of their results."""
    last = step[t.PANELS] + 4 * (step[t.OUT_PANELS] - 1)
    channels = places[last + 2] + places[last] * LANES
    for r in range(begin, end):
        source, result = base + places[step[t.PIXELS] + r], target + places[step[t.TARGETS] + r]
        for c in range(0, step[t.DEPTH], _LINE):
            prefetch(memory, source + c, 0)
        for c in range(0, channels, _LINE):
            prefetch(memory, result + c, 1)


@serial
def _scale_rows(
    memory: np.ndarray,
    places: np.ndarray,
    base: int,
    pixels: int,
    begin: int,
    end: int,
    step: np.ndarray,
    unit: int,
    scratch: int,
) -> None:
    """Copy pixels, each channel times the factor of its image."""
    channels, every = step[t.CHANNELS], step[t.PIXELS_OF_IMAGE]
    first = unit * (step[t.ROWS] // every)
    for r in range(begin, end):
        source, target = base + places[pixels + r], scratch + (r - begin) * channels
        scale = step[t.SCALE] + (first + r // every) * channels
        times(memory[source : source + channels], memory[scale : scale + channels], memory[target : target + channels])


@serial
def _activate_pixels(
    memory: np.ndarray,
    places: np.ndarray,
    target: int,
    targets: int,
    begin: int,
    end: int,
    left: int,
    right: int,
    step: np.ndarray,
    number: np.ndarray,
) -> None:
    """Apply the activation to some channels of some pixels, as many at once as are in a row."""
    whole = right - left
    r = begin
    while r < end:
        start = places[targets + r]
        after = r + 1
        while after < end and places[targets + after] == start + (after - r) * whole:
            after += 1
        numbers = (after - r) * whole
        activate(memory, target + start + left, numbers // LANES, LANES, -1, step[t.ACTIVATION], number[2], number[3])
        r = after


@serial
def convolve_rows(memory: np.ndarray, weights: np.ndarray, step: np.ndarray, number: np.ndarray, task: int) -> None:
    """Compute some rows of a depthwise or finely grouped convolution, and where wanted the sum of their pixels."""
    blocks, rows, width, channels = step[t.BLOCKS], step[t.ROWS], step[t.WIDTH], step[t.CHANNELS]
    image, block = task // blocks, task % blocks
    sums = step[t.SUMS] + task * channels if step[t.SUMS] >= 0 else -1
    if sums >= 0:
        fill(memory[sums : sums + channels], _ZERO)
    for y in range(rows * block // blocks, rows * (block + 1) // blocks):
        source = step[t.SOURCE] + image * step[t.SOURCE_STEP] + y * step[t.STRIDE] * step[t.SOURCE_LINE]
        target = step[t.TARGET] + image * step[t.TARGET_STEP] + y * step[t.TARGET_LINE]
        inputs = (source, step[t.SOURCE_LINE], channels, step[t.PANELS], step[t.BIAS])
        sizes = (width, step[t.KERNEL_ROWS], step[t.NEIGHBOURS])
        convolve_row(memory, weights, step[t.KERNEL], *inputs, target, *sizes, number[0], number[1])
        if step[t.ACTIVATION] != _NOTHING or sums >= 0:
            activate(memory, target, width, channels, sums, step[t.ACTIVATION], number[2], number[3])

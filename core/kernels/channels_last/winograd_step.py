"""What one task of a convolution by few multiplications does: windows, products, pixels of some tiles."""

from __future__ import annotations

import numpy as np

from core.kernels.channels_last import table as t
from core.kernels.channels_last.activation import ACTIVATIONS, activate
from core.kernels.channels_last.tiles import VECTORS, height, product_tile
from core.kernels.channels_last.vectors import LANES
from core.kernels.channels_last.weights import ZEROS
from core.kernels.channels_last.winograd import transform_products, transform_window
from core.kernels.engine.compiled import serial

_NOTHING = ACTIVATIONS.index("nothing")
_LOWEST, _HIGHEST = np.float32(-np.inf), np.float32(np.inf)
WIDTH = VECTORS * LANES
"""Numbers between the products of one tile and the next."""


@serial
def convolve_tiles(
    memory: np.ndarray,
    weights: np.ndarray,
    step: np.ndarray,
    number: np.ndarray,
    places: np.ndarray,
    scratch: int,
    task: int,
) -> None:
    """Compute some channels of some tiles of a convolution."""
    chunks, blocks = step[t.CHUNKS], step[t.BLOCKS]
    chunk, block = task % chunks, task // chunks
    unit, block = block // blocks, block % blocks
    begin, end = block * step[t.BLOCK], min(step[t.ROWS], (block + 1) * step[t.BLOCK])
    side, channels, depth = step[t.SIDE], step[t.CHANNELS], step[t.DEPTH]
    size = (side + 2) * (side + 2)
    windows = scratch + size * LANES
    products = windows + size * step[t.APART]
    source = step[t.SOURCE] + unit * step[t.SOURCE_STEP]
    for r in range(begin, end):
        place = windows + (r - begin) * channels
        pixel = source + places[step[t.PIXELS] + r]
        transform_window(memory, side, pixel, step[t.SOURCE_LINE], channels, place, step[t.APART], scratch)
    count = step[t.OUT_PANELS]
    for panel in range(count * chunk // chunks, count * (chunk + 1) // chunks):
        place = step[t.PANELS] + 4 * panel
        vectors, factors, column = places[place], places[place + 1], places[place + 2]
        tile = height(end - begin)
        for k in range(size):
            inputs = (windows + k * step[t.APART], step[t.DEPTHS], depth, factors + k * depth * vectors * LANES, ZEROS)
            r = 0
            while r < end - begin:
                at = min(r, end - begin - tile)  # the last tile may compute a few products again
                results = (products + k * step[t.BESIDE], step[t.TARGETS] + at, 0, -1, _LOWEST, _HIGHEST)
                product_tile(memory, weights, places, vectors, tile, step[t.SCRATCH_ROWS] + at, *inputs, *results)
                r += tile
        for r in range(begin, end):
            made = products + (r - begin) * WIDTH
            _write_tile(memory, weights, step, number, places, scratch, made, unit, r, vectors, column)


@serial
def _write_tile(
    memory: np.ndarray,
    weights: np.ndarray,
    step: np.ndarray,
    number: np.ndarray,
    places: np.ndarray,
    scratch: int,
    products: int,
    unit: int,
    r: int,
    vectors: int,
    column: int,
) -> None:
    """Write the pixels of tile ``r``, some vectors of channels, whose products begin at ``products``."""
    place = step[t.TILES] + 4 * r
    target = step[t.TARGET] + unit * step[t.TARGET_STEP] + places[place] + column
    added = step[t.OTHER] + unit * step[t.OTHER_STEP] + places[place + 1] + column if step[t.OTHERS] >= 0 else -1
    rows, columns = places[place + 2], places[place + 3]
    line, pixel = step[t.TARGET_LINE], step[t.TARGET_PIXEL]
    given = (products, step[t.BESIDE], scratch, step[t.BIAS] + column)
    ends = (target, line, pixel, rows, columns, added, step[t.OTHER_LINE], step[t.OTHER_PIXEL])
    transform_products(memory, weights, step[t.SIDE], vectors, *given, *ends, number[0], number[1])
    if step[t.ACTIVATION] == _NOTHING:
        return
    for y in range(rows):
        for x in range(columns):
            start = target + y * line + x * pixel
            activate(memory, start, vectors, LANES, -1, step[t.ACTIVATION], number[2], number[3])

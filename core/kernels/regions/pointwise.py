"""1 x 1 convolutions of a training step with channels last: products of blocks of pixels, forward and backward.

What lies between two convolutions is computed where it is read, for a block that stays in the cache. Sums over pixels
are made by blocks and parts, of which there are as many for any number of threads.
"""

from __future__ import annotations

import numpy as np

from core.kernels.channels_last.vectors import LANES
from core.kernels.engine.compiled import serial, taken, vectorized
from core.kernels.numeric.tiles import ROWS, VECTORS, tile_of
from core.kernels.numeric.transposition import SQUARE, transpose_square
from core.kernels.regions.fields import (
    ADD,
    CHANNELS,
    FACTOR,
    GIVEN,
    KIND,
    MORE,
    PART_COUNT,
    PART_SIZE,
    PARTS,
    SCALES,
    STATISTICS,
    TRANSFORM,
    WEIGHT,
    Z,
)
from core.kernels.regions.rows import ROW_TOGETHER, add_gradient_sums, gradient_rows, load_rows, moments

_NOTHING = np.zeros(VECTORS * LANES, np.float32)


@serial
def multiply(
    left: np.ndarray,
    start: int,
    row: int,
    step: int,
    right: np.ndarray,
    first: int,
    depth: int,
    vectors: int,
    result: np.ndarray,
    place: int,
    line: int,
    rows: int,
    add: bool,
) -> None:
    """Multiply some rows by one panel of ``vectors``, see :func:`core.kernels.numeric.products.multiply_panel`."""
    tiles = (rows + ROWS - 1) // ROWS
    r = 0
    while r < rows:
        height = (rows - r + tiles - 1) // tiles
        tiles -= 1
        at, to = start + r * row, place + r * line
        if add:
            tile_of(height, vectors, left, at, row, step, right, first, depth, result, to, line, result, to, line)
        else:
            tile_of(height, vectors, left, at, row, step, right, first, depth, result, to, line, _NOTHING, 0, 0)
        r += height


@vectorized
def clear(memory: np.ndarray, first: int, last: int) -> None:
    """Write zeros."""
    for i in range(first, last):
        memory[i] = 0


@vectorized
def copy(source: np.ndarray, first: int, target: np.ndarray, place: int, count: int) -> None:
    """Copy numbers."""
    for i in range(count):
        target[place + i] = source[first + i]


@vectorized
def add(source: np.ndarray, first: int, target: np.ndarray, place: int, count: int) -> None:
    """Add numbers to others."""
    for i in range(count):
        target[place + i] += source[first + i]


@serial
def load(memory: np.ndarray, value: np.ndarray, numbers: np.ndarray, image: int, pixel: int, rows: int, target: int,
         pitch: int, first: int, vectors: int) -> None:  # fmt: skip
    """Write some channels of y of some pixels in a row, one pixel each ``pitch``."""
    channels = value[CHANNELS]
    factor = value[FACTOR] + image * channels + first if value[FACTOR] >= 0 else -1
    source, transform = value[Z] + pixel * channels + first, value[TRANSFORM] + first
    for r in range(0, rows, ROW_TOGETHER):
        count = min(ROW_TOGETHER, rows - r)
        given = (channels, count, vectors, transform, channels, factor, value[KIND], numbers[0], numbers[1])
        load_rows(memory, source + r * channels, *given, target + r * pitch, pitch)


@serial
def gradient(memory: np.ndarray, value: np.ndarray, numbers: np.ndarray, image: int, pixel: int, rows: int, target: int,
             pitch: int) -> None:  # fmt: skip
    """Write the gradient of z of some pixels in a row, one pixel each ``pitch``."""
    channels = value[CHANNELS]
    scaled = value[SCALES] >= 0
    factor = value[SCALES] + image * channels if scaled else -1
    more = value[MORE] + image * channels if scaled else -1
    z, given = value[Z] + pixel * channels, value[GIVEN] + pixel * channels
    for r in range(0, rows, ROW_TOGETHER):
        count = min(ROW_TOGETHER, rows - r)
        of = (channels, count, channels // LANES, value[TRANSFORM], channels, factor, more, value[KIND])
        place = (numbers[0], numbers[1], target + r * pitch, pitch)
        gradient_rows(memory, z + r * channels, given + r * channels, *of, *place)


@serial
def pack(weight: np.ndarray, memory: np.ndarray, window: np.ndarray, places: np.ndarray, counter: np.ndarray) -> None:
    """Cut a weight, or its transpose, into panels; rows and columns are filled up with zeros.

    Args:
        weight: (channels of the result, channels), flat.
        memory: Everything, flat.
        window: The weight's rows and columns, and whether it is transposed, as it is forward.
        places: Where the panels go, one behind the other, (depth filled up, vectors) each.
        counter: What threads share.
    """
    outer, inner, transposed = window[0], window[1], window[2]
    depth, width = (inner, outer) if transposed else (outer, inner)
    rows, vectors = (depth + LANES - 1) // LANES * LANES, (width + LANES - 1) // LANES
    count = (vectors + VECTORS - 1) // VECTORS
    panel = taken(counter)
    while panel < count:
        first, last = vectors * panel // count * LANES, vectors * (panel + 1) // count * LANES
        pitch, start = last - first, places[WEIGHT] + first * rows
        columns = min(last, width) - first
        if transposed:
            whole, squares = columns // SQUARE * SQUARE, depth // SQUARE * SQUARE
            for c in range(0, whole, SQUARE):
                for k in range(0, squares, SQUARE):
                    transpose_square(weight, (first + c) * inner + k, inner, memory, start + k * pitch + c, pitch)
            for k in range(depth):
                for c in range(whole if k < squares else 0, columns):
                    memory[start + k * pitch + c] = weight[(first + c) * inner + k]
        else:
            for k in range(depth):
                copy(weight, k * inner + first, memory, start + k * pitch, columns)
        if columns < pitch:
            for k in range(depth):
                for c in range(columns, pitch):
                    memory[start + k * pitch + c] = 0
        clear(memory, start + depth * pitch, start + rows * pitch)
        panel = taken(counter)


@serial
def forward(
    memory: np.ndarray,
    source: np.ndarray,
    source_numbers: np.ndarray,
    target: np.ndarray,
    shape: np.ndarray,
    places: np.ndarray,
    scratch: int,
    counter: np.ndarray,
) -> None:
    """Write z of the target, and the moments of each block, (blocks, 2, channels).

    Args:
        memory: Everything, flat.
        source, source_numbers: What it reads, see :mod:`core.kernels.regions.fields`.
        target: What it writes.
        shape: Images, pixels of each, pixels of a block.
        places: See :mod:`core.kernels.regions.fields`.
        scratch: Where this thread has room.
        counter: What threads share.
    """
    images, pixels, block = shape[0], shape[1], shape[2]
    depth, width = source[CHANNELS], target[CHANNELS]
    blocks = (pixels + block - 1) // block
    vectors = width // LANES
    count = (vectors + VECTORS - 1) // VECTORS
    task = taken(counter)
    while task < images * blocks:
        image, b = task // blocks, task % blocks
        first, last = pixels * b // blocks, pixels * (b + 1) // blocks
        pixel, rows = image * pixels + first, last - first
        load(memory, source, source_numbers, image, pixel, rows, scratch, depth, 0, depth // LANES)
        for panel in range(count):
            left, right = vectors * panel // count, vectors * (panel + 1) // count
            at, to = places[WEIGHT] + left * LANES * depth, target[Z] + pixel * width + left * LANES
            multiply(memory, scratch, depth, 1, memory, at, depth, right - left, memory, to, width, rows, False)
        if places[STATISTICS] >= 0:
            to = places[STATISTICS] + task * 2 * width
            moments(memory, target[Z] + pixel * width, width, rows, vectors, width, to)
        task = taken(counter)


@serial
def backward(
    memory: np.ndarray,
    source: np.ndarray,
    source_numbers: np.ndarray,
    target: np.ndarray,
    target_numbers: np.ndarray,
    shape: np.ndarray,
    places: np.ndarray,
    scratch: int,
    counter: np.ndarray,
) -> None:
    """Write, or add to, the gradient of the source, and write that of the weight, by parts.

    A part is (channels of the result, channels of the source), filled up. Arguments are those of :func:`forward`.
    """
    images, pixels, block = shape[0], shape[1], shape[2]
    inner, outer, add = source[CHANNELS], target[CHANNELS], places[ADD]
    blocks = (pixels + block - 1) // block
    vectors = inner // LANES
    count = (vectors + VECTORS - 1) // VECTORS
    part = taken(counter)
    while part < places[PART_COUNT]:
        result = places[PARTS] + part * places[PART_SIZE]
        begin = images * blocks * part // places[PART_COUNT]
        for task in range(begin, images * blocks * (part + 1) // places[PART_COUNT]):
            image, b = task // blocks, task % blocks
            first, last = pixels * b // blocks, pixels * (b + 1) // blocks
            pixel, rows = image * pixels + first, last - first
            gradient(memory, target, target_numbers, image, pixel, rows, scratch, outer)
            loaded = scratch + rows * outer
            for panel in range(count):
                left, right = vectors * panel // count, vectors * (panel + 1) // count
                wide, pitch = right - left, (right - left) * LANES
                if add >= 0:
                    at, to = places[WEIGHT] + left * LANES * outer, source[GIVEN] + pixel * inner + left * LANES
                    multiply(memory, scratch, outer, 1, memory, at, outer, wide, memory, to, inner, rows, add == 1)
                load(memory, source, source_numbers, image, pixel, rows, loaded, pitch, left * LANES, wide)
                of = (memory, scratch, 1, outer, memory, loaded, rows, wide, memory, result + left * LANES, inner)
                multiply(*of, places[PART_SIZE] // inner, task > begin)
        part = taken(counter)


@serial
def gradient_sums(
    memory: np.ndarray,
    value: np.ndarray,
    numbers: np.ndarray,
    shape: np.ndarray,
    places: np.ndarray,
    counter: np.ndarray,
) -> None:
    """Write the sums of :func:`core.kernels.regions.rows.add_gradient_sums` by parts, (parts, 2, channels)."""
    images, pixels, channels = shape[0], shape[1], value[CHANNELS]
    scaled, part = value[SCALES] >= 0, taken(counter)
    while part < places[PART_COUNT]:
        sums = places[PARTS] + part * 2 * channels
        clear(memory, sums, sums + 2 * channels)
        pixel = images * pixels * part // places[PART_COUNT]
        end = images * pixels * (part + 1) // places[PART_COUNT]
        while pixel < end:
            image = pixel // pixels
            rows = min(ROW_TOGETHER, min(end, (image + 1) * pixels) - pixel)
            factor = value[SCALES] + image * channels if scaled else -1
            more = value[MORE] + image * channels if scaled else -1
            at = pixel * channels
            of = (channels, rows, channels // LANES, value[TRANSFORM], channels, factor, more, value[KIND])
            add_gradient_sums(memory, value[Z] + at, value[GIVEN] + at, *of, numbers[0], numbers[1], sums)
            pixel += rows
        part = taken(counter)


@serial
def add_parts(
    memory: np.ndarray, result: np.ndarray, window: np.ndarray, places: np.ndarray, counter: np.ndarray
) -> None:
    """Add the parts of a weight's gradient up.

    Args:
        memory, places, counter: As of :func:`forward`.
        result: (rows, columns), flat.
        window: Its rows and columns; and of a part, how far its rows are apart.
    """
    row = taken(counter)
    while row < window[0]:
        at, to = places[PARTS] + row * window[2], row * window[1]
        copy(memory, at, result, to, window[1])
        for part in range(1, places[PART_COUNT]):
            add(memory, at + part * places[PART_SIZE], result, to, window[1])
        row = taken(counter)

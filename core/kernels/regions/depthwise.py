"""Depthwise convolutions of a training step with channels last, forward and backward, strips of rows at a time.

A strip's input, what lies between two convolutions applied to it, lies with its border in room of the thread's own;
so does the gradient of its result, with zeros between its pixels where the stride is 2: the gradient of the input is
then a convolution of stride 1 with the turned weight.
"""

from __future__ import annotations

import numpy as np

from core.kernels.channels_last.tiles import convolve_row
from core.kernels.channels_last.vectors import LANES
from core.kernels.engine.compiled import serial, taken
from core.kernels.regions.correlation import correlate_row
from core.kernels.regions.fields import (
    ADD,
    BATCH,
    CHANNELS,
    GIVEN,
    HEIGHT,
    PART_COUNT,
    PART_SIZE,
    PARTS,
    STATISTICS,
    WEIGHT,
    WIDTH,
    ZEROS,
    Z,
)
from core.kernels.regions.pointwise import add, clear, gradient, load
from core.kernels.regions.rows import moments

KERNEL, STRIDE, TOP, LEFT, STRIP, FORWARD_KIND, TURNED_KIND, TAPS_KIND = range(8)
"""Of a window: its size, step, pixels above and left of the image; rows of the result in a strip; its places in
ROW_KINDS, that of stride 1, and in TAPS."""

_LOWEST, _HIGHEST = np.float32(-np.inf), np.float32(np.inf)


def room_of(window: np.ndarray, source: np.ndarray, target: np.ndarray) -> int:
    """Return how many numbers a strip of both directions takes."""
    rows = window[STRIP] * window[STRIDE] + window[KERNEL] + window[STRIDE]
    wide = max(int(source[WIDTH]), int(target[WIDTH] * window[STRIDE])) + 2 * int(window[KERNEL])
    return int(2 * rows * wide * source[CHANNELS])


def pack(weight: np.ndarray, turned: bool, target: np.ndarray) -> None:
    """Write a weight (channels, 1, kernel, kernel), turned by half a circle or not, [vectors, kernel, kernel, LANES].

    Args:
        weight, turned: See above.
        target: Memory, flat.
    """
    taps = weight.reshape(len(weight), -1)
    taps = taps[:, ::-1] if turned else taps
    whole = target.reshape(-1, taps.shape[1], LANES)
    filled = np.zeros((whole.shape[0] * LANES, taps.shape[1]), np.float32)
    filled[: len(taps)] = taps
    whole[...] = filled.reshape(-1, LANES, taps.shape[1]).transpose(0, 2, 1)


@serial
def _load_strip(
    memory: np.ndarray,
    source: np.ndarray,
    numbers: np.ndarray,
    window: np.ndarray,
    image: int,
    first: int,
    rows: int,
    width: int,
    scratch: int,
) -> None:
    """Write rows of y from ``first``, which may be outside, on, and zeros around, ``width`` pixels each."""
    channels, left = source[CHANNELS], window[LEFT]
    pixels = min(source[WIDTH], width - left)
    for r in range(rows):
        y, at = first + r, scratch + r * width * channels
        if y < 0 or y >= source[HEIGHT]:
            clear(memory, at, at + width * channels)
        else:
            clear(memory, at, at + left * channels)
            pixel = (image * source[HEIGHT] + y) * source[WIDTH]
            load(memory, source, numbers, image, pixel, pixels, at + left * channels, channels, 0, channels // LANES)
            clear(memory, at + (left + pixels) * channels, at + width * channels)


@serial
def forward(
    memory: np.ndarray,
    source: np.ndarray,
    source_numbers: np.ndarray,
    target: np.ndarray,
    window: np.ndarray,
    places: np.ndarray,
    scratch: int,
    counter: np.ndarray,
) -> None:
    """Write z of the target, and the moments of each strip; see :func:`core.kernels.regions.pointwise.forward`."""
    channels, stride, kernel = source[CHANNELS], window[STRIDE], window[KERNEL]
    height, columns = target[HEIGHT], target[WIDTH]
    strips = (height + window[STRIP] - 1) // window[STRIP]
    width = (columns - 1) * stride + kernel
    line = width * channels
    task = taken(counter)
    while task < target[BATCH] * strips:
        image, strip = task // strips, task % strips
        first, last = height * strip // strips, height * (strip + 1) // strips
        rows = (last - first - 1) * stride + kernel
        _load_strip(memory, source, source_numbers, window, image, first * stride - window[TOP], rows, width, scratch)
        start = target[Z] + (image * height + first) * columns * channels
        for y in range(last - first):
            at, place = scratch + y * stride * line, start + y * columns * channels
            of = (window[FORWARD_KIND], at, line, channels, places[WEIGHT], places[ZEROS], place, columns, kernel, 1)
            convolve_row(memory, memory, *of, _LOWEST, _HIGHEST)
        if places[STATISTICS] >= 0:
            count, vectors = (last - first) * columns, channels // LANES
            moments(memory, start, channels, count, vectors, channels, places[STATISTICS] + task * 2 * channels)
        task = taken(counter)


@serial
def backward(
    memory: np.ndarray,
    source: np.ndarray,
    source_numbers: np.ndarray,
    target: np.ndarray,
    target_numbers: np.ndarray,
    window: np.ndarray,
    places: np.ndarray,
    scratch: int,
    counter: np.ndarray,
) -> None:
    """Write, or add to, the gradient of the source, and write that of the weight, by parts, packed.

    Arguments are those of :func:`core.kernels.regions.pointwise.forward`.
    """
    strips = (target[HEIGHT] + window[STRIP] - 1) // window[STRIP]
    tasks = target[BATCH] * strips
    part = taken(counter)
    while part < places[PART_COUNT]:
        result = places[PARTS] + part * places[PART_SIZE]
        clear(memory, result, result + places[PART_SIZE])
        for task in range(tasks * part // places[PART_COUNT], tasks * (part + 1) // places[PART_COUNT]):
            of = (source, source_numbers, target, target_numbers, window, places, result, scratch)
            _backward_strip(memory, *of, task // strips, task % strips, strips)
        part = taken(counter)


@serial
def _backward_strip(
    memory: np.ndarray,
    source: np.ndarray,
    source_numbers: np.ndarray,
    target: np.ndarray,
    target_numbers: np.ndarray,
    window: np.ndarray,
    places: np.ndarray,
    result: int,
    scratch: int,
    image: int,
    strip: int,
    strips: int,
) -> None:
    channels, stride, kernel, top, left = source[CHANNELS], window[STRIDE], window[KERNEL], window[TOP], window[LEFT]
    height, columns = target[HEIGHT], target[WIDTH]
    first, last = height * strip // strips, height * (strip + 1) // strips
    # rows of the input whose gradient is computed here
    begin = first * stride
    end = source[HEIGHT] if strip == strips - 1 else last * stride
    # the gradient of the result, spread out by the stride, from this row and column on
    above, before = begin + top - kernel + 1, left - kernel + 1
    width = source[WIDTH] + kernel - 1
    line, rows = width * channels, end - begin + kernel - 1
    clear(memory, scratch, scratch + rows * line)
    for y in range(max(0, (above + stride - 1) // stride), min(height, (above + rows - 1) // stride + 1)):
        at = scratch + (y * stride - above) * line - before * channels
        pixel = (image * height + y) * columns
        gradient(memory, target, target_numbers, image, pixel, columns, at, stride * channels)
    loaded = scratch + rows * line
    if places[ADD] >= 0:
        for y in range(begin, end):
            place = source[GIVEN] + (image * source[HEIGHT] + y) * source[WIDTH] * channels
            to = loaded if places[ADD] == 1 else place
            of = (window[TURNED_KIND], scratch + (y - begin) * line, line, channels, places[WEIGHT], places[ZEROS])
            convolve_row(memory, memory, *of, to, source[WIDTH], kernel, 1, _LOWEST, _HIGHEST)
            if places[ADD] == 1:
                add(memory, loaded, memory, place, source[WIDTH] * channels)
    wide = (columns - 1) * stride + kernel
    count = (last - first - 1) * stride + kernel
    _load_strip(memory, source, source_numbers, window, image, first * stride - top, count, wide, loaded)
    for y in range(first, last):
        at = loaded + (y - first) * stride * wide * channels
        g = scratch + (y * stride - above) * line - before * channels
        of = (at, wide * channels, g, stride * channels, channels, columns)
        correlate_row(memory, window[TAPS_KIND], *of, memory, result)

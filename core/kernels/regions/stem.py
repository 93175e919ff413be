"""The first convolution of a network: a few channels of images in the plain order, which need no gradient."""

from __future__ import annotations

import numpy as np

from core.kernels.channels_last.vectors import LANES
from core.kernels.engine.compiled import serial, taken
from core.kernels.regions.fields import (
    BATCH,
    CHANNELS,
    HEIGHT,
    PART_COUNT,
    PART_SIZE,
    PARTS,
    STATISTICS,
    WEIGHT,
    WIDTH,
    Z,
)
from core.kernels.regions.pointwise import gradient, multiply
from core.kernels.regions.rows import moments

IN_CHANNELS, IN_HEIGHT, IN_WIDTH, KERNEL, STRIDE, TOP, LEFT, ROWS = range(8)
"""Of a window: channels and sizes of the images; its size and step; pixels above and left of the image; rows of the
result in a strip."""


def room_of(window: np.ndarray, target: np.ndarray) -> int:
    """Return how many numbers a strip takes: each pixel's window, and its gradient."""
    depth = window[IN_CHANNELS] * window[KERNEL] ** 2
    return int(window[ROWS] * target[WIDTH] * (depth + target[CHANNELS]))


@serial
def _gather(
    images: np.ndarray, memory: np.ndarray, window: np.ndarray, image: int, first: int, rows: int, width: int, to: int
) -> None:
    """Write what the windows of some rows of the result see, (channel, row, column of the window) x pixels."""
    kernel, stride, height, columns = window[KERNEL], window[STRIDE], window[IN_HEIGHT], window[IN_WIDTH]
    for line in range(window[IN_CHANNELS] * kernel * kernel):
        channel, tap = line // (kernel * kernel), line % (kernel * kernel)
        down, along = tap // kernel - window[TOP], tap % kernel - window[LEFT]
        begin = min(width, max(0, (-along + stride - 1) // stride))
        end = max(begin, min(width, (columns - 1 - along) // stride + 1))
        for r in range(rows):
            place = to + (line * rows + r) * width
            y = (first + r) * stride + down
            if y < 0 or y >= height:
                for x in range(width):
                    memory[place + x] = 0
            else:
                at = ((image * window[IN_CHANNELS] + channel) * height + y) * columns + along
                for x in range(begin):
                    memory[place + x] = 0
                for x in range(begin, end):
                    memory[place + x] = images[at + x * stride]
                for x in range(end, width):
                    memory[place + x] = 0


@serial
def forward(
    images: np.ndarray,
    memory: np.ndarray,
    target: np.ndarray,
    window: np.ndarray,
    places: np.ndarray,
    scratch: int,
    counter: np.ndarray,
) -> None:
    """Write z of the target, and the moments of each strip.

    Args:
        images: (batch, channels, height, width), flat.
        memory, target, places, scratch, counter: See :func:`core.kernels.regions.pointwise.forward`; the weight is
            (channels x kernel x kernel, channels of the result).
        window: See above.
    """
    height, width, channels = target[HEIGHT], target[WIDTH], target[CHANNELS]
    depth, vectors = window[IN_CHANNELS] * window[KERNEL] ** 2, channels // LANES
    strips = (height + window[ROWS] - 1) // window[ROWS]
    task = taken(counter)
    while task < target[BATCH] * strips:
        image, strip = task // strips, task % strips
        first, last = height * strip // strips, height * (strip + 1) // strips
        pixels, place = (last - first) * width, target[Z] + (image * height + first) * width * channels
        _gather(images, memory, window, image, first, last - first, width, scratch)
        of = (memory, scratch, 1, pixels, memory, places[WEIGHT], depth, vectors, memory, place, channels)
        multiply(*of, pixels, False)
        if places[STATISTICS] >= 0:
            moments(memory, place, channels, pixels, vectors, channels, places[STATISTICS] + task * 2 * channels)
        task = taken(counter)


@serial
def backward(
    images: np.ndarray,
    memory: np.ndarray,
    target: np.ndarray,
    numbers: np.ndarray,
    window: np.ndarray,
    places: np.ndarray,
    scratch: int,
    counter: np.ndarray,
) -> None:
    """Write the gradient of the weight by parts, (channels x kernel x kernel, channels of the result) each."""
    height, width, channels = target[HEIGHT], target[WIDTH], target[CHANNELS]
    depth, vectors = window[IN_CHANNELS] * window[KERNEL] ** 2, channels // LANES
    strips = (height + window[ROWS] - 1) // window[ROWS]
    tasks = target[BATCH] * strips
    part = taken(counter)
    while part < places[PART_COUNT]:
        result = places[PARTS] + part * places[PART_SIZE]
        begin = tasks * part // places[PART_COUNT]
        for task in range(begin, tasks * (part + 1) // places[PART_COUNT]):
            image, strip = task // strips, task % strips
            first, last = height * strip // strips, height * (strip + 1) // strips
            pixels, loaded = (last - first) * width, scratch + depth * (last - first) * width
            _gather(images, memory, window, image, first, last - first, width, scratch)
            pixel = (image * height + first) * width
            gradient(memory, target, numbers, image, pixel, pixels, loaded, channels)
            of = (memory, scratch, pixels, 1, memory, loaded, pixels, vectors, memory, result, channels)
            multiply(*of, depth, task > begin)
        part = taken(counter)

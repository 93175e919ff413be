"""Sums and means of values of a training step with channels last, and how they come from and go to the plain order."""

from __future__ import annotations

import numpy as np

from core.kernels.channels_last.vectors import LANES
from core.kernels.engine.compiled import serial, taken
from core.kernels.regions.fields import ADD, BATCH, CHANNELS, GIVEN, HEIGHT, KIND, OTHER, PARTS, TRANSFORM, WIDTH, Z
from core.kernels.regions.pointwise import add, clear, gradient, load
from core.kernels.regions.rows import ROW_TOGETHER, add_products

_PIXELS = 64  # that are put in another order together


@serial
def add_up(
    memory: np.ndarray,
    first: np.ndarray,
    first_numbers: np.ndarray,
    second: np.ndarray,
    second_numbers: np.ndarray,
    places: np.ndarray,
    counter: np.ndarray,
) -> None:
    """Write y of the first value, plus that of the second if that is to be added, row by row.

    Args:
        memory: Everything, flat.
        first, first_numbers, second, second_numbers, counter: See :func:`core.kernels.regions.pointwise.forward`.
        places: Where the sum goes (OTHER), and room for as much (PARTS).
    """
    channels, width = first[CHANNELS], first[WIDTH]
    line = taken(counter)
    while line < first[BATCH] * first[HEIGHT]:
        image, at = line // first[HEIGHT], line * width * channels
        to, room = places[OTHER] + at, places[PARTS] + at
        load(memory, first, first_numbers, image, line * width, width, to, channels, 0, channels // LANES)
        if places[ADD] == 1:
            load(memory, second, second_numbers, image, line * width, width, room, channels, 0, channels // LANES)
            add(memory, room, memory, to, width * channels)
        line = taken(counter)


@serial
def pass_gradient(
    memory: np.ndarray, value: np.ndarray, numbers: np.ndarray, places: np.ndarray, counter: np.ndarray
) -> None:
    """Write, or add, the gradient of z of a value to another place (OTHER); there is room for as much (PARTS)."""
    channels, width = value[CHANNELS], value[WIDTH]
    line = taken(counter)
    while line < value[BATCH] * value[HEIGHT]:
        at = line * width * channels
        to, room = places[OTHER] + at, places[PARTS] + at
        place = room if places[ADD] == 1 else to
        gradient(memory, value, numbers, line // value[HEIGHT], line * width, width, place, channels)
        if places[ADD] == 1:
            add(memory, room, memory, to, width * channels)
        line = taken(counter)


@serial
def image_sums(
    memory: np.ndarray, value: np.ndarray, numbers: np.ndarray, places: np.ndarray, counter: np.ndarray
) -> None:
    """Write the sums of y over each image, (images, channels), to OTHER; times the gradient that is given, for ADD."""
    pixels, channels = value[HEIGHT] * value[WIDTH], value[CHANNELS]
    image = taken(counter)
    while image < value[BATCH]:
        to = places[OTHER] + image * channels
        clear(memory, to, to + channels)
        for pixel in range(0, pixels, ROW_TOGETHER):
            rows = min(ROW_TOGETHER, pixels - pixel)
            at = (image * pixels + pixel) * channels
            given = value[GIVEN] + at if places[ADD] == 1 else -1
            of = (channels, rows, channels // LANES, value[TRANSFORM], channels, value[KIND])
            add_products(memory, value[Z] + at, given, *of, numbers[0], numbers[1], to)
        image = taken(counter)


@serial
def to_last(
    images: np.ndarray,
    memory: np.ndarray,
    value: np.ndarray,
    window: np.ndarray,
    places: np.ndarray,
    counter: np.ndarray,
) -> None:
    """Write, or add, images in the plain order with channels last, filled up with zeros.

    Args:
        images: Flat.
        memory, counter: As of :func:`add_up`.
        value: What has their shape.
        window: How many channels they have.
        places: Where they go (OTHER).
    """
    channels, padded, pixels = window[0], value[CHANNELS], value[HEIGHT] * value[WIDTH]
    blocks, task = (pixels + _PIXELS - 1) // _PIXELS, taken(counter)
    while task < value[BATCH] * blocks:
        image, first = task // blocks, task % blocks * _PIXELS
        for c in range(padded):
            place, at = places[OTHER] + image * pixels * padded + c, (image * channels + c) * pixels
            for p in range(first, min(pixels, first + _PIXELS)):
                number = images[at + p] if c < channels else np.float32(0)
                memory[place + p * padded] = memory[place + p * padded] + number if places[ADD] == 1 else number
        task = taken(counter)


@serial
def to_plain(
    images: np.ndarray,
    memory: np.ndarray,
    value: np.ndarray,
    window: np.ndarray,
    places: np.ndarray,
    counter: np.ndarray,
) -> None:
    """Write images in the plain order; see :func:`to_last`."""
    channels, padded, pixels = window[0], value[CHANNELS], value[HEIGHT] * value[WIDTH]
    blocks, task = (pixels + _PIXELS - 1) // _PIXELS, taken(counter)
    while task < value[BATCH] * blocks:
        image, first = task // blocks, task % blocks * _PIXELS
        for c in range(channels):
            place, at = places[OTHER] + image * pixels * padded + c, (image * channels + c) * pixels
            for p in range(first, min(pixels, first + _PIXELS)):
                images[at + p] = memory[place + p * padded]
        task = taken(counter)

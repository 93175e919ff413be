"""Where the values of a region are: one flat memory, which lasts from the forward to the backward pass."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from core.kernels.channels_last.vectors import LANES
from core.kernels.regions.fields import (
    BATCH,
    CHANNELS,
    FACTOR,
    FIELDS,
    GIVEN,
    HEIGHT,
    KIND,
    MORE,
    SCALES,
    TRANSFORM,
    WIDTH,
    Z,
)
from core.kernels.regions.layer import NOTHING, Layer
from core.kernels.regions.row_code import KINDS

TRANSFORMS = 7
"""Rows of numbers of each channel: mean, scale, shift; of, along, always; 1 / deviation."""


def whole(size: int) -> int:
    """Return a size filled up to whole vectors."""
    return -(-size // LANES) * LANES


class Memory:
    """Gives out places; those of gradients, which come and go backward, are given out again.

    Args:
        layers: The region's.
        outputs: The layers that are read outside.
    """

    def __init__(self, layers: Sequence[Layer], outputs: Sequence[int]) -> None:
        self.size = 0
        self._free: list[tuple[int, int]] = []
        self.values: list[np.ndarray] = []
        self.numbers: list[np.ndarray] = []
        means = {layer.source for layer in layers if layer.kind == "mean"}
        direct = {place for layer in layers if layer.kind != "mean" for place in layer.reads} | {*outputs}
        self.only_mean = means - direct
        for place, layer in enumerate(layers):
            batch, channels, height, width = layer.shape
            value = np.full(FIELDS, -1, np.int64)
            padded = whole(channels)
            value[[CHANNELS, HEIGHT, WIDTH, BATCH]] = padded, height, width, batch
            value[KIND] = KINDS.index(layer.activation)
            value[Z] = self.take(math.prod((batch, padded, height, width)))
            value[TRANSFORM] = self.take(TRANSFORMS * padded)
            if layer.factor != NOTHING:
                value[FACTOR] = self.take(batch * padded)
            if layer.factor != NOTHING or place in means:
                value[SCALES], value[MORE] = self.take(batch * padded), self.take(batch * padded)
            self.values.append(value)
            self.numbers.append(np.array([layer.first, layer.second], np.float32))
        self._gradients(layers, outputs)

    def take(self, size: int) -> int:
        """Return where so many numbers have a place of their own."""
        self.size += whole(size)
        return self.size - whole(size)

    def _gradients(self, layers: Sequence[Layer], outputs: Sequence[int]) -> None:
        """Give gradients places, from when the last reader writes them to when the layer itself is done."""

        def begin(place: int) -> None:
            value = self.values[place]
            if value[GIVEN] < 0 and layers[place].needs:
                value[GIVEN] = self._lend(self._numbers_of(place))

        for place in outputs:
            begin(place)
        for place in range(len(layers) - 1, -1, -1):
            layer, value = layers[place], self.values[place]
            if place in self.only_mean and layer.factor == NOTHING:
                value[GIVEN] = value[Z]  # times zeros
            if not layer.needs:
                continue
            begin(place)
            for read in layer.reads:
                if layer.kind != "mean" and layers[read].needs:
                    begin(read)
            if value[GIVEN] != value[Z]:
                self._give_back(int(value[GIVEN]), self._numbers_of(place))

    def _numbers_of(self, place: int) -> int:
        value = self.values[place]
        return int(value[BATCH] * value[HEIGHT] * value[WIDTH] * value[CHANNELS])

    def _lend(self, size: int) -> int:
        fits = [(length, start) for start, length in self._free if length >= size]
        if not fits:
            return self.take(size)
        length, start = min(fits)
        self._free.remove((start, length))
        if length > size:
            self._free.append((start + size, length - size))
        return start

    def _give_back(self, start: int, size: int) -> None:
        for other in list(self._free):
            if other[0] + other[1] == start:
                self._free.remove(other)
                start, size = other[0], other[1] + size
            elif start + size == other[0]:
                self._free.remove(other)
                size += other[1]
        self._free.append((start, size))

"""Where the values of a region are, and in which blocks, strips and parts its kernels work."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.kernels.channels_last.tiles import ROW_KINDS
from core.kernels.channels_last.vectors import LANES
from core.kernels.engine.processors import processors
from core.kernels.numeric.tiles import VECTORS
from core.kernels.regions import depthwise, stem
from core.kernels.regions.correlation import TAPS
from core.kernels.regions.fields import BATCH, CHANNELS, FACTOR, HEIGHT, SCALES, WIDTH
from core.kernels.regions.layer import NOTHING, Layer
from core.kernels.regions.memory import Memory, whole

MOST_PARTS = 16
"""Of a sum over pixels, whatever the number of threads."""

_BLOCK = 1 << 17  # numbers of a block of pixels, which stays in the cache
_PIXELS = (24, 192)  # of a block
_STRIP = 150_000  # numbers of a strip of rows, likewise
_PART_ROOM = 1 << 18  # numbers of all parts of a weight's gradient


class Plan:
    """What a region's kernels get.

    Attributes:
        room: How many numbers its memory has.
        normalized: The layers that normalise batches.

    Args:
        layers: What it does, in order.
        outputs: The layers that are read outside.
    """

    def __init__(self, layers: Sequence[Layer], outputs: Sequence[int]) -> None:
        self.layers, self.outputs = list(layers), list(outputs)
        self.normalized = [place for place, layer in enumerate(layers) if layer.scale != NOTHING]
        memory = Memory(layers, outputs)
        self._values, self._numbers, self._only_mean = memory.values, memory.numbers, memory.only_mean
        self._windows = [self._window(place) for place in range(len(layers))]
        sizes = [self._shared(place) for place in range(len(layers))]
        weights, sums, parts, own = (max(column) for column in zip(*sizes))
        self._weight, self._sums, self._parts = memory.take(weights), memory.take(sums), memory.take(parts)
        self._zeros = memory.take(max(int(value[CHANNELS]) for value in self._values))
        self._own = whole(own)
        self._scratch = memory.take(self._own * processors())  # the most threads that there can be
        self.room = memory.size + LANES

    def _pixels(self, place: int) -> int:
        return int(self._values[place][HEIGHT] * self._values[place][WIDTH])

    def _numbers_in(self, place: int) -> int:
        return int(self._values[place][BATCH] * self._values[place][CHANNELS]) * self._pixels(place)

    def _window(self, place: int) -> np.ndarray:
        """Return what a convolution's kernel gets about its window."""
        layer, value = self.layers[place], self._values[place]
        if layer.kind == "pointwise":
            source = self._values[layer.source]
            apart = source[FACTOR] >= 0 or value[SCALES] >= 0  # blocks lie within an image
            images = layer.shape[0] if apart else 1
            pixels = layer.shape[0] * self._pixels(place) // images
            block = min(max(_BLOCK // int(value[CHANNELS] + source[CHANNELS]), _PIXELS[0]), _PIXELS[1])
            return np.array([images, pixels, block], np.int64)
        if layer.kind == "stem":
            _, channels, height, width = layer.images
            rows = max(1, _PIXELS[1] // layer.shape[3])
            return np.array([channels, height, width, layer.kernel, layer.stride, *layer.pad, rows], np.int64)
        if layer.kind != "depthwise":
            return np.zeros(3, np.int64)
        kinds = [(layer.kernel, stride, 1) for stride in (layer.stride, 1)]
        found = [ROW_KINDS.index(kind) for kind in kinds]
        window = np.array([layer.kernel, layer.stride, *layer.pad, 1, *found, TAPS.index(kinds[0][:2])], np.int64)
        for strip in range(1, layer.shape[2] + 1):
            window[depthwise.STRIP] = strip
            if depthwise.room_of(window, self._values[layer.source], value) > _STRIP and strip > 1:
                window[depthwise.STRIP] = strip - 1
                break
        return window

    def _blocks(self, place: int) -> list[int]:
        """Return the sizes of the blocks for which there are moments."""
        layer, window = self.layers[place], self._windows[place]
        if layer.kind == "pointwise":
            images, pixels, block = (int(number) for number in window)
            count = -(-pixels // block)
            return [pixels * (b + 1) // count - pixels * b // count for b in range(count)] * images
        strip = int(window[stem.ROWS if layer.kind == "stem" else depthwise.STRIP])
        batch, _, height, width = layer.shape
        count = -(-height // strip)
        return [(height * (s + 1) // count - height * s // count) * width for s in range(count)] * batch

    def _shared(self, place: int) -> tuple[int, int, int, int]:
        """Return how much room a layer takes of what all use: its weight, sums, parts, and a thread's own."""
        layer, value = self.layers[place], self._values[place]
        sums = 2 * int(value[CHANNELS]) * MOST_PARTS
        copied = self._numbers_in(place) if layer.kind in ("sum", "input") or place in self.outputs else 0
        if layer.kind in ("sum", "input", "mean", "factor"):
            return 0, sums, copied, 0
        sums = max(sums, 2 * int(value[CHANNELS]) * len(self._blocks(place)))
        window = self._windows[place]
        parts = max(copied, self._parts_of(place) * self._weight_size(place))
        if layer.kind == "stem":
            return self._weight_size(place), sums, parts, stem.room_of(window, value)
        source = self._values[layer.source]
        if layer.kind == "pointwise":
            panel = VECTORS * LANES
            own = int(window[2] * (value[CHANNELS] + max(source[CHANNELS], panel)))
        else:
            own = depthwise.room_of(window, source, value)
        return self._weight_size(place), sums, parts, own

    def _weight_size(self, place: int) -> int:
        layer, channels = self.layers[place], int(self._values[place][CHANNELS])
        if layer.kind == "stem":
            return whole(layer.images[1] * layer.kernel**2) * channels
        if layer.kind == "depthwise":
            return layer.kernel**2 * channels
        return int(self._values[layer.source][CHANNELS]) * channels

    def _parts_of(self, place: int) -> int:
        return min(len(self._blocks(place)), MOST_PARTS, max(2, _PART_ROOM // self._weight_size(place)))

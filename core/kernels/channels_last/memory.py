"""Where the values of a channels-last network are in its memory, and which of its layers go image by image."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Optional

import numpy as np

from core.kernels.channels_last.forms import BYTES
from core.kernels.channels_last.layer import Layer, Shape, padded, shapes_of
from core.kernels.channels_last.vectors import LANES

_ROWS_COST = 12000  # vectors of products that are worth a task


class Placed:
    """Where a value is: images one behind the other, each with a border.

    Attributes:
        start: Where the first image begins, with its border.
        step: Words of an image; a word is one float32 number.
        line: Words of a row.
        pixel: Words of a pixel.
        form: Of its numbers.
        grid: Scale and zero point of bytes.
    """

    def __init__(
        self,
        shape: Shape,
        border: Sequence[int] = (0, 0, 0, 0),
        plain: bool = False,
        form: int = 0,
        grid: tuple[float, float] = (1.0, 0.0),
        pixel: int = 0,
    ) -> None:
        self.batch, self.channels, self.height, self.width = shape
        self.border, self.plain, self.form, self.grid = tuple(border), plain, form, grid
        top, left, below, right = border
        self.pixel = pixel or (1 if plain else padded(self.channels) >> form)
        self.line = (left + self.width + right) * self.pixel
        self.rows = top + self.height + below
        self.step = self.rows * self.line * (self.channels if plain else 1)
        self.start = 0

    @property
    def size(self) -> int:
        """Words of all images, filled up."""
        return padded(self.step * self.batch)

    def at(self, pad: Sequence[int] = (0, 0)) -> int:
        """Return where the window of the first pixel begins."""
        return self.start + (self.border[0] - pad[0]) * self.line + (self.border[1] - pad[1]) * self.pixel

    def image(self, number: int) -> Placed:
        """Return one image of it."""
        part = copy.copy(self)
        part.batch, part.start = 1, self.start + number * self.step
        return part

    def pixels(self, height: int, width: int, stride: Sequence[int] = (1, 1), images: int = 1) -> np.ndarray:
        """Return the distances of pixels from the first one."""
        image, y, x = np.arange(images) * self.step, np.arange(height) * self.line, np.arange(width) * self.pixel
        return (image[:, None, None] + (y * stride[0])[:, None] + x * stride[1]).reshape(-1)

    def border_parts(self) -> np.ndarray:
        """Return where the parts of an image's border begin and how long they are (parts, 2)."""
        top, left, _, right = self.border
        side, line = (left + right) * self.pixel, self.line
        parts = [(0, top * line + left * self.pixel)]
        parts += [(y * line + (left + self.width) * self.pixel, side) for y in range(top, top + self.height - 1)]
        last = (top + self.height - 1) * line + (left + self.width) * self.pixel
        parts.append((last, self.rows * line - last))
        return np.array([part for part in parts if part[1]])


class Memory:
    """A place for every value, such that none takes what another one still needs.

    One image after the other goes through the first layers: where images are larger than weights, a batch of them would
    not stay in the processor's cache. A layer that reads the images before and after begins a run of layers, which the
    images go through when all are through the run before. Values there have room for one image, but for those that
    later runs read.

    Attributes:
        shapes: Of the values.
        values: Where they stand.
        alone: How many layers go image by image.
        runs: Of these layers the first and the last one of each run; the first run begins with the input, 0.
        size: Words of memory.

    Args:
        layers, shape, outputs: Of the network, its input, and the values that it returns.
        input_grid: The scale and zero point of the bytes to which the input is rounded; None: it is not.
    """

    def __init__(
        self,
        layers: Sequence[Layer],
        shape: Sequence[int],
        outputs: Sequence[int],
        input_grid: Optional[tuple[float, float]] = None,
    ) -> None:
        self.shapes = shapes_of(layers, shape)
        self._layers = layers
        self.alone = self._layers_for_one_image() if shape[0] > 1 else 0
        begins = [place for place, layer in enumerate(layers, 1) if layer.shift is not None and place <= self.alone]
        self.runs = list(zip([0, *begins], [*[place - 1 for place in begins], self.alone])) if self.alone else []
        last = {place: place for place in range(len(self.shapes))}
        borders = [[0, 0, 0, 0] for _ in self.shapes]
        for place, layer in enumerate(layers, 1):
            last.update(dict.fromkeys(layer.reads, place))
            if layer.kind in ("product", "row", "winograd"):
                wanted = self._border_for_tiles(place, layer) if layer.side else layer.pad
                borders[layer.source] = [max(pair) for pair in zip(borders[layer.source], wanted)]
        last.update({place: len(layers) + 1 for place in outputs})
        self.is_whole = [place > self.alone or last[place] > self._run_of(place)[1] for place in last]
        forms = [(0, (1.0, 0.0)), *[(layer.form, layer.grid) for layer in layers]]
        self.values = [
            Placed(shape if whole else (1, *shape[1:]), border, i == 0, *form)
            for i, (shape, border, whole, form) in enumerate(zip(self.shapes, borders, self.is_whole, forms))
        ]
        if input_grid is not None and all(layer.starts for layer in layers if layer.source == 0):
            given = self.values[0]  # whose bytes are multiplied, a word for each pixel
            whole = (given.batch, given.channels, given.height, given.width)
            self.values[0] = Placed(whole, borders[0], form=BYTES, grid=input_grid, pixel=1)
        self.size = self._lay_out(last)

    def _border_for_tiles(self, place: int, layer: Layer) -> tuple[int, int, int, int]:
        """Return the border of the source that makes up whole tiles of the result."""
        top, left, below, right = layer.pad
        height, width = self.shapes[place][2:]
        return top, left, below + -height % layer.side, right + -width % layer.side

    def parts(self, place: int) -> int:
        """Return into how many parts the rows of an image are cut where they are convolved along, or summed up."""
        _, channels, height, width = self.shapes[place]
        layer = self._layers[place - 1]
        taps = layer.kernel[0] * layer.kernel[1] * layer.share if layer.kind == "row" else 1
        return max(1, min(height, width * height * padded(channels) // LANES * taps // _ROWS_COST))

    def sums(self, place: int, image: int = 0) -> int:
        """Return where the sums of a value's parts stand; below 0 where nothing reads them."""
        if not self._room_for_sums(place):
            return -1
        value = self.values[place]
        before = image * self.parts(place) * padded(value.channels) if value.batch > 1 else 0
        return value.start + value.size + before

    def _room_for_sums(self, place: int) -> int:
        if not any(layer.kind == "mean" and layer.source == place for layer in self._layers):
            return 0
        return self.values[place].batch * self.parts(place) * padded(self.values[place].channels)

    def _layers_for_one_image(self) -> int:
        def size(place: int) -> int:
            _, channels, height, width = self.shapes[place]
            return padded(channels) * height * width if height * width > 1 else 0

        def weights(layer: Layer) -> int:
            taps = (layer.side + 2) ** 2 if layer.side else layer.kernel[0] * layer.kernel[1]
            return layer.depth * taps * padded(layer.channels)

        large = [
            place
            for place, layer in enumerate(self._layers, 1)
            if layer.depth and size(place) and size(place) + size(layer.source) >= weights(layer)
        ]
        return max(large, default=0)

    def _run_of(self, place: int) -> tuple[int, int]:
        """Return the first and the last layer of the run that a layer belongs to; by itself it is a run of one."""
        return next((run for run in self.runs if run[0] <= place <= run[1]), (place, place))

    def _lay_out(self, last: dict[int, int]) -> int:
        def lifetime(place: int) -> tuple[int, int, int]:
            """Return from which layer up to which a value is needed, and its place."""
            if self.is_whole[place]:
                return self._run_of(place)[0], self._run_of(last[place])[1], place
            return place, last[place], place

        used: list[tuple[int, int, int]] = []  # begin, end, last layer
        size = 0
        for begins, ends, place in sorted(lifetime(place) for place in last):
            used = sorted(block for block in used if block[2] >= begins)
            wanted = self.values[place].size + self._room_for_sums(place)
            gaps, at = [], 0
            for begin, end, _ in used:
                gaps.append((begin - at, at))
                at = max(at, end)
            fitting = [gap for gap in gaps if gap[0] >= wanted]
            start = min(fitting)[1] if fitting else at
            self.values[place].start = start
            used.append((start, start + wanted, ends))
            size = max(size, start + wanted)
        return size

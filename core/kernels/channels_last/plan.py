"""What a channels-last network does for inputs of one shape: the tables that it runs by."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Optional, Union

import numpy as np

from core.kernels.channels_last import table as t
from core.kernels.channels_last.activation import ACTIVATIONS
from core.kernels.channels_last.forms import BYTES, as_float32, words
from core.kernels.channels_last.layer import Layer, padded, writes_at_once
from core.kernels.channels_last.memory import Memory, Placed
from core.kernels.channels_last.narrow_steps import GROUP, ROOM
from core.kernels.channels_last.narrow_tiles import COUNTED, SCALED
from core.kernels.channels_last.tiles import HEIGHT, PREFETCHES, ROW_KINDS, VECTORS
from core.kernels.channels_last.vectors import LANES
from core.kernels.channels_last.weights import shifted_parts
from core.kernels.channels_last.winograd_plan import tiles_of
from core.kernels.layers.quantized import LARGEST

_TASKS = 16  # of a step that is worth it: enough for a few threads to end together
_TASK_COST = 8000  # vectors of products that are worth a task
_HEIGHTS = (7, 4, 2)  # tiles of a task where tasks share the pixels
_MOST_TILES = 28  # where they share the channels, because weights are more than pixels
_NO_BOUNDS = (-math.inf, math.inf)
_SMALL_IMAGE = 16  # pixels up to which all images are rows of one product
_LARGE_IMAGE = 1 << 19  # numbers of a product's pixels and results that fill the second cache


class Plan:
    """The tables of a network for one shape of its input.

    Attributes:
        table, numbers, places, scratch, room: See :func:`core.kernels.channels_last.run.run`.
    """

    def __init__(
        self,
        layers: Sequence[Layer],
        shape: Sequence[int],
        outputs: Sequence[int],
        input_grid: Optional[tuple[float, float]] = None,
    ) -> None:
        self._input_grid = input_grid
        self._memory = Memory(layers, shape, outputs, input_grid)
        self._is_narrow = any(layer.form for layer in layers)
        self._places: list[np.ndarray] = []
        self._found: dict[bytes, int] = {}
        self._length = 0
        self._rows: list[np.ndarray] = []
        self._numbers: list[np.ndarray] = []
        self.room = 0
        done = -1
        for first, done in self._memory.runs:
            for image in range(shape[0]):
                self._add_layers(layers, first, done, image)
        self._add_layers(layers, done + 1, len(layers), None)
        self.table, self.numbers = np.array(self._rows), np.array(self._numbers)
        self.places = np.concatenate(self._places)
        self.scratch = self._memory.size

    def read(self, memory: np.ndarray, place: int, out: np.ndarray, channels_last: bool = False) -> None:
        """Copy a value out of memory, as (N, C, H, W), or as (N, H, W, C)."""
        value = self._memory.values[place]
        rows = memory[value.start : value.start + value.step * value.batch]
        whole = rows.reshape(value.batch, value.rows, -1, value.pixel)
        top, left = value.border[:2]
        inner = whole[:, top : top + value.height, left : left + value.width]
        inner = as_float32(inner, value.form, *value.grid)[..., : value.channels]
        if channels_last:
            out[...] = inner
        else:
            out.reshape(self._memory.shapes[place])[...] = inner.transpose(0, 3, 1, 2)

    def _add_layers(self, layers: Sequence[Layer], first: int, last: int, image: Optional[int]) -> None:
        """Add the steps of some layers, for all images or for one."""

        def value(place: Optional[int]) -> Optional[Placed]:
            if place is None:
                return None
            found = self._memory.values[place]
            return found if image is None or found.batch == 1 else found.image(image)

        for place in range(first, last + 1):
            target = value(place)
            assert target is not None
            if place == 0:
                self._copy_input(target, image or 0)
                continue
            layer = layers[place - 1]
            if layer.shift is not None and image is None and target.batch > 1:
                for number in range(target.batch):  # each reads other images
                    self._add_layers(layers, place, place, number)
                continue
            source, scale, other = value(layer.source), value(layer.scale), value(layer.other)
            assert source is not None
            sums = self._memory.sums(place, image or 0)
            near = self._neighbours(layer, source, image or 0)
            if layer.kind == "product":
                self._product(layer, source, target, scale, other, near)
            elif layer.kind == "shift":
                self._shift(layer, source, target, near)
            elif layer.kind == "winograd":
                tasks, room, fields = tiles_of(layer, source, target, other, self._place)
                self.room = max(self.room, room)
                self._step(t.WINOGRAD, tasks, target, (*layer.bounds, *layer.activation[1:]), **fields)
            elif layer.kind == "row":
                self._convolve_rows(layer, source, target, self._memory.parts(place), sums)
            elif layer.kind == "mean":
                parts, summed = self._memory.parts(layer.source), self._memory.sums(layer.source, image or 0)
                self._mean(layer, source, target, parts, summed, layers[layer.source - 1].kind == "row")
            elif layer.kind in ("maximum", "average"):
                self._maximum(layer, source, target)
            elif layer.kind == "join":
                self._join(target, [(value(read), times) for read, times in layer.parts])
            else:
                self._combine(layer, source, target, scale, other)
            self._name_forms(layer, source, target, other)

    def _neighbours(self, layer: Layer, source: Placed, image: int) -> dict[int, int]:
        """Return how far away the images are that a layer reads: the one before (-1), the one after (1), itself (0)."""
        if layer.shift is None:
            return {0: 0}
        frame, frames = image % layer.shift[0], layer.shift[0]
        return {away: away * source.step for away in (-1, 0, 1) if 0 <= frame + away < frames}

    def _name_forms(self, layer: Layer, source: Placed, target: Placed, other: Optional[Placed]) -> None:
        """Say of the last step in which forms its values stand."""
        row, numbers = self._rows[-1], self._numbers[-1]
        row[t.FORM], row[t.TARGET_FORM], row[t.OTHER_FORM] = source.form, target.form, -1
        row[t.SCALES], row[t.STARTS] = layer.scales, layer.starts
        if source.form == BYTES and layer.kind in ("product", "row"):
            row[t.SUMS_ARE] = COUNTED if layer.share == 1 else SCALED
        numbers[[t.SOURCE_SCALE, t.SOURCE_ZERO]] = source.grid
        if other is not None:
            row[t.OTHER_FORM] = other.form
            numbers[[t.OTHER_SCALE, t.OTHER_ZERO]] = other.grid
        if target.form == BYTES:
            self._set_grid(target)
        row[t.AT_ONCE] = writes_at_once(layer, source.form, row[t.SUMS] >= 0)
        if row[t.AT_ONCE] and target.form == BYTES:
            scale, zero = target.grid
            numbers[[t.LOW, t.HIGH]] = np.clip(np.array(layer.bounds) / scale + zero, 0, LARGEST)
            numbers[t.OTHER_SCALE] /= np.float32(scale)

    def _set_grid(self, target: Placed) -> None:
        """Say of the last step by what the bytes that it writes count, and what they have around them."""
        scale, zero = target.grid
        self._numbers[-1][[t.INVERSE, t.ZERO]] = np.float32(1 / scale), zero
        self._numbers[-1].view(np.uint32)[t.FILL] = int(zero) * 0x01010101

    def _step(self, kind: int, tasks: int, target: Optional[Placed], given: Sequence[float], **fields: int) -> None:
        row, numbers = np.zeros(t.FIELDS, np.int64), np.zeros(t.NUMBERS, np.float32)
        numbers[: len(given)] = given
        row[t.KIND], row[t.TASKS], row[t.WORK] = kind, tasks, tasks
        row[t.SCALE] = row[t.SUMS] = row[t.OTHERS] = -1
        if target is not None:
            row[t.TARGET], row[t.TARGET_STEP], row[t.TARGET_LINE] = target.at(), target.step, target.line
            if any(target.border):
                parts = target.border_parts()
                row[t.TASKS] += target.batch
                row[t.BORDERS], row[t.BORDER_PARTS] = self._place(parts), len(parts)
                row[t.BORDER_TARGET], row[t.BORDER_STEP] = target.start, target.step
        for name, value in fields.items():
            row[getattr(t, name.upper())] = value
        self._rows.append(row)
        self._numbers.append(numbers)

    def _place(self, distances: Union[Sequence[int], np.ndarray]) -> int:
        """Put distances into the table that steps look up, and return where they begin."""
        flat = np.ascontiguousarray(distances, np.int64).reshape(-1)
        key = flat.tobytes()
        if key not in self._found:
            self._found[key] = self._length
            self._places.append(flat)
            self._length += flat.size
        return self._found[key]

    def _copy_input(self, value: Placed, image: int) -> None:
        fields = {"rows": value.height, "width": value.width, "channels": value.channels}
        fields["source"] = image * value.channels * value.height * value.width
        if value.form == BYTES:
            self._step(t.PACK, value.batch * value.height, value, (0, 0, 0, 0), **fields)
            self._set_grid(value)
            return
        channel = Placed((value.batch * value.channels, 1, value.height, value.width), value.border, plain=True)
        channel.start = value.start
        self._step(t.PLAIN, channel.batch, channel, (0, 0, 0, 0), **fields)
        if self._input_grid is not None:
            scale, zero = self._input_grid
            self._numbers[-1][[t.INVERSE, t.SOURCE_SCALE, t.SOURCE_ZERO]] = np.float32(1 / scale), scale, zero

    def _product(
        self,
        layer: Layer,
        source: Placed,
        target: Placed,
        scale: Optional[Placed],
        other: Optional[Placed],
        near: Mapping[int, int],
    ) -> None:
        height, width = target.height, target.width
        together = target.batch if height * width <= _SMALL_IMAGE else 1
        rows, units = height * width * together, target.batch // together
        taps = [y * source.line + x * source.pixel for y in range(layer.kernel[0]) for x in range(layer.kernel[1])]
        if source.plain:
            depths = [k * source.rows * source.line + tap for k in range(layer.depth) for tap in taps]
        elif layer.shift is not None:
            parts = [part for part in shifted_parts(layer.depth, layer.shift) if part[2] in near]
            depths = [near[away] + tap + k for *ends, away in parts for tap in taps for k in range(*ends)]
        else:
            depths = [tap + k for tap in taps for k in range(words(layer.depth, source.form))]
        left_out = 0 if -1 in near or layer.shift is None else layer.shift[1] * len(taps)
        panels = [(vectors, at + left_out * vectors * LANES, *rest) for vectors, at, *rest in layer.panels]
        cost = rows * units * len(depths) * sum(panel[0] for panel in layer.panels)
        wanted = min(_TASKS, max(1, cost // _TASK_COST))
        block = next((tiles * HEIGHT for tiles in _HEIGHTS if units * -(-rows // (tiles * HEIGHT)) >= wanted), 0)
        factors = len(depths) * layer.channels
        if not block or (scale is None and factors > rows * source.pixel):
            block = HEIGHT * (_MOST_TILES if scale is None else _HEIGHTS[-1])  # each task scales its pixels
        blocks = -(-rows // block)
        block = -(-rows // (blocks * HEIGHT)) * HEIGHT
        blocks = -(-rows // block)
        chunks = max(1, min(len(layer.panels), -(-wanted // (blocks * units))))
        fields: dict[str, int] = {}
        if PREFETCHES and layer.kernel == (1, 1) and scale is None and layer.shift is None and not self._is_narrow:
            fields.update(prefetch=int(rows * (source.pixel + target.pixel) > _LARGE_IMAGE))
        if self._is_narrow:
            fields.update(tile_rows=self._place(np.outer(np.arange(1, VECTORS + 1), np.arange(GROUP)) * LANES))
            self.room = max(self.room, ROOM)
        if scale is not None:
            channels = padded(source.channels)
            own = ROOM if self._is_narrow else 0
            self.room = max(self.room, own + block * source.pixel)
            fields.update(scale=scale.start, channels=channels)
            fields.update(scratch_rows=self._place(np.arange(block) * source.pixel))
        if other is not None:
            fields.update(other=other.at(), other_step=other.step * together)
            fields.update(others=self._place(other.pixels(height, width, images=together)))
        self._step(
            t.PRODUCT,
            units * blocks * chunks,
            target,
            (*layer.bounds, *layer.activation[1:]),
            rows=rows,
            block=block,
            blocks=blocks,
            chunks=chunks,
            source=source.at(layer.pad),
            source_step=source.step * together,
            pixels=self._place(source.pixels(height, width, layer.stride, together)),
            depths=self._place(depths),
            depth=len(depths),
            panels=self._place(np.array(panels)),
            out_panels=len(panels),
            pixels_of_image=height * width,
            bias=layer.bias,
            target_step=target.step * together,
            targets=self._place(target.pixels(height, width, images=together)),
            activation=layer.activation[0],
            **fields,
        )

    def _convolve_rows(self, layer: Layer, source: Placed, target: Placed, parts: int, sums: int) -> None:
        self._step(
            t.ROW,
            target.batch * parts,
            target,
            (*layer.bounds, *layer.activation[1:]),
            blocks=parts,
            rows=target.height,
            width=target.width,
            channels=padded(target.channels),
            stride=layer.stride[0],
            source=source.at(layer.pad),
            source_step=source.step,
            source_line=source.line,
            panels=layer.weight,
            bias=layer.bias,
            activation=layer.activation[0],
            kernel=ROW_KINDS.index((layer.kernel[0], layer.stride[0], layer.share)),
            kernel_rows=layer.kernel[0],
            neighbours=layer.share,
            sums=sums,
            **self._targets(source, target),
        )

    def _targets(self, source: Placed, target: Placed) -> dict[str, int]:
        """Return what a step needs that makes a row of pixels in float32 first, as those of narrow networks do."""
        if not self._is_narrow:
            return {}
        self.room = max(self.room, max(source.width, target.width) * padded(source.channels))
        return {"targets": self._place(np.arange(target.width) * target.pixel)}

    def _mean(self, layer: Layer, source: Placed, target: Placed, parts: int, sums: int, is_summed: bool) -> None:
        fields = {"blocks": parts, "channels": padded(source.channels), "sums": sums}
        fields.update(self._targets(source, target), width=1)
        if not is_summed:
            sizes = {"rows": source.height, "width": source.width}
            at = {"source": source.at(), "source_step": source.step, "source_line": source.line}
            self._step(t.SUM, source.batch * parts, None, (0, 0, 0, 0), **{**fields, **sizes, **at})
            self._name_forms(layer, source, target, None)
        fields.update(activation=ACTIVATIONS.index("scaled"))
        self._step(t.MEAN, source.batch, target, (*_NO_BOUNDS, 1 / (source.height * source.width), 0), **fields)

    def _maximum(self, layer: Layer, source: Placed, target: Placed) -> None:
        adds = layer.kind == "average"
        self._step(
            t.MAXIMUM,
            target.batch * target.height,
            target,
            (*_NO_BOUNDS, 1 / layer.kernel[0] ** 2 if adds else 0, 0),
            rows=target.height,
            width=target.width,
            channels=padded(target.channels),
            kernel=layer.kernel[0],
            stride=layer.stride[0],
            source=source.at(),
            source_step=source.step,
            source_line=source.line,
            source_height=source.height,
            source_width=source.width,
            before=layer.pad[0],
            adds=int(adds),
            activation=ACTIVATIONS.index("scaled") if adds else 0,
            **self._targets(source, target),
        )

    def _join(self, target: Placed, parts: Sequence[tuple[Optional[Placed], int]]) -> None:
        lines = []
        for part, times in parts:
            assert part is not None
            lines.append((part.at(), part.step, part.line, words(part.channels, part.form), part.pixel, times))
        fields = {"rows": target.height, "width": target.width, "channels": target.pixel}
        fields.update(parts=self._place(np.array(lines)), part_count=len(lines))
        self._step(t.JOIN, target.batch * target.height, target, (0, 0, 0, 0), **fields)

    def _shift(self, layer: Layer, source: Placed, target: Placed, near: Mapping[int, int]) -> None:
        assert layer.shift is not None
        fields = {"source": source.at(), "source_line": source.line, "earlier": near.get(-1, 0)}
        fields.update(later=near.get(1, 0), earlier_end=layer.shift[1], later_end=layer.shift[2])
        sizes = {"width": target.width, "channels": padded(target.channels)}
        self._step(t.SHIFT, target.height, target, (0, 0, 0, 0), **fields, **sizes)

    def _combine(
        self, layer: Layer, source: Placed, target: Placed, scale: Optional[Placed], other: Optional[Placed]
    ) -> None:
        fields = self._targets(source, target)
        if scale is not None:
            fields.update(scale=scale.start)
        if other is not None:
            fields.update(other=other.at(), other_step=other.step, other_line=other.line)
            fields.update(others=self._place(np.arange(other.width) * other.pixel))
        self._step(
            t.COMBINE,
            target.batch * target.height,
            target,
            (*layer.bounds, *layer.activation[1:]),
            rows=target.height,
            width=target.width,
            channels=padded(target.channels),
            activation=layer.activation[0],
            source=source.at(),
            source_step=source.step,
            source_line=source.line,
            **fields,
        )

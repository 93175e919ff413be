"""A region of a training step with channels last: its layers run forward, and backward, on one flat memory.

Between convolutions nothing is stored: who reads a value normalises, activates and weighs it. Statistics of batches and
sums of gradients are made by parts and added up in float64. No bit of a result depends on the number of threads.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

from core.kernels.channels_last.vectors import LANES
from core.kernels.regions import depthwise, fields, run
from core.kernels.regions.fields import BATCH, CHANNELS, FACTOR, GIVEN, MORE, SCALES, TRANSFORM, Z
from core.kernels.regions.layer import NOTHING, Layer
from core.kernels.regions.memory import TRANSFORMS
from core.kernels.regions.plan import MOST_PARTS, Plan

_CONVOLUTIONS = ("stem", "pointwise", "depthwise")
_numbers = itertools.count(1)


class Region(Plan):
    """Layers of a training step for inputs of one shape.

    Attributes:
        name: By which its operator is known.

    Args:
        layers, outputs: As of :class:`core.kernels.regions.plan.Plan`.
    """

    def __init__(self, layers: Sequence[Layer], outputs: Sequence[int]) -> None:
        super().__init__(layers, outputs)
        self.name = f"region {next(_numbers)}"

    # forward

    def forward(self, inputs: Sequence[np.ndarray], out: Sequence[np.ndarray]) -> None:
        """Compute.

        Args:
            inputs: The region's.
            out: What is read outside, mean and 1 / deviation of each normalised layer, and the memory.
        """
        memory = _aligned(out[-1])
        memory[self._zeros : self._zeros + max(int(value[CHANNELS]) for value in self._values)] = 0
        found = iter(out[len(self.outputs) : -1])
        statistics = {place: (next(found), next(found)) for place in self.normalized}
        for place, layer in enumerate(self.layers):
            self._set_transform(memory, place, inputs)
            self._compute(memory, place, layer, inputs)
            if layer.scale != NOTHING:
                self._normalize(memory, place, inputs, *statistics[place])
            for read, reader in enumerate(self.layers[:place]):
                if reader.factor == place:
                    self._load_factor(memory, read, place)
        for place, result in zip(self.outputs, out):
            self._read(memory, place, result)

    def _compute(self, memory: np.ndarray, place: int, layer: Layer, inputs: Sequence[np.ndarray]) -> None:
        value, window = self._values[place], self._windows[place]
        if layer.kind == "input":
            self._run(run.TO_LAST, memory, place, array=inputs[layer.given], other=int(value[Z]), add=0)
        elif layer.kind == "factor":
            target = self._rows(memory, place, Z)
            target[...] = 0
            target[:, : layer.shape[1]] = inputs[layer.given].reshape(layer.shape[0], -1)
        elif layer.kind == "mean":
            self._run(run.IMAGE_SUMS, memory, layer.source, other=int(value[Z]), add=0)
            rows = self._rows(memory, place, Z)
            np.multiply(rows, np.float32(1 / self._pixels(layer.source)), out=rows)
        elif layer.kind == "sum":
            both = int(layer.other != NOTHING)
            self._run(run.ADD_UP, memory, layer.source, layer.other, other=int(value[Z]), add=both)
        elif layer.kind == "stem":
            self._pack(memory, place, inputs[layer.given], True)
            self._run(run.STEM, memory, NOTHING, place, window, inputs[layer.images_given])
        elif layer.kind == "pointwise":
            self._pack(memory, place, inputs[layer.given], True)
            self._run(run.POINTWISE, memory, layer.source, place, window)
        else:
            self._pack(memory, place, inputs[layer.given], True)
            self._run(run.DEPTHWISE, memory, layer.source, place, window)

    def _run(
        self,
        kind: int,
        memory: np.ndarray,
        source: int,
        target: int = NOTHING,
        window: np.ndarray = run.NO_WINDOW,
        array: Optional[np.ndarray] = None,
        add: int = -1,
        other: int = 0,
    ) -> None:
        """Run a step between two values, see :mod:`core.kernels.regions.run`."""
        places = np.array([self._weight, self._sums, self._parts, 0, 0, add, other, self._zeros], np.int64)
        if target >= 0 and self.layers[target].kind in _CONVOLUTIONS:
            places[[fields.PART_COUNT, fields.PART_SIZE]] = self._parts_of(target), self._weight_size(target)
            if self.layers[target].scale == NOTHING:
                places[fields.STATISTICS] = -1
        if kind in (run.TO_LAST, run.TO_PLAIN):
            window = np.array(self.layers[source].shape[1:2], np.int64)
        flat = run.NO_ARRAY if array is None else array.reshape(-1)
        run.run(kind, memory, places, (self._scratch, self._own), self._of(source), self._of(target), window, flat)

    def _of(self, place: int) -> tuple[np.ndarray, np.ndarray]:
        return (self._values[place], self._numbers[place]) if place >= 0 else run.NO_VALUE

    def _pack(self, memory: np.ndarray, place: int, weight: np.ndarray, forward: bool) -> None:
        """Lay a weight out for a step."""
        if self.layers[place].kind == "depthwise":
            depthwise.pack(weight, not forward, memory[self._weight : self._weight + self._weight_size(place)])
        else:
            window = np.array([len(weight), weight.size // len(weight), forward], np.int64)
            self._run(run.PACK, memory, NOTHING, NOTHING, window, weight)

    def _rows(self, memory: np.ndarray, place: int, field: int) -> np.ndarray:
        """Return a row of numbers for each image of a value: its factors, or itself where it has one pixel."""
        value = self._values[place]
        size = int(value[BATCH] * value[CHANNELS])
        return memory[int(value[field]) : int(value[field]) + size].reshape(int(value[BATCH]), -1)

    def _transform(self, memory: np.ndarray, place: int) -> np.ndarray:
        value = self._values[place]
        start, channels = int(value[TRANSFORM]), int(value[CHANNELS])
        return memory[start : start + TRANSFORMS * channels].reshape(TRANSFORMS, channels)

    def _set_transform(self, memory: np.ndarray, place: int, inputs: Sequence[np.ndarray]) -> None:
        """Let z pass as it is, or with a bias."""
        layer, rows = self.layers[place], self._transform(memory, place)
        rows[...] = np.array([0, 1, 0, 1, 0, 0, 1], np.float32)[:, None]
        if layer.shift != NOTHING:
            rows[2, : layer.shape[1]] = inputs[layer.shift]

    def _normalize(
        self, memory: np.ndarray, place: int, inputs: Sequence[np.ndarray], mean: np.ndarray, inverse: np.ndarray
    ) -> None:
        """Write the statistics of a batch, and the rows that normalise by them."""
        layer, channels = self.layers[place], int(self._values[place][CHANNELS])
        counts = np.array(self._blocks(place), np.float64)
        size = 2 * channels * len(counts)
        found = memory[self._sums : self._sums + size].reshape(-1, 2, channels).astype(np.float64)
        found = found[:, :, : layer.shape[1]]
        average = counts @ found[:, 0] / counts.sum()
        variance = (found[:, 1].sum(0) + counts @ (found[:, 0] - average) ** 2) / counts.sum()
        mean[...], inverse[...] = average, 1 / np.sqrt(variance + layer.epsilon)
        rows = self._transform(memory, place)
        rows[:3] = 0
        rows[0, : layer.shape[1]], rows[2, : layer.shape[1]] = mean, inputs[layer.shift]
        rows[1, : layer.shape[1]], rows[6, : layer.shape[1]] = inputs[layer.scale] * inverse, inverse

    def _load_factor(self, memory: np.ndarray, place: int, factor: int) -> None:
        """Write what the channels of a value are multiplied by."""
        rows = self._rows(memory, place, FACTOR)
        if self.layers[factor].shape[1] == 1:
            rows[...] = self._rows(memory, factor, Z)[:, :1]
        else:
            self._run(run.ADD_UP, memory, factor, other=int(self._values[place][FACTOR]), add=0)

    def _read(self, memory: np.ndarray, place: int, result: np.ndarray) -> None:
        """Write what is read outside, which has no factor."""
        self._run(run.ADD_UP, memory, place, other=self._parts, add=0)
        self._run(run.TO_PLAIN, memory, place, array=result, other=self._parts)

    # backward

    def backward(
        self, given: Sequence[np.ndarray], inputs: Sequence[np.ndarray], kept: np.ndarray, out: Sequence[Any]
    ) -> None:
        """Compute the gradients of the inputs.

        Args:
            given: The gradients of what is read outside.
            inputs: The region's.
            kept: The memory that :meth:`forward` wrote.
            out: Where the gradients go; None where none is needed.
        """
        memory = _aligned(kept)
        written: set[int] = set()
        for place, gradient in zip(self.outputs, given):
            value = self._values[place]
            if self.layers[place].needs:
                add = int(place in written)
                self._run(run.TO_LAST, memory, place, array=gradient, other=int(value[GIVEN]), add=add)
                written.add(place)
        for place in range(len(self.layers) - 1, -1, -1):
            if self.layers[place].needs:
                self._differentiate(memory, place, inputs, out, written)

    def _differentiate(
        self, memory: np.ndarray, place: int, inputs: Sequence[np.ndarray], out: Sequence[Any], written: set[int]
    ) -> None:
        layer, value = self.layers[place], self._values[place]
        for read, reader in enumerate(self.layers[:place]):
            if reader.factor == place:  # its gradient is that of what it multiplies
                self._run(run.IMAGE_SUMS, memory, read, other=int(value[GIVEN]), add=1)
        self._set_scales(memory, place)
        self._sum_gradients(memory, place, inputs, out)
        if layer.kind == "input":
            self._run(run.PASS_GRADIENT, memory, place, other=self._parts, add=0)
            if out[layer.given] is not None:
                self._run(run.TO_PLAIN, memory, place, array=out[layer.given], other=self._parts)
        elif layer.kind == "mean":
            rows = self._rows(memory, layer.source, MORE)
            np.multiply(self._rows(memory, place, GIVEN), np.float32(1 / self._pixels(layer.source)), out=rows)
        elif layer.kind == "sum":
            for read in layer.reads:
                if self.layers[read].needs:
                    target, add = int(self._values[read][GIVEN]), int(read in written)
                    self._run(run.PASS_GRADIENT, memory, place, other=target, add=add)
                    written.add(read)
        else:
            self._differentiate_convolution(memory, place, inputs, out[layer.given], written)

    def _differentiate_convolution(
        self,
        memory: np.ndarray,
        place: int,
        inputs: Sequence[np.ndarray],
        result: Optional[np.ndarray],
        written: set[int],
    ) -> None:
        layer, window = self.layers[place], self._windows[place]
        if layer.kind == "stem":
            self._run(run.STEM_BACK, memory, NOTHING, place, window, inputs[layer.images_given])
            if result is not None:
                apart = int(self._values[place][CHANNELS])
                turned = np.empty((self._weight_size(place) // apart, apart), np.float32)
                self._add_parts(memory, place, turned, apart)
                result.reshape(len(result), -1)[...] = turned[: result.size // len(result), : len(result)].T
            return
        read, weight = layer.source, inputs[layer.given]
        add = int(read in written) if self.layers[read].needs else -1
        written.add(read)
        self._pack(memory, place, weight, False)
        if layer.kind == "pointwise":
            self._run(run.POINTWISE_BACK, memory, read, place, window, add=add)
            if result is not None:
                self._add_parts(memory, place, result.reshape(len(result), -1), int(self._values[read][CHANNELS]))
            return
        self._run(run.DEPTHWISE_BACK, memory, read, place, window, add=add)
        if result is not None:
            taps = np.empty((1, self._weight_size(place)), np.float32)
            self._add_parts(memory, place, taps, taps.size)
            rows = taps.reshape(-1, layer.kernel**2, LANES).transpose(0, 2, 1).reshape(-1, layer.kernel**2)
            result.reshape(len(result), -1)[...] = rows[: len(result)]

    def _add_parts(self, memory: np.ndarray, place: int, result: np.ndarray, apart: int) -> None:
        """Add the parts of a weight's gradient up, whose rows are so far apart."""
        self._run(run.ADD_PARTS, memory, NOTHING, place, np.array([*result.shape, apart], np.int64), result)

    def _set_scales(self, memory: np.ndarray, place: int) -> None:
        """Say what the gradient that a value's readers wrote is multiplied by; what is added is there."""
        layer, value = self.layers[place], self._values[place]
        if value[SCALES] < 0:
            return
        scales = self._rows(memory, place, SCALES)
        scales[...] = self._rows(memory, place, FACTOR) if layer.factor != NOTHING else place not in self._only_mean
        if not any(other.kind == "mean" and other.source == place for other in self.layers):
            self._rows(memory, place, MORE)[...] = 0

    def _sum_gradients(self, memory: np.ndarray, place: int, inputs: Sequence[np.ndarray], out: Sequence[Any]) -> None:
        """Compute the gradients of scale and shift, and the rows that make z's gradient."""
        layer, value = self.layers[place], self._values[place]
        if layer.shift == NOTHING:
            return
        channels, kept = int(value[CHANNELS]), layer.shape[1]
        count = layer.shape[0] * self._pixels(place)
        parts = min(MOST_PARTS, max(1, count // 8))
        shape = np.array([layer.shape[0], self._pixels(place)], np.int64)
        places = np.array([0, -1, self._sums, parts, 2 * channels, 0, 0, 0], np.int64)
        run.run(run.SUMS, memory, places, source=self._of(place), window=shape)
        found = memory[self._sums : self._sums + 2 * channels * parts].reshape(parts, 2, channels)
        total, along = found.astype(np.float64).sum(0)[:, :kept]
        if out[layer.shift] is not None:
            out[layer.shift][...] = total
        if layer.scale == NOTHING:
            return
        rows = self._transform(memory, place)
        inverse = rows[6, :kept].astype(np.float64)
        if out[layer.scale] is not None:
            out[layer.scale][...] = along * inverse
        scale = rows[1, :kept].astype(np.float64)
        rows[3:6] = 0
        rows[3, :kept] = scale
        rows[4, :kept] = -scale * inverse**2 * along / count
        rows[5, :kept] = -scale * total / count


def _aligned(kept: np.ndarray) -> np.ndarray:
    """Return memory from where vectors do not cross cache lines on."""
    first: int = -(kept.ctypes.data // kept.itemsize) % LANES
    return kept[first:]

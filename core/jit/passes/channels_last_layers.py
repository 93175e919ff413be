"""Operators of an exported program as layers of a channels-last network, neighbouring ones joined."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Optional

import numpy as np

from core.jit.exported.program import CountedWeight, ExportedProgram, ProgramNode
from core.jit.passes.channels_last_shapes import Shapes
from core.jit.passes.channels_last_steps import Activation, Step
from core.kernels.dtypes import float32

_WORTH_SAVING = 0.2  # of all multiplications: the rest is about as fast as in the engine
_FEW = 0.05  # of all multiplications: no faster here than in the engine, and too few to tell


class Layers(Shapes):
    """Takes the nodes of a program over, one after another."""

    def __init__(self, program: ExportedProgram) -> None:
        super().__init__(program)
        self._spread: dict[str, str] = {}
        self._rounded_inputs: dict[str, tuple[str, tuple[float, float]]] = {}

    def take(self, node: ProgramNode) -> bool:
        """Take a node over, if that is possible."""
        if id(node) in self.passed:
            return True
        take = getattr(self, f"_take_{node.operator}", None)
        known = node.operator == "nearest_positions" or all(dtype is float32 for _, dtype in node.metas)
        return take is not None and known and bool(take(node))

    def has(self, names: Sequence[str]) -> bool:
        """Return whether one of some values was made by a node that was taken over."""
        return any(
            name in made
            for name in names
            for made in (self.known, self.padded, self._spread, self.turned, self._rounded_inputs)
        )

    @property
    def saves_multiplications(self) -> bool:
        """Whether convolutions in tiles save a good part of all multiplications."""
        from core.kernels.channels_last.weights import multiplications  # numba loads with it

        products = [step for step in self.steps if step.kind == "product"]
        every = sum(multiplications(step.weight, step.pixels) for step in products)
        left = sum(multiplications(step.weight, step.pixels, step.side) for step in products)
        return left < (1 - _WORTH_SAVING) * every

    @property
    def spares_reordering(self) -> bool:
        """Whether a convolution goes along rows and next to no multiplications are of dense ones wider than a pixel,
        but for the first, or most are followed by what the engine cannot compute within them, or channels are shifted
        between images, which the engine reorders for."""
        from core.kernels.channels_last.weights import multiplications  # numba loads with it

        products = [step for step in self.steps if step.kind == "product"]
        every = sum(multiplications(step.weight, step.pixels) for step in products)
        wide = [step for step in products if step.kernel != (1, 1) and step.groups == 1 and step.source]
        few_wide = sum(multiplications(step.weight, step.pixels) for step in wide) <= _FEW * every
        unfused = [step for step in products if step.activation[0] in ("swish", "hard_swish")]
        along_rows = any(step.kind == "row" and step.groups > 1 for step in self.steps)
        shifts = any(step.kind == "shift" for step in self.steps)
        return 2 * len(unfused) > len(products) or (along_rows and few_wide) or shifts

    # convolutions and products

    def _take_convolution(self, node: ProgramNode) -> bool:
        from core.kernels.channels_last.weights import goes_along_rows, is_product, side_of_tiles  # numba loads with it

        name, pad = self.padded.get(node.inputs[0], (node.inputs[0], (0, 0, 0, 0)))
        name, grid = self._rounded_inputs.get(name, (name, None))
        if not self.fixed(node.inputs[1:], 4, 1) or tuple(node.attributes["dilate"]) != (1, 1):
            return False
        weight, *biases = [self.weights[weight].array for weight in node.inputs[1:]]
        groups, stride = node.attributes["groups"], tuple(node.attributes["stride"])
        down, along = node.attributes["pad"]
        if min(stride) < 1 or min(down, along) < 0:
            return False
        pad = (pad[0] + down, pad[1] + along, pad[2] + down, pad[3] + along)
        source = self.step(name)
        along_rows = source is not None and goes_along_rows(weight, groups, stride)  # the input has its channels first
        kind = "row" if along_rows else "product"
        if kind == "product" and not is_product(weight, groups):
            return False
        if source is None and (not self.is_input(name) or groups != 1 or (self.input and grid != self.input_grid)):
            return False
        channels = self.metas[name][0][1] if source is None else source.channels
        if channels != weight.shape[1] * groups or (biases and len(biases[0]) != len(weight)):
            return False
        given = {"kernel": weight.shape[2:], "stride": stride, "pad": pad, "groups": groups, "weight": weight}
        step = Step(kind, source, len(weight), bias=biases[0] if biases else None, **given)
        step.is_half, step.counted = node.outputs[0] in self.halves, self._counted(node)
        if kind == "product":
            sizes = [size if isinstance(size, int) else 0 for size in node.metas[0][0][2:]]
            step.pixels = sizes[0] * sizes[1]
            step.side = side_of_tiles(weight, groups, stride, step.pixels) if source is not None else 0
        if source is None:
            self.input, self.input_grid = name, grid
        elif kind == "product" and groups == 1 and (step.kernel, stride, pad) == ((1, 1), (1, 1), (0, 0, 0, 0)):
            self._take_scale_in(step, name)
        return self.new(node.outputs[0], step)

    def _take_scale_in(self, step: Step, name: str) -> None:
        """Let a 1 x 1 convolution multiply its input's channels itself, where nothing else reads the product."""
        scaling = self.growing(name)
        if scaling is not None and scaling.kind == "combine" and scaling.scale is not None and scaling.other is None:
            self.steps.remove(scaling)
            step.source, step.scale = scaling.source, scaling.scale

    def _take_affine(self, node: ProgramNode) -> bool:
        source = self.step(node.inputs[0])
        if source is None or not self.fixed(node.inputs[1:], 2, 1) or len(self.metas[node.inputs[0]][0]) != 2:
            return False
        weight, *biases = [self.weights[name].array for name in node.inputs[1:]]
        if weight.shape[1] != source.channels or (biases and len(biases[0]) != len(weight)):
            return False
        step = Step("product", source, len(weight), bias=biases[0] if biases else None)
        step.weight, step.pixels = weight[:, :, None, None], 1
        step.is_half, step.counted = node.outputs[0] in self.halves, self._counted(node)
        return self.new(node.outputs[0], step)

    _take_inner_products = _take_affine

    def _counted(self, node: ProgramNode) -> Optional[CountedWeight]:
        counted = self.counted.get(node.inputs[1])
        return counted if counted is not None and counted.axis == 0 else None

    def _take_quantize_dequantize(self, node: ProgramNode) -> bool:
        """Let the only reader of a step be what it is rounded to, or round a value that others read as it is."""
        name, grid = node.inputs[0], (node.attributes["scale"], float(node.attributes["zero_point"]))
        step = self.step(name)
        if step is None:
            if self.is_input(name):
                self._rounded_inputs[node.outputs[0]] = name, grid
            return self.is_input(name)
        if step.grid == grid:
            return self.same(node)
        readers = self.readers[name]
        alike = len(readers) == self.uses[name] and all(
            (r.operator, r.attributes) == (node.operator, node.attributes) for r in readers
        )
        if self.known[name].is_only and alike and step.grid is None and not step.parts:
            step.grid, step.is_done = grid, True
            self.passed.update(map(id, readers))
            return self.grown(node, step) and all(self.name(reader.outputs[0], step, False) for reader in readers)
        same = [s for s in self.steps if s.kind == "combine" and s.source is step and s.grid == grid and s.version == 0]
        if same:
            return self.name(node.outputs[0], same[0], False)
        rounded = Step("combine", step, step.channels, grid=grid, is_done=True)
        return self.new(node.outputs[0], rounded)

    def _take_frozen_normalization(self, node: ProgramNode) -> bool:
        step = self.growing(node.inputs[0])
        if step is None or step.kind not in ("product", "row") or step.other is not None:
            return False
        if not self.fixed(node.inputs[1:], 1, 1, 1, 1) or node.attributes["axis"] != 1:
            return False
        arrays = [self.weights[name].array.astype(np.float64) for name in node.inputs[1:]]
        if any(len(array) != step.channels for array in arrays):
            return False
        scale, shift, mean, variance = arrays
        factor = scale / np.sqrt(variance + node.attributes["epsilon"])
        step.weight, step.counted = step.weight * factor[:, None, None, None], None
        step.bias = ((0 if step.bias is None else step.bias) - mean) * factor + shift
        return self.grown(node, step)

    # pooling

    def _take_adaptive_average_pooling(self, node: ProgramNode) -> bool:
        source = self.step(node.inputs[0])
        if source is None or node.attributes["output_size"] != (1, 1):
            return False
        return self.new(node.outputs[0], Step("mean", source, source.channels, is_done=True))

    def _take_maximum_pooling(self, node: ProgramNode) -> bool:
        source = self.step(node.inputs[0])
        kernel, stride, pad = (tuple(node.attributes[key]) for key in ("kernel", "stride", "pad"))
        square = all(len(pair) == 2 and pair[0] == pair[1] for pair in (kernel, stride, pad))
        if source is None or not square or stride[0] < 1 or not 0 <= 2 * pad[0] <= kernel[0]:
            return False
        step = Step("maximum", source, source.channels, kernel, stride, pad * 2, is_done=True)
        return self.new(node.outputs[0], step)

    def _take_average_pooling(self, node: ProgramNode) -> bool:
        """Take whole windows over."""
        source = self.step(node.inputs[0])
        kernel, stride, pad = (tuple(node.attributes[key]) for key in ("kernel", "stride", "pad"))
        square = all(len(pair) == 2 and pair[0] == pair[1] for pair in (kernel, stride))
        if source is None or not square or stride[0] < 1 or pad != (0, 0):
            return False
        return self.new(node.outputs[0], Step("average", source, source.channels, kernel, stride, is_done=True))

    # element by element

    def _take_relu(self, node: ProgramNode) -> bool:
        return self._bounded(node, (0.0, math.inf))

    def _take_clip(self, node: ProgramNode) -> bool:
        return self._bounded(node, (node.attributes["a_min"], node.attributes["a_max"]))

    def _take_sigmoid(self, node: ProgramNode) -> bool:
        return self._activated(node, node.inputs[0], (node.operator, 0.0, 0.0))

    _take_swish = _take_sigmoid

    def _take_leaky_relu(self, node: ProgramNode) -> bool:
        return self._activated(node, node.inputs[0], (node.operator, float(node.attributes["slope"]), 0.0))

    def _take_hard_sigmoid(self, node: ProgramNode) -> bool:
        activation = (node.operator, node.attributes["slope"], node.attributes["offset"])
        return self._activated(node, node.inputs[0], activation)

    def _take_hard_swish(self, node: ProgramNode) -> bool:
        return self._activated(node, node.inputs[0], (node.operator, 1.0 / 6.0, 0.5))

    def _take_multiply_scalar(self, node: ProgramNode) -> bool:
        scalar = node.attributes["scalar"]  # or a size that is known later
        if not isinstance(scalar, (int, float)):
            return False
        return self._activated(node, node.inputs[0], ("scaled", float(scalar), 0.0))

    def _take_multiply(self, node: ProgramNode) -> bool:
        names = [self._spread.get(name, name) for name in node.inputs]
        for x, factor in (names, names[::-1]):
            step, scale = self.step(x), self.step(factor)
            if step is None or scale is None or step.channels != scale.channels:
                return False
            shapes = [self.metas[name][0] for name in (x, factor, node.outputs[0])]
            if shapes[1][2:] == (1, 1) and len(shapes[0]) == 4 and shapes[0] == shapes[2]:
                return self.new(node.outputs[0], Step("combine", step, step.channels, scale=scale))
        return False

    def _take_broadcast_to(self, node: ProgramNode) -> bool:
        """Note that a factor of each channel is repeated for every pixel; products do that themselves."""
        (name,), (result,) = node.inputs, node.outputs
        if self.step(name) is None:  # also a weight, whose shape is not among the others
            return False
        before, after = self.metas[name][0], node.metas[0][0]
        readers = self.readers.get(result, [])
        if len(before) != 4 or before[2:] != (1, 1) or before[:2] != after[:2]:
            return False
        if any(reader.operator != "multiply" for reader in readers) or self.uses[result] != len(readers):
            return False
        self._spread[result] = name
        return True

    def _take_add(self, node: ProgramNode) -> bool:
        first, second = (self.step(name) for name in node.inputs)
        if first is None or second is None:
            return False
        if len({self.metas[name] for name in (*node.inputs, *node.outputs)}) != 1:
            return False
        growing = [self.growing(name) for name in node.inputs]
        able = [s for s in growing if s is not None and s.kind in ("product", "combine") and s.other is None]
        if not able or first is second:
            return self.new(node.outputs[0], Step("combine", first, first.channels, other=second))
        step = max(able, key=self.steps.index)
        step.other = second if step is first else first
        self.steps.remove(step)
        self.steps.append(step)  # behind what it adds
        return self.grown(node, step)

    def _bounded(self, node: ProgramNode, bounds: tuple[float, float]) -> bool:
        step = self.growing(node.inputs[0])
        if step is None:
            source = self.step(node.inputs[0])
            return source is not None and self.new(
                node.outputs[0], Step("combine", source, source.channels, bounds=bounds, is_done=True)
            )
        step.bounds, step.is_done = bounds, True
        return self.grown(node, step)

    def _activated(self, node: ProgramNode, x: str, activation: Activation) -> bool:
        step = self.growing(x)
        if step is None:
            source = self.step(x)
            return source is not None and self.new(
                node.outputs[0], Step("combine", source, source.channels, activation=activation, is_done=True)
            )
        step.activation, step.is_done = activation, True
        return self.grown(node, step)

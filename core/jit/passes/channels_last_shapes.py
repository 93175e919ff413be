"""Operators that move numbers and compute none, as parts of a channels-last network; most join a neighbour."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.jit.exported.program import ExportedProgram, ProgramNode, SizeExpression
from core.jit.passes.channels_last_steps import Handle, Step, Steps
from core.kernels.channels_last.table import AS_IMAGE, AS_LAST, AS_ROW
from core.kernels.dtypes import float32


class Shapes(Steps):
    """Takes reshapes, zeros around images, transposes, joined and repeated images over.

    Attributes:
        padded: Values that are others with zeros around them: which, and how many above, left, below and right.
        turned: Values that are others with their channels last.
        passed: Operations, by their ``id``, that were taken over together with an earlier one.
    """

    def __init__(self, program: ExportedProgram) -> None:
        super().__init__(program)
        self.padded: dict[str, tuple[str, tuple[int, int, int, int]]] = {}
        self.turned: dict[str, Handle] = {}
        self.passed: set[int] = set()

    def can_give(self, name: str) -> bool:
        """Return whether a value still exists."""
        turned = self.turned.get(name)
        return super().can_give(name) if turned is None else turned.version == turned.step.version

    def step_of(self, name: str) -> Step:
        """Return the step that a name stands for."""
        return self.turned[name].step if name in self.turned else super().step_of(name)

    def form(self, name: str) -> str:
        """Return how a value comes out."""
        if name in self.turned:
            return AS_LAST
        return AS_ROW if len(self.metas[name][0]) == 2 else AS_IMAGE

    def has_size(self, name: str) -> bool:
        """Return whether there is still an image of a value's size."""
        return name in self.known and self.known[name].step in self.steps

    def is_input(self, name: str) -> bool:
        """Return whether a value is, or may become, what the network reads."""
        shape, dtype = self.metas.get(name, ((), None))
        return self.input in ("", name) and len(shape) == 4 and shape[1] is not None and dtype is float32

    def _take_reshape(self, node: ProgramNode) -> bool:
        name, (after, _) = node.inputs[0], node.metas[0]
        before = self.metas[name][0] if name in self.metas else ()
        if name in self.known and len(before) > 1 and len(after) > 1 and None not in (*before[1:], *after[1:]):
            if before[1:] == after[1:] or (before[1] == after[1] and {*before[2:], *after[2:]} == {1}):
                return self.same(node)
        padding = self.only_reader(node.outputs[0])
        back = None if padding is None else self.only_reader(padding.outputs[0])
        if padding is None or back is None or (padding.operator, back.operator) != ("pad", "reshape"):
            return False
        widths, final = padding.attributes["widths"], back.metas[0][0]
        height, width = before[2:] if len(before) == 4 else (None, None)
        inner = len(after) == 5 and after[3:] == (height, width) and isinstance(height, int) and isinstance(width, int)
        if not inner or len(final) != 4 or final[:2] != before[:2] or any(pair != (0, 0) for pair in widths[:3]):
            return False
        if not self._pads(name, back.outputs[0], padding, widths[3:]):
            return False
        self.passed.update([id(padding), id(back)])
        return True

    def _take_pad(self, node: ProgramNode) -> bool:
        widths = node.attributes["widths"]
        plain = len(widths) == 4 and widths[:2] == ((0, 0), (0, 0))
        return plain and self._pads(node.inputs[0], node.outputs[0], node, widths[2:])

    def _pads(self, name: str, result: str, node: ProgramNode, widths: Any) -> bool:
        """Note that a value is another one with zeros around it, which convolutions add themselves."""
        numbers = [width for pair in widths for width in pair]
        readers = self.readers.get(result, [])
        if self.step(name) is None and not self.is_input(name):
            return False
        if node.attributes["mode"] != "constant" or node.attributes["value"] != 0 or self.uses[result] != len(readers):
            return False
        if any(r.operator != "convolution" for r in readers) or any(not isinstance(n, int) or n < 0 for n in numbers):
            return False
        (above, below), (left, right) = widths
        self.padded[result] = (name, (above, left, below, right))
        return True

    def _take_transpose(self, node: ProgramNode) -> bool:
        """Note that a value is another one with its channels last, as they are."""
        handle = self.known.get(node.inputs[0])
        if handle is None or node.attributes["axes"] != (0, 2, 3, 1) or self.step(node.inputs[0]) is None:
            return False
        self.turned[node.outputs[0]] = handle
        return True

    def _take_temporal_shift(self, node: ProgramNode) -> bool:
        """Take channels of the images before and after over; only float32 networks have kernels for them."""
        source, given = self.step(node.inputs[0]), node.attributes
        numbers = (given["frames"], *given["ends"])
        if source is None or given["reverse"] or given["axis"] != 1 or not all(isinstance(n, int) for n in numbers):
            return False
        if self.halves or self.counted:
            return False
        return self.new(node.outputs[0], Step("shift", source, source.channels, shift=numbers, is_done=True))

    def _take_concat(self, node: ProgramNode) -> bool:
        steps = [self.step(name) for name in node.inputs]
        parts = [(step, 1) for step in steps if step is not None]
        if len(parts) < len(steps) or len(node.metas[0][0]) != 4 or node.attributes["axis"] != 1:
            return False
        return self._joins(node.outputs[0], parts)

    def _joins(self, name: str, parts: Sequence[tuple[Step, int]]) -> bool:
        channels = sum(step.channels for step, _ in parts)
        return self.new(name, Step("join", parts[0][0], channels, parts=tuple(parts), is_done=True))

    def _take_nearest_positions(self, node: ProgramNode) -> bool:
        reader = self.only_reader(node.outputs[0])
        return reader is not None and self._take_take(reader)

    def _take_take(self, node: ProgramNode) -> bool:
        """Take the repetition of pixels over: of rows by one operation, of columns by the next."""
        again = self.only_reader(node.outputs[0])
        source = self.step(node.inputs[0])
        if source is None or again is None or (node.operator, again.operator) != ("take", "take"):
            return False
        axes = (node.attributes["axis"], again.attributes["axis"])
        if axes != (2, 3) or again.inputs[0] != node.outputs[0] or len(node.metas[0][0]) != 4:
            return False
        names = (node.inputs[0], node.outputs[0])
        times = {self._repetition(part.inputs[1], axis, names) for part, axis in ((node, 2), (again, 3))}
        if len(times) != 1 or times == {0}:
            return False
        made = [self.makers[part.inputs[1]] for part in (node, again) if part.inputs[1] in self.makers]
        self.passed.update(map(id, (node, again, *made)))
        return self._joins(again.outputs[0], [(source, times.pop())])

    def _repetition(self, name: str, axis: int, images: Sequence[str]) -> int:
        """Return how often positions along an axis of images of some names repeat each; 0: something else."""
        if name in self.weights:
            have, array = self.metas[images[0]][0][axis], self.weights[name].array
            if not have or array.ndim != 1 or len(array) < have:
                return 0
            times = len(array) // have
            return times if np.array_equal(array, np.arange(have * times) // times) else 0
        maker = self.makers.get(name)
        if maker is None or maker.operator != "nearest_positions" or self.uses[name] != 1:
            return 0
        have, wanted, scale = (maker.attributes[key] for key in ("have", "wanted", "scale"))
        if maker.attributes["align_corners"] or not scale or scale != int(scale):
            return 0
        if isinstance(have, SizeExpression) and isinstance(wanted, SizeExpression):
            sizes = [("size", image, axis) for image in images]
            fits = have.literal in sizes and wanted.literal in [("scaled", size, scale) for size in sizes]
        else:
            fits = wanted == have * scale
        return int(scale) if fits else 0

    def _take_detach(self, node: ProgramNode) -> bool:
        return self.same(node)

    _take_assign = _take_detach

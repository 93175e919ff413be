"""The layers of a channels-last network while a program's operators are taken over: which value is what."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any, Optional

import numpy as np

from core.jit.exported.program import CountedWeight, ExportedProgram, ProgramNode
from core.kernels.dtypes import float32

Activation = tuple[str, float, float]


@dataclasses.dataclass(eq=False)
class Step:
    """A layer that may still grow: sums, activations and factors join it.

    Attributes:
        kind: ``product``, ``row``, ``mean``, ``maximum``, ``combine``, ``join`` or ``shift``, as Layer of core.kernels
            has it.
        source: What it reads; None is the network's input.
        side: Of the tiles that a convolution as a product is computed in by few multiplications; 0: plainly.
        pixels: Of an image that a convolution as a product gives; 0: unknown.
        parts: What is joined, and how often pixels are repeated.
        shift: Which channels are read from the images before and after, as Layer has it.
        is_done: Nothing more can join it.
        version: How often something joined it.
        is_half: Mixed precision lets it multiply in 16 bits.
        form: In which its result is (core.kernels.channels_last.forms).
        counted: The weight in 8 bits, if it is of that kind.
        grid: The scale and zero point to which the result is brought, None for none.
    """

    kind: str
    source: Optional[Step]
    channels: int
    kernel: tuple[int, int] = (1, 1)
    stride: tuple[int, int] = (1, 1)
    pad: tuple[int, int, int, int] = (0, 0, 0, 0)
    groups: int = 1
    weight: Any = None
    bias: Any = None
    scale: Optional[Step] = None
    other: Optional[Step] = None
    bounds: tuple[float, float] = (-math.inf, math.inf)
    activation: Activation = ("nothing", 0.0, 0.0)
    side: int = 0
    pixels: int = 0
    parts: tuple[tuple[Step, int], ...] = ()
    shift: Optional[tuple[int, int, int]] = None
    is_done: bool = False
    version: int = 0
    is_half: bool = False
    form: int = 0
    counted: Optional[CountedWeight] = None
    grid: Optional[tuple[float, float]] = None

    @property
    def reads(self) -> list[Step]:
        """The steps whose results it reads."""
        read = (self.source, self.scale, self.other, *[part for part, _ in self.parts])
        return [step for step in read if step is not None]


@dataclasses.dataclass
class Handle:
    """What a name stands for: a step as it was then, and whether all its readers come by this name."""

    step: Step
    version: int
    is_only: bool


class Steps:
    """The layers so far.

    Attributes:
        input: The name of the value that the network reads.
        input_grid: The scale and zero point to which that is rounded first, None for none.
        weights: The program's.
        halves: Names of values that mixed precision computes in 16 bits.
        counted: Weights of 8 bits by name.
        metas: Shape and type of every value that is no weight.
        uses: How often each value is read.
        readers: By whom.
        makers: Of what operation it is a result.
        steps: The layers, in order.
        known: What names of values stand for.
    """

    def __init__(self, program: ExportedProgram) -> None:
        self.input = ""
        self.input_grid: Optional[tuple[float, float]] = None
        self.weights = program.weights
        self.halves, self.counted = program.halves, program.counted
        self.metas = {entry.name: (entry.shape, entry.dtype) for entry in program.inputs}
        self.uses: Counter[str] = Counter(program.outputs)
        self.readers: dict[str, list[ProgramNode]] = {}
        self.makers = {name: node for node in program.nodes for name in node.outputs}
        for node in program.nodes:
            self.metas.update(zip(node.outputs, node.metas))
            self.uses.update(node.inputs)
            for name in node.inputs:
                self.readers.setdefault(name, []).append(node)
        self.steps: list[Step] = []
        self.known: dict[str, Handle] = {}

    def can_give(self, name: str) -> bool:
        """Return whether a value that a node made still exists."""
        handle = self.known.get(name)
        return handle is not None and handle.version == handle.step.version

    def network(self, outputs: Sequence[str], forms: Sequence[str]) -> tuple[Any, np.ndarray]:
        """Return the network that gives some values, each in a form of Network, and its weights."""
        from core.kernels.channels_last.activation import ACTIVATIONS  # numba loads with the first use
        from core.kernels.channels_last.forms import BYTES, FLOAT32
        from core.kernels.channels_last.layer import Layer, writes_at_once
        from core.kernels.channels_last.network import Network
        from core.kernels.channels_last.weights import PackedWeights

        self._join_shifts([self.step_of(name) for name in outputs])
        packed = PackedWeights()
        places: dict[Optional[Step], int] = {None: 0}
        places.update({step: i for i, step in enumerate(self.steps, 1)})
        for step in self.steps:
            assert all(places[read] < places[step] for read in step.reads)
        channels = self.metas[self.input][0][1]
        assert channels is not None
        packs = self.input_grid is not None and channels <= 4 and any(step.form == BYTES for step in self.steps)
        packs = packs and all(step.counted is not None for step in self.steps if step.source is None)
        layers = []
        for step in self.steps:
            name, first, second = step.activation
            layer = Layer(
                step.kind,
                places[step.source],
                step.channels,
                step.kernel,
                step.stride,
                step.pad,
                scale=None if step.scale is None else places[step.scale],
                other=None if step.other is None else places[step.other],
                bounds=step.bounds,
                activation=(ACTIVATIONS.index(name), first, second),
                parts=tuple([(places[part], times) for part, times in step.parts]),
                shift=step.shift,
                share=step.channels // step.groups if step.kind == "row" else 1,
                form=step.form,
                grid=step.grid or (1.0, 0.0),
            )
            form = (BYTES if packs else FLOAT32) if step.source is None else step.source.form
            grid = self.input_grid if step.source is None else step.source.grid
            weight, bias = step.weight, -1
            if form == BYTES and step.counted is not None and grid is not None:
                weight, (scale, zero) = step.counted.numbers.reshape(step.weight.shape), grid
                starts = packed.starts(weight, zero, whole=layer.share == 1)
                summed = any(reader.kind == "mean" and reader.source is step for reader in self.steps)
                counts = name == "nothing" and writes_at_once(layer, form, summed)
                given = step.counted.scales * np.float32(scale)
                scales, bias = packed.ends(given, step.bias, step.grid if counts else None)
                layer = layer._replace(starts=starts, scales=scales)
            if weight is not None and bias < 0:
                bias = packed.bias(step.bias, step.channels)
            if step.side:
                panels, depth = packed.winograd(step.weight, step.side)
                layer = layer._replace(kind="winograd", side=step.side, panels=panels, depth=depth, bias=bias)
            elif step.kind == "product":
                panels, depth = packed.product(weight, step.groups, step.source is None and not packs, form, step.shift)
                layer = layer._replace(panels=panels, depth=depth, bias=bias)
            elif step.kind == "row":
                layer = layer._replace(weight=packed.rows(weight, form), bias=bias)
            layers.append(layer)
        array = packed.array
        results = [(places[self.step_of(name)], form) for name, form in zip(outputs, forms)]
        return Network(layers, channels, array.size, results, self.input_grid), array

    def _join_shifts(self, results: Collection[Step]) -> None:
        """Let products read the images before and after themselves; drop what nobody reads then."""
        for step in self.steps:
            read_from = step.source
            plain = step.kind == "product" and step.groups == 1 and not step.side and step.scale is None
            if plain and read_from is not None and read_from.kind == "shift":
                step.source, step.shift = read_from.source, read_from.shift
        read = {id(step) for step in results}
        for step in self.steps:
            read.update(map(id, step.reads))
        self.steps = [step for step in self.steps if step.kind != "shift" or id(step) in read]

    def step_of(self, name: str) -> Step:
        """Return the step that a name stands for."""
        return self.known[name].step

    def step(self, name: str) -> Optional[Step]:
        """Return the step that gives a value, if it gives just that."""
        return self.known[name].step if self.can_give(name) else None

    def growing(self, name: str, readers: int = 1) -> Optional[Step]:
        """Return the step that gives a value if nothing but so many readers knows it, and more can join it."""
        handle = self.known.get(name)
        if handle is None or not handle.is_only or self.uses[name] != readers or not self.can_give(name):
            return None
        return None if handle.step.is_done else handle.step

    def name(self, name: str, step: Step, is_only: bool = True) -> bool:
        """Let a name stand for a step as it is now."""
        self.known[name] = Handle(step, step.version, is_only)
        return True

    def new(self, name: str, step: Step) -> bool:
        """Add a step whose result has this name."""
        self.steps.append(step)
        return self.name(name, step)

    def same(self, node: ProgramNode) -> bool:
        """Let a node's result be its input under another name."""
        name = node.inputs[0]
        step = self.step(name)
        only = step is not None and self.known[name].is_only and self.uses[name] == 1
        return step is not None and self.name(node.outputs[0], step, only)

    def fixed(self, names: Sequence[str], *ranks: int) -> bool:
        """Return whether values are weights of these ranks."""
        found = [self.weights.get(name) for name in names]
        return all(w is not None and w.dtype is float32 and w.array.ndim == rank for w, rank in zip(found, ranks))

    def only_reader(self, name: str) -> Optional[ProgramNode]:
        """Return the node that reads a value, where there is just one."""
        return self.readers[name][0] if self.uses[name] == 1 and name in self.readers else None

    def grown(self, node: ProgramNode, step: Step) -> bool:
        """Note that a node has joined a step."""
        step.version += 1
        return self.name(node.outputs[0], step)

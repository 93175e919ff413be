"""An exported program in memory: operations on named values, with no Python code in it."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

from core.kernels.dtypes import DType


@dataclasses.dataclass(frozen=True)
class SizeExpression:
    """A size that is known only when the program runs: nested tuples, such as ``("*", ("size", "image", 0), 2)``."""

    literal: Any


@dataclasses.dataclass
class ProgramInput:
    """One tensor that a call gives.

    Attributes:
        name: Its name.
        dtype: Its element type.
        shape: Its sizes; None where any size will do.
    """

    name: str
    dtype: DType
    shape: tuple[Optional[int], ...]


@dataclasses.dataclass
class ProgramWeight:
    """One tensor that the program brings with it.

    Attributes:
        array: Its elements; those of bfloat16 as bits in uint16.
        dtype: Its element type.
        kind: "parameter", "buffer", or "constant" for what no layer owns.
        trainable: Whether gradients flowed into it in the live model.
    """

    array: np.ndarray
    dtype: DType
    kind: str
    trainable: bool


@dataclasses.dataclass
class CountedWeight:
    """A weight of 8 bits.

    Attributes:
        numbers: int8, of the weight's shape.
        scales: What they are multiplied by, float32, of each position along the axis.
        axis: That of the outputs.
    """

    numbers: np.ndarray
    scales: np.ndarray
    axis: int

    @property
    def transposed(self) -> CountedWeight:
        """The same of a matrix's transpose."""
        return CountedWeight(np.ascontiguousarray(self.numbers.T), self.scales, 1 - self.axis)


@dataclasses.dataclass
class ProgramNode:
    """One operation.

    Attributes:
        operator: The name of a primitive operator, or the kind of a control-flow operator
            (:data:`core.jit.control_flow.operators.KINDS`).
        attributes: Its attributes; a :class:`SizeExpression` may be in them.
        inputs: Names of inputs, weights or results of earlier nodes.
        outputs: Names of its results.
        metas: Shape and type of each result; None where a size depends on the inputs' sizes.
        gradients: Whether gradients flow through it; False for what was under no_grad.
        control_flow: What a control-flow operator consists of; None for a primitive operator.
    """

    operator: str
    attributes: dict[str, Any]
    inputs: Sequence[str]
    outputs: Sequence[str]
    metas: Sequence[tuple[tuple[Optional[int], ...], DType]]
    gradients: bool = True
    control_flow: Optional[ProgramControlFlow] = None


@dataclasses.dataclass
class ProgramControlFlow:
    """Control flow: programs of its own, and literals; see core.jit.control_flow.operators.

    Attributes:
        bodies: The programs by name.
        settings: The literals.
    """

    bodies: dict[str, ProgramBody]
    settings: dict[str, Any]


@dataclasses.dataclass
class ProgramGuard:
    """A comparison of sizes that must come out as it did when the program was made.

    Attributes:
        sign: The comparison.
        first: A number or :class:`SizeExpression`.
        second: A number or :class:`SizeExpression`.
        outcome: What it was.
        line: Where the model's code compares them.
        text: The comparison as a message shows it.
        position: How many nodes precede it.
    """

    sign: str
    first: Any
    second: Any
    outcome: bool
    line: str
    text: str
    position: int


@dataclasses.dataclass
class ProgramBody:
    """A program inside a control-flow operator; all that it reads is given to it.

    Attributes:
        inputs: What it is given, in order.
        nodes: The operations, each after those that it reads from.
        outputs: Names of the results.
        guards: Conditions on the sizes.
    """

    inputs: list[ProgramInput]
    nodes: list[ProgramNode]
    outputs: list[str]
    guards: list[ProgramGuard]


@dataclasses.dataclass
class ProgramCost:
    """What a program takes at its first example; see core.jit.exported.memory.

    Attributes:
        shapes: The inputs' shapes there.
        sizes: The bytes of every result of every operation, in order.
        peak: The most bytes that results take at a time.
        work: About how many multiplications a run takes.
    """

    shapes: list[tuple[int, ...]]
    sizes: list[int]
    peak: int
    work: int


@dataclasses.dataclass
class ExportedProgram:
    """Everything that an exported folder says.

    Attributes:
        name: What was exported.
        inputs: The tensors of a call, flattened.
        arguments: How a call's arguments are nested: ``(name, form)`` each; see core.jit.forms.
        weights: The tensors that come with the program, by name.
        nodes: The operations, each after those that it reads from.
        outputs: Names of the results, flattened.
        result: How the results are nested, as a form.
        guards: Conditions on the sizes.
        examples: Shapes of the inputs at which it was compared with the live model, smallest first.
        preprocessing: What to do with data before it becomes an input; anything that JSON holds, or None.
        class_names: Names of classes, or None.
        fuse: Whether the passes and the engine's fusion may be applied: off where they gave other results at export.
        networks: What passes made of operations, by the names that attributes call them; no part of the folder.
        cost: What it takes, where it was read from a folder; no part of that.
        halves: Names of float32 values that may be computed in 16 bits (core.jit.passes.upcast); no part of the folder.
        counted: Names of float32 weights that are whole numbers times scales: these, and the axis of the scales; no
            part of the folder.
    """

    name: str
    inputs: list[ProgramInput]
    arguments: list[tuple[str, Any]]
    weights: dict[str, ProgramWeight]
    nodes: list[ProgramNode]
    outputs: list[str]
    result: Any
    guards: list[ProgramGuard]
    examples: list[list[tuple[int, ...]]]
    preprocessing: Any = None
    class_names: Optional[list[str]] = None
    fuse: bool = True
    networks: dict[str, Any] = dataclasses.field(default_factory=dict)
    cost: Optional[ProgramCost] = None
    halves: frozenset[str] = frozenset()
    counted: dict[str, CountedWeight] = dataclasses.field(default_factory=dict)


def size_names(item: Any) -> set[str]:
    """Return the names of the values whose sizes an attribute depends on."""
    if isinstance(item, SizeExpression):
        return _literal_names(item.literal)
    if isinstance(item, tuple):
        return {name for part in item for name in size_names(part)}
    if isinstance(item, dict):
        return {name for part in item.values() for name in size_names(part)}
    return set()


def _literal_names(literal: Any) -> set[str]:
    if not isinstance(literal, tuple):
        return set()
    if literal[0] == "size":
        return {literal[1]}
    return {name for part in literal[1:] for name in _literal_names(part)}


def has_control_flow(program: ExportedProgram) -> bool:
    """Return whether a program has control flow on tensors, printing or assertions."""
    return any(node.control_flow is not None for node in program.nodes)

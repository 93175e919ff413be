"""An exported program in memory: operations on named values, with no Python code in it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, Optional

import numpy as np

from core.kernels import dimension, door
from core.kernels.door import Value
from core.kernels.dtypes import DType
from core.kernels.errors import OperatorError
from core.kernels.operator import REGISTRY


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
class ProgramNode:
    """One operation.

    Attributes:
        operator: The name of a primitive operator.
        attributes: Its attributes; a :class:`SizeExpression` may stand in them.
        inputs: Names of inputs, weights or results of earlier nodes.
        outputs: Names of its results.
        metas: Shape and type of each result; None where a size depends on the inputs' sizes.
        gradients: Whether gradients flow through it; False for what stood under no_grad.
    """

    operator: str
    attributes: dict[str, Any]
    inputs: Sequence[str]
    outputs: Sequence[str]
    metas: Sequence[tuple[tuple[Optional[int], ...], DType]]
    gradients: bool = True


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
        position: How many nodes stand before it.
    """

    sign: str
    first: Any
    second: Any
    outcome: bool
    line: str
    text: str
    position: int


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


def replay(program: ExportedProgram, values: Mapping[str, Value]) -> dict[str, Value]:
    """Run a program operation by operation, or note it down where a trace is running.

    Args:
        program: What to run.
        values: A value for each input and weight.

    Returns:
        Every value of the program by name.

    Raises:
        OperatorError: an operation refuses its inputs, or a guard does not hold.
    """
    known = dict(values)
    guards = iter([*sorted(program.guards, key=lambda guard: guard.position), None])
    guard = next(guards)
    for position, node in enumerate(program.nodes):
        while guard is not None and guard.position <= position:
            check_guard(guard, known)
            guard = next(guards)
        inputs = [known[name] for name in node.inputs]
        attributes = {key: resolved(value, known) for key, value in node.attributes.items()}
        with door.gradient_mode(door.state.gradients and node.gradients):
            try:
                outputs = REGISTRY[node.operator].replay(inputs, attributes)
            except (AssertionError, LookupError, TypeError) as error:  # attributes that the operator does not know
                if isinstance(error, OperatorError):
                    raise
                raise OperatorError(
                    f"operation {position} ({node.operator}) does not take its inputs or attributes:"
                    f" {type(error).__name__} {error}"
                ) from None
        _check_results(position, node, outputs)
        known.update(zip(node.outputs, outputs))
    while guard is not None:
        check_guard(guard, known)
        guard = next(guards)
    return known


def _check_results(position: int, node: ProgramNode, outputs: Sequence[Value]) -> None:
    """Refuse results of another type, or of another size where the program was made for one size only."""
    if len(outputs) != len(node.outputs):
        raise OperatorError(
            f"operation {position} ({node.operator}) has {len(outputs)} results, but {len(node.outputs)} names"
        )
    for value, (shape, dtype) in zip(outputs, node.metas):
        got = value.meta[0]
        fits = len(shape) == len(got) and all(size in (None, here) for size, here in zip(shape, got))
        if not fits or value.meta[1] is not dtype:
            wanted = f"{dtype.name}[{', '.join('any' if size is None else str(size) for size in shape)}]"
            raise OperatorError(
                f"operation {position} ({node.operator}) gives {value.meta[1].name}{list(got)} where the program was"
                f" made for {wanted}: inputs of this size cannot be expressed by it"
            )


def check_guard(guard: ProgramGuard, known: Mapping[str, Value]) -> None:
    """Make sure that a comparison of sizes comes out as it did.

    Raises:
        OperatorError: it does not.
    """
    first, second = resolved(guard.first, known), resolved(guard.second, known)
    dimension.Guard(guard.sign, first, second, guard.outcome, guard.line, guard.text, guard.position).check(_size)


def resolved(item: Any, known: Mapping[str, Value]) -> Any:
    """Return an attribute with every size expression worked out for the values' shapes."""
    if isinstance(item, SizeExpression):
        return dimension.from_literal(item.literal, known.__getitem__)
    if isinstance(item, tuple):
        return tuple([resolved(part, known) for part in item])
    return item


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


def _size(value: Value, axis: int) -> int:
    return value.meta[0][axis]

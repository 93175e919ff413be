"""Running an exported program operation by operation: eagerly, or noting it down in a trace."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Union

from core.jit.control_flow.operators import ControlFlowOperator, Subprogram, rebuild
from core.jit.exported.program import (
    ExportedProgram,
    ProgramBody,
    ProgramControlFlow,
    ProgramGuard,
    ProgramNode,
    SizeExpression,
    size_names,
)
from core.kernels.dispatch import dispatcher
from core.kernels.dispatch.dispatcher import Value
from core.kernels.dispatch.errors import OperatorError
from core.kernels.dispatch.operator import REGISTRY, ConstantOperator
from core.kernels.dispatch.trace import Trace
from core.kernels.sizes import dimension


def replay(
    program: Union[ExportedProgram, ProgramBody], values: Mapping[str, Value], outputs_alone: bool = False
) -> dict[str, Value]:
    """Run a program operation by operation, or record it where a trace is running.

    Args:
        program: What to run.
        values: A value for each input and weight.
        outputs_alone: Whether other values are let go as soon as nothing reads them any more.

    Returns:
        Every value of the program by name, or its outputs.

    Raises:
        OperatorError: an operation refuses its inputs, or a guard does not hold.
    """
    known = dict(values)
    fixed: set[str] = set()
    guards = iter([*sorted(program.guards, key=lambda guard: guard.position), None])
    guard = next(guards)
    leaving = _last_readers(program) if outputs_alone else {}
    for position, node in enumerate(program.nodes):
        while guard is not None and guard.position <= position:
            check_guard(guard, known)
            guard = next(guards)
        inputs = [known[name] for name in node.inputs]
        attributes = {key: resolved(value, known) for key, value in node.attributes.items()}
        with dispatcher.gradient_mode(dispatcher.state.gradients and node.gradients):
            if _sizes_are_known() and _is_fixed(node, fixed):  # computed now: the engine wants some as constants
                fixed.update(node.outputs)
                with _untraced():
                    outputs = _run(position, node, inputs, attributes, program.outputs)
            else:
                outputs = _run(position, node, inputs, attributes, program.outputs)
        _check_results(position, node, outputs)
        known.update(zip(node.outputs, outputs))
        for name in leaving.get(position, ()):
            known.pop(name, None)
    while guard is not None:
        check_guard(guard, known)
        guard = next(guards)
    return {name: known[name] for name in program.outputs} if outputs_alone else known


def _last_readers(program: Union[ExportedProgram, ProgramBody]) -> dict[int, list[str]]:
    """Return, by the position of an operation, the values that nothing behind it reads, not even their sizes."""
    last: dict[str, int] = {}
    for position, node in enumerate(program.nodes):
        last.update(dict.fromkeys([*node.outputs, *node.inputs, *size_names(node.attributes)], position))
    for guard in program.guards:
        for name in size_names((guard.first, guard.second)):
            last[name] = max(last.get(name, 0), guard.position)
    leaving: dict[int, list[str]] = {}
    for name, position in last.items():
        if name not in program.outputs:
            leaving.setdefault(position, []).append(name)
    return leaving


def _is_fixed(node: ProgramNode, fixed: set[str]) -> bool:
    """Return whether a node computes from sizes alone."""
    if node.control_flow is not None or REGISTRY[node.operator].random:
        return False
    return fixed.issuperset(node.inputs) if node.inputs else isinstance(REGISTRY[node.operator], ConstantOperator)


def _sizes_are_known() -> bool:
    trace = dispatcher.state.trace
    return trace is None or not trace.symbolic


@contextlib.contextmanager
def _untraced() -> Iterator[None]:
    """Compute inside a ``with`` block, even while a trace is running."""
    trace = dispatcher.state.trace
    dispatcher.set_trace(None)
    try:
        yield
    finally:
        dispatcher.set_trace(trace)


def _run(
    position: int, node: ProgramNode, inputs: Sequence[Value], attributes: dict[str, Any], results: Sequence[str]
) -> list[Value]:
    if node.control_flow is not None:
        return _control_flow(node.operator, node.control_flow, inputs).replay(inputs, {})
    if node.operator == "broadcast_to" and inputs and _sizes_are_known():
        if inputs[0].meta[0] == attributes.get("shape") and node.outputs[0] not in results:
            return [inputs[0]]  # at these sizes it changes nothing
    try:
        return REGISTRY[node.operator].replay(inputs, attributes)
    except OperatorError:
        raise
    except (AssertionError, LookupError, TypeError) as error:  # attributes that the operator does not know
        raise OperatorError(
            f"operation {position} ({node.operator}) does not take its inputs or attributes:"
            f" {type(error).__name__} {error}"
        ) from None


def _control_flow(kind: str, control_flow: ProgramControlFlow, inputs: Sequence[Value]) -> ControlFlowOperator:
    """Make a control-flow operator for inputs of these shapes."""
    subprograms = {}
    for name, body in control_flow.bodies.items():
        given = inputs[1:] if kind == "conditional" else inputs
        trace = Trace(symbolic=True)  # notes operations down and builds no graph
        with dispatcher.gradient_mode(True), trace:
            variables = [
                trace.input(value.meta, value.requires_grad, entry.name, value.second)
                for entry, value in zip(body.inputs, given)
            ]
            known = replay(body, dict(zip([entry.name for entry in body.inputs], variables)))
        outputs = [known[name] for name in body.outputs]
        subprograms[name] = Subprogram(variables, trace.operations, outputs, trace.guards)
    return rebuild(kind, subprograms, control_flow.settings)


def _check_results(position: int, node: ProgramNode, outputs: Sequence[Value]) -> None:
    """Refuse results of another type, or of another size where the program was made for one size only.

    In mixed precision operators choose between 16 bits and float32 themselves.
    """
    if len(outputs) != len(node.outputs):
        raise OperatorError(
            f"operation {position} ({node.operator}) has {len(outputs)} results, but {len(node.outputs)} names"
        )
    for place, (value, (shape, dtype)) in enumerate(zip(outputs, node.metas)):
        if node.control_flow is None and REGISTRY[node.operator].hides(place):
            continue
        got = value.meta[0]
        fits = len(shape) == len(got) and all(size in (None, here) for size, here in zip(shape, got))
        chosen = dispatcher.state.precision is not None and value.meta[1].is_floating and dtype.is_floating
        if not fits or (value.meta[1] is not dtype and not chosen):
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


def _size(value: Value, axis: int) -> int:
    return value.meta[0][axis]

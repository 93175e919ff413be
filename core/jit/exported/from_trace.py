"""A trace written down as an exported program: values get names, sizes become expressions on them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Optional

from core.jit import forms
from core.jit.control_flow.operators import ControlFlowOperator, Subprogram
from core.jit.exported.program import (
    ExportedProgram,
    ProgramBody,
    ProgramControlFlow,
    ProgramGuard,
    ProgramInput,
    ProgramNode,
    ProgramWeight,
    SizeExpression,
)
from core.jit.input_spec import is_spec
from core.jit.tracing.symbolic import SymbolicProgram
from core.kernels.dispatch.dispatcher import Value
from core.kernels.dispatch.trace import Operation
from core.kernels.engine import engine
from core.kernels.sizes import dimension
from core.kernels.sizes.dimension import Guard
from core.tensor import given_name


def converted(
    traced: SymbolicProgram,
    arguments: Sequence[tuple[str, Any]],
    result: Any,
    state: Mapping[int, str],
    label: str,
) -> ExportedProgram:
    """Write a trace down.

    Args:
        traced: The trace; all its operators are declared ones or control-flow operators.
        arguments: A name and an argument each, with an InputSpec for each tensor.
        result: How the results are nested, as a form.
        state: The names of parameters and buffers, by ``id``.
        label: What to call the program.

    Raises:
        ValueError: a parameter has no memory yet.
    """
    names = _Names()
    specs = traced.inputs
    inputs = []
    for variable, spec in zip(traced.variables, specs):
        shape = tuple([None if size == -1 else size for size in spec.shape])
        inputs.append(ProgramInput(names.give(variable, str(spec.name)), spec.dtype, shape))
    weights = {}
    for variable, (value, handle) in zip(traced.variables[len(specs) :], traced.captured):
        value = value if handle is None else handle._value
        is_parameter = handle is not None and hasattr(handle, "trainable")
        kind = "parameter" if is_parameter else "buffer" if id(handle) in state else "constant"
        wanted = state.get(id(handle)) or (handle is not None and given_name(handle)) or "constant"
        if value.array is None:
            raise ValueError(f"jit.save: {wanted} is abstract (built under LazyGuard): initialize() it first")
        array = engine.to_numpy(value.array, *value.meta)
        weights[names.give(variable, wanted)] = ProgramWeight(array, value.meta[1], kind, value.requires_grad)
    nodes = [names.node(operation) for operation in traced.operations]
    return ExportedProgram(
        name=label,
        inputs=inputs,
        arguments=[(name, forms.form_of(argument, is_spec, "an argument")[0]) for name, argument in arguments],
        weights=weights,
        nodes=nodes,
        outputs=[names.of[id(value)] for value in traced.outputs],
        result=result,
        guards=[names.guard(guard) for guard in traced.guards],
        examples=[],
    )


class _Names:
    """The names of a program's values, or of those in a body of a control-flow operator.

    Attributes:
        of: Name by the value's ``id``.
    """

    def __init__(self) -> None:
        self.of: dict[int, str] = {}
        self.taken: set[str] = set()
        self.results = 0

    def give(self, value: Value, wanted: str) -> str:
        """Name a value, with a number behind the name where it is taken."""
        unique, number = wanted, 2
        while unique in self.taken:
            unique, number = f"{wanted} {number}", number + 1
        self.taken.add(unique)
        self.of[id(value)] = unique
        return unique

    def node(self, operation: Operation) -> ProgramNode:
        """Write one operation down and name its results."""
        attributes = {key: self.sized(item) for key, item in operation.attributes.items()}
        reads = [self.of[id(value)] for value in operation.inputs]
        gives = []
        for value in operation.outputs:
            gives.append(self.give(value, f"v{self.results}"))
            self.results += 1
        metas = [(open_shape(value), value.meta[1]) for value in operation.outputs]
        operator, control_flow = operation.operator, None
        if isinstance(operator, ControlFlowOperator):
            bodies = {name: _body(subprogram) for name, subprogram in operator.subprograms.items()}
            settings = dict(operator.settings)
            if "line" in settings:  # where the model's code lies on this machine is nobody's business
                settings["line"] = os.path.basename(settings["line"])
            control_flow = ProgramControlFlow(bodies, settings)
        name = operator.kind if isinstance(operator, ControlFlowOperator) else operator.name
        return ProgramNode(name, attributes, reads, gives, metas, operation.gradients, control_flow)

    def guard(self, guard: Guard) -> ProgramGuard:
        """Write a guard down."""
        return ProgramGuard(
            sign=guard.sign,
            first=self.sized(guard.first),
            second=self.sized(guard.second),
            outcome=guard.outcome,
            line=os.path.basename(guard.line),
            text=guard.text,
            position=guard.position,
        )

    def sized(self, item: Any) -> Any:
        """Return an attribute with each Dimension as an expression on named values."""
        if isinstance(item, dimension.Dimension):
            return SizeExpression(_tuples(item.to_literal(lambda value: self.of[id(value)])))
        if isinstance(item, tuple):
            return tuple([self.sized(part) for part in item])
        return item


def _body(subprogram: Subprogram) -> ProgramBody:
    names = _Names()
    inputs = [
        ProgramInput(names.give(value, f"input{i}"), value.meta[1], open_shape(value))
        for i, value in enumerate(subprogram.variables)
    ]
    nodes = [names.node(operation) for operation in subprogram.operations]
    guards = [names.guard(guard) for guard in subprogram.guards]
    return ProgramBody(inputs, nodes, [names.of[id(value)] for value in subprogram.outputs], guards)


def open_shape(value: Value) -> tuple[Optional[int], ...]:
    """Return a value's shape with None for the sizes that are unknown."""
    return tuple([None if isinstance(n, dimension.Dimension) else n for n in dimension.symbolic_shape(value)])


def _tuples(item: Any) -> Any:
    return tuple([_tuples(part) for part in item]) if isinstance(item, list) else item

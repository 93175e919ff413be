"""Repeating noted-down operations on other values: in another trace, or eagerly and recorded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

from core.kernels.dispatch import dispatcher
from core.kernels.dispatch.dispatcher import Value
from core.kernels.dispatch.errors import UnknownSizeError
from core.kernels.dispatch.trace import Operation
from core.kernels.sizes.dimension import Guard, Size, contains_dimension, evaluated, shape_text, symbolic_shape


def repeat(
    variables: Sequence[Value],
    operations: Sequence[Operation],
    outputs: Sequence[Value],
    inputs: Sequence[Value],
    guards: Sequence[Guard] = (),
    draws: Optional[Sequence[Value]] = None,
) -> list[Value]:
    """Return what the outputs become where the variables are the given inputs.

    Args:
        variables: The inputs of the traced program.
        operations: What it does.
        outputs: Its results.
        inputs: One value for each variable.
        guards: Its comparisons of unknown sizes, in order.
        draws: What its random operations drew in the run that is repeated, in order; None to draw again.

    Raises:
        UnknownSizeError: a size turns a guard's outcome round, or one that the trace holds for fixed is different here.
    """
    known = {id(variable): value for variable, value in zip(variables, inputs)}

    def size(value: Value, axis: int) -> Size:
        return symbolic_shape(known[id(value)])[axis]

    remaining = list(reversed(guards))
    drawn = None if draws is None else iter(draws)
    for position, operation in enumerate(operations):
        while remaining and remaining[-1].position <= position:
            remaining.pop().check(size)
        if operation.operator.random and drawn is not None:
            known.update([(id(traced), next(drawn)) for traced in operation.outputs])
            continue
        attributes = operation.attributes
        if contains_dimension(attributes):
            attributes = evaluated(attributes, size)
        gradients = dispatcher.state.gradients and operation.gradients
        with dispatcher.gradient_mode(gradients), dispatcher.precision_mode(None):
            results = operation.operator.replay([known[id(value)] for value in operation.inputs], attributes)
        for place, (traced, result) in enumerate(zip(operation.outputs, results)):
            if result.meta[0] != traced.meta[0] and not operation.operator.hides(place):
                _check_fixed_sizes(operation, traced, result)
            known[id(traced)] = result
    for guard in reversed(remaining):
        guard.check(size)
    return [known[id(value)] for value in outputs]


def _check_fixed_sizes(operation: Operation, traced: Value, result: Value) -> None:
    """Refuse a size that was the same in both shape hypotheses of the trace, and that code may have taken for fixed."""
    second = traced.second or traced.meta
    expected, got = traced.meta[0], result.meta[0]
    fits = len(expected) == len(got) and all(
        one == here or one != other for one, other, here in zip(expected, second[0], got)
    )
    if not fits:
        raise UnknownSizeError(
            f"{operation.operator.name}: a result has shape {list(got)} where the program was traced for"
            f" {shape_text(traced)}: this size of input cannot be expressed; make a program for it, with another"
            " InputSpec"
        )

"""A function as a list of operations that hold for every size that its InputSpecs leave open."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Callable, Optional

from core.jit.input_spec import InputSpec
from core.jit.tracing.replay import repeat
from core.jit.tracing.tracing import traced_call
from core.kernels.dispatch.dispatcher import Value
from core.kernels.dispatch.errors import OperatorError, UnknownSizeError
from core.kernels.dispatch.trace import Operation, Trace
from core.kernels.sizes.dimension import Guard
from core.tensor import Tensor


class SymbolicProgram:
    """What :func:`trace_symbolic` finds.

    Attributes:
        inputs: The specs of the inputs, in the flattened order of the arguments.
        operations: Everything that the function computed, in order; attributes may hold Dimensions.
        variables: Traced values that stand for the inputs, then for the captured values.
        captured: ``(value, owner tensor or None)`` of each eager tensor that the function read.
        outputs: Traced values of the results, in flattened order.
        result_skeleton: How the results were nested (:func:`core.jit.tree.unflatten`).
        updates: ``(buffer, traced value)`` of each buffer that the function gave a new value.
        guards: Comparisons of unknown sizes that the function made.
    """

    def __init__(
        self,
        inputs: Sequence[InputSpec],
        operations: Sequence[Operation],
        variables: Sequence[Value],
        captured: Sequence[tuple[Value, Optional[Tensor]]],
        outputs: Sequence[Value],
        result_skeleton: Any,
        updates: Sequence[tuple[Tensor, Value]],
        guards: Sequence[Guard],
    ) -> None:
        self.inputs = inputs
        self.operations = operations
        self.variables = variables
        self.captured = captured
        self.outputs = outputs
        self.result_skeleton = result_skeleton
        self.updates = updates
        self.guards = guards

    def captured_values(self) -> list[Value]:
        """Return what the captured tensors hold now."""
        return [value if owner is None else owner._value for value, owner in self.captured]


def trace_symbolic(function: Callable[..., Any], specs: Sequence[Any]) -> SymbolicProgram:
    """Trace a function once for all sizes that its specs leave open.

    Args:
        function: Python code on tensors.
        specs: Its positional arguments, with an InputSpec in the place of each tensor; they may be nested in lists,
            tuples and dicts. A Tensor stands for its own spec; anything else is a constant.

    Returns:
        The program.

    Raises:
        OperatorError: the function needs a number where a size is unknown, or decides differently for different sizes.
    """
    trace = Trace(symbolic=True)
    inputs: list[InputSpec] = []

    def placeholder(item: Any) -> Any:
        if isinstance(item, Tensor):
            item = InputSpec.from_tensor(item)
        if isinstance(item, InputSpec):
            label = item.name or f"input{len(inputs)}"
            inputs.append(item)
            shape, other = item.traced_shapes()
            needs = not item.stop_gradient and item.dtype.is_floating
            second = (other, item.dtype) if other != shape else None
            return Tensor(trace.input((shape, item.dtype), needs, label, second), name=label)
        if isinstance(item, (list, tuple)):
            parts = [placeholder(part) for part in item]
            return type(item)(*parts) if hasattr(item, "_fields") else type(item)(parts)
        if isinstance(item, dict):
            return {key: placeholder(part) for key, part in item.items()}
        return item

    try:
        outputs, skeleton, updates = traced_call(trace, function, lambda: ([placeholder(item) for item in specs], {}))
    except UnknownSizeError:
        raise
    except OperatorError as error:
        error.message += _examples_text(inputs)
        raise
    return SymbolicProgram(
        inputs, trace.operations, trace.variables, trace.captured, outputs, skeleton, updates, trace.guards
    )


def _examples_text(inputs: Sequence[InputSpec]) -> str:
    """Return with which sizes the unknown axes were traced, for the message of an error that may come from these."""
    parts = []
    for position, spec in enumerate(inputs):
        for axis, pair in enumerate(zip(*spec.traced_shapes())):
            if pair[0] != pair[1]:
                parts.append(f"{spec.name or f'input{position}'}.shape[{axis}] as {pair[0]} and {pair[1]}")
    return f" (traced with {', '.join(parts)}: InputSpec(examples=...) gives others)" if parts else ""


def replay(program: SymbolicProgram, values: Sequence[Value]) -> list[Value]:
    """Run a program's operations one by one, eagerly or inside another trace.

    Args:
        program: From :func:`trace_symbolic`.
        values: One for each input; or one for each variable, to give the captured values too.

    Returns:
        The values of the results, then those of the updated buffers.

    Raises:
        OperatorError: an input contradicts its spec, or a guard its outcome while tracing.
    """
    for value, spec in zip(values, program.inputs):
        wrong = spec.disagreement(Tensor(value))
        if wrong is not None:
            raise OperatorError(f"input {spec.name or program.inputs.index(spec)}: {wrong}")
        if 0 in value.meta[0] and -1 in spec.shape:
            raise OperatorError(
                f"input {spec.name or program.inputs.index(spec)}: a tensor of shape {list(value.meta[0])} is empty: a"
                " program for unknown sizes serves sizes from 1 on"
            )
    inputs = [*values, *(program.captured_values() if len(values) == len(program.inputs) else [])]
    outputs = [*program.outputs, *[value for _, value in program.updates]]
    return repeat(program.variables, program.operations, outputs, inputs, program.guards)

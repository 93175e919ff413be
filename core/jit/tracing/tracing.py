"""Running a function once under a trace, whatever the trace is for."""

from __future__ import annotations

from typing import Any, Callable

from core.jit import tree
from core.jit.rewrite import call
from core.kernels.dispatch.dispatcher import Value
from core.kernels.dispatch.trace import Trace
from core.operators.creation.creation import assign
from core.tensor import Tensor

Update = tuple[Tensor, Value]


def traced_call(
    trace: Trace, function: Callable[..., Any], arguments: Callable[[], tuple[Any, Any]]
) -> tuple[list[Value], Any, list[Update]]:
    """Call a function with placeholders for its tensors, its control flow rewritten; buffers are put back afterwards.

    Args:
        trace: Where the operations are recorded.
        function: Python code on tensors.
        arguments: Makes ``(args, kwargs)`` of the trace's own tensors.

    Returns:
        The values of the results in flattened order, how they were nested, and ``(buffer, value)`` of each buffer that
        was given a new value. None of the values is an input of the trace.
    """
    try:
        trace.rewrite = call
        with trace:
            args, kwargs = arguments()
            results, skeleton = tree.flatten(call(function)(*args, **kwargs))
            outputs = [trace.capture(result._value) for result in results]
            handles = [handle for handle, _ in trace.updates.values()]
            outputs += [handle._value for handle in handles]
            variables = {id(value) for value in trace.variables}
            outputs = [assign(Tensor(value))._value if id(value) in variables else value for value in outputs]
    finally:
        for handle, original in trace.rebound.values():
            handle._value = original
    return outputs[: len(results)], skeleton, list(zip(handles, outputs[len(results) :]))

"""One traced and compiled form of a function."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any, Callable, Union

from core.jit import tree
from core.jit.replay import repeat
from core.jit.segments import Executable, Segment
from core.jit.tracing import traced_call
from core.kernels import door
from core.kernels.trace import Operation, Trace
from core.tensor import Tensor


class CompiledProgram:
    """A function compiled for one signature.

    Args:
        function: Called once with traced stand-ins for the tensors.
        arguments: ``(args, kwargs)`` of the call that asked for it.
        static: Keep one set of buffers for all calls.
    """

    def __init__(self, function: Callable[..., Any], arguments: Any, static: bool) -> None:
        name = f"compiled {getattr(function, '__qualname__', 'function')}"
        tensors, skeleton = tree.flatten(arguments)
        trace = Trace()

        def stand_ins() -> Any:
            made = [(trace.input(t._value.meta, t._value.requires_grad), t.name) for t in tensors]
            return tree.unflatten(skeleton, [Tensor(value, name=name) for value, name in made])

        results, self.result_skeleton, updates = traced_call(trace, function, stand_ins)
        outputs = [*results, *[value for _, value in updates]]
        self.number_of_results = len(results)
        self.updated = [handle for handle, _ in updates]
        self.output_values = outputs
        self.captured = trace.captured
        self.captured_flags = [value.requires_grad for value, _ in trace.captured]
        self.layers = [(weakref.ref(layer), training) for layer, training in trace.layers.values()]
        self.variables = trace.variables
        self.operations: Sequence[Operation] = trace.operations
        captured = enumerate(trace.captured, start=len(tensors))
        steady = [i for i, (_, owner) in captured if id(owner) not in trace.updates]
        self.body: Union[Segment, Executable]
        if any(operation.operator.region for operation in self.operations):
            self.body = Executable(name, self.variables, self.operations, outputs, static)
        else:
            self.body = Segment(name, trace, outputs, static, steady)

    def fits(self) -> bool:
        """Return whether layers are in the mode, and parameters as trainable, as they were when this was traced."""
        for reference, training in self.layers:
            layer = reference()
            if layer is not None and layer.training != training:
                return False
        for (value, owner), flag in zip(self.captured, self.captured_flags):
            current = owner._value if owner is not None else value
            if current.requires_grad != flag or current.meta != value.meta:
                return False
        return True

    def __call__(self, tensors: Sequence[Tensor]) -> Any:
        """Run with the argument tensors in their flattened order; writes updated buffers back."""
        inputs = [tensor._value for tensor in tensors]
        inputs += [value if owner is None else owner._value for value, owner in self.captured]
        if door.state.trace is not None:
            values = repeat(self.variables, self.operations, self.output_values, inputs)
        else:
            values = self.body.run(inputs)
        for handle, value in zip(self.updated, values[self.number_of_results :]):
            handle.update(Tensor(value))
        return tree.unflatten(self.result_skeleton, [Tensor(value) for value in values[: self.number_of_results]])

"""One traced and compiled form of a function, callable like one big operator."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any, Callable, Optional

from core.autograd.backward import grad
from core.autograd.context import Context
from core.jit import tree
from core.kernels import door, graph
from core.kernels.door import Node, Plan, Value
from core.kernels.engine import Array
from core.kernels.operator import Operator
from core.kernels.trace import Operation, Trace
from core.operators.creation import assign, zeros
from core.tensor import Tensor


class CompiledProgram(Operator):
    """A function compiled for one signature.

    Args:
        function: Called once with traced stand-ins for the tensors.
        arguments: ``(args, kwargs)`` of the call that asked for it.
        static: Keep one set of buffers for all calls.
    """

    def __init__(self, function: Callable[..., Any], arguments: Any, static: bool) -> None:
        super().__init__(f"compiled {getattr(function, '__qualname__', 'function')}", None, register=False)
        tensors, skeleton = tree.flatten(arguments)
        trace = Trace()
        try:
            with trace:
                stand_ins = [
                    Tensor(trace.input(tensor._value.meta, tensor._value.requires_grad), name=tensor.name)
                    for tensor in tensors
                ]
                args, kwargs = tree.unflatten(skeleton, stand_ins)
                results, self.result_skeleton = tree.flatten(function(*args, **kwargs))
                outputs = [trace.capture(result._value) for result in results]
                updated = list(trace.updates.values())
                outputs += [handle._value for handle, _ in updated]
                variables = {id(value) for value in trace.variables}
                outputs = [assign(Tensor(v))._value if id(v) in variables else v for v in outputs]
        finally:
            for handle, original in trace.updates.values():
                handle._value = original
        self.number_of_results = len(results)
        self.updated = [handle for handle, _ in updated]
        self.output_values = outputs
        self.output_metas = [value.meta for value in outputs]
        self.captured = trace.captured
        self.captured_flags = [value.requires_grad for value, _ in trace.captured]
        self.layers = [(weakref.ref(layer), training) for layer, training in trace.layers.values()]
        self.variables = trace.variables
        self.operations: Sequence[Operation] = trace.operations
        captured = enumerate(trace.captured, start=len(tensors))
        steady = [i for i, (_, owner) in captured if id(owner) not in trace.updates]
        self.program = graph.Program([value.array for value in outputs], trace.inputs, static, trace.training, steady)
        self.rule = self._differentiate

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
            values = self._inline(inputs)
        else:
            arrays = [value.array for value in inputs]
            if door.state.gradients and any(value.requires_grad for value in self.output_values):
                outputs, record = self.program.forward_recorded(arrays, [value.requires_grad for value in inputs])
                node = Node(self, {}, inputs, outputs, self.output_metas, record, traced=None)
                values = [
                    Value(array, meta, node, index, traced.requires_grad)
                    for index, (array, meta, traced) in enumerate(zip(outputs, self.output_metas, self.output_values))
                ]
            else:
                outputs = self.program.forward(arrays)
                values = [Value(array, meta) for array, meta in zip(outputs, self.output_metas)]
        for handle, value in zip(self.updated, values[self.number_of_results :]):
            handle.update(Tensor(value))
        return tree.unflatten(self.result_skeleton, [Tensor(value) for value in values[: self.number_of_results]])

    def _inline(self, inputs: Sequence[Value]) -> list[Value]:
        """Repeat the noted operations on other values: inside another trace, or to differentiate them again."""
        known = {id(variable): value for variable, value in zip(self.variables, inputs)}
        for operation in self.operations:
            with door.gradient_mode(door.state.gradients and operation.gradients):
                outputs = operation.operator.replay(
                    [known[id(value)] for value in operation.inputs], operation.attributes
                )
            known.update(zip([id(value) for value in operation.outputs], outputs))
        return [known[id(value)] for value in self.output_values]

    def _differentiate(self, context: Context, *gradients: Optional[Tensor]) -> Sequence[Optional[Tensor]]:
        filled = [
            zeros(meta[0], meta[1]) if gradient is None else gradient
            for gradient, meta in zip(gradients, self.output_metas)
        ]
        if not context.create_graph:
            arrays: list[Array] = [gradient._value.array for gradient in filled]
            found = context.saved.backward(arrays, retain=context.retain)
            return [None if array is None else Tensor(door.constant(array)) for array in found]
        outputs = [Tensor(value) for value in self._inline([tensor._value for tensor in context.inputs])]
        pairs = [(o, g) for o, g in zip(outputs, filled) if not o.stop_gradient]
        wanted = [tensor for tensor, needed in zip(context.inputs, context.needs) if needed]
        answers = iter(grad([o for o, _ in pairs], wanted, [g for _, g in pairs], create_graph=True, allow_unused=True))
        return [next(answers) if needed else None for needed in context.needs]

    def execute(
        self, arrays: Sequence[Array], plan: Plan, attributes: dict[str, Any], needs_gradient: bool
    ) -> tuple[list[Array], Any]:
        """Run on engine arrays without a record."""
        return self.program.forward(arrays), None

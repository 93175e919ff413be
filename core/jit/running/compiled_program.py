"""One traced and compiled form of a function."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Callable, Optional, Union

from core.jit import tree
from core.jit.rewrite import call
from core.jit.running.frozen_program import FrozenProgram, can_freeze
from core.jit.running.segments import Executable, Segment
from core.jit.tracing.guards import Guards
from core.jit.tracing.tracing import traced_call
from core.kernels.dispatch import dispatcher
from core.kernels.dispatch.dispatcher import Value
from core.kernels.dispatch.trace import Operation, Trace
from core.tensor import Tensor


class CompiledProgram:
    """A function compiled for one signature.

    Args:
        function: Called once with traced placeholders for the tensors.
        arguments: ``(args, kwargs)`` of the call that asked for it.
        static: Keep one set of buffers for all calls.
    """

    def __init__(self, function: Callable[..., Any], arguments: Any, static: bool) -> None:
        name = f"compiled {getattr(function, '__qualname__', 'function')}"
        tensors, skeleton = tree.flatten(arguments)
        trace = Trace()

        placeholders: list[Tensor] = []

        def make_placeholders() -> Any:
            made = [(trace.input(t._value.meta, t._value.requires_grad), t.name) for t in tensors]
            placeholders.extend([Tensor(value, name=name) for value, name in made])
            return tree.unflatten(skeleton, placeholders)

        def with_changed_arguments(*args: Any, **kwargs: Any) -> Any:
            result = call(function)(*args, **kwargs)
            self.changed = [i for i, tensor in enumerate(placeholders) if id(tensor) in trace.rebound]
            return [placeholders[i] for i in self.changed], result

        results, (_, (_, self.result_skeleton)), updates = traced_call(trace, with_changed_arguments, make_placeholders)
        outputs = [*results, *[value for _, value in updates]]
        self.number_of_results = len(results)
        self.updated = [handle for handle, _ in updates]
        self.output_values = outputs
        self.needs_gradient = any(value.requires_grad for value in outputs)
        self.guards = Guards(function, [layer for layer, _ in trace.layers.values()])
        self.captured: list[tuple[Value, Any]] = []
        self.places: list[tuple[int, Callable[[Any], Any], Any]] = []
        for index, (value, owner) in enumerate(trace.captured):
            found = self.guards.places.get(id(value), [])
            self.places += [(index, read, name) for read, name in found]
            self.captured.append((value, found[0][0](found[0][1]) if found else owner))
        self.captured_flags = [value.requires_grad for value, _ in trace.captured]
        self.variables = trace.variables
        self.operations: Sequence[Operation] = trace.operations
        captured = enumerate(trace.captured, start=len(tensors))
        static_inputs = [i for i, (_, owner) in captured if id(owner) not in trace.updates]
        self.body: Union[Segment, Executable]
        if any(operation.operator.is_control_flow for operation in self.operations):
            self.body = Executable(name, self.variables, self.operations, outputs, static, static_inputs)
        else:
            self.body = Segment(name, trace, outputs, static, static_inputs)
        self.frozen: Optional[FrozenProgram] = None
        if static and can_freeze(trace, self.operations):
            given = (name, self.variables, self.operations, outputs, len(tensors), self.body.run)
            self.frozen = FrozenProgram(*given)
        self.reads = trace.reads
        self.reads.forget(self.updated)
        trace.close()

    def fits(self) -> bool:
        """Return whether layers are in the mode, and parameters as trainable, as they were when this was traced.

        A tensor that has taken the place of another one is read from now on.
        """
        if self.guards.changed() is not None or not self.reads.hold():
            return False
        for index, read, name in self.places:
            if read(name) is not self.captured[index][1] and not self._move(index):
                return False
        for (value, owner), flag in zip(self.captured, self.captured_flags):
            current = owner._value if owner is not None else value
            if current.requires_grad != flag or current.meta != value.meta:
                return False
        return True

    def _move(self, index: int) -> bool:
        """Read a captured tensor from where another one is now; False where several places disagree."""
        value, earlier = self.captured[index]
        found = [read(name) for place, read, name in self.places if place == index]
        if not isinstance(found[0], Tensor) or any(tensor is not found[0] for tensor in found):
            return False
        self.captured[index] = (value, found[0])
        self.updated = [found[0] if handle is earlier else handle for handle in self.updated]
        return True

    def inputs(self, tensors: Sequence[Tensor]) -> list[Value]:
        """Return the values to run with: of the argument tensors in their flattened order, then what is captured."""
        return [
            *[tensor._value for tensor in tensors],
            *[value if owner is None else owner._value for value, owner in self.captured],
        ]

    def run(self, tensors: Sequence[Tensor], inputs: Sequence[Value]) -> Any:
        """Run; arguments that were changed in place get their new values, and buffers theirs.

        Args:
            tensors: The argument tensors in their flattened order.
            inputs: What :meth:`inputs` returned for them.
        """
        recorded = dispatcher.state.gradients and self.needs_gradient
        run = self.body.run if recorded or self.frozen is None else self.frozen.run
        values = run(inputs)
        for handle, value in zip(self.updated, values[self.number_of_results :]):
            handle.update(Tensor(value))
        for index, value in zip(self.changed, values):
            tensors[index]._rebind(value)
        results = values[len(self.changed) : self.number_of_results]
        return tree.unflatten(self.result_skeleton, [Tensor(value) for value in results])

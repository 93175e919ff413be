"""A part of a compiled program that is computed again for its gradient, recorded as a control-flow operator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Callable

from core.autograd.recomputation import computed_again
from core.jit import tree
from core.jit.control_flow.conditionals import Branch, note, union_of_reads
from core.jit.control_flow.operators import ControlFlowOperator
from core.jit.control_flow.variables import State
from core.jit.rewrite import call
from core.kernels.dispatch import dispatcher
from core.kernels.dispatch.dispatcher import Meta, Value
from core.tensor import Tensor


class Recomputation(ControlFlowOperator):
    """Runs its program without a record; the gradient runs it once more, recorded, and then its backward pass.

    It is never written down: exported programs have no gradients.
    """

    kind = "recomputation"

    def run(self, inputs: Sequence[Value]) -> list[Value]:
        """Run on eager values."""
        program = self.subprograms["body"]
        if not (dispatcher.state.gradients and any(value.requires_grad for value in inputs)):
            return program.run(inputs)

        def run(*tensors: Tensor) -> list[Tensor]:
            return [Tensor(value) for value in program.run([tensor._value for tensor in tensors])]

        found = computed_again(run, [Tensor(value) for value in inputs], {}, self.draws())
        return [tensor._value for tensor in found]

    def infer(self, metas: Sequence[Meta], attributes: dict[str, Any]) -> Sequence[Meta]:
        """Return the shapes and types of the outputs."""
        return self.subprograms["body"].infer(metas)


def recomputed(function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """Call a function inside the current trace, so that the compiled program keeps nothing of it for the gradient.

    A function that gives a tensor from outside another value, as batch normalisation does, is an ordinary part of the
    program.

    Args:
        function: computes tensors, or lists, tuples and dicts of tensors.
        args: its arguments.
        kwargs: its further arguments.
    """
    variables = State([], lambda: [], lambda values: None)
    branch = Branch(lambda: tree.flatten(call(function)(*args, **kwargs)), variables, [])
    if branch.handles:
        branch.trace.close()
        return function(*args, **kwargs)
    tensors, skeleton = branch.result
    outputs = [branch.trace.capture(tensor._value) for tensor in tensors]
    read = union_of_reads([branch.trace])
    operator = Recomputation({"body": branch.program([], outputs, read)}, {})
    flags = [[value.requires_grad] for value in outputs]
    branch.trace.close()
    return tree.unflatten(skeleton, note(operator, read, flags))

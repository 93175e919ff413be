"""Control flow inside a compiled program: plain data, and what runs it.

A control-flow operator is an operator made while tracing. It holds traced programs (:class:`Subprogram`: variables,
operations, outputs) and settings that are literals, nothing of the user's code; so it can be written down and rebuilt:

=============  =================================  ==================================  =================================
kind           subprograms                        settings                            inputs
=============  =================================  ==================================  =================================
conditional    true, false                                                            condition, then what both read
loop           condition, body                    variables: how many change          loop variables, then what is read
print          none                               pieces: text, or None for a tensor  one tensor for each None
assert         none                               pieces, line                        condition, then as for print
gradient       none; base: what was differentiated needs, given: one flag for each     the inputs of base, then the
                                                  input and output of base            gradients that are given
=============  =================================  ==================================  =================================

All subprograms of one control-flow operator take the same inputs: a conditional's everything after the condition, a
loop's everything. A loop's condition returns one truth value, its body the next values of the loop variables.
:func:`rebuild` makes a control-flow operator from these parts.

A control-flow operator is never a node of the record itself where it runs eagerly: what its programs compute is. Only
inside a trace is it differentiated as one operation; its gradient is then a control-flow operator too, which runs the
first once more, recorded, and then its backward pass. The gradient of that is the same construction again, so any
order works.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Mapping, Sequence
from typing import Any, Optional

from core.autograd.backward import grad
from core.autograd.context import Context
from core.jit.control_flow.subprogram import Runner
from core.jit.control_flow.subprogram import Subprogram as Subprogram
from core.jit.running.segments import identity
from core.kernels.dispatch import dispatcher
from core.kernels.dispatch.dispatcher import Meta, Plan, Value
from core.kernels.dispatch.errors import OperatorError, user_line
from core.kernels.dispatch.operator import Operator
from core.kernels.engine import engine
from core.kernels.engine.engine import Array
from core.operators.creation.creation import zeros
from core.tensor import Tensor


class ControlFlowOperator(Operator):
    """Control flow as an operator; see the module's description.

    Attributes:
        kind: What it is called when it is written down.
        subprograms: Its programs by name.
        settings: Literals.
    """

    is_control_flow = True
    kind = ""

    def __init__(self, subprograms: Mapping[str, Subprogram], settings: Mapping[str, Any]) -> None:
        super().__init__(self.kind, None, register=False)
        del self.infer  # the method below; bound here it would keep the control-flow operator alive
        self.subprograms = dict(subprograms)
        self.settings = dict(settings)

    def run(self, inputs: Sequence[Value]) -> list[Value]:
        """Run on eager values."""
        raise NotImplementedError

    def infer(self, metas: Sequence[Meta], attributes: dict[str, Any]) -> Sequence[Meta]:
        """Return the shapes and types of the outputs."""
        raise NotImplementedError

    def draws(self) -> bool:
        """Return whether random numbers are drawn anywhere in it."""
        for program in self.subprograms.values():
            for operator in [operation.operator for operation in program.operations]:
                if operator.random or (isinstance(operator, ControlFlowOperator) and operator.draws()):
                    return True
        return False

    def replay(self, inputs: Sequence[Value], attributes: dict[str, Any]) -> list[Value]:
        """Run, or inside a trace record, this control-flow operator on these values."""
        if dispatcher.state.trace is not None:
            return dispatcher.invoke(self, inputs, attributes)
        return self.run(inputs)

    def execute(
        self, arrays: Sequence[Array], plan: Plan, attributes: dict[str, Any], needs_gradient: bool
    ) -> tuple[list[Array], Any]:
        """Run on engine arrays without a record."""
        with dispatcher.gradient_mode(False):
            return [value.array for value in self.run([dispatcher.constant(array) for array in arrays])], None

    def rule(self, context: Context, *gradients: Optional[Tensor]) -> Sequence[Optional[Tensor]]:
        """Return the gradients of the inputs: what another control-flow operator computes."""
        if self.draws():
            raise OperatorError(
                f"{user_line()}: a branch or loop that depends on a tensor draws random numbers and is differentiated"
                " inside the compiled function: its gradient would draw other numbers; draw them before it"
            )
        given = [gradient is not None for gradient in gradients]
        operator = Gradient(self, list(context.needs), given)
        inputs = [*context.inputs, *[gradient for gradient in gradients if gradient is not None]]
        answers = iter(operator.replay([tensor._value for tensor in inputs], {}))
        return [Tensor(next(answers)) if needed else None for needed in context.needs]


class Conditional(ControlFlowOperator):
    """Runs one of two programs; the first input says which."""

    kind = "conditional"

    def run(self, inputs: Sequence[Value]) -> list[Value]:
        """Read the condition and run the branch that it chooses."""
        return self.subprograms["true" if truth(inputs[0]) else "false"].run(inputs[1:])

    def infer(self, metas: Sequence[Meta], attributes: dict[str, Any]) -> Sequence[Meta]:
        """Return the shapes and types of the outputs."""
        first, second = [self.subprograms[name].infer(metas[1:]) for name in ("true", "false")]
        for one, other in zip(first, second):
            if one != other:
                raise OperatorError(
                    f"conditional: at these sizes one branch gives {one[1].name}{list(one[0])}, the other"
                    f" {other[1].name}{list(other[0])}: a program has one shape for each result"
                )
        return first


class Loop(ControlFlowOperator):
    """Runs its body while its condition holds; the first inputs are the loop variables, which the body renews."""

    kind = "loop"

    def __init__(self, subprograms: Mapping[str, Subprogram], settings: Mapping[str, Any]) -> None:
        super().__init__(subprograms, settings)
        self._iteration = Runner()

    def run(self, inputs: Sequence[Value]) -> list[Value]:
        """Iterate; the body and the condition for the next iteration are one call."""
        count = self.settings["variables"]
        state, read = list(inputs[:count]), inputs[count:]
        proceed = self.subprograms["condition"].run(inputs)[0]
        while truth(proceed):
            *state, proceed = self._iteration.run(self._traced_iteration, [*state, *read])
        return state

    def _traced_iteration(self, inputs: Sequence[Value]) -> list[Value]:
        state = self.subprograms["body"].traced(inputs)
        return [*state, *self.subprograms["condition"].traced([*state, *inputs[len(state) :]])]

    def infer(self, metas: Sequence[Meta], attributes: dict[str, Any]) -> Sequence[Meta]:
        """Return the shapes and types of the outputs."""
        before = list(metas[: self.settings["variables"]])
        after = self.subprograms["body"].infer(metas)
        if before != after:
            raise OperatorError(f"loop: at these sizes the body changes a variable's shape, from {before} to {after}")
        return after


class Print(ControlFlowOperator):
    """Prints text and tensors each time the program runs."""

    kind = "print"

    def run(self, inputs: Sequence[Value]) -> list[Value]:
        """Print to what is standard output now."""
        if not _repeated.silent:
            sys.stdout.write(spelt(self.settings["pieces"], inputs))
        return []

    def infer(self, metas: Sequence[Meta], attributes: dict[str, Any]) -> Sequence[Meta]:
        """Return the shapes and types of the outputs."""
        return []


class Assert(ControlFlowOperator):
    """Raises AssertionError, with the line of the assertion, where its first input is false."""

    kind = "assert"

    def run(self, inputs: Sequence[Value]) -> list[Value]:
        """Check."""
        if not truth(inputs[0]):
            text = spelt(self.settings["pieces"], inputs[1:])
            raise AssertionError(f"{self.settings['line']}: {text or 'the assertion failed'}")
        return []

    def infer(self, metas: Sequence[Meta], attributes: dict[str, Any]) -> Sequence[Meta]:
        """Return the shapes and types of the outputs."""
        return []


class Gradient(ControlFlowOperator):
    """The gradient of another control-flow operator, found by running that once more.

    Args:
        base: The control-flow operator.
        needs: For each of its inputs, whether its gradient is wanted.
        given: For each of its outputs, whether its gradient is among the inputs.
    """

    kind = "gradient"

    def __init__(self, base: ControlFlowOperator, needs: Sequence[bool], given: Sequence[bool]) -> None:
        super().__init__({}, {"needs": list(needs), "given": list(given)})
        self.base = base

    def run(self, inputs: Sequence[Value]) -> list[Value]:
        """Run the control-flow operator, recorded, and then its backward pass."""
        needs = self.settings["needs"]
        recorded = dispatcher.state.gradients
        values, gradients = inputs[: len(needs)], [Tensor(value) for value in inputs[len(needs) :]]
        with dispatcher.gradient_mode(True), _repeated:
            placeholders = [_own(value, recorded) if needed else value for value, needed in zip(values, needs)]
            outputs = [Tensor(value) for value in self.base.run(placeholders)]
            heads = [output for output, given in zip(outputs, self.settings["given"]) if given]
            pairs = [(head, start) for head, start in zip(heads, gradients) if not head.stop_gradient]
            wanted = [Tensor(value) for value, needed in zip(placeholders, needs) if needed]
            found: Sequence[Optional[Tensor]] = [None] * len(wanted)
            if pairs:
                found = grad(
                    [head for head, _ in pairs],
                    wanted,
                    [start for _, start in pairs],
                    create_graph=recorded,
                    allow_unused=True,
                )
            metas = [value.meta for value, needed in zip(values, needs) if needed]
            return [
                zeros(list(meta[0]), meta[1])._value if gradient is None else gradient._value
                for gradient, meta in zip(found, metas)
            ]

    def infer(self, metas: Sequence[Meta], attributes: dict[str, Any]) -> Sequence[Meta]:
        """Return the shapes and types of the outputs."""
        return [meta for meta, needed in zip(metas, self.settings["needs"]) if needed]


def _own(value: Value, recorded: bool) -> Value:
    """Return the value under an identity of its own, so that a value that is two inputs has two gradients."""
    if recorded and value.requires_grad:
        return identity(value)
    return Value(value.array, value.meta, requires_grad=True)


class _Repeated(threading.local):
    """Whether a control-flow operator runs only to be differentiated, so that it must not print again."""

    silent = False

    def __enter__(self) -> None:
        self.previous = [*self.__dict__.get("previous", []), self.silent]
        self.silent = True

    def __exit__(self, *_: object) -> None:
        self.silent = self.previous.pop()


_repeated = _Repeated()

KINDS: dict[str, type[ControlFlowOperator]] = {kind.kind: kind for kind in (Conditional, Loop, Print, Assert)}


def rebuild(
    kind: str,
    subprograms: Mapping[str, Subprogram],
    settings: Mapping[str, Any],
    base: Optional[ControlFlowOperator] = None,
) -> ControlFlowOperator:
    """Make a control-flow operator from what was written down of it.

    Args:
        kind: One of the kinds in the module's description.
        subprograms: Its programs by name.
        settings: Its literals.
        base: For a gradient, the control-flow operator that it is of.

    Raises:
        ValueError: there is no such kind, or a part is missing.
    """
    expected: dict[str, tuple[set[str], set[str]]] = {
        "conditional": ({"true", "false"}, set()),
        "loop": ({"condition", "body"}, {"variables"}),
        "print": (set(), {"pieces"}),
        "assert": (set(), {"pieces", "line"}),
        "gradient": (set(), {"needs", "given"}),
    }
    fits = kind in expected and (set(subprograms), set(settings)) == expected[kind]
    if not fits or (kind == "gradient") != (base is not None):
        parts = f"programs {sorted(subprograms)} and settings {sorted(settings)}"
        raise ValueError(f"there is no control-flow operator {kind!r} with {parts}")
    if base is not None:
        return Gradient(base, settings["needs"], settings["given"])
    return KINDS[kind](subprograms, settings)


def truth(value: Value) -> bool:
    """Return whether a value of one element counts as true."""
    return bool(engine.view(value.array, *value.meta).reshape(-1)[0])


def spelt(pieces: Sequence[Optional[str]], values: Sequence[Value]) -> str:
    """Return the pieces as one text, with a tensor in the place of each None."""
    remaining = iter(values)
    return "".join([str(Tensor(next(remaining))) if piece is None else piece for piece in pieces])

"""How a traced program runs that the engine cannot hold in one graph: stretches of it compiled, control flow between.

A trace without control flow on tensors is one compiled program. Where it contains control-flow operators (a
conditional, a loop, a print) it is cut there: each stretch between two of them is a :class:`Segment`, one call of the
engine, and each control-flow operator decides on the calling thread what runs next. So an assertion fails at the call,
random numbers are drawn in the program's order, and what a branch or an iteration computed is on the record like
anything else that was recorded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Optional

from core.autograd.backward import grad
from core.autograd.context import Context
from core.jit.passes.joined_shifts import with_joined_shifts
from core.jit.passes.regions import with_regions
from core.jit.running.kernel_step import KernelStep
from core.jit.tracing.replay import repeat
from core.kernels.dispatch import dispatcher, lowering
from core.kernels.dispatch.dispatcher import Node, Plan, Value
from core.kernels.dispatch.operator import HostOperator, Operator
from core.kernels.dispatch.trace import Operation, Trace
from core.kernels.engine import engine, graph
from core.kernels.engine.engine import Array, Attributes
from core.operators.creation.creation import assign, zeros
from core.tensor import Tensor

_IDENTITY = Operator("identity", None, register=False)
_IDENTITY.rule = lambda context, gradient: [gradient]


def identity(value: Value) -> Value:
    """Return the same value as a node of its own, so that its gradient counts only what is computed from here on."""
    if not (value.requires_grad and dispatcher.state.gradients):
        return value
    if dispatcher.state.trace is not None:
        return assign(Tensor(value))._value
    node = Node(_IDENTITY, {}, [value], [value.array], [value.meta], None, None)
    return Value(value.array, value.meta, node, 0, True)


class Segment(Operator):
    """Operations without control flow, compiled: one big operator whose gradient is the engine's.

    To be differentiated again, the operations are repeated one by one.

    Args:
        name: What to call it in messages.
        trace: Where the operations were recorded.
        outputs: Values of the trace to return; none of them is one of its variables.
        static: Keep one set of buffers for all calls.
        static_inputs: Positions of the variables that are the same arrays in most calls (parameters).
    """

    def __init__(
        self, name: str, trace: Trace, outputs: Sequence[Value], static: bool, static_inputs: Sequence[int] = ()
    ) -> None:
        super().__init__(name, None, register=False)
        self.variables = trace.variables
        self.operations: Sequence[Operation] = trace.operations
        self.output_values = list(outputs)
        self.output_metas = [value.meta for value in outputs]
        drawn = [value for o in trace.operations if o.operator.random for value in o.outputs]
        self.region: Optional[Operator] = None
        found = with_regions(trace, outputs) or with_joined_shifts(trace, outputs)
        if found is not None:
            trace, outputs, drawn, self.region = found
        made = {id(value): operation for operation in trace.operations for value in operation.outputs}
        self.program = graph.Program(
            [_result(value, made.get(id(value))) for value in outputs],
            trace.inputs,
            static,
            trace.training,
            static_inputs,
            draws=[_drawn(value) for value in drawn],
        )
        if found is not None:
            trace.close()
        self._output_needs = tuple([value.requires_grad for value in outputs])
        self._reached: dict[tuple[bool, ...], list[bool]] = {}

    def run(self, inputs: Sequence[Value]) -> list[Value]:
        """Return the outputs for eager inputs, recorded where a gradient may be wanted."""
        arrays = [value.array for value in inputs]
        if not (dispatcher.state.gradients and any(self._output_needs)):
            return [Value(array, meta) for array, meta in zip(self.program.forward(arrays), self.output_metas)]
        reached = self._reached_from(self._output_needs)
        needs = [value.requires_grad and found for value, found in zip(inputs, reached)]
        outputs, record = self.program.forward_recorded(arrays, needs)
        node = Node(self, {}, inputs, outputs, self.output_metas, record, traced=None)
        return [
            Value(array, meta, node, index, needed)
            for index, (array, meta, needed) in enumerate(zip(outputs, self.output_metas, self._output_needs))
        ]

    def replay(self, inputs: Sequence[Value], attributes: dict[str, Any]) -> list[Value]:
        """Repeat the operations one by one."""
        return repeat(self.variables, self.operations, self.output_values, inputs)

    def execute(
        self, arrays: Sequence[Array], plan: Plan, attributes: dict[str, Any], needs_gradient: bool
    ) -> tuple[list[Array], Any]:
        """Run on engine arrays without a record."""
        return self.program.forward(arrays), None

    def rule(self, context: Context, *gradients: Optional[Tensor]) -> Sequence[Optional[Tensor]]:
        """Return the engine's gradients, or, to differentiate them again, those of the operations one by one."""
        filled = [
            zeros(meta[0], meta[1]) if gradient is None else gradient
            for gradient, meta in zip(gradients, self.output_metas)
        ]
        if not context.create_graph:
            arrays: list[Array] = [gradient._value.array for gradient in filled]
            found = context.saved.backward(arrays, retain=context.retain)
            reached = self._reached_from(tuple([gradient is not None for gradient in gradients]))
            return [
                Tensor(dispatcher.constant(array)) if array is not None and wanted else None
                for array, wanted in zip(found, reached)
            ]
        inputs = [identity(tensor._value) for tensor in context.inputs]
        draws = [dispatcher.constant(array) for array in context.saved.draws]
        outputs = [
            Tensor(value) for value in repeat(self.variables, self.operations, self.output_values, inputs, draws=draws)
        ]
        used = [gradient is not None for gradient in gradients]
        pairs = [(o, g) for o, g, given in zip(outputs, filled, used) if given and not o.stop_gradient]
        wanted = [Tensor(value) for value, needed in zip(inputs, context.needs) if needed]
        answers = iter(grad([o for o, _ in pairs], wanted, [g for _, g in pairs], create_graph=True, allow_unused=True))
        return [next(answers) if needed else None for needed in context.needs]

    def _reached_from(self, used: tuple[bool, ...]) -> list[bool]:
        """Return which variables the gradients of these outputs reach: the others have none, which is not zero."""
        found = self._reached.get(used)
        if found is None:
            live = {id(value) for value, wanted in zip(self.output_values, used) if wanted}
            for operation in reversed(self.operations):
                if operation.gradients and any(v.requires_grad and id(v) in live for v in operation.outputs):
                    live.update([id(value) for value in operation.inputs if value.requires_grad])
            found = self._reached[used] = [id(value) in live for value in self.variables]
        return found


def _result(value: Value, operation: Optional[Operation]) -> graph.Symbol:
    """Return a value as an output of a graph.

    The gradient of a sum of equal shapes is the gradient that is given to the output, under another name; the engine
    finds no operator then that says how it is stored, and fails. Another operator for sums has a gradient of its own.
    """
    if operation is None or operation.operator.same_shape_handle is None or not value.requires_grad:
        return value.array
    operator, metas = operation.operator, [given.meta for given in operation.inputs]
    if metas[0] != metas[1]:  # whatever computes it, it is no sum of equal shapes
        return value.array
    attributes = Attributes(operator.engine_attributes(metas, operation.attributes))
    assert operator.handle is not None
    symbols = [given.array for given in operation.inputs]
    return graph.apply_operator(operator.name, operator.handle, symbols, attributes)[0]


def _drawn(value: Value) -> graph.Symbol:
    """Return a draw as an output of a graph: the engine expects to differentiate every output, and cannot all draws."""
    return value.array if value.meta[1].is_floating else graph.block_gradient(value.array)


class Executable:
    """A traced program, cut at its control-flow operators and ready to run on eager values.

    Args:
        name: What to call it in messages.
        variables: The program's inputs.
        operations: What it does, in order.
        outputs: Its results; variables may be among them.
        static: Keep one set of buffers for all calls.
        static_inputs: Positions of the variables that are the same arrays in most calls (parameters).
        custom_kernels: Whether custom kernels are called between the engine's stretches, instead of by the engine.
        serving: Whether it is an exported program, for a predictor.
        fixed: Positions of the variables that are the same arrays in all calls.
    """

    def __init__(
        self,
        name: str,
        variables: Sequence[Value],
        operations: Sequence[Operation],
        outputs: Sequence[Value],
        static: bool,
        static_inputs: Sequence[int] = (),
        custom_kernels: bool = False,
        serving: bool = False,
        fixed: Sequence[int] = (),
    ) -> None:
        same = {id(variables[i]) for i in static_inputs}
        self.slots = {id(value): i for i, value in enumerate(variables)}
        self.number_of_inputs = len(variables)
        self.steps: list[tuple[Any, list[int], list[int]]] = []
        single = _single_steps(operations, custom_kernels)
        groups = _cut(operations, single)
        wanted: list[set[int]] = []
        later = {id(value) for value in outputs}
        for group in reversed(groups):
            wanted.append(later)
            later = later | {id(value) for operation in group for value in operation.inputs}
        read = {id(value) for group in groups if id(group[0]) not in single for o in group for value in o.inputs}
        own = {id(variables[i]) for i in fixed} - read  # whose memory the engine lays out nowhere
        for group, after in zip(groups, reversed(wanted)):
            if id(group[0]) in single:
                self._add(_single_step(single[id(group[0])], group[0], own), group[0].inputs, group[0].outputs)
                continue
            made = {id(value) for operation in group for value in operation.outputs}
            results = [value for operation in group for value in operation.outputs if id(value) in after]
            if results or any(operation.operator.random for operation in group):
                known = {id(value): value for operation in group for value in operation.inputs if id(value) not in made}
                inputs = list(known.values())
                places = [i for i, value in enumerate(inputs) if id(value) in same]
                self._add(_compiled(name, group, inputs, results, static, places, serving), inputs, results)
        self.outputs = [self.slots[id(value)] for value in outputs]
        self._plan_releases()

    def _add(self, step: Any, inputs: Sequence[Value], outputs: Sequence[Value]) -> None:
        places = [self.slots[id(value)] for value in inputs]
        self.steps.append((step, places, [self.slots.setdefault(id(v), len(self.slots)) for v in outputs]))

    def _plan_releases(self) -> None:
        self.releases: list[list[int]] = []
        kept = set(self.outputs)
        for _, places, results in reversed(self.steps):
            self.releases.append([place for place in {*places, *results} if place not in kept])
            kept.update(places)
        self.releases.reverse()

    def run(self, inputs: Sequence[Value]) -> list[Value]:
        """Return the outputs for eager inputs, recorded where a gradient may be wanted."""
        held: list[Any] = [*inputs, *[None] * (len(self.slots) - self.number_of_inputs)]
        for (step, places, results), released in zip(self.steps, self.releases):
            for place, value in zip(results, step.run([held[i] for i in places])):
                held[place] = value
            for place in released:
                held[place] = None
        return [held[i] for i in self.outputs]


def _serving(operation: Operation) -> Operator:
    """Return what computes an operation of an exported program."""
    metas = [value.meta for value in operation.inputs]
    call = lowering.Call(metas, operation.attributes, lowering.SERVING, [lowering.UNKNOWN] * len(metas))
    return lowering.lowered(operation.operator, call)


class _SingleStep:
    """One control-flow operator or custom kernel, run in the gradient mode in which it was traced."""

    def __init__(self, operation: Operation) -> None:
        self.operation = operation

    def run(self, inputs: Sequence[Value]) -> list[Value]:
        with dispatcher.gradient_mode(dispatcher.state.gradients and self.operation.gradients):
            return self.operation.operator.replay(inputs, self.operation.attributes)


class _ViewStep:
    """The result of a custom kernel in another shape, without a copy."""

    def __init__(self, operation: Operation) -> None:
        self.meta = operation.outputs[0].meta

    def run(self, inputs: Sequence[Value]) -> list[Value]:
        return [Value(engine.reshaped(inputs[0].array, self.meta[0]), self.meta)]


def _single_step(kind: Any, operation: Operation, fixed: AbstractSet[int]) -> Any:
    """Return a step of a class; the arrays of ``fixed`` inputs, by ``id``, are read by such steps alone."""
    if kind is _SingleStep and _serving(operation) is operation.operator and KernelStep.serves(operation):
        return KernelStep(operation, [place for place, value in enumerate(operation.inputs) if id(value) in fixed])
    return kind(operation)


def _single_steps(operations: Sequence[Operation], custom_kernels: bool) -> dict[int, Any]:
    """Return what runs by itself: a class of step by the operation's ``id``."""
    steps: dict[int, Any] = {}
    ours: set[int] = set()
    for operation in operations:
        is_kernel = custom_kernels and isinstance(_serving(operation), HostOperator)
        if is_kernel or operation.operator.is_control_flow:
            steps[id(operation)] = _SingleStep
        elif operation.operator.name == "reshape" and id(operation.inputs[0]) in ours:
            steps[id(operation)] = _ViewStep
            is_kernel = True
        if is_kernel:
            ours.update([id(value) for value in operation.outputs])
    return steps


def _cut(operations: Sequence[Operation], single: Mapping[int, Any]) -> list[list[Operation]]:
    groups: list[list[Operation]] = []
    joinable = False
    for operation in operations:
        if id(operation) in single or not joinable:
            groups.append([operation])
        else:
            groups[-1].append(operation)
        joinable = id(operation) not in single
    return groups


def _compiled(
    name: str,
    operations: Sequence[Operation],
    inputs: Sequence[Value],
    outputs: Sequence[Value],
    static: bool,
    static_inputs: Sequence[int],
    serving: bool,
) -> Segment:
    trace = Trace(serving=serving)
    with trace:
        placeholders = [trace.input(value.meta, value.requires_grad) for value in inputs]
        results = repeat(inputs, operations, outputs, placeholders)
    if trace.captured:
        raise AssertionError(f"{name}: a segment read a value from outside it")
    segment = Segment(name, trace, results, static, static_inputs)
    trace.close()
    return segment

"""Tracing: operators are recorded as a graph instead of being run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Callable, Optional

from core.kernels.dispatch import dispatcher
from core.kernels.dispatch.composition import Composition
from core.kernels.dispatch.dispatcher import Meta, Plan, Value
from core.kernels.dispatch.errors import OperatorError, UnknownSizeError, user_line
from core.kernels.dispatch.known_values import KnownValues, Reads, run
from core.kernels.dispatch.operator import Operator
from core.kernels.engine import custom, graph
from core.kernels.sizes import dimension

DETACH = Operator("detach", "BlockGrad", differentiable=False)


class Operation:
    """One noted-down operation, kept so that a compiled call can be replayed and differentiated again."""

    __slots__ = ("operator", "attributes", "inputs", "outputs", "gradients")

    def __init__(
        self,
        operator: Operator,
        attributes: dict[str, Any],
        inputs: Sequence[Value],
        outputs: Sequence[Value],
        gradients: bool,
    ) -> None:
        self.operator = operator
        self.attributes = attributes
        self.inputs = inputs
        self.outputs = outputs
        self.gradients = gradients


class Trace:
    """One tracing of a function.

    Attributes:
        inputs: The graph's variables, explicit ones first, then captured values in the order of first use.
        captured: ``(value, owner handle or None)`` of each captured eager value.
        updates: Handles that the traced function gave a new value (batch-norm statistics), by ``id``.
        training: Whether an operator in the graph must run in training form.
        layers: ``(layer, its training flag)`` of each layer that ran, by ``id``: the trace holds only for these flags.
        rebound: All handles that moved to another value (``x[i] = v`` too), by ``id``, with the value before.
        rewrite: Makes control flow on tensors out of Python's in a function that is called; None leaves it as it is.
        operations: Everything that was recorded, in order.
        gradients: Whether the program may be differentiated; one traced under no_grad is not.
        symbolic: Whether sizes may be unknown (:mod:`core.kernels.sizes.dimension`). Then only the operations are
            recorded, for two hypotheses about the sizes, and no graph is built.
        serving: Whether the graph is an exported program's, for a predictor.
        labels: What to call each variable.
        guards: Comparisons of unknown sizes that the traced code made.
        known: The numbers that follow from no input.
        reads: The tensors outside whose numbers the traced code read.

    Args:
        symbolic: See above; a trace inside a symbolic one is symbolic too.
        serving: See above; likewise.
    """

    def __init__(self, symbolic: bool = False, serving: bool = False) -> None:
        around: Optional[Trace] = dispatcher.state.trace
        self.symbolic: bool = symbolic or (around is not None and around.symbolic)
        self.serving: bool = serving or (around is not None and around.serving)
        self.labels: list[str] = []
        self.guards: list[dimension.Guard] = []
        self.gradients = dispatcher.state.gradients
        self.inputs: list[graph.Symbol] = []
        self.captured: list[tuple[Value, Any]] = []
        self.updates: dict[int, tuple[Any, Value]] = {}
        self.rebound: dict[int, tuple[Any, Value]] = {}
        outer = dispatcher.state.trace
        self.rewrite: Optional[Callable[[Any], Any]] = outer.rewrite if outer is not None else None
        self.training = False
        self.layers: dict[int, tuple[Any, bool]] = {}
        self.operations: list[Operation] = []
        self.variables: list[Value] = []
        self.known = KnownValues()
        self.reads: Reads = outer.reads if outer is not None else Reads()
        self._symbols: dict[int, Value] = {}
        self._originals: dict[int, Value] = {}
        self._results: dict[tuple[int, int], Value] = {}
        self.outer: Optional[Trace] = None
        self._inside = 0  # a composition, whose operators are no operations of their own

    def __enter__(self) -> Trace:
        self.outer = dispatcher.state.trace
        dispatcher.set_trace(self)
        return self

    def __exit__(self, *_: object) -> None:
        dispatcher.set_trace(self.outer)

    def close(self) -> None:
        """Let go of what was recorded: it lives on in the program made of it, and its values keep this trace."""
        self.inputs, self.variables, self.labels, self.operations, self.captured, self.guards = [], [], [], [], [], []
        self.updates, self.rebound, self.layers, self._symbols, self._originals = {}, {}, {}, {}, {}
        self.known = KnownValues()

    def input(
        self, meta: Meta, requires_grad: bool, label: str = "input", second: Optional[Meta] = None
    ) -> Value:
        """Return a traced value standing for an argument of the program.

        Args:
            meta: Its shape and type.
            requires_grad: Whether gradients flow into it.
            label: What to call it.
            second: Its shape and type in the second shape hypothesis, where a size of it is unknown.
        """
        symbol = None if self.symbolic else graph.variable(label)
        self.labels.append(label)
        self.inputs.append(symbol)
        value = Value(symbol, meta, requires_grad=requires_grad, traced=self)
        value.second = second
        self.variables.append(value)
        return value

    def capture(self, value: Value) -> Value:
        """Return the placeholder of a value from outside that is read here: eager, or of the trace around this one."""
        if value.traced is self:  # a rule sees an operation's results as new values on the same node
            return value if value.node is None else self.result(value)
        found = self._symbols.get(id(value))
        if found is None:
            if value.traced is not None and not self._stands_in(value.traced):
                raise OperatorError(
                    f"{user_line()}: a tensor that was made in a branch or loop, or in another compiled program, is"
                    " used outside it: return it, or assign it to a variable, instead of storing it"
                )
            owner = value.owner() if value.owner is not None else None
            self.captured.append((value, owner))
            found = self.input(value.meta, value.requires_grad, "captured", value.second)
            self._symbols[id(value)] = found
            self._originals[id(found)] = value
        return found

    def original(self, value: Value) -> Optional[Value]:
        """Return the value from outside that one of this trace represents, or None."""
        return self._originals.get(id(value))

    def read(self, value: Value) -> Optional[Value]:
        """Return an eager value with the numbers of one that the traced code reads, or None; what is read is noted."""
        found = self.known.find(self, value)
        for item in self.known.origins(self, value) if found is not None else ():
            self.reads.note(item)
        return found

    def result(self, value: Value) -> Value:
        """Return the result of an operation of this trace that a value from the record represents."""
        return self._results.get((id(value.node), value.index), value)

    def _stands_in(self, other: Trace) -> bool:
        """Return whether this trace is being made inside another."""
        around = self.outer
        while around is not None and around is not other:
            around = around.outer
        return around is other

    def adopt(self, value: Value, owner: Any) -> None:
        """Note whose value a captured one is: later calls read what that handle holds then."""
        trace: Optional[Trace] = self
        while trace is not None:
            trace.captured = [(known, owner if known is value else other) for known, other in trace.captured]
            trace = trace.outer

    def is_input(self, value: Value) -> bool:
        """Return whether a value is an input of the graph, or becomes one on use, rather than a result in it."""
        return value.traced is not self or any(value is known for known in self.variables)

    def detached(self, value: Value) -> Value:
        """Return the same value, through which no gradient flows."""
        return dispatcher.invoke(DETACH, [value], {})[0]

    def invoke(self, operator: Operator, inputs: Sequence[Value], attributes: dict[str, Any]) -> list[Value]:
        """Record one operator; the counterpart of :func:`core.kernels.dispatch.dispatcher.invoke`."""
        if operator.needs_float32([value.meta for value in inputs]):
            return dispatcher.in_float32(operator, inputs, attributes)
        if operator.data_dependent:
            known = [self.read(value) for value in inputs]
            if all(value is not None for value in known):
                return run(operator, [value for value in known if value is not None], attributes)
        originals = inputs
        inputs = [self.capture(value) for value in inputs]
        metas = [value.meta for value in inputs]
        numbers = attributes
        if self.symbolic:
            attributes = self.captured_sizes(attributes)
            numbers = dimension.in_hypothesis(attributes, 0)
        if self.symbolic:
            plan = dispatcher.plan_of(operator, metas, numbers)
        else:
            plan = dispatcher.plan_in_graph(operator, inputs, attributes)
        output_metas = dispatcher.traced_metas(operator, plan, metas, numbers)
        outputs = self._computed(operator, plan, inputs, attributes, output_metas)
        gradients = dispatcher.state.gradients
        followed = operator.differentiable and any(value.requires_grad for value in inputs)
        if self.gradients and operator.differentiable and not self.symbolic and not operator.is_control_flow:
            # the engine would let a gradient through integers and no_grad; a block costs a copy, so only there
            outputs = [
                symbol if meta[1].is_floating and (gradients or not followed) else graph.block_gradient(symbol)
                for symbol, meta in zip(outputs, output_metas)
            ]
        if self._inside:
            needs = followed and gradients
            return [
                Value(symbol, meta, requires_grad=needs and meta[1].kind == "f", traced=self)
                for symbol, meta in zip(outputs, output_metas)
            ]
        if followed and gradients:
            # the record keeps what came from outside itself, so that grad() inside the traced function finds parameters
            results = dispatcher.record(operator, attributes, originals, outputs, output_metas, None, traced=self)
            self._results.update({(id(value.node), value.index): value for value in results})
            if plan.noted:
                results[0].note_format(plan.noted)
        else:
            results = [Value(symbol, meta, traced=self) for symbol, meta in zip(outputs, output_metas)]
        if self.symbolic:
            self._infer_second(operator, inputs, attributes, results)
        self.operations.append(Operation(operator, attributes, inputs, results, gradients))
        return results

    def _computed(
        self,
        operator: Operator,
        plan: Plan,
        inputs: Sequence[Value],
        attributes: dict[str, Any],
        output_metas: Sequence[Meta],
    ) -> Sequence[Any]:
        """Return the outputs in the engine's graph, made by what computes the operator."""
        if self.symbolic:
            return [None] * len(output_metas)
        if operator.is_control_flow:  # a program is cut here: to what follows these are inputs
            return [graph.variable(operator.name) for _ in output_metas]
        chosen = plan.operator
        if isinstance(chosen, Composition):
            self._inside += 1
            try:
                results = chosen.results(inputs, attributes)
            finally:
                self._inside -= 1
            return [self.capture(value).array for value in results]
        metas, symbols = plan.given, [value.array for value in inputs]
        needs = [value.requires_grad for value in inputs]
        self.training = self.training or chosen.training
        if chosen.runs_custom(metas, attributes, any(needs) or not self.gradients):
            return custom.apply(chosen, symbols, attributes, metas, output_metas)[: len(output_metas)]
        # in inference form the engine converts the layout of weights
        self.training = self.training or chosen.needs_custom_operator
        # the engine cannot differentiate its operators on equal shapes with respect to one input only
        handle = plan.handle if all(needs) or not any(needs) else chosen.handle
        assert handle is not None
        return chosen.in_graph(handle, symbols, plan.attributes, metas, attributes)[: len(output_metas)]

    def captured_sizes(self, attributes: Any) -> Any:
        """Return attributes whose unknown sizes are sizes of values of this trace, not of an outer one."""

        def inside(size: dimension.Expression) -> Any:
            return size.evaluate(lambda value, axis: dimension.symbolic_shape(self.capture(value))[axis])

        return dimension.transformed(attributes, inside) if dimension.contains_dimension(attributes) else attributes

    def _infer_second(
        self, operator: Operator, inputs: Sequence[Value], attributes: dict[str, Any], results: Sequence[Value]
    ) -> None:
        """Give results their shapes in the second shape hypothesis, where these depend on an unknown size."""
        if all(value.second is None for value in inputs) and not dimension.contains_dimension(attributes):
            return
        metas = [value.second or value.meta for value in inputs]
        try:
            options = dimension.in_hypothesis(attributes, 1)
            seconds = dispatcher.traced_metas(operator, dispatcher.plan_of(operator, metas, options), metas, options)
        except OperatorError as error:
            sizes = ", ".join(dimension.shape_text(value) for value in inputs)
            raise UnknownSizeError(
                f"{user_line()}: {operator.name} works for one size of an unknown axis and not for another (inputs"
                f" {sizes}): a number was computed where the size itself is needed, or the InputSpec must give the size"
                f" or other examples; {error}"
            ) from None
        for value, second in zip(results, seconds):
            if len(second[0]) != len(value.meta[0]) or second[1] is not value.meta[1]:
                raise UnknownSizeError(
                    f"{user_line()}: the number of axes of {operator.name}'s result depends on an unknown size"
                    f" ({value.meta[0]} or {second[0]}): give the size in the InputSpec"
                )
            value.second = second if second != value.meta else None

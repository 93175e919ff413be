"""Tracing: the door's other side, where operators are noted down as a graph instead of being run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

from core.kernels import custom, door, graph
from core.kernels.door import Meta, Value
from core.kernels.operator import Operator

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
        operations: Everything that was noted down, in order.
    """

    def __init__(self) -> None:
        self.inputs: list[graph.Symbol] = []
        self.captured: list[tuple[Value, Any]] = []
        self.updates: dict[int, tuple[Any, Value]] = {}
        self.training = False
        self.layers: dict[int, tuple[Any, bool]] = {}
        self.operations: list[Operation] = []
        self.variables: list[Value] = []
        self._symbols: dict[int, Value] = {}
        self._previous: Optional[Trace] = None

    def __enter__(self) -> Trace:
        self._previous = door.state.trace
        door.state.trace = self
        return self

    def __exit__(self, *_: object) -> None:
        door.state.trace = self._previous

    def input(self, meta: Meta, requires_grad: bool, label: str = "input") -> Value:
        """Return a traced value standing for an argument of the program."""
        symbol = graph.variable(label)
        self.inputs.append(symbol)
        value = Value(symbol, meta, requires_grad=requires_grad, traced=self)
        self.variables.append(value)
        return value

    def capture(self, value: Value) -> Value:
        """Return the stand-in of a value from outside that is read here: eager, or of the trace around this one."""
        if value.traced is self:
            return value
        found = self._symbols.get(id(value))
        if found is None:
            owner = value.owner() if value.owner is not None else None
            self.captured.append((value, owner))
            found = self.input(value.meta, value.requires_grad, "captured")
            self._symbols[id(value)] = found
        return found

    def is_input(self, value: Value) -> bool:
        """Return whether a value is an input of the graph, or becomes one on use, rather than a result in it."""
        return value.traced is not self or any(value is known for known in self.variables)

    def invoke(self, operator: Operator, inputs: Sequence[Value], attributes: dict[str, Any]) -> list[Value]:
        """Note one operator down; the counterpart of :func:`core.kernels.door.invoke`."""
        originals = inputs
        inputs = [self.capture(value) for value in inputs]
        metas = [value.meta for value in inputs]
        plan = operator.plans.get((*attributes.items(), *metas))
        if plan is None:
            plan = door.make_plan(operator, metas, attributes)
        output_metas = door.traced_metas(operator, plan, metas, attributes)
        self.training = self.training or operator.training
        symbols = [value.array for value in inputs]
        if operator.trap:
            outputs = custom.apply(operator, symbols, attributes, metas, output_metas)
        else:
            assert operator.handle is not None
            outputs = graph.apply_operator(operator.name, operator.handle, symbols, plan.attributes)
        outputs = outputs[: len(output_metas)]
        gradients = door.state.gradients
        if operator.differentiable:  # no gradient flows through integers; the engine would let it pass a cast to them
            outputs = [
                symbol if meta[1].is_floating else graph.block_gradient(symbol)
                for symbol, meta in zip(outputs, output_metas)
            ]
        if gradients and operator.differentiable and any(value.requires_grad for value in inputs):
            # the record keeps what came from outside itself, so that grad() inside the traced function finds parameters
            results = door.record(operator, attributes, originals, outputs, output_metas, None, traced=self)
        else:
            if not gradients and operator.differentiable:
                outputs = [graph.block_gradient(symbol) for symbol in outputs]
            results = [Value(symbol, meta, traced=self) for symbol, meta in zip(outputs, output_metas)]
        self.operations.append(Operation(operator, attributes, inputs, results, gradients))
        return results

"""Tracing: the door's other side, where operators are noted down as a graph instead of being run."""

from __future__ import annotations

from typing import Any, Optional, Sequence

from core.kernels import custom, door, graph
from core.kernels.door import Meta, Value
from core.kernels.operator import Operator


class Trace:
    """One tracing of a function.

    Attributes:
        inputs: The graph's variables, explicit ones first, then captured values in the order of first use.
        captured: ``(value, owner handle or None)`` of each captured eager value.
        updates: Handles that the traced function gave a new value (batch-norm statistics), by ``id``.
        training: Whether an operator in the graph must run in training form.
    """

    def __init__(self) -> None:
        self.inputs: list[graph.Symbol] = []
        self.captured: list[tuple[Value, Any]] = []
        self.updates: dict[int, tuple[Any, Value]] = {}
        self.training = False
        self._symbols: dict[int, Value] = {}
        self._previous: Optional[Trace] = None

    def __enter__(self) -> "Trace":
        self._previous = door.state.trace
        door.state.trace = self
        return self

    def __exit__(self, *_: object) -> None:
        door.state.trace = self._previous

    def input(self, meta: Meta, requires_grad: bool, label: str = "input") -> Value:
        """Return a traced value standing for an argument of the program."""
        symbol = graph.variable(label)
        self.inputs.append(symbol)
        return Value(symbol, meta, requires_grad=requires_grad, traced=True)

    def capture(self, value: Value) -> Value:
        """Return the traced stand-in of an eager value that the function reads (a parameter, a constant)."""
        if value.traced:
            return value
        found = self._symbols.get(id(value))
        if found is None:
            owner = value.owner() if value.owner is not None else None
            self.captured.append((value, owner))
            found = self.input(value.meta, value.requires_grad, "captured")
            self._symbols[id(value)] = found
        return found

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
        if door.state.gradients and operator.differentiable and any(value.requires_grad for value in inputs):
            # the record keeps the eager leaves themselves, so that grad() inside the traced function finds parameters
            kept = [eager if not eager.traced else inner for eager, inner in zip(originals, inputs)]
            return door.record(operator, attributes, kept, outputs, output_metas, None, traced=True)
        if not door.state.gradients and operator.differentiable:
            outputs = [graph.block_gradient(symbol) for symbol in outputs]
        return [Value(symbol, meta, traced=True) for symbol, meta in zip(outputs, output_metas)]

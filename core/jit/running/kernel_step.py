"""How a running program calls one custom kernel: sizes, types and the memory of weights are those of the last call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.kernels.dispatch import dispatcher
from core.kernels.dispatch.dispatcher import Value
from core.kernels.dispatch.operator import HostOperator
from core.kernels.dispatch.trace import Operation
from core.kernels.dtypes import bfloat16
from core.kernels.engine import engine, host_array


class KernelStep:
    """One custom kernel that fills memory; an operator's call, which looks for its plan, takes twice as long as this.

    Args:
        operation: What it computes, of an operator that is no other one in the end.
        fixed: Places of inputs that are the same arrays in all calls, and whose memory the engine lays out nowhere.
    """

    def __init__(self, operation: Operation, fixed: Sequence[int]) -> None:
        self.operation = operation
        self._given = [value.meta for value in operation.inputs]
        self._made = [value.meta for value in operation.outputs]
        self._fixed = frozenset(fixed)
        self._views: dict[int, tuple[Any, Any]] = {}

    @staticmethod
    def serves(operation: Operation) -> bool:
        """Return whether an operation can be called so."""
        operator, values = operation.operator, (*operation.inputs, *operation.outputs)
        fills = isinstance(operator, HostOperator) and operator.fills and operator.is_direct
        fills = fills and engine.COMPUTES_AT_ONCE  # else memory would be waited for, as an operator's call does
        return fills and not any(value.meta[1] is bfloat16 or 0 in value.meta[0] for value in values)

    def run(self, inputs: Sequence[Value]) -> list[Value]:
        """Return the outputs for eager inputs."""
        operator, attributes, recorded = self.operation.operator, self.operation.attributes, self.operation.gradients
        recorded = recorded and dispatcher.state.gradients and any(value.requires_grad for value in inputs)
        known = [value.meta for value in inputs] == self._given
        if recorded or not known or dispatcher.state.context & dispatcher.UNUSUAL:
            with dispatcher.gradient_mode(dispatcher.state.gradients and self.operation.gradients):
                return operator.replay(inputs, attributes)
        assert isinstance(operator, HostOperator)
        with engine.engine_lock:
            views = [self._view(place, value) for place, value in enumerate(inputs)]
            targets = [engine.empty(*meta) for meta in self._made]
            made = [host_array.readable(array, *meta) for array, meta in zip(targets, self._made)]
            operator.fill(views, made, attributes)
        return [Value(array, meta) for array, meta in zip(targets, self._made)]

    def _view(self, place: int, value: Value) -> Any:
        if place not in self._fixed:
            return host_array.readable(value.held, *value.meta)
        array = value.array
        known = self._views.get(place)
        if known is None or known[0] is not array:
            known = self._views[place] = array, engine.view(array, *value.meta)
        return known[1]

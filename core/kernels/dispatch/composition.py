"""Operators computed by several others, which the record of operations and exported programs do not see."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Callable, Optional

from core.kernels.dispatch import dispatcher
from core.kernels.dispatch.dispatcher import Plan, Value
from core.kernels.dispatch.operator import REGISTRY, Operator
from core.kernels.engine.engine import Array


class Composition(Operator):
    """Other operators in the place of one; in a graph the engine differentiates these.

    Args:
        function: Takes the input values, and the attributes of the call as keywords; applies operators to them, each of
            which is lowered in turn; returns the value, or a list of values, that the operator would give.
        keeps: Whether it returns two things, that and a list of values that the differentiation rule of an eager call
            finds in ``context.saved``.
    """

    def __init__(self, function: Callable[..., Any], keeps: bool = False) -> None:
        super().__init__(getattr(function, "__name__", "composition"), None, register=False)
        self.function = function
        self.keeps = keeps

    def engine_attributes(self, metas: Sequence[dispatcher.Meta], attributes: dict[str, Any]) -> dict[str, Any]:
        """The engine sees the attributes of the other operators."""
        return {}

    def execute(
        self, arrays: Sequence[Array], plan: Plan, attributes: dict[str, Any], needs_gradient: bool
    ) -> tuple[list[Array], Any]:
        """Compute; nothing is recorded, because the values here need no gradient."""
        values = [Value(array, meta) for array, meta in zip(arrays, plan.given)]
        results, kept = self._run(values, attributes)
        return [value.held for value in results], kept if needs_gradient else None

    def results(self, inputs: Sequence[Value], attributes: dict[str, Any]) -> Sequence[Value]:
        """Return the results for eager or traced values, in the types that they have."""
        return self._run(inputs, attributes)[0]

    def _run(
        self, inputs: Sequence[Value], attributes: dict[str, Any]
    ) -> tuple[Sequence[Value], Optional[Sequence[Value]]]:
        if dispatcher.state.precision is None:
            found = self.function(*inputs, **attributes)
        else:
            with dispatcher.precision_mode(None):
                found = self.function(*inputs, **attributes)
        found, kept = found if self.keeps else (found, None)
        return [found] if isinstance(found, Value) else found, kept


def apply(name: str, *values: Value, **attributes: Any) -> Value:
    """Return the first result of a declared operator."""
    return dispatcher.invoke(REGISTRY[name], values, attributes)[0]

"""Numbers that a trace can read while it is being made: those that follow from no input of the program.

A graph that is built inside a compiled function, or that it takes from outside, is the same in every call: what
is counted and sorted in it is worked out once, as the function is traced, and the results are constants of the program.
What was read is remembered: a program whose constants would be others now is not run.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from core.kernels.dispatch import dispatcher
from core.kernels.dispatch.dispatcher import Value
from core.kernels.engine import engine
from core.kernels.sizes import dimension

if TYPE_CHECKING:
    from core.kernels.dispatch.operator import Operator
    from core.kernels.dispatch.trace import Operation, Trace


class KnownValues:
    """The values of a trace that follow from what it captured, worked out on demand."""

    def __init__(self) -> None:
        self._makers: dict[int, tuple[Operation, int]] = {}
        self._noted = 0
        self._found: dict[int, Optional[Value]] = {}
        self._traced_back: set[int] = set()

    def find(self, trace: Trace, value: Value) -> Optional[Value]:
        """Return the eager value that a value has in every run, or None.

        Args:
            trace: whose known values these are.
            value: an eager value, or one of the trace or of one around it.
        """
        if value.traced is None:
            return None if value.requires_grad or value.array is None else value
        if value.traced is not trace:
            return None if trace.outer is None else trace.outer.known.find(trace.outer, value)
        for operation in trace.operations[self._noted :]:
            self._makers.update({id(made): (operation, i) for i, made in enumerate(operation.outputs)})
        self._noted = len(trace.operations)
        waiting = [trace.result(value)]
        while waiting:
            current = waiting[-1]
            missing = [item for item in self._needs(current) if id(item) not in self._found]
            if missing:
                waiting += missing
            else:
                self._work_out(trace, waiting.pop())
        return self._found[id(trace.result(value))]

    def origins(self, trace: Trace, value: Value) -> list[Value]:
        """Return the eager values that a known value follows from, but for those that were returned before.

        Args:
            trace: whose known values these are.
            value: what :meth:`find` knows.
        """
        if value.traced is None:
            return [value]
        if value.traced is not trace:
            return [] if trace.outer is None else trace.outer.known.origins(trace.outer, value)
        origins: list[Value] = []
        waiting = [trace.result(value)]
        while waiting:
            current = waiting.pop()
            if id(current) in self._traced_back:
                continue
            self._traced_back.add(id(current))
            original = trace.original(current)
            if original is not None:
                origins += self.origins(trace, original)
            waiting += self._needs(current)
        return origins

    def _needs(self, value: Value) -> Sequence[Value]:
        """Return the values of this trace that a value is made of."""
        operation = self._makers.get(id(value), (None, 0))[0]
        return () if operation is None or not _repeats(operation) else operation.inputs

    def _work_out(self, trace: Trace, value: Value) -> None:
        if id(value) in self._found:
            return
        original = trace.original(value)
        if original is not None:
            self._found[id(value)] = self.find(trace, original)
            return
        operation = self._makers.get(id(value), (None, 0))[0]
        inputs = [] if operation is None else [self._found.get(id(item)) for item in operation.inputs]
        if operation is None or not _repeats(operation) or any(item is None for item in inputs):
            self._found[id(value)] = None
            return
        results = run(operation.operator, [item for item in inputs if item is not None], operation.attributes)
        self._found.update({id(made): result for made, result in zip(operation.outputs, results)})


def _repeats(operation: Operation) -> bool:
    """Return whether an operation gives the same in every run, for the same inputs."""
    operator = operation.operator
    return not (operator.random or operator.is_control_flow or dimension.contains_dimension(operation.attributes))


def run(operator: Operator, inputs: Sequence[Value], attributes: dict[str, Any]) -> list[Value]:
    """Run one operation at once, on eager values, while a trace is being made.

    Args:
        operator: what to run.
        inputs: its inputs.
        attributes: its attributes.
    """
    state = dispatcher.state
    trace = state.trace
    with dispatcher.gradient_mode(False), dispatcher.precision_mode(None):
        dispatcher.set_trace(None)
        try:
            return dispatcher.invoke(operator, inputs, attributes)
        finally:
            dispatcher.set_trace(trace)


class Reads:
    """What a trace read of the tensors around it, and whether these still hold the same numbers."""

    def __init__(self) -> None:
        self._entries: dict[int, tuple[Any, Value, np.ndarray]] = {}
        self._written = -1

    def note(self, value: Value) -> None:
        """Remember the numbers of an eager value that has a handle: others may be written there."""
        owner = value.owner() if value.owner is not None else None
        if owner is not None and id(value) not in self._entries:
            self._entries[id(value)] = (owner, value, engine.to_numpy(value.array, *value.meta))

    def forget(self, handles: Sequence[Any]) -> None:
        """Do not look at some tensors any more: the program itself gives them new values."""
        self._entries = {
            key: entry for key, entry in self._entries.items() if all(entry[0] is not handle for handle in handles)
        }

    def hold(self) -> bool:
        """Return whether every tensor that was read holds what it held then."""
        if not self._entries:
            return True
        written = dispatcher.written()
        for owner, value, numbers in self._entries.values():
            current = owner._value
            if current is value and written == self._written:
                continue
            if current.traced is not None or current.array is None or current.meta != value.meta:
                return False
            if not np.array_equal(engine.to_numpy(current.array, *current.meta), numbers, equal_nan=True):
                return False
        self._written = written
        return True

"""One traced program inside a control-flow operator, compiled for each signature of inputs that it meets."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

from core.jit.running.segments import Executable
from core.jit.tracing.replay import repeat
from core.kernels.dispatch import dispatcher
from core.kernels.dispatch.dispatcher import Meta, Value
from core.kernels.dispatch.trace import Operation, Trace
from core.kernels.engine import engine, forked
from core.kernels.sizes.dimension import Guard

MAXIMUM_EXECUTABLES = 8


class Runner:
    """Compiles what is computed from traced values, for each signature of eager ones; the latest are kept."""

    def __init__(self) -> None:
        self._executables: OrderedDict[Any, tuple[Executable, list[Value]]] = OrderedDict()
        self._lock = forked.survives(threading.RLock())

    def run(self, traced: Callable[[Sequence[Value]], list[Value]], inputs: Sequence[Value]) -> list[Value]:
        """Return the results, recorded where they need gradients.

        Args:
            traced: Returns the results for inputs of the current trace.
            inputs: Eager values.
        """
        key = (dispatcher.state.gradients, *[(value.meta, value.requires_grad) for value in inputs])
        with self._lock:
            found = self._executables.get(key)
            if found is None:
                trace = Trace()
                with trace:
                    placeholders = [trace.input(value.meta, value.requires_grad) for value in inputs]
                    outputs = [trace.capture(value) for value in traced(placeholders)]
                constants = [value for value, _ in trace.captured]  # what depends on sizes alone
                apart = engine.on_cpu() and not dispatcher.state.gradients  # a custom call inside costs much
                given = ("a branch or loop", trace.variables, trace.operations, outputs)
                executable = Executable(*given, static=False, custom_kernels=apart)
                trace.close()
                found = self._executables[key] = (executable, constants)
                if len(self._executables) > MAXIMUM_EXECUTABLES:
                    self._executables.popitem(last=False)
        executable, constants = found
        return executable.run([*inputs, *constants])


class Subprogram:
    """One traced program inside a control-flow operator.

    Args:
        variables: Its inputs; values of a trace of its own.
        operations: What it does, in order.
        outputs: Its results.
        guards: Comparisons of unknown sizes that hold in it.
    """

    def __init__(
        self,
        variables: Sequence[Value],
        operations: Sequence[Operation],
        outputs: Sequence[Value],
        guards: Sequence[Guard] = (),
    ) -> None:
        self.variables = list(variables)
        self.operations = list(operations)
        self.outputs = list(outputs)
        self.guards = list(guards)
        self._runner = Runner()

    def run(self, inputs: Sequence[Value]) -> list[Value]:
        """Return the outputs for eager inputs, compiled for their shapes and recorded where they need gradients."""
        return self._runner.run(self.traced, inputs)

    def traced(self, inputs: Sequence[Value]) -> list[Value]:
        """Repeat the operations on other values and return what the outputs become."""
        return repeat(self.variables, self.operations, self.outputs, inputs, self.guards)

    def infer(self, metas: Sequence[Meta]) -> list[Meta]:
        """Return the outputs' shapes and types for inputs of these."""
        for hypothesis in (_first, _second):
            if list(metas) == [hypothesis(value) for value in self.variables]:
                return [hypothesis(value) for value in self.outputs]
        trace = Trace()
        with trace:
            placeholders = [trace.input(meta, False) for meta in metas]
            outputs = self.traced(placeholders)
        return [value.meta for value in outputs]


def _first(value: Value) -> Meta:
    return value.meta


def _second(value: Value) -> Meta:
    return value.second or value.meta

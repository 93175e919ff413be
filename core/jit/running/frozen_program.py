"""A compiled function whose weights rest runs, without gradients, in the form that an export of it would have.

Weights may change between two calls, so that a compiled function keeps batch normalisation by itself, casts weights in
each call, and leaves images in the order that the engine likes. Once nothing has been written for some calls, what
depends on weights alone is computed ahead (:mod:`core.jit.passes.fusion`); after a write the usual form is back.
Which form runs follows from the calls and writes so far, never from time: a run that is repeated gives the same bits.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from typing import Callable, Optional

import numpy as np

from core.jit.exported.from_trace import converted
from core.jit.exported.rounding import ROUNDING, distance_between
from core.jit.input_spec import InputSpec
from core.jit.passes.fusion import ANCHORS, optimized
from core.jit.passes.passes import without_unneeded
from core.jit.running.engine_program import EngineProgram
from core.jit.tracing.symbolic import SymbolicProgram
from core.kernels.dispatch import dispatcher
from core.kernels.dispatch.dispatcher import Value
from core.kernels.dispatch.operator import is_declared
from core.kernels.dispatch.trace import Operation, Trace
from core.kernels.engine import engine, forked
from core.kernels.engine.engine import Array, MXNetError
from core.tensor import Tensor

logger = logging.getLogger("core.jit")

FROZEN_CALLS = 16
"""Calls without a write before them, after which the other form takes over."""


class FrozenProgram:
    """Both forms of a compiled function without gradients, and which of them is to run.

    Made where the function was traced: if that was in mixed precision, float32 may take bfloat16's place.

    Args:
        name: What to call it in messages.
        variables: The program's inputs.
        operations: What it does, in order.
        outputs: Its results.
        weights: Position among the inputs from which on they are captured tensors.
        usual: Runs the usual form.
    """

    def __init__(
        self,
        name: str,
        variables: Sequence[Value],
        operations: Sequence[Operation],
        outputs: Sequence[Value],
        weights: int,
        usual: Callable[[Sequence[Value]], list[Value]],
    ) -> None:
        self.name = name
        self.variables = variables
        self.operations = operations
        self.outputs = outputs
        self.first_weight = weights
        self.usual = usual
        self.is_mixed = dispatcher.state.precision is not None
        self._lock = forked.survives(threading.Lock())
        self._weights: list[Array] = []
        self._written = -1
        self._calls = 0
        self._program: Optional[EngineProgram] = None
        self._refused = False

    @property
    def is_active(self) -> bool:
        """Whether the folded form has taken over."""
        return self._program is not None

    def run(self, inputs: Sequence[Value]) -> list[Value]:
        """Return the results for eager inputs, without a record."""
        arrays = [value.array for value in inputs]
        with self._lock:
            self._notice_writes(arrays[self.first_weight :])
            self._calls += 1
            program = self._program
            due = self._calls == FROZEN_CALLS and not self._refused
        if program is None:
            results = self.usual(inputs)
            if due:
                self._take_over(arrays, results)
            return results
        made = program.forward(arrays[: self.first_weight])
        return [Value(array, value.meta) for array, value in zip(made, self.outputs)]

    def _notice_writes(self, weights: list[Array]) -> None:
        written = dispatcher.written()
        same = len(weights) == len(self._weights) and all(a is b for a, b in zip(weights, self._weights))
        if written != self._written or not same:
            self._written, self._weights, self._calls, self._program = written, weights, 0, None

    def _take_over(self, arrays: Sequence[Array], results: Sequence[Value]) -> None:
        """Make the folded form and let it run from now on, if it gives what the usual one gave."""
        problem = ""
        try:
            with dispatcher.gradient_mode(False), dispatcher.precision_mode(None):
                program = self._folded(arrays[self.first_weight :])
            problem = _difference(program.forward(arrays[: self.first_weight]), results, self._tolerance())
        except (ArithmeticError, LookupError, MXNetError, TypeError, ValueError) as error:
            problem = f"{type(error).__name__} {engine.first_line(str(error))}"
        with self._lock:
            if problem:
                self._refused = True
                logger.info("%s keeps its usual form: folded, %s", self.name, problem)
            elif self._calls >= FROZEN_CALLS:  # nothing was written meanwhile
                self._program = program

    def _tolerance(self) -> float:
        """Return how far results may be apart, relative to the largest: as the coarsest type of the program rounds."""
        names = {value.meta[1].name for operation in self.operations for value in operation.outputs}
        return max([ROUNDING.get(name, 0.0) for name in names])

    def _folded(self, weights: Sequence[Array]) -> EngineProgram:
        metas = [value.meta for value in self.variables]
        specs = [InputSpec(list(s), dtype, f"input{i}") for i, (s, dtype) in enumerate(metas[: self.first_weight])]
        captured = [(Value(array, meta), None) for array, meta in zip(weights, metas[self.first_weight :])]
        traced = SymbolicProgram(specs, self.operations, self.variables, captured, self.outputs, None, [], [])
        program = optimized(without_unneeded(converted(traced, [], None, {}, self.name)), self.is_mixed)
        made = {name: engine.from_numpy(weight.array, weight.dtype) for name, weight in program.weights.items()}
        return EngineProgram(program, made, [spec.shape for spec in specs])


def can_freeze(trace: Trace, operations: Sequence[Operation]) -> bool:
    """Return whether a trace could run folded, and would gain by it: it computes in the layers that weights go into."""
    return (
        engine.device_text().startswith("cpu")
        and not trace.training
        and not trace.updates
        and any(operation.operator.name in ANCHORS for operation in operations)
        and all(
            is_declared(operation.operator) and not operation.operator.is_control_flow and not operation.operator.random
            for operation in operations
        )
    )


def _difference(arrays: Sequence[Array], results: Sequence[Value], tolerance: float) -> str:
    """Return what is wrong with the folded form's results, or nothing; whole numbers must be the same."""
    for array, usual in zip(arrays, results):
        ours, theirs = [Tensor(Value(a, usual.meta)).as_float_numpy() for a in (array, usual.array)]
        distance = distance_between(ours, theirs, smallest_scale=float(np.finfo(np.float64).tiny))
        if distance > (tolerance if ours.dtype.kind == "f" else 0):
            return f"its results differ by {distance:.2g} of the largest"
    return ""

"""An exported program compiled by the engine for one set of input sizes."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Optional

import numpy as np

from core.jit.exported.interpreter import replay
from core.jit.exported.program import ExportedProgram, has_control_flow
from core.jit.passes.custom_kernels import is_for_custom_kernels
from core.jit.passes.fusion import is_fusable
from core.jit.passes.passes import is_random
from core.jit.running.segments import Executable
from core.kernels.dispatch import dispatcher
from core.kernels.dispatch.dispatcher import Meta, Value
from core.kernels.dispatch.trace import Trace
from core.kernels.dtypes import bfloat16
from core.kernels.engine import engine, forked, graph
from core.kernels.engine.engine import Array
from core.operators.creation.creation import assign
from core.tensor import Tensor


class EngineProgram:
    """One callable of numpy arrays, safe to call from many threads at once.

    Args:
        program: What to compile.
        weights: Engine memory of its weights, which nothing but such programs may read: the engine re-lays weights in
            place when it first runs.
        shapes: Of the inputs.
        fuse: Whether the engine's fusion passes are applied.
        results: Names of the values to return; the program's outputs when None.
    """

    def __init__(
        self,
        program: ExportedProgram,
        weights: Mapping[str, Array],
        shapes: Sequence[tuple[int, ...]],
        fuse: bool = True,
        results: Optional[Sequence[str]] = None,
    ) -> None:
        self.metas: list[Meta] = [(tuple(shape), entry.dtype) for shape, entry in zip(shapes, program.inputs)]
        with dispatcher.gradient_mode(False):
            trace = Trace(serving=True)
            with trace:
                values = {e.name: trace.input(meta, False, "input") for e, meta in zip(program.inputs, self.metas)}
                for name, weight in program.weights.items():
                    values[name] = trace.input((weight.array.shape, weight.dtype), False, "weight")
                given = {id(value) for value in values.values()}
                known = replay(program, values)
                outputs = [known[name] for name in (program.outputs if results is None else results)]
                outputs = [
                    assign(Tensor(value))._value if id(value) in given or value.traced is not trace else value
                    for value in outputs
                ]
        symbols = [value.array for value in outputs]
        if is_random(program.nodes):  # the engine wants to differentiate every output, and cannot all draws
            symbols = [graph.block_gradient(symbol) for symbol in symbols]
        self.output_metas = [value.meta for value in outputs]
        self._weights = [weights[name] for name in program.weights]
        self._weights += [value.array for value, _ in trace.captured]
        count = len(self.metas)
        self._parts: Optional[Executable] = None
        self._program: Optional[graph.Program] = None
        own = is_for_custom_kernels(program)
        if own or has_control_flow(program):  # the engine has no graph for it: stretches of it are compiled
            given_to = (program.name, trace.variables, trace.operations, outputs)
            fixed = range(count, count + len(self._weights))
            self._parts = Executable(*given_to, static=True, custom_kernels=own, serving=True, fixed=fixed)
            self._constants = [Value(a, v.meta) for a, v in zip(self._weights, trace.variables[count:])]
        else:
            self._program = graph.Program(
                symbols,
                trace.inputs,
                static=True,
                training=trace.training,
                static_inputs=range(count, count + len(self._weights)),
                fuse=fuse and not trace.training and is_fusable(program),
            )
        self._networks = program.networks  # operations know them by name alone
        self._lock = forked.survives(threading.Lock())
        self._ready = False

    def __call__(self, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Compute.

        Args:
            arrays: One for each input, of its type and of the shape that this was compiled for.

        Returns:
            New arrays; those of bfloat16 as float32.
        """
        inputs = [engine.from_numpy(array, dtype) for array, (_, dtype) in zip(arrays, self.metas)]
        return [_numpy(result, meta) for result, meta in zip(self.forward(inputs), self.output_metas)]

    def forward(self, arrays: Sequence[Array]) -> list[Array]:
        """Compute on engine arrays, likewise."""
        with self._lock:  # the engine keeps the order of what is handed to it, but not of two calls that hand it over
            results = self._run(arrays)
            if not self._ready:
                for result in results:  # the first run prepares the weights: nobody may come in between
                    result.wait_to_read()
                self._ready = True
        return results

    def _run(self, inputs: Sequence[Array]) -> list[Array]:
        if self._program is not None:
            return self._program.forward([*inputs, *self._weights])
        assert self._parts is not None
        with dispatcher.gradient_mode(False):
            values = [Value(array, meta) for array, meta in zip(inputs, self.metas)]
            return [value.array for value in self._parts.run([*values, *self._constants])]


def _numpy(array: Array, meta: Meta) -> np.ndarray:
    numbers = engine.to_numpy(array, *meta)
    if meta[1] is bfloat16:
        return engine.bfloat16_bits_to_float32(numbers)
    return numbers

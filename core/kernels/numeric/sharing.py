"""How threads share the steps of one call of a custom kernel without being started again for each.

A thread takes tasks of a step while there are any, says how many it has done, and waits until all are. It never waits
for a thread that has not begun, so that any number of threads, one after another too, gets everything done.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from core.kernels.engine.compiled import serial

APART = 8
"""A step has two counters, each on a cache line of its own: so many int64 numbers."""

_PATIENCE = 4096


@intrinsic
def _added(context: Any, counters: Any, place: Any, number: Any) -> Any:
    """Add to a counter, after all that this thread has written, and return what it was."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        memory = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        return builder.atomic_rmw("add", builder.gep(memory, [arguments[1]]), arguments[2], "acq_rel")

    return types.int64(counters, types.int64, types.int64), generate


@intrinsic
def _seen(context: Any, counters: Any, place: Any) -> Any:
    """Return a counter; what was written before it got this value is seen from now on."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        memory = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        return builder.load_atomic(builder.gep(memory, [arguments[1]]), "acquire", 8)

    return types.int64(counters, types.int64), generate


@intrinsic
def _let_others_work(context: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = ir.FunctionType(ir.IntType(32), [])
        builder.call(cgutils.get_or_insert_function(builder.module, kind, "sched_yield"), [])
        return context.get_dummy_value()

    return types.void(), generate


@serial
def next_task(counters: np.ndarray, step: int) -> Any:
    """Return the next task of a step that nobody works at; there may be no such task any more."""
    return _added(counters, step * 2 * APART, 1)


@serial
def wait_for_all(counters: np.ndarray, step: int, done: int, tasks: int) -> None:
    """Say how many tasks of a step the caller has done, and return when all are done."""
    place = step * 2 * APART + APART
    if done:
        _added(counters, place, done)
    rounds = 0
    while _seen(counters, place) < tasks:
        rounds += 1
        if rounds > _PATIENCE:  # whoever works at it may have lost its processor
            _let_others_work()

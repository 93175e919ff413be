"""How long each operator took: the engine's own profiler, and what NumPy computes of small tensors."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from core.kernels.dispatch import dispatcher
from core.kernels.dispatch.operator import forget_plans
from core.kernels.engine.engine import mx, wait_all

_BULK = ("MXNET_EXEC_BULK_EXEC_TRAIN", "MXNET_EXEC_BULK_EXEC_INFERENCE")


class OperatorTime(NamedTuple):
    """The calls of one operator.

    Attributes:
        name: the engine's name; several, joined by commas, where it ran them as one (see SingleOperators).
        calls: how often.
        seconds: how long in all.
    """

    name: str
    calls: int
    seconds: float


@contextlib.contextmanager
def operator_times() -> Iterator[list[OperatorTime]]:
    """Measure the operators that run within the block.

    Yields:
        A list that has them, the longest first, when the block has ended.
    """
    times: list[OperatorTime] = []
    wait_all()
    # The trace of single calls is not wanted. The engine deletes the file that it is to write: never give it /dev/null.
    mx.profiler.set_config(profile_symbolic=True, profile_imperative=True, aggregate_stats=True, filename="")
    mx.profiler.set_state("run")
    with _computed_by_numpy() as small:
        try:
            yield times
        finally:
            wait_all()
            mx.profiler.set_state("stop")
            found = json.loads(mx.profiler.dumps(reset=True, format="json"))["Time"].get("operator", {})
            rows = {name: [int(row["Count"]), row["Total"] / 1e3] for name, row in found.items()}
            for event in small:
                row = rows.setdefault(event.name, [0, 0.0])
                row[0] += 1
                row[1] += event.seconds
            times += [OperatorTime(name, int(calls), seconds) for name, (calls, seconds) in rows.items()]
            times.sort(key=lambda row: -row.seconds)


class OperatorEvent(NamedTuple):
    """One call of an operator.

    Attributes:
        name: the engine's name; several, joined by commas, where it ran them as one.
        start: when it began, in seconds since 1970.
        seconds: how long it took.
        thread: a number for the thread.
    """

    name: str
    start: float
    seconds: float
    thread: int


@contextlib.contextmanager
def _computed_by_numpy() -> Iterator[list[OperatorEvent]]:
    """Note what NumPy computes, under the engine's names: plans are made anew for it, and again afterwards."""
    events: list[OperatorEvent] = []

    def noted(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def compute(*inputs: Any) -> Any:
            start = time.time()
            began = time.perf_counter()
            results = function(*inputs)
            events.append(OperatorEvent(name, start, time.perf_counter() - began, threading.get_native_id()))
            return results

        return compute

    dispatcher.observer = noted
    forget_plans()
    try:
        yield events
    finally:
        dispatcher.observer = None
        forget_plans()


@contextlib.contextmanager
def operator_events() -> Iterator[list[OperatorEvent]]:
    """Note every call of an operator within the block.

    Yields:
        A list that has them, in the order of their starts, when the block has ended.
    """
    events: list[OperatorEvent] = []
    wait_all()
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "trace.json")
        mx.profiler.set_config(profile_symbolic=True, profile_imperative=True, aggregate_stats=True, filename=trace)
        mx.profiler.set_state("run")
        with _computed_by_numpy() as small:
            try:
                yield events
            finally:
                wait_all()
                mx.profiler.set_state("stop")
                mx.profiler.dump(finished=False)
                mx.profiler.dumps(reset=True)
                with open(trace, encoding="utf-8") as stream:
                    events += sorted([*_paired(stream.read()), *small], key=lambda event: event.start)
                mx.profiler.set_config(filename="")


def _paired(text: str) -> list[OperatorEvent]:
    """Read the engine's trace, whose first part alone has a beginning and which never has an end."""
    if text.startswith("{"):
        text = text[text.index("[") + 1 :]
    begun: dict[tuple[int, str], list[int]] = {}
    events = []
    for row in json.loads(f"[{text.strip().strip(',')}]"):
        if row.get("cat") != "operator":
            continue
        key = (row["tid"], row["name"])
        if row["ph"] == "B":
            begun.setdefault(key, []).append(row["ts"])
        elif row["ph"] == "E" and begun.get(key):
            start = begun[key].pop()
            events.append(OperatorEvent(row["name"], start / 1e6, (row["ts"] - start) / 1e6, row["tid"]))
    return events


class SingleOperators:
    """While it is active, the engine runs each operator of newly compiled programs by itself, under its own name.

    Else it runs several as one, and the profiler shows them as one.
    """

    def __init__(self) -> None:
        self._before = {name: os.environ.get(name) for name in _BULK}
        os.environ.update(dict.fromkeys(_BULK, "0"))

    def close(self) -> None:
        """End it."""
        for name, value in self._before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value

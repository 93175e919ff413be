"""Profiler: measures the operators, and the parts that the author names, of some steps of a run."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import time
from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import Any, Callable, Optional, Union

from core.kernels.engine.profile import OperatorEvent, operator_events
from core.profiler import record, table
from core.profiler.schedule import ProfilerState, ProfilerTarget, make_scheduler
from core.weights.atomic import atomic_write

_MEASURING = (ProfilerState.RECORD, ProfilerState.RECORD_AND_RETURN)


class Profiler:
    """Measures some steps of a run; call :meth:`step` at the end of each.

    Args:
        targets: what to measure; the engine's operators are measured wherever they run.
        scheduler: a function from a step's number to a ProfilerState, such as ``make_scheduler`` makes, or (first,
            end), the steps to measure; all steps when it is None.
        on_trace_ready: called with this object whenever measuring ends.
        record_shapes: not built.
        profile_memory: not built.
        timer_only: measure the time of steps, but no operators.
        emit_nvtx: not built.
        custom_device_types: not built.
        with_flops: not built; :func:`core.flops` counts them.

    Raises:
        NotImplementedError: an option that is not built is asked for.
        TypeError: ``scheduler`` is neither a function nor a pair.

    Example:
        >>> with core.profiler.Profiler(scheduler=(2, 5)) as profiler:
        ...     for batch in loader:
        ...         train(batch)
        ...         profiler.step()
        >>> profiler.summary()
    """

    def __init__(
        self,
        *,
        targets: Optional[Iterable[ProfilerTarget]] = None,
        scheduler: Union[Callable[[int], ProfilerState], Sequence[int], None] = None,
        on_trace_ready: Optional[Callable[[Profiler], Any]] = None,
        record_shapes: bool = False,
        profile_memory: bool = False,
        timer_only: bool = False,
        emit_nvtx: bool = False,
        custom_device_types: Sequence[str] = (),
        with_flops: bool = False,
    ) -> None:
        options = {
            "record_shapes": record_shapes, "profile_memory": profile_memory, "emit_nvtx": emit_nvtx,
            "custom_device_types": custom_device_types, "with_flops": with_flops,
        }  # fmt: skip
        for name, value in options.items():
            if value:
                raise NotImplementedError(f"Profiler: {name} is not built: leave it out")
        for target in targets or ():
            if target not in (ProfilerTarget.CPU, ProfilerTarget.GPU):
                raise NotImplementedError(f"Profiler: {target} is not built: use ProfilerTarget.CPU or GPU")
        self._schedule = _schedule(scheduler)
        self._on_trace_ready = on_trace_ready
        self._timer_only = timer_only
        self._measuring: Optional[contextlib.ExitStack] = None
        self._running: list[OperatorEvent] = []
        self._steps: list[tuple[float, int]] = []  # seconds and samples of the steps since the last step_info
        self._begun = 0.0
        self.step_num = 0
        self.current_state = ProfilerState.CLOSED
        self.operators: list[OperatorEvent] = []
        self.spans: list[record.Span] = []

    def start(self) -> None:
        """Begin the first step."""
        self._begun = time.perf_counter()
        self._enter(self._schedule(self.step_num))

    def stop(self) -> None:
        """End measuring."""
        measured = self._measuring is not None
        self._close()
        self.current_state = ProfilerState.CLOSED
        if measured and self._on_trace_ready is not None:
            self._on_trace_ready(self)

    def step(self, num_samples: Optional[int] = None) -> None:
        """End a step and begin the next one.

        Args:
            num_samples: how many samples the step had, for :meth:`step_info`.
        """
        now = time.perf_counter()
        self._steps.append((now - self._begun, num_samples or 0))
        ready = self.current_state is ProfilerState.RECORD_AND_RETURN
        following = self._schedule(self.step_num + 1)
        if ready or following not in _MEASURING:
            measured = self._measuring is not None
            self._close()
            if measured and self._on_trace_ready is not None:
                self._on_trace_ready(self)
        self.step_num += 1
        self._enter(following)
        self._begun = time.perf_counter()

    def _enter(self, state: ProfilerState) -> None:
        self.current_state = state
        if state in _MEASURING and self._measuring is None and not self._timer_only:
            self._measuring = contextlib.ExitStack()
            self.spans = record.spans[0] = []
            self._running = self._measuring.enter_context(operator_events())

    def _close(self) -> None:
        if self._measuring is not None:
            self._measuring.close()
            self.operators = self._running
            self._measuring = None
            record.spans[0] = None

    def step_info(self, unit: Optional[str] = None) -> str:
        """Return the time of a step, and the samples in a second, as the mean since the last call.

        Args:
            unit: what samples are called; ``samples`` when it is None.
        """
        if not self._steps:
            return ""
        seconds = sum(step for step, _ in self._steps)
        samples = sum(count for _, count in self._steps)
        text = f" batch_cost: {seconds / len(self._steps):.5f} s"
        rate, what = (samples, unit or "samples") if samples else (len(self._steps), "steps")
        self._steps = []
        return f"{text} ips: {rate / max(seconds, 1e-9):.3f} {what}/s"

    def export(self, path: str = "", format: str = "json") -> None:
        """Write what was measured last as a trace that a browser shows (chrome://tracing, ui.perfetto.dev).

        Args:
            path: the file to write.
            format: ``json``.

        Raises:
            NotImplementedError: the format is another one.
            ValueError: there is no path.
        """
        if format != "json":
            raise NotImplementedError(f"Profiler.export: format={format!r} is not built: use 'json'")
        if not path:
            raise ValueError("Profiler.export: give the path of the file to write")
        self._close()
        rows = [_row(event, "operator") for event in self.operators] + [_row(span, "user") for span in self.spans]
        with atomic_write(path) as stream:
            stream.write(json.dumps({"traceEvents": rows, "displayTimeUnit": "ms"}).encode("utf-8"))

    def summary(
        self,
        sorted_by: table.SortedKeys = table.SortedKeys.CPUTotal,
        op_detail: bool = True,
        thread_sep: bool = False,
        time_unit: str = "ms",
        views: Union[table.SummaryView, Sequence[table.SummaryView], None] = None,
    ) -> None:
        """Print what was measured last.

        Args:
            sorted_by: what the rows are sorted by.
            op_detail: accepted for Paddle's signature; operators are the finest detail.
            thread_sep: accepted likewise; threads are added up.
            time_unit: s, ms, us or ns.
            views: the parts to print, of which OperatorView and UDFView are built; both when it is None.

        Raises:
            ValueError: there is no such unit.
            NotImplementedError: none of the views is built.
        """
        if time_unit not in table.UNITS:
            raise ValueError(f"Profiler.summary: time_unit must be one of {', '.join(table.UNITS)}, not {time_unit!r}")
        built = [table.SummaryView.OperatorView, table.SummaryView.UDFView]
        wanted = built if views is None else [views] if isinstance(views, table.SummaryView) else list(views)
        if not set(wanted) & set(built):
            raise NotImplementedError(f"Profiler.summary: {wanted[0]} is not built: use OperatorView or UDFView")
        self._close()
        if table.SummaryView.OperatorView in wanted and self.operators:
            print("\n".join(table.lines("operator", self.operators, sorted_by, time_unit)))
        if table.SummaryView.UDFView in wanted and self.spans:
            print("\n".join(table.lines("part", self.spans, sorted_by, time_unit)))

    def __enter__(self) -> Profiler:
        self.start()
        return self

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        self.stop()


def _schedule(scheduler: Any) -> Callable[[int], ProfilerState]:
    if scheduler is None:
        return lambda step: ProfilerState.RECORD
    if callable(scheduler):
        return scheduler
    if not isinstance(scheduler, (tuple, list)) or len(scheduler) != 2:
        raise TypeError(f"Profiler: scheduler must be a function or (first, end), not {scheduler!r}")
    first, end = scheduler
    if not 0 <= first < end:
        raise ValueError(f"Profiler: the steps {first} to {end} are none: the first must be below the end")
    return make_scheduler(closed=max(first - 1, 0), ready=min(first, 1), record=end - first, repeat=1)


def _row(event: Union[OperatorEvent, record.Span], category: str) -> dict[str, Any]:
    return {
        "name": event.name, "cat": category, "ph": "X", "ts": 1e6 * event.start, "dur": 1e6 * event.seconds,
        "pid": os.getpid(), "tid": event.thread,
    }  # fmt: skip


def export_chrome_tracing(dir_name: str, worker_name: Optional[str] = None) -> Callable[[Profiler], None]:
    """Return a function for ``on_trace_ready`` that writes each measurement to a file of its own.

    Args:
        dir_name: the directory, which is made where it is missing.
        worker_name: begins the files' names; the machine's name and the process's number when it is None.
    """
    os.makedirs(dir_name, exist_ok=True)
    worker = worker_name or f"host_{socket.gethostname()}pid_{os.getpid()}"
    count = [0]

    def write(profiler: Profiler) -> None:
        moment = time.strftime("%Y_%m_%d_%H_%M_%S")
        count[0] += 1
        profiler.export(os.path.join(dir_name, f"{worker}_time_{moment}_{count[0]}.paddle_trace.json"))

    return write

"""The profiler: schedules by hand, operators that ran, files that a browser reads."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

import core
from core import profiler
from core.kernels.engine.profile import operator_events

C, Y, R, E = profiler.ProfilerState


def test_schedules_go_in_rounds() -> None:
    schedule = profiler.make_scheduler(closed=1, ready=1, record=2, repeat=2, skip_first=1)
    assert [schedule(step) for step in range(12)] == [C, C, Y, R, E, C, Y, R, E, C, C, C]
    schedule = profiler.make_scheduler(closed=0, ready=1, record=1)
    assert [schedule(step) for step in range(4)] == [Y, E, Y, E]


def compute() -> None:
    x = core.ones([32, 32])
    (x @ x).exp().numpy()


def test_operators_are_noted_each_time_anew() -> None:
    for _ in range(2):
        before = time.time()
        with operator_events() as events:
            compute()
        names = [event.name for event in events]
        assert any("exp" in name for name in names) and any("gemm" in name for name in names)
        assert events == sorted(events, key=lambda event: event.start)
        assert all(before - 1 < event.start < time.time() + 1 and 0 <= event.seconds < 60 for event in events)


def test_the_steps_of_the_schedule_are_measured(tmp_path) -> None:
    ready = []
    write = profiler.export_chrome_tracing(str(tmp_path / "traces"), "worker")

    def keep(measured: profiler.Profiler) -> None:
        ready.append([event.name for event in measured.operators])
        write(measured)

    with profiler.Profiler(targets=[profiler.ProfilerTarget.CPU], scheduler=(1, 3), on_trace_ready=keep) as measuring:
        for step in range(5):
            with profiler.RecordEvent(f"step {step}"):
                compute()
            measuring.step()
    assert len(ready) == 1 and sum("exp" in name for name in ready[0]) == 2
    assert [span.name for span in measuring.spans] == ["step 1", "step 2"]
    (path,) = (tmp_path / "traces").glob("worker_time_*.paddle_trace.json")
    rows = json.loads(path.read_text())["traceEvents"]
    assert {"step 1", "step 2"} <= {row["name"] for row in rows} and {row["ph"] for row in rows} == {"X"}
    (first,) = [row for row in rows if row["name"] == "step 1"]
    inside = [row for row in rows if first["ts"] - 1e3 <= row["ts"] <= first["ts"] + first["dur"] + 1e3]
    assert any("exp" in row["name"] for row in inside)


def test_without_a_schedule_everything_is_measured_until_the_end(capsys) -> None:
    ready = []
    measuring = profiler.Profiler(on_trace_ready=ready.append)
    measuring.start()
    event = profiler.RecordEvent("outer")
    event.begin()
    compute()
    measuring.step()
    compute()
    event.end()
    measuring.stop()
    assert ready == [measuring] and sum("exp" in event.name for event in measuring.operators) == 2
    measuring.summary(sorted_by=profiler.SortedKeys.CPUAvg, time_unit="us")
    operators, parts = capsys.readouterr().out.split("part ")
    assert operators.splitlines()[0].split() == [
        "operator", "calls", "total", "(us)", "avg", "(us)", "max", "(us)", "min", "(us)", "share",
    ]  # fmt: skip
    (row,) = [line.split() for line in operators.splitlines() if "exp" in line]
    seconds = [event.seconds for event in measuring.operators if "exp" in event.name]
    assert int(row[1]) == 2
    assert [float(text) for text in row[2:6]] == pytest.approx(
        [1e6 * value for value in (sum(seconds), sum(seconds) / 2, max(seconds), min(seconds))], abs=1e-3
    )
    averages = [float(line.split()[-4]) for line in operators.splitlines()[1:]]
    assert averages == sorted(averages, reverse=True)
    assert parts.splitlines()[1].split()[:2] == ["outer", "1"]
    measuring.summary(views=profiler.SummaryView.UDFView)
    assert "exp" not in capsys.readouterr().out


def test_times_of_steps() -> None:
    measuring = profiler.Profiler(timer_only=True)
    measuring.start()
    for _ in range(2):
        time.sleep(0.01)
        measuring.step(num_samples=8)
    cost, rate = measuring.step_info("images").split(" ips: ")
    seconds = float(cost.split()[1])
    assert cost.startswith(" batch_cost: ") and seconds >= 0.01
    assert rate.endswith(" images/s") and float(rate.split()[0]) == pytest.approx(8 / seconds, rel=0.01)
    assert measuring.step_info() == ""
    measuring.step()
    assert measuring.step_info().endswith(" steps/s")
    measuring.stop()
    assert measuring.operators == []


def test_events_outside_a_profile_are_not_noted() -> None:
    with profiler.RecordEvent("nowhere"):
        compute()
    measuring = profiler.Profiler()
    measuring.start()
    measuring.stop()
    assert measuring.spans == []


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda: profiler.make_scheduler(closed=-1, ready=0, record=1), ValueError, "closed=-1.*may be negative"),
        (lambda: profiler.make_scheduler(closed=0, ready=0, record=0), ValueError, "record must be at least 1"),
        (lambda: profiler.Profiler(with_flops=True), NotImplementedError, "Profiler: with_flops is not built"),
        (lambda: profiler.Profiler(scheduler=3), TypeError, "scheduler must be a function or .first, end., not 3"),
        (lambda: profiler.Profiler(scheduler=(3, 3)), ValueError, "the steps 3 to 3 are none"),
        (
            lambda: profiler.Profiler(targets=[profiler.ProfilerTarget.XPU]),
            NotImplementedError,
            "ProfilerTarget.XPU is not built",
        ),
        (lambda: profiler.Profiler().export("a", "pb"), NotImplementedError, "format='pb' is not built: use 'json'"),
        (lambda: profiler.Profiler().export(), ValueError, "export: give the path of the file to write"),
        (lambda: profiler.Profiler().summary(time_unit="h"), ValueError, "time_unit must be one of s, ms, us, ns"),
        (
            lambda: profiler.Profiler().summary(views=profiler.SummaryView.MemoryView),
            NotImplementedError,
            "SummaryView.MemoryView is not built",
        ),
    ],
)
def test_errors_name_the_mend(call, kind, message) -> None:
    with pytest.raises(kind, match=message):
        call()


def test_the_engines_profiler_leaves_no_file_and_removes_none(tmp_path: Path) -> None:
    code = (
        "import os; before = os.stat(os.devnull)\n"
        "import core; from core.kernels.engine.profile import operator_events, operator_times\n"
        "for measure in (operator_times, operator_events):\n"
        "    with measure() as found: (core.ones([3]) + 1).numpy()\n"
        "    assert found\n"
        "assert os.path.samestat(before, os.stat(os.devnull))"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[3])}
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=environment, check=True)
    assert list(tmp_path.iterdir()) == [] and Path(os.devnull).is_char_device()

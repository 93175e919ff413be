"""Measuring where a program's time goes (paddle.profiler)."""

from __future__ import annotations

from core.profiler.profiler import Profiler, export_chrome_tracing
from core.profiler.record import RecordEvent
from core.profiler.schedule import ProfilerState, ProfilerTarget, make_scheduler
from core.profiler.table import SortedKeys, SummaryView

__all__ = [
    "Profiler", "ProfilerState", "ProfilerTarget", "RecordEvent", "SortedKeys", "SummaryView", "export_chrome_tracing",
    "make_scheduler",
]  # fmt: skip

"""A profile as a table."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence
from typing import Union

from core.kernels.engine.profile import OperatorEvent
from core.profiler.record import Span

UNITS = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}


class SortedKeys(enum.Enum):
    """What the rows of a table are sorted by. On a GPU the engine's times are the GPU's: both names mean the same."""

    CPUTotal = 0
    CPUAvg = 1
    CPUMax = 2
    CPUMin = 3
    GPUTotal = 4
    GPUAvg = 5
    GPUMax = 6
    GPUMin = 7


class SummaryView(enum.Enum):
    """Parts of Paddle's summary; here there are OperatorView and UDFView, the parts that the author names."""

    DeviceView = 0
    OverView = 1
    ModelView = 2
    DistributedView = 3
    KernelView = 4
    OperatorView = 5
    MemoryView = 6
    MemoryManipulationView = 7
    UDFView = 8


def lines(title: str, events: Iterable[Union[OperatorEvent, Span]], sorted_by: SortedKeys, unit: str) -> list[str]:
    """Return a table of events by name.

    Args:
        title: heads the column of names.
        events: the events.
        sorted_by: what the rows are sorted by.
        unit: s, ms, us or ns.
    """
    by_name: dict[str, list[float]] = {}
    for event in events:
        by_name.setdefault(event.name, []).append(event.seconds)
    measures = (sum, lambda seconds: sum(seconds) / len(seconds), max, min)
    measure = measures[sorted_by.value % 4]
    whole = sum(map(sum, by_name.values())) or 1.0
    found = [
        f"{title:<40}{'calls':>8}" + "".join(f"{f'{name} ({unit})':>14}" for name in ("total", "avg", "max", "min"))
    ]
    found[0] += f"{'share':>9}"
    rows: Sequence[tuple[str, list[float]]] = sorted(by_name.items(), key=lambda row: -measure(row[1]))
    for name, seconds in rows:
        first, *others = name.split(",")
        shown = f"{first[:26]} and {len(others)} more" if others else first[:38]
        numbers = "".join(f"{each(seconds) * UNITS[unit]:>14.4f}" for each in measures)
        found.append(f"{shown:<40}{len(seconds):>8}{numbers}{sum(seconds) / whole:>9.1%}")
    return found

"""Where a run's time goes: its parts, and the engine's operators."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Iterator
from typing import Any, Optional

from core.kernels.engine import profile as engine_profile
from core.kernels.engine.engine import wait_all
from core.train.logs.run_folder import RunFolder
from core.weights.atomic import atomic_write

PARTS = ("data", "forward+backward", "update", "evaluation", "checkpoint")
WARM_UP = 3
"""Steps that compile and settle; operators are measured after them."""
MEASURED = 10
"""Steps whose operators are measured."""


class Profile:
    """Times of a run. Every part is waited for, so that a profiled run is somewhat slower than another.

    Attributes:
        seconds: the time of each part.
        calls: how often each was run.
        operators: the engine's operators during some steps after the first ones.
    """

    def __init__(self) -> None:
        self.seconds: dict[str, float] = dict.fromkeys(PARTS, 0.0)
        self.calls: dict[str, int] = dict.fromkeys(PARTS, 0)
        self.operators: list[engine_profile.OperatorTime] = []
        self.measured_steps = 0
        self._steps = 0
        self._single: Optional[engine_profile.SingleOperators] = engine_profile.SingleOperators()
        self._measuring: Optional[contextlib.ExitStack] = None

    @contextlib.contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Measure a part of the run.

        Args:
            name: one of :data:`PARTS`.
        """
        start = time.perf_counter()
        try:
            yield
        finally:
            wait_all()
            self.seconds[name] += time.perf_counter() - start
            self.calls[name] += 1

    def step(self) -> None:
        """Note that a step begins."""
        self._steps += 1
        if self._steps == WARM_UP + 1:
            self._measuring = contextlib.ExitStack()
            self.operators = self._measuring.enter_context(engine_profile.operator_times())
        elif self._steps == WARM_UP + MEASURED + 1:
            self.close()

    def close(self) -> None:
        """End the measurement of operators, if it is under way."""
        if self._single is not None:
            self._single.close()
            self._single = None
        if self._measuring is not None:
            self._measuring.close()
            self._measuring = None
            self.measured_steps = min(self._steps - WARM_UP, MEASURED)

    def lines(self, operators: int = 12) -> list[str]:
        """Return both tables as text.

        Args:
            operators: how many operators to show.
        """
        whole = sum(self.seconds.values()) or 1.0
        lines = [f"{'part':<18}{'calls':>8}{'seconds':>10}{'ms a call':>11}{'share':>8}"]
        for name in PARTS:
            calls, seconds = self.calls[name], self.seconds[name]
            each = 1e3 * seconds / calls if calls else 0.0
            lines.append(f"{name:<18}{calls:>8}{seconds:>10.2f}{each:>11.2f}{seconds / whole:>8.1%}")
        if self.operators:
            total = sum(row.seconds for row in self.operators) or 1.0
            lines += ["", f"{f'operators of {self.measured_steps} steps':<44}{'calls':>8}{'ms a step':>11}{'share':>8}"]
            for row in self.operators[:operators]:
                each = 1e3 * row.seconds / max(self.measured_steps, 1)
                lines.append(f"{_short(row.name):<44}{row.calls:>8}{each:>11.2f}{row.seconds / total:>8.1%}")
        return lines

    def save(self, folder: RunFolder) -> None:
        """Write profile.json.

        Args:
            folder: the run's folder.
        """
        values: dict[str, Any] = {
            "parts": {name: {"calls": self.calls[name], "seconds": self.seconds[name]} for name in PARTS},
            "measured_steps": self.measured_steps,
            "operators": [row._asdict() for row in self.operators],
        }
        with atomic_write(folder.profile) as stream:
            stream.write((json.dumps(values, indent=1) + "\n").encode("utf-8"))


def _short(name: str) -> str:
    """Return the name of operators that ran as one, in a table's width."""
    first, *others = name.split(",")
    return f"{first[:30]} and {len(others)} more" if others else first[:42]

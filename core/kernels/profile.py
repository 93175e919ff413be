"""The engine's own profiler: how long each of its operators took."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from typing import NamedTuple

from core.kernels.engine import mx, wait_all

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
    # The trace of single calls, which the engine would write to a file, is not wanted.
    mx.profiler.set_config(profile_symbolic=True, profile_imperative=True, aggregate_stats=True, filename=os.devnull)
    mx.profiler.set_state("run")
    try:
        yield times
    finally:
        wait_all()
        mx.profiler.set_state("stop")
        found = json.loads(mx.profiler.dumps(reset=True, format="json"))["Time"].get("operator", {})
        times += [OperatorTime(name, int(row["Count"]), row["Total"] / 1e3) for name, row in found.items()]
        times.sort(key=lambda row: -row.seconds)


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

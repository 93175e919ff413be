"""Sides of a comparison, each in a process of its own, that take turns: one works while the others wait.

Libraries bring their own threads, allocators and settings; in one process they would change each other's speed.
"""

from __future__ import annotations

import importlib
import json
import math
import multiprocessing
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from multiprocessing.connection import Connection
from typing import Any, Callable, Optional

Steps = Mapping[str, Callable[[], Any]]

ROWS = "BENCHMARK_ROWS"
"""The environment variable that names a file for each row, one JSON object a line."""

PEAK = "peak memory"
"""What a side is asked for beside its steps."""

PUBLISHED_AS = {"paddle": "paddlepaddle", "torch_geometric": "torch-geometric", "cv2": "opencv-python-headless"}
"""Names of packages on the index, where they are others than those that one imports."""


def lacking(*packages: str, python: str = sys.executable) -> str:
    """Return a line that says which packages an interpreter lacks, and how it gets them; nothing where it has all.

    Args:
        *packages: the names that one imports.
        python: the interpreter.
    """
    code = "import importlib.util, sys; print(*[n for n in sys.argv[1:] if importlib.util.find_spec(n) is None])"
    try:
        found = subprocess.run([python, "-c", code, *packages], capture_output=True, text=True)
    except OSError as error:
        return f"{python} cannot be started: {error.strerror}"
    if found.returncode:
        return f"{python} cannot be asked for its packages: {(found.stderr.splitlines() or ['it said nothing'])[-1]}"
    missing = [PUBLISHED_AS.get(name, name) for name in found.stdout.split()]
    if not missing:
        return ""
    return f"not installed: {', '.join(missing)}; run: {python} -m pip install {' '.join(missing)}"


def require(*packages: str, python: str = sys.executable) -> None:
    """Leave with one line where packages are missing that this run needs; arguments as of :func:`lacking`.

    Raises:
        SystemExit: they are.
    """
    line = lacking(*packages, python=python)
    if line:
        raise SystemExit(line)


class Side:
    """One side: a process that builds its steps once and then runs the one that it is asked for.

    Args:
        name: For the table.
        build: A function at the top of a module that returns named steps; called in the new process.
        arguments: What to call it with.
        threads: Threads for the side's computation.
        environment: Environment variables of the new process.
        python: The interpreter of the new process, for libraries that cannot live in this one's environment.
        processor: Whether the time that processors worked for the side counts, all its threads together, instead of
            the clock's: for machines that are busy otherwise.
    """

    def __init__(
        self,
        name: str,
        build: Callable[..., Steps],
        arguments: Sequence[Any] = (),
        threads: int = 2,
        environment: Mapping[str, str] = {},
        python: str = sys.executable,
        processor: bool = False,
    ) -> None:
        self.name = name
        self._processor = processor
        self._connection, theirs = multiprocessing.Pipe()
        with theirs:
            self._process = subprocess.Popen(
                [python, "-m", "benchmarks.side", str(theirs.fileno())],
                env={**os.environ, "OMP_NUM_THREADS": str(threads), **environment},
                pass_fds=[theirs.fileno()],
            )
        module = sys.modules[build.__module__].__spec__  # what python -m runs is called __main__, and has its name here
        assert module is not None
        self._connection.send((module.name, build.__name__, tuple(arguments)))
        self.steps: list[str] = self._answer()

    def seconds(self, step: str, repeats: int = 1) -> float:
        """Return the time of one call of a step, the mean of ``repeats`` calls in a row."""
        self._connection.send((step, repeats))
        return float(self._answer()[self._processor])

    def ask(self, step: str) -> Any:
        """Return what one call of a step returns, instead of its time."""
        self._connection.send((step, 0))
        return self._answer()

    def peak(self) -> float:
        """Return the most memory that the process has occupied, libraries and all, in megabytes."""
        self._connection.send((PEAK, 0))
        return float(self._answer())

    def close(self) -> None:
        """End the process."""
        self._connection.send(None)
        self._process.wait()

    def _answer(self) -> Any:
        try:
            return self._connection.recv()
        except EOFError:
            raise SystemExit(f"{self.name} ended; its message is above") from None


def _serve(connection: Connection) -> None:
    from benchmarks.core.memory import status

    module, function, arguments = connection.recv()
    steps = getattr(importlib.import_module(module), function)(*arguments)
    connection.send(list(steps))
    while True:
        try:
            request = connection.recv()
        except EOFError:  # the other side of the comparison failed, and has said why
            return
        if request is None:
            return
        step, repeats = request
        if repeats == 0:
            connection.send(status("VmHWM") if step == PEAK else steps[step]())
            continue
        began = time.perf_counter(), time.process_time()
        for _ in range(repeats):
            steps[step]()
        ended = time.perf_counter(), time.process_time()
        connection.send([(last - first) / repeats for first, last in zip(began, ended)])


def settled(step: Callable[[], Any]) -> Callable[[], Any]:
    """Return a step that runs, at its first call, until the weights of a compiled function are frozen."""
    from core.jit.running.frozen_program import FROZEN_CALLS

    state = {"warm": False}

    def run() -> Any:
        for _ in range(0 if state["warm"] else FROZEN_CALLS):
            step()
        state["warm"] = True
        return step()

    return run


def compare(
    first: tuple[Side, str], second: tuple[Side, str], rounds: int, repeats: Optional[int] = None, case: str = ""
) -> tuple[float, float, float]:
    """Let two steps take turns and return their median seconds and the median of ``second / first``.

    A ratio above 1 says that the first one is faster. Each step runs twice beforehand. Before each turn all rest: some
    libraries' threads go on spinning for a fifth of a second after their work, on the processors of the other side.

    Args:
        first: a side and its step.
        second: what it is compared with.
        rounds: how often they take turns.
        repeats: calls of a turn; None: as many as the slower one makes in a tenth of a second, as a first call after a
            rest finds threads asleep and caches empty, which of short steps would be most of a turn.
        case: what the row is of, where the step does not say it: a network, a size.
    """

    longest = max(side.seconds(step, 2) for side, step in (first, second))
    calls = max(1, math.ceil(0.1 / max(longest, 1e-6))) if repeats is None else repeats

    def turn(side: Side, step: str) -> float:
        time.sleep(0.3)
        return side.seconds(step, calls)

    pairs = [(turn(*first), turn(*second)) for _ in range(rounds)]
    return measured((first[0].name, first[1]), (second[0].name, second[1]), pairs, case)


def measured(
    first: tuple[str, str], second: tuple[str, str], pairs: Sequence[tuple[float, float]], case: str = ""
) -> tuple[float, float, float]:
    """Return the medians of two steps' seconds and of their ratios; ``benchmarks.all`` gets all ratios, by a file.

    Args:
        first: the names of a side and its step.
        second: those of what it is compared with.
        pairs: the seconds of both in each round.
        case: as of :func:`compare`.
    """
    mine, theirs = zip(*pairs)
    row = statistics.median(mine), statistics.median(theirs), statistics.median(b / a for a, b in pairs)
    if ROWS in os.environ:
        names = {"case": case, "ours": first[1], "against": second[0], "step": second[1]}
        figures = {"seconds": row[0], "their_seconds": row[1], "ratios": [round(b / a, 4) for a, b in pairs]}
        with open(os.environ[ROWS], "a", encoding="utf-8") as file:
            file.write(json.dumps({**names, **figures}) + "\n")
    return row


if __name__ == "__main__":
    _serve(Connection(int(sys.argv[1])))

"""Sides of a comparison, each in a process of its own, that take turns: one works while the others wait.

Libraries bring their own threads, allocators and settings; in one process they would change each other's speed.
"""

from __future__ import annotations

import multiprocessing
import os
import statistics
import time
from collections.abc import Mapping, Sequence
from multiprocessing.connection import Connection
from typing import Any, Callable

Steps = Mapping[str, Callable[[], Any]]


class Side:
    """One side: a process that builds its steps once and then runs the one that it is asked for.

    Args:
        name: For the table.
        build: A function at the top of a module that returns named steps; called in the new process.
        arguments: What to call it with.
        threads: Threads for the side's computation.
        environment: Environment variables of the new process.
    """

    def __init__(
        self,
        name: str,
        build: Callable[..., Steps],
        arguments: Sequence[Any] = (),
        threads: int = 2,
        environment: Mapping[str, str] = {},
    ) -> None:
        self.name = name
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        wanted = {"OMP_NUM_THREADS": str(threads), **environment}
        previous = {key: os.environ.get(key) for key in wanted}
        os.environ.update(wanted)
        self._process = context.Process(target=_serve, args=(theirs, build, tuple(arguments)), daemon=True)
        self._process.start()
        for key, value in previous.items():
            if value is None:
                del os.environ[key]
            else:
                os.environ[key] = value
        self.steps: list[str] = self._answer()

    def seconds(self, step: str, repeats: int = 1) -> float:
        """Return the time of one call of a step, the mean of ``repeats`` calls in a row."""
        self._connection.send((step, repeats))
        return float(self._answer())

    def ask(self, step: str) -> Any:
        """Return what one call of a step returns, instead of its time."""
        self._connection.send((step, 0))
        return self._answer()

    def close(self) -> None:
        """End the process."""
        self._connection.send(None)
        self._process.join()

    def _answer(self) -> Any:
        try:
            return self._connection.recv()
        except EOFError:
            raise SystemExit(f"{self.name} ended; its message is above") from None


def _serve(connection: Connection, build: Callable[..., Steps], arguments: tuple[Any, ...]) -> None:
    steps = build(*arguments)
    connection.send(list(steps))
    while True:
        request = connection.recv()
        if request is None:
            return
        step, repeats = request
        if repeats == 0:
            connection.send(steps[step]())
            continue
        began = time.perf_counter()
        for _ in range(repeats):
            steps[step]()
        connection.send((time.perf_counter() - began) / repeats)


def compare(first: tuple[Side, str], second: tuple[Side, str], rounds: int, repeats: int = 1) -> tuple[float, ...]:
    """Let two steps take turns and return their median seconds and the median of ``second / first``.

    A ratio above 1 says that the first one is faster. Each step runs twice beforehand.
    """
    for side, step in (first, second):
        side.seconds(step, 2)
    pairs = [(first[0].seconds(first[1], repeats), second[0].seconds(second[1], repeats)) for _ in range(rounds)]
    mine, theirs = zip(*pairs)
    return statistics.median(mine), statistics.median(theirs), statistics.median(b / a for a, b in pairs)

"""Loops over ``threads``: their values for any number of threads, their errors, and what is compiled for them."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from typing import Any, Callable

import numba
import numpy as np
import pytest

from core.kernels.engine.compiled import compiled, serial, taken, threads


@pytest.fixture(params=[1, 2])
def number(request: pytest.FixtureRequest) -> Iterator[int]:
    """How many threads run a loop; no more than this process may have."""
    before = numba.get_num_threads()
    if request.param > numba.config.NUMBA_NUM_THREADS:
        pytest.skip("this process has fewer threads")
    numba.set_num_threads(request.param)
    yield request.param
    numba.set_num_threads(before)


@compiled
def count(result: np.ndarray, first: int, last: int) -> None:
    for i in threads(first, last):
        result[i] += i


@pytest.mark.parametrize(("first", "last"), [(0, 0), (0, 1), (0, 2), (3, 10), (5, 5), (7, 3), (0, 1000)])
def test_each_step_runs_once(number: int, first: int, last: int) -> None:
    result = np.zeros(1000, np.int64)
    count(result, first, last)
    expected = np.arange(1000)
    expected[(expected < first) | (expected >= last)] = 0
    np.testing.assert_array_equal(result, expected)


@serial
def weighted(x: np.ndarray, i: int, weight: float) -> Any:
    return x[i] * weight


@compiled
def mixed(x: np.ndarray, mask: Any, result: np.ndarray, pair: tuple[float, float], weight: float = 2.0) -> None:
    rounds = 2
    for r in range(rounds):
        for i in threads(x.shape[0]):
            if x[i] < 0:
                continue
            total = 0.0
            for k in range(3):
                if k == 2:
                    break
                if k == 1:
                    continue
                total += weighted(x, i, weight) + pair[1]
            if mask is not None:
                total *= mask[i]
            result[r, i] = total
    for i in threads(1, x.shape[0]):
        total = result[0, i]
        result[1, i] += total


def test_a_body_reads_what_stands_before_its_loop(number: int) -> None:
    x, mask = np.linspace(-1, 2, 50), np.arange(50) % 2
    for given, factor in ((None, 1), (mask, mask)):
        result = np.full((2, 50), 7.0)
        mixed(x, given, result, (1.0, 0.5))
        first = np.where(x < 0, 7.0, (2 * x + 0.5) * factor)
        np.testing.assert_array_equal(result[0], first)
        np.testing.assert_array_equal(result[1], first + np.where(np.arange(50) > 0, first, 0))


@compiled
def shares(tasks: np.ndarray, workers: int) -> None:
    counter = np.zeros(1, np.int64)
    for worker in threads(workers):
        task = taken(counter)
        while task < tasks.size:
            tasks[task] += 1 + 0 * worker
            task = taken(counter)


def test_threads_share_tasks(number: int) -> None:
    tasks = np.zeros(500, np.int64)
    shares(tasks, number)
    assert (tasks == 1).all()


@compiled
def outer(x: np.ndarray) -> None:
    for i in threads(x.shape[0]):
        count(x[i], 0, x.shape[1])


def test_a_loop_inside_a_loop(number: int) -> None:
    x = np.zeros((4, 6), np.int64)
    outer(x)
    np.testing.assert_array_equal(x, np.arange(6) + np.zeros((4, 1), np.int64))


@compiled
def refusing(x: np.ndarray, result: np.ndarray) -> None:
    for i in threads(x.size):
        if x[i] < 0:
            raise ValueError("a number is below 0")
        result[i] = x[i]


def test_an_error_of_a_step_is_raised(number: int) -> None:
    result = np.zeros(9)
    with pytest.raises(ValueError, match="^a number is below 0$"):
        refusing(np.array([1.0, 2, 3, 4, 5, 6, 7, 8, -1]), result)
    refusing(np.ones(9), result)
    assert (result == 1).all()


@compiled
def waiting(counter: np.ndarray, rounds: np.ndarray) -> None:
    for _ in threads(1):
        while taken(counter) < 10**9 and rounds[0] < 10**8:
            rounds[0] += 1


def test_other_python_threads_go_on_meanwhile() -> None:
    counter, rounds = np.full(1, 10**9), np.zeros(1, np.int64)
    waiting(counter, rounds)  # compiled
    counter[0] = 0
    runner = threading.Thread(target=waiting, args=(counter, rounds))
    runner.start()
    while counter[0] == 0:
        pass
    counter[0] = 10**9
    runner.join()
    assert rounds[0] < 10**8


def left_early(x: np.ndarray) -> None:
    for i in threads(x.size):
        if x[i]:
            break


def returning(x: np.ndarray) -> None:
    for i in threads(x.size):
        for _ in range(2):
            if x[i]:
                return


def adding_up(x: np.ndarray) -> float:
    total = 0.0
    for i in threads(x.size):
        total += x[i]
    return total


def stepping(x: np.ndarray) -> None:
    for i in threads(0, x.size, 2):
        x[i] = 0


def nested(x: np.ndarray) -> None:
    for i in threads(x.size):
        for j in threads(i):
            x[j] = i


def naming(x: np.ndarray) -> None:
    for i, _ in enumerate(threads(x.size)):
        x[i] = 0


@pytest.mark.parametrize(
    ("function", "line", "problem"),
    [
        (left_early, 3, "a loop over threads cannot be left by break"),
        (returning, 4, "a loop over threads cannot be left by return"),
        (adding_up, 2, "total is assigned in a loop over threads and used outside; take another name"),
        (stepping, 1, "a loop over threads has one variable, and one or two bounds"),
        (nested, 1, "a loop over threads holds another one; that takes range"),
        (naming, 1, "threads is only for loops: `for i in threads(n):`"),
    ],
)
def test_loops_that_threads_cannot_run(function: Callable[..., Any], line: int, problem: str) -> None:
    place = f"{__file__}:{function.__code__.co_firstlineno + line}: {function.__name__}: {problem}"
    with pytest.raises(ValueError, match=f"^{re.escape(place)}$"):
        compiled(function)(np.ones(3))


def test_a_loop_without_a_source() -> None:
    names: dict[str, Any] = {"threads": threads}
    exec("def typed(x):\n    for i in threads(x.size):\n        x[i] = 0", names)  # noqa: S102
    with pytest.raises(ValueError, match="^typed loops over threads, which takes its source; write it into a file$"):
        compiled(names["typed"])(np.ones(3))


def test_python_runs_the_same_loop() -> None:
    result = np.zeros(5, np.int64)
    count.py_func(result, 1, 4)
    assert result.tolist() == [0, 1, 2, 3, 0]

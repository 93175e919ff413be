"""Several threads call one compiled function: forward, and with gradients."""

from __future__ import annotations

import threading
from typing import Any, Callable

import numpy as np
import pytest

import core
from core import nn
from core.jit import to_static


def in_threads(count: int, work: Callable[[int], None]) -> list[BaseException]:
    errors: list[BaseException] = []

    def guarded(number: int) -> None:
        try:
            work(number)
        except BaseException as error:  # noqa: B036 - handed to the test
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return errors


@pytest.mark.parametrize("training", [False, True])
def test_each_thread_gets_its_own_results(training: bool) -> None:
    core.seed(3)
    model = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 2))
    compiled = to_static(lambda x: model(x).square().sum())

    def outcome(function: Any, rows: int) -> list[np.ndarray]:
        x = core.to_tensor(np.full((rows, 3), rows, "float32"), stop_gradient=not training)
        with core.set_grad_enabled(training):
            total = function(x)
        parts = [x, model[0].weight, model[2].bias]
        return [total.numpy(), *[g.numpy() for g in (core.grad(total, parts) if training else [])]]

    expected = {rows: outcome(lambda x: model(x).square().sum(), rows) for rows in range(1, 6)}

    def work(number: int) -> None:
        for i in range(40):
            rows = 1 + (i + number) % 5
            for got, wanted in zip(outcome(compiled, rows), expected[rows]):
                np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-4)

    assert in_threads(4, work) == []
    assert sum(len(variants) for variants in compiled.programs.values()) == 5


def test_gradients_held_by_one_thread_are_not_written_by_another() -> None:
    weight = core.to_tensor(np.ones(1000, "float32"), stop_gradient=False)
    compiled = to_static(lambda x: (x * weight).sum())

    def work(number: int) -> None:
        held = []
        for i in range(20):
            (gradient,) = core.grad(compiled(core.full([1000], number * 100.0 + i)), weight)
            held.append((number * 100.0 + i, gradient))
        for value, gradient in held:
            np.testing.assert_array_equal(gradient.numpy(), np.full(1000, value, "float32"))

    assert in_threads(4, work) == []

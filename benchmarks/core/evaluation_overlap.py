"""Time of an evaluation whose post-processing runs beside the next batch's computing, and of one where it comes after.

A small convolutional network, on images of 64 x 64 in batches of 16, is evaluated with a post-processing of about 20 ms
a batch: in NumPy (sorting), in Python (a loop, which holds the interpreter's lock), and waiting, as for another program
or a disk. "after" is a pass in which the evaluator does the same, so that no thread is there. Run ``python -m
benchmarks.core.evaluation_overlap [ROUNDS]``; it prints one table in milliseconds a batch, medians of the rounds, in
each of which the two sides take turns; a ratio is the median of the rounds' ratios, above 1 where beside is faster.
Without post-processing, the last row, both sides are a pass without a thread: a ratio that differs from 1 is chance.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Sequence
from typing import Any, Callable, Optional

import numpy as np

import core
from core import nn
from core.io import DataLoader, TensorDataset
from core.train import EvaluationPass, Evaluator, Task

BATCHES, SIZE = 20, 16
SECONDS = 0.02

Work = Callable[[], Any]


class Sums(Evaluator):
    """Gathers sums of outputs.

    Args:
        work: done for each batch; None: nothing.
    """

    def __init__(self, work: Optional[Work]) -> None:
        self.work = work
        self.sums: list[float] = []

    def update(self, outputs: Any, batch: Sequence[Any]) -> None:
        """Take in a batch."""
        if self.work is not None:
            self.work()
        self.sums.append(float(outputs[0].sum()))

    def result(self) -> dict[str, float]:
        """Return their sum."""
        return {"sum": sum(self.sums)}


class After(Task):
    """Evaluates a small network; the evaluator does the work.

    Args:
        work: done for each batch; None: nothing.
    """

    def __init__(self, work: Optional[Work]) -> None:
        core.seed(0)
        self.work = work
        convolutions = [nn.Conv2D(3, 32, 3, padding=1), nn.ReLU(), nn.Conv2D(32, 32, 3, padding=1), nn.ReLU()]
        self.network = nn.Sequential(*convolutions, nn.AdaptiveAvgPool2D(1), nn.Flatten(), nn.Linear(32, 10))
        self.networks = {"model": self.network}
        images = np.random.default_rng(0).standard_normal((BATCHES * SIZE, 3, 64, 64), np.float32)
        self.images = TensorDataset([core.to_tensor(images)])

    def loader(self, split: str) -> DataLoader:
        """Return the images."""
        return DataLoader(self.images, batch_size=SIZE)

    def phases(self, steps_per_epoch: int, epochs: float) -> list[Any]:
        """Nothing is trained."""
        return []

    def predict(self, *batch: Any) -> Sequence[Any]:
        """Return the network's outputs."""
        return [self.network(batch[0])]

    def evaluator(self, split: str) -> Evaluator:
        """Return one that does the work."""
        return Sums(self.work)


class Beside(After):
    """The same, with the work as post-processing."""

    def post_process(self, outputs: Sequence[np.ndarray], batch: Any) -> Any:
        """Do the work."""
        if self.work is not None:
            self.work()
        return outputs

    def evaluator(self, split: str) -> Evaluator:
        """Return one that only adds up."""
        return Sums(None)


def works() -> dict[str, Optional[Work]]:
    """Return kinds of post-processing; each takes about 20 ms on this machine."""
    numbers = np.random.default_rng(0).random(10_000)

    def sort() -> None:
        np.sort(numbers)

    def count() -> None:
        sum(number * number for number in range(1000))

    return {"NumPy": repeated(sort), "Python": repeated(count), "waiting": lambda: time.sleep(SECONDS), "none": None}


def repeated(work: Work) -> Work:
    """Return the work so many times over that it takes as long as it should."""
    times = []
    for _ in range(50):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    count = max(1, round(SECONDS / statistics.median(times)))
    return lambda: [work() for _ in range(count)]


def milliseconds(evaluate: EvaluationPass) -> float:
    """Return the time of a pass, for each batch."""
    start = time.perf_counter()
    evaluate("valid")
    return (time.perf_counter() - start) * 1e3 / BATCHES


def main(rounds: int) -> None:
    """Print the table."""
    print(f"{'post-processing':<17}{'after':>8}{'beside':>8}{'ratio':>7}")
    for name, work in works().items():
        sides = [EvaluationPass(task(work), True) for task in (After, Beside if work is not None else After)]
        first, second = (side("valid").result() for side in sides)
        assert first == second, (first, second)
        pairs = []
        for number in range(rounds):
            order = sides if number % 2 == 0 else sides[::-1]
            times = {id(side): milliseconds(side) for side in order}
            pairs.append([times[id(side)] for side in sides])
        after, beside = (statistics.median(column) for column in zip(*pairs))
        ratio = statistics.median(one / other for one, other in pairs)
        print(f"{name:<17}{after:>8.1f}{beside:>8.1f}{ratio:>7.2f}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 15)

"""One training step and one evaluation pass: the parts of the loop that meet the engine."""

from __future__ import annotations

import collections
import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any, Callable

import core
from core.train.task import Phase, Task


class NonFiniteLossError(ArithmeticError):
    """The loss became infinite or not a number."""


@dataclasses.dataclass
class StepResult:
    """The numbers of one phase's step, still in the engine's hands.

    Attributes:
        step: the step's number, from 0.
        phase: the phase's name.
        learning_rate: what the step was made with.
        tensors: 0-D Tensors by name, "loss" among them.
        samples: how many samples the batch had.
    """

    step: int
    phase: str
    learning_rate: float
    tensors: Mapping[str, Any]
    samples: int

    def read(self) -> dict[str, float]:
        """Wait for the numbers and return them.

        Raises:
            NonFiniteLossError: the loss is infinite or not a number.
        """
        values = {name: float(tensor) for name, tensor in self.tensors.items()}
        if not math.isfinite(values["loss"]):
            raise NonFiniteLossError(
                f"the loss of phase {self.phase!r} is {values['loss']} at step {self.step} "
                f"(learning rate {self.learning_rate:.4g})"
            )
        return values


class PhaseStep:
    """Runs a phase: loss, gradient, update.

    Args:
        phase: what to run.
        compiled: whether its loss and gradient run as one compiled graph.
    """

    def __init__(self, phase: Phase, compiled: bool) -> None:
        self.phase = phase
        self.names: list[str] = []
        self._loss: Callable[..., Any] = core.jit.to_static(self._flat_loss) if compiled else self._flat_loss

    def __call__(self, step: int, batch: Sequence[Any]) -> StepResult:
        """Make one step.

        Args:
            step: the step's number.
            batch: the batch's fields.

        Returns:
            Its numbers, not yet waited for.
        """
        optimizer = self.phase.optimizer
        learning_rate = float(optimizer.get_lr())
        outputs = self._loss(*batch)
        outputs[0].backward()
        optimizer.step()
        tensors = {name: output.detach() for name, output in zip(["loss", *self.names], outputs)}
        return StepResult(step, self.phase.name, learning_rate, tensors, samples_of(batch))

    def advance_schedule(self) -> None:
        """Move the learning rate to the next step's."""
        if self.phase.schedule is not None:
            self.phase.schedule.step()

    def _flat_loss(self, *batch: Any) -> tuple[Any, ...]:
        loss, values = self.phase.loss(*batch)
        self.names = list(values)
        return (loss, *values.values())


class Averages:
    """Means of named numbers, each weighted by its batch's samples."""

    def __init__(self) -> None:
        self._sums: dict[str, float] = collections.defaultdict(float)
        self._weights: dict[str, int] = collections.defaultdict(int)

    def add(self, values: Mapping[str, float], samples: int) -> None:
        """Take in one batch's numbers."""
        for name, value in values.items():
            self._sums[name] += value * samples
            self._weights[name] += samples

    def means(self) -> dict[str, float]:
        """Return the means."""
        return {name: total / max(self._weights[name], 1) for name, total in self._sums.items()}


def samples_of(batch: Sequence[Any]) -> int:
    """Return how many samples a batch has: the first dimension of its first Tensor."""
    for field in batch:
        shape = getattr(field, "shape", None)
        if shape:
            return int(shape[0])
    return 1


class EvaluationPass:
    """Runs a task's prediction over a split.

    Args:
        task: the task.
        compiled: whether prediction runs as a compiled graph.
    """

    def __init__(self, task: Task, compiled: bool) -> None:
        self.task = task
        self._predict = core.jit.to_static(self._flat_predict) if compiled else self._flat_predict

    def __call__(self, split: str) -> Any:
        """Evaluate a split.

        Args:
            split: "valid" or "test".

        Returns:
            The task's evaluator, filled; None when there is no such split.
        """
        loader = self.task.loader(split)
        if loader is None:
            return None
        evaluator = self.task.evaluator(split)
        self.task.eval_mode()
        with core.no_grad():
            for batch in loader:
                outputs = self._predict(*batch)
                evaluator.update([output.numpy() for output in outputs], batch)
        self.task.train_mode()
        return evaluator

    def _flat_predict(self, *batch: Any) -> tuple[Any, ...]:
        return tuple(self.task.predict(*batch))

"""What is trained and how it is judged; the Trainer owns everything else."""

from __future__ import annotations

import abc
import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Callable, Optional

import numpy as np

from core.io import DataLoader
from core.train.callback import Callback


@dataclasses.dataclass
class Phase:
    """One way in which a step changes parameters; most tasks have one, an adversarial task has two.

    Parameters that only other phases of the task move count as constants meanwhile.

    Attributes:
        name: for logs and file names.
        loss: called with a batch's fields; returns the loss, a 0-D Tensor, and other 0-D Tensors to log, by name. It is
            compiled, so it must not read values.
        parameters: the parameters that the optimizer moves.
        optimizer: moves them.
        schedule: the optimizer's learning-rate schedule, which the Trainer advances after each of the phase's steps;
            None: the learning rate is constant.
        period: the phase runs at every period-th step.
        measure: makes numbers of what ``loss`` returned beside the loss, given by name, and of the batch's fields; then
            these Tensors may have any shape. None: each is 0-D and is its own number.
        in_place: ``loss`` moves the parameters itself, as where a batch touches few rows of large tables; it is then
            called as it is, neither compiled nor differentiated, and the optimizer only knows the learning rate.
        provides: names of Tensors that ``loss`` returns for later phases of the same step, instead of numbers to log;
            no gradient flows back through them.
        prepare: makes the fields that ``loss`` is called with of a batch's fields and of what earlier phases of this
            step gave for the batch, by name. It is not compiled, and no gradient flows through it.
    """

    name: str
    loss: Callable[..., tuple[Any, Mapping[str, Any]]]
    parameters: Sequence[Any]
    optimizer: Any
    schedule: Optional[Any] = None
    period: int = 1
    measure: Optional[Callable[[Mapping[str, Any], Sequence[Any]], Mapping[str, float]]] = None
    in_place: bool = False
    provides: Sequence[str] = ()
    prepare: Optional[Callable[[Sequence[Any], Mapping[str, Any]], Sequence[Any]]] = None

    def __post_init__(self) -> None:
        if self.period < 1:
            raise ValueError(f"phase {self.name!r}: period must be a positive integer, not {self.period!r}")


class Evaluator(abc.ABC):
    """Gathers the outputs of an evaluation into numbers."""

    @abc.abstractmethod
    def update(self, outputs: Any, batch: Sequence[Any]) -> None:
        """Take in what :meth:`Task.post_process` made of a batch, unless overridden arrays, and the batch's fields."""

    @abc.abstractmethod
    def result(self) -> dict[str, float]:
        """Return the numbers by name."""

    def details(self) -> dict[str, Any]:
        """Return what the evaluation command reports besides: numbers, and what JSON can hold of other kinds."""
        return {}

    def lines(self) -> list[str]:
        """Return what the evaluation command prints besides."""
        return []

    def write(self, folder: Path) -> list[str]:
        """Write result files, such as predictions for a benchmark's server; none unless overridden.

        Args:
            folder: where to, which exists; each file is to appear there as a whole (:class:`core.train.ResultFile`).

        Returns:
            The names of the files.
        """
        return []


class Task(abc.ABC):
    """What is trained and how it is judged.

    Attributes:
        networks: the networks whose weights a checkpoint holds, by name.
        monitor: the number of the evaluation by which the best checkpoint is chosen.
        higher_is_better: whether more of it is better.
        averaged: the names of the networks that a moving average of the weights follows; None: all.
    """

    networks: dict[str, Any]
    monitor: str = "accuracy"
    higher_is_better: bool = True
    averaged: Optional[Sequence[str]] = None

    @abc.abstractmethod
    def loader(self, split: str) -> Optional[DataLoader]:
        """Return the loader of "train", "valid" or "test"; None when there is no such split. "train" must be there."""

    @abc.abstractmethod
    def phases(self, steps_per_epoch: int, epochs: float) -> list[Phase]:
        """Return the phases of one training step, in order.

        Args:
            steps_per_epoch: how many steps the trainer makes in an epoch; of a stream, in all.
            epochs: how many epochs there are, not a whole number where training by steps ends in one; of a stream 1.
        """

    @abc.abstractmethod
    def predict(self, *batch: Any) -> Sequence[Any]:
        """Return the Tensors that an evaluation needs for a batch; compiled, and run without gradients."""

    def post_process(self, outputs: Sequence[np.ndarray], batch: Any) -> Any:
        """Make of what ``predict`` returned what the evaluator takes in, such as boxes, spans or sentences.

        Where a task overrides it, a thread runs it while the next batches are computed, one batch after the other. It
        works on arrays; what it computes with Tensors, and reading one of the batch's, waits until the next batch is
        computed, so ``predict`` should return what it needs of those.

        Args:
            outputs: what ``predict`` returned for a batch, as arrays.
            batch: the batch as the loader gave it.

        Returns:
            The evaluator's ``outputs``; unless overridden, those given.
        """
        return outputs

    @abc.abstractmethod
    def evaluator(self, split: str) -> Evaluator:
        """Return an empty evaluator for a split."""

    def callbacks(self) -> list[Callback]:
        """Return the task's own hooks into the loop, such as what writes pictures meanwhile, or holds a state."""
        return []

    def train_mode(self) -> None:
        """Put all networks into training mode."""
        for network in self.networks.values():
            network.train()

    def eval_mode(self) -> None:
        """Put all networks into evaluation mode."""
        for network in self.networks.values():
            network.eval()

"""How long a training is: so many epochs of known length, or so many steps."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any, Optional

from core.weights.messages import counted

if TYPE_CHECKING:
    from core.train.checkpoints.store import Progress
    from core.train.config.interval import Interval


@dataclasses.dataclass(frozen=True)
class TrainingLength:
    """The length of a training, given by exactly one of epochs and steps.

    Args:
        steps_per_epoch: steps of one pass over the training data; None: a stream, whose length is not known.
        epochs: how many passes.
        steps: how many steps; the last epoch may then be a part of one.

    Raises:
        ValueError: a number of epochs over a stream is no length.
    """

    steps_per_epoch: Optional[int]
    epochs: Optional[int] = None
    steps: Optional[int] = None

    def __post_init__(self) -> None:
        if self.steps is None and self.steps_per_epoch is None:
            raise ValueError(
                "the train split is a stream, whose length is not known: give train.steps instead of train.epochs"
            )

    @property
    def total_steps(self) -> int:
        """How many steps there are in all."""
        return self.steps if self.steps is not None else (self.epochs or 0) * (self.steps_per_epoch or 0)

    @property
    def total_epochs(self) -> Optional[int]:
        """How many epochs are begun in all; None: not known."""
        if self.steps is None or self.steps_per_epoch is None:
            return self.epochs
        return -(-self.steps // self.steps_per_epoch)

    @property
    def for_schedules(self) -> tuple[int, float]:
        """Steps per epoch, and epochs: their product is the number of steps.

        The epochs are a whole number where the steps fill them. Of a stream the whole training counts as one epoch.
        """
        if self.steps_per_epoch is None:
            return self.total_steps, 1
        if self.steps is None:
            return self.steps_per_epoch, self.epochs or 0
        whole = self.steps % self.steps_per_epoch == 0
        return self.steps_per_epoch, self.steps // self.steps_per_epoch if whole else self.steps / self.steps_per_epoch

    def is_over(self, progress: Progress) -> bool:
        """Return whether no step is left.

        Args:
            progress: how far training is.
        """
        return progress.epoch >= (self.epochs or 0) if self.steps is None else progress.step >= self.steps

    def at_epoch_end(self, progress: Progress) -> bool:
        """Return whether the epoch's steps are made; of a stream that is not known.

        Args:
            progress: how far training is.
        """
        return self.steps_per_epoch is not None and progress.step_in_epoch >= self.steps_per_epoch

    def epoch(self, progress: Progress, step: Optional[int] = None) -> float:
        """Return the epochs that are made: a whole number at the end of one, and for a stream.

        Args:
            progress: how far training is.
            step: an earlier step of the same epoch; None: the newest.
        """
        behind = 0 if step is None else progress.step - step
        made = progress.step_in_epoch - behind
        if self.steps_per_epoch is None or made == 0:
            return progress.epoch
        if made == self.steps_per_epoch:
            return progress.epoch + 1
        return round(progress.epoch + made / self.steps_per_epoch, 6)

    def pauses_left(self, progress: Progress, evaluations: Interval) -> int:
        """Return how often training will still stop: at ends of epochs, and to evaluate after steps within them.

        What happens after minutes is not foreseen.

        Args:
            progress: how far training is.
            evaluations: how often is evaluated.
        """
        every, size, left = evaluations.steps, self.steps_per_epoch, self.total_steps - progress.step
        ends = 1 if self.total_epochs is None else self.total_epochs - progress.epoch
        if every is None or left <= 0:
            return ends
        within = self.total_steps // every - progress.step // every
        partial = size is None or self.total_steps % size > 0
        at_ends = int(partial and self.total_steps % every == 0)
        if size is not None:
            both = math.lcm(every, size)
            at_ends += self.total_steps // both - progress.step // both
        return ends + within - at_ends

    def __str__(self) -> str:
        if self.steps_per_epoch is None:
            return f"{counted(self.total_steps, 'step')} of a stream"
        if self.steps is None:
            return f"{counted(self.epochs or 0, 'epoch')} of {counted(self.steps_per_epoch, 'step')}"
        share = f"{self.steps / self.steps_per_epoch:.4g} epochs of {self.steps_per_epoch}"
        return f"{counted(self.steps, 'step')}, {share}"


def steps_per_epoch(loader: Any, accumulate: int) -> Optional[int]:
    """Return how many steps one pass over a loader takes; None: its length is not known.

    Args:
        loader: of the training data.
        accumulate: batches of one step.
    """
    batches = known_length(loader)
    return None if batches is None else -(-batches // accumulate)


def known_length(values: Any) -> Optional[int]:
    """Return the length of something; None where it has none, as a stream.

    Args:
        values: a loader or a data set.
    """
    try:
        return len(values)
    except TypeError:
        return None

"""Hooks into the Trainer's loop."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from core.train.trainer import Trainer


class Callback:
    """Does something at points of a training run; subclasses override what they need.

    Its state is saved in every checkpoint. One that stops the run must ask again in ``on_train_begin`` of a resumed
    run, if its state says so.
    """

    def on_train_begin(self, trainer: Trainer) -> None:
        """Called before the first step."""

    def on_epoch_begin(self, trainer: Trainer) -> None:
        """Called before an epoch's first step, and again where a resumed run continues it."""

    def on_step_begin(self, trainer: Trainer) -> None:
        """Called before a step, when its data is there."""

    def on_step_end(self, trainer: Trainer, values: Mapping[str, float]) -> None:
        """Called when a step's numbers are known, which may be one step later."""

    def on_epoch_end(self, trainer: Trainer, values: Mapping[str, float]) -> None:
        """Called after an epoch, with the means of its numbers; not where training ends within one."""

    def on_evaluate_begin(self, trainer: Trainer, split: str) -> None:
        """Called before an evaluation."""

    def on_evaluate_end(self, trainer: Trainer, split: str, values: Mapping[str, float]) -> None:
        """Called after an evaluation, at the end of an epoch or within one."""

    def on_train_end(self, trainer: Trainer) -> None:
        """Called after the last step, not after an error."""

    def state_dict(self) -> dict[str, Any]:
        """Return what the callback needs to continue: a dict of plain numbers, strings, lists, numpy arrays and dicts.

        Keys hold no "/".
        """
        return {}

    def set_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continue from a :meth:`state_dict`; called only for a callback that has a state."""


class EarlyStop(Callback):
    """Stops a run whose evaluation no longer improves.

    Args:
        patience: how many evaluations in a row may bring nothing better.

    Raises:
        ValueError: ``patience`` is not positive.
    """

    def __init__(self, patience: int) -> None:
        if patience < 1:
            raise ValueError(f"EarlyStop: patience must be positive, not {patience}")
        self.patience = patience

    def on_train_begin(self, trainer: Trainer) -> None:
        """Ask again in a resumed run."""
        self._judge(trainer)

    def on_evaluate_end(self, trainer: Trainer, split: str, values: Mapping[str, float]) -> None:
        """Ask for the end when patience is spent."""
        if split == "valid":
            self._judge(trainer)

    def _judge(self, trainer: Trainer) -> None:
        if trainer.progress.evaluations_without_improvement >= self.patience:
            trainer.stop(f"no better {trainer.task.monitor} in {self.patience} evaluations")

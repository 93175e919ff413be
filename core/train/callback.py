"""Hooks into the Trainer's loop."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.train.trainer import Trainer


class Callback:
    """Does something at points of a training run; subclasses override what they need."""

    def on_train_begin(self, trainer: Trainer) -> None:
        """Called before the first step."""

    def on_step_end(self, trainer: Trainer, values: Mapping[str, float]) -> None:
        """Called when a step's numbers are known, which may be one step later."""

    def on_epoch_end(self, trainer: Trainer, values: Mapping[str, float]) -> None:
        """Called after an epoch, with the means of its numbers."""

    def on_evaluate_end(self, trainer: Trainer, split: str, values: Mapping[str, float]) -> None:
        """Called after an evaluation."""

    def on_train_end(self, trainer: Trainer) -> None:
        """Called after the last step, not after an error."""


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

    def on_evaluate_end(self, trainer: Trainer, split: str, values: Mapping[str, float]) -> None:
        """Ask for the end when patience is spent."""
        if split == "valid" and trainer.progress.evaluations_without_improvement >= self.patience:
            trainer.stop(f"no better {trainer.task.monitor} in {self.patience} evaluations")

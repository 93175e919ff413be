"""The schedule that falls when a measured value stops improving."""

from __future__ import annotations

import math
from typing import Any, Optional

from core.optimizer.lr.scheduler import LRScheduler, check_learning_rate


class ReduceOnPlateau(LRScheduler):
    """Multiplies the learning rate by ``factor`` when a value has not improved for more than ``patience`` epochs.

    Args:
        learning_rate: initial learning rate.
        mode: ``"min"`` when smaller values are better, ``"max"`` when larger ones are.
        factor: factor of each fall, below 1.
        patience: number of epochs without improvement that are borne.
        threshold: how much better a value must be to count.
        threshold_mode: ``"rel"`` takes the threshold relative to the best value, ``"abs"`` as it is.
        cooldown: epochs after a fall in which values are not looked at.
        min_lr: the lowest learning rate.
        epsilon: smaller falls are not made.
        verbose: print a line at each fall.

    Raises:
        TypeError: the learning rate is not a number.
        ValueError: a mode is unknown or ``factor`` is not below 1.
    """

    def __init__(
        self, learning_rate: float, mode: str = "min", factor: float = 0.1, patience: int = 10,
        threshold: float = 1e-4, threshold_mode: str = "rel", cooldown: int = 0, min_lr: float = 0,
        epsilon: float = 1e-8, verbose: bool = False,
    ) -> None:
        if mode not in ("min", "max"):
            raise ValueError(f"mode must be 'min' or 'max', but is {mode!r}")
        if threshold_mode not in ("rel", "abs"):
            raise ValueError(f"threshold_mode must be 'rel' or 'abs', but is {threshold_mode!r}")
        if factor >= 1.0:
            raise ValueError(f"factor must be below 1 so that the learning rate falls, but is {factor}")
        self.mode = mode
        self.factor = factor
        self.patience = patience
        self.threshold = threshold
        self.threshold_mode = threshold_mode
        self.cooldown = cooldown
        self.min_lr = min_lr
        self.epsilon = epsilon
        self.cooldown_counter = 0
        self.best: Optional[float] = None
        self.num_bad_epochs = 0
        # The base constructor would step, and a step here needs a value.
        self.base_lr = check_learning_rate(learning_rate)
        self.last_lr = self.base_lr
        self.last_epoch = 0
        self.verbose = verbose

    def state_keys(self) -> None:
        """Put the names of the attributes that the state keeps into ``self.keys``."""
        self.keys = ["cooldown_counter", "best", "num_bad_epochs", "last_epoch", "last_lr"]

    def step(self, metrics: Any, epoch: Optional[int] = None) -> None:  # type: ignore[override]  # Paddle's signature
        """Look at a value and lower the learning rate where it has not improved for too long.

        Args:
            metrics: a float, or a tensor or array of one element.
            epoch: the epoch to go to; None goes to the next.

        Raises:
            TypeError: ``metrics`` is not one number.
        """
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        value = _one_number(metrics)
        if self.cooldown_counter > 0:
            self.cooldown_counter -= 1
            return
        if self.best is None or self._is_better(value, self.best):
            self.best = value
            self.num_bad_epochs = 0
        else:
            self.num_bad_epochs += 1
        if self.num_bad_epochs > self.patience:
            self.cooldown_counter = self.cooldown
            self.num_bad_epochs = 0
            lowered = max(self.last_lr * self.factor, self.min_lr)
            if self.last_lr - lowered > self.epsilon:
                self.last_lr = lowered
                self.report()

    def _is_better(self, value: float, best: float) -> bool:
        margin = best * self.threshold if self.threshold_mode == "rel" else self.threshold
        return value < best - margin if self.mode == "min" else value > best + margin


def _one_number(metrics: Any) -> float:
    """Return a number, or a tensor's or array's only element, as a float."""
    if isinstance(metrics, (int, float)):
        return float(metrics)
    if hasattr(metrics, "item") and math.prod(getattr(metrics, "shape", ())) == 1:
        return float(metrics.item())
    raise TypeError(f"metrics must be a float, or a tensor or array of one element, not {type(metrics).__name__}")

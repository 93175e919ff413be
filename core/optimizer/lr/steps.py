"""Schedules that are constant between falls."""

from __future__ import annotations

from collections.abc import Sequence

from core.optimizer.lr.scheduler import LRScheduler, check_positive_integer


class PiecewiseDecay(LRScheduler):
    """Constant between boundaries.

    Args:
        boundaries: epochs at which the next value begins.
        values: learning rates, one more than boundaries.
        last_epoch: index of the last epoch.
        verbose: print a line at each step.

    Raises:
        ValueError: there are no boundaries, or too few values.
    """

    def __init__(
        self, boundaries: Sequence[int], values: Sequence[float], last_epoch: int = -1, verbose: bool = False
    ) -> None:
        if len(boundaries) == 0:
            raise ValueError("boundaries must not be empty")
        if len(values) <= len(boundaries):
            raise ValueError(f"values must be one more than boundaries, but are {len(values)} for {len(boundaries)}")
        self.boundaries = boundaries
        self.values = values
        super().__init__(last_epoch=last_epoch, verbose=verbose)

    def get_lr(self) -> float:
        """Return the learning rate of the current epoch."""
        for boundary, value in zip(self.boundaries, self.values):
            if self.last_epoch < boundary:
                return value
        return self.values[-1]


class StepDecay(LRScheduler):
    r""":math:`lr = base \cdot \gamma^{\lfloor epoch / step\_size \rfloor}`.

    Args:
        learning_rate: base learning rate.
        step_size: number of epochs between two falls, positive.
        gamma: factor of each fall, below 1.
        last_epoch: index of the last epoch.
        verbose: print a line at each step.

    Raises:
        TypeError: ``step_size`` is not an int.
        ValueError: ``step_size`` is not positive or ``gamma`` is not below 1.
    """

    def __init__(
        self, learning_rate: float, step_size: int, gamma: float = 0.1, last_epoch: int = -1, verbose: bool = False
    ) -> None:
        check_positive_integer("step_size", step_size)
        _check_below_one(gamma)
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Return the learning rate of the current epoch."""
        return self.base_lr * self.gamma ** (self.last_epoch // self.step_size)


class MultiStepDecay(LRScheduler):
    """The learning rate is multiplied by ``gamma`` at each milestone.

    Args:
        learning_rate: base learning rate.
        milestones: increasing epochs.
        gamma: factor of each fall, below 1.
        last_epoch: index of the last epoch.
        verbose: print a line at each step.

    Raises:
        TypeError: ``milestones`` is not a list or tuple.
        ValueError: ``milestones`` do not increase or ``gamma`` is not below 1.
    """

    def __init__(
        self, learning_rate: float, milestones: Sequence[int], gamma: float = 0.1, last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        if not isinstance(milestones, (list, tuple)):
            raise TypeError(f"milestones must be a list or tuple, not {type(milestones).__name__}")
        if any(left >= right for left, right in zip(milestones, milestones[1:])):
            raise ValueError(f"milestones must increase, but are {list(milestones)}")
        _check_below_one(gamma)
        self.milestones = milestones
        self.gamma = gamma
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Return the learning rate of the current epoch."""
        passed = sum(self.last_epoch >= milestone for milestone in self.milestones)
        return self.base_lr * self.gamma**passed


def _check_below_one(gamma: float) -> None:
    if gamma >= 1.0:
        raise ValueError(f"gamma must be below 1, but is {gamma}")

"""Schedules that fall by a formula: exponential, polynomial, inverse time, by a function of the epoch."""

from __future__ import annotations

import math
from typing import Callable

from core.optimizer.lr.scheduler import LRScheduler, check_positive_integer


class NoamDecay(LRScheduler):
    r"""Linear warm-up, then the inverse square root of the step ("Attention Is All You Need", arXiv:1706.03762).

    :math:`lr = base \cdot d_{model}^{-0.5} \cdot \min(epoch^{-0.5}, epoch \cdot warmup^{-1.5})`

    Args:
        d_model: width of the model, positive.
        warmup_steps: number of warm-up steps, positive.
        learning_rate: base learning rate.
        last_epoch: index of the last epoch.
        verbose: print a line at each step.

    Raises:
        ValueError: ``d_model`` or ``warmup_steps`` is not positive.
    """

    def __init__(
        self, d_model: int, warmup_steps: int, learning_rate: float = 1.0, last_epoch: int = -1, verbose: bool = False
    ) -> None:
        if d_model <= 0 or warmup_steps <= 0:
            raise ValueError(f"d_model and warmup_steps must be positive, but are {d_model} and {warmup_steps}")
        self.d_model = d_model
        self.warmup_steps = warmup_steps
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Return the learning rate of the current epoch; 0 at epoch 0."""
        falling = 1.0 if self.last_epoch == 0 else self.last_epoch**-0.5
        rising = self.warmup_steps**-1.5 * self.last_epoch
        return self.base_lr * self.d_model**-0.5 * min(falling, rising)


class ExponentialDecay(LRScheduler):
    r""":math:`lr = base \cdot \gamma^{epoch}`.

    Args:
        learning_rate: base learning rate.
        gamma: factor of each epoch, in (0, 1).
        last_epoch: index of the last epoch.
        verbose: print a line at each step.

    Raises:
        ValueError: ``gamma`` is outside (0, 1).
    """

    def __init__(self, learning_rate: float, gamma: float, last_epoch: int = -1, verbose: bool = False) -> None:
        if not 0.0 < gamma < 1.0:
            raise ValueError(f"gamma must be in the open interval (0, 1), but is {gamma}")
        self.gamma = gamma
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Return the learning rate of the current epoch."""
        return self.base_lr * self.gamma**self.last_epoch


class NaturalExpDecay(LRScheduler):
    r""":math:`lr = base \cdot e^{-\gamma \cdot epoch}`.

    Args:
        learning_rate: base learning rate.
        gamma: decay rate, positive.
        last_epoch: index of the last epoch.
        verbose: print a line at each step.

    Raises:
        ValueError: ``gamma`` is not positive.
    """

    def __init__(self, learning_rate: float, gamma: float, last_epoch: int = -1, verbose: bool = False) -> None:
        if gamma <= 0.0:
            raise ValueError(f"gamma must be positive so that the learning rate falls, but is {gamma}")
        self.gamma = gamma
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Return the learning rate of the current epoch."""
        return self.base_lr * math.exp(-self.gamma * self.last_epoch)


class InverseTimeDecay(LRScheduler):
    r""":math:`lr = base / (1 + \gamma \cdot epoch)`.

    Args:
        learning_rate: base learning rate.
        gamma: decay rate.
        last_epoch: index of the last epoch.
        verbose: print a line at each step.
    """

    def __init__(self, learning_rate: float, gamma: float, last_epoch: int = -1, verbose: bool = False) -> None:
        self.gamma = gamma
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Return the learning rate of the current epoch."""
        return self.base_lr / (1 + self.gamma * self.last_epoch)


class PolynomialDecay(LRScheduler):
    r"""A polynomial from the base learning rate down to ``end_lr``.

    :math:`lr = (base - end) \cdot (1 - epoch / decay\_steps)^{power} + end`, constant after ``decay_steps``, or with
    ``cycle`` begun again over the next multiple of ``decay_steps``.

    Args:
        learning_rate: base learning rate.
        decay_steps: number of steps of the fall, positive.
        end_lr: the final learning rate.
        power: exponent, positive.
        cycle: whether to rise again after ``decay_steps``.
        last_epoch: index of the last epoch.
        verbose: print a line at each step.

    Raises:
        TypeError: ``decay_steps`` is not an int.
        ValueError: ``decay_steps`` or ``power`` is not positive.
    """

    def __init__(
        self, learning_rate: float, decay_steps: int, end_lr: float = 0.0001, power: float = 1.0, cycle: bool = False,
        last_epoch: int = -1, verbose: bool = False,
    ) -> None:
        check_positive_integer("decay_steps", decay_steps)
        if power <= 0.0:
            raise ValueError(f"power must be positive, but is {power}")
        self.decay_steps = decay_steps
        self.end_lr = end_lr
        self.power = power
        self.cycle = cycle
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Return the learning rate of the current epoch."""
        epoch, steps = self.last_epoch, self.decay_steps
        if self.cycle:
            steps *= max(1, math.ceil(epoch / steps))
        else:
            epoch = min(epoch, steps)
        return (self.base_lr - self.end_lr) * (1 - epoch / steps) ** self.power + self.end_lr


class LambdaDecay(LRScheduler):
    """The base learning rate times a function of the epoch.

    Args:
        learning_rate: base learning rate.
        lr_lambda: epoch to factor.
        last_epoch: index of the last epoch.
        verbose: print a line at each step.

    Raises:
        TypeError: ``lr_lambda`` is not callable.
    """

    def __init__(
        self, learning_rate: float, lr_lambda: Callable[[int], float], last_epoch: int = -1, verbose: bool = False
    ) -> None:
        _check_callable("lr_lambda", lr_lambda)
        self.lr_lambda = lr_lambda
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Return the learning rate of the current epoch."""
        return self.base_lr * self.lr_lambda(self.last_epoch)


class MultiplicativeDecay(LRScheduler):
    """The base learning rate times the product of a function over the epochs 1 to the current one.

    Args:
        learning_rate: base learning rate.
        lr_lambda: epoch to factor.
        last_epoch: index of the last epoch.
        verbose: print a line at each step.

    Raises:
        TypeError: ``lr_lambda`` is not callable.
    """

    def __init__(
        self, learning_rate: float, lr_lambda: Callable[[int], float], last_epoch: int = -1, verbose: bool = False
    ) -> None:
        _check_callable("lr_lambda", lr_lambda)
        self.lr_lambda = lr_lambda
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Return the learning rate of the current epoch."""
        learning_rate = self.base_lr
        for epoch in range(1, self.last_epoch + 1):
            learning_rate *= self.lr_lambda(epoch)
        return learning_rate


def _check_callable(name: str, value: object) -> None:
    if not callable(value):
        raise TypeError(f"{name} must be callable, but is of type {type(value).__name__}")

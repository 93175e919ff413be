"""Schedules that rise at the start."""

from __future__ import annotations

from typing import Union

from core.optimizer.lr.scheduler import LRScheduler, State, check_positive_integer


class LinearWarmup(LRScheduler):
    """A straight line from ``start_lr`` to ``end_lr``, then a constant or another schedule.

    After the warm-up a wrapped schedule is at epoch ``epoch - warmup_steps``.

    Args:
        learning_rate: the learning rate after the warm-up, or the schedule that gives it.
        warmup_steps: number of warm-up steps, positive.
        start_lr: learning rate at epoch 0.
        end_lr: learning rate that the line reaches at ``warmup_steps``; above ``start_lr``.
        last_epoch: index of the last epoch.
        verbose: print a line at each step.

    Raises:
        TypeError: ``learning_rate`` is neither a number nor a schedule, or ``warmup_steps`` is not an int.
        ValueError: ``warmup_steps`` is not positive or ``end_lr`` is not above ``start_lr``.
    """

    def __init__(
        self, learning_rate: Union[float, LRScheduler], warmup_steps: int, start_lr: float, end_lr: float,
        last_epoch: int = -1, verbose: bool = False,
    ) -> None:
        if isinstance(learning_rate, bool) or not isinstance(learning_rate, (int, float, LRScheduler)):
            kind = type(learning_rate).__name__
            raise TypeError(f"learning_rate must be a float, an int or an LRScheduler, not {kind}")
        check_positive_integer("warmup_steps", warmup_steps)
        if end_lr <= start_lr:
            raise ValueError(f"end_lr {end_lr} must be above start_lr {start_lr}")
        self.learning_rate = learning_rate
        self.warmup_steps = warmup_steps
        self.start_lr = start_lr
        self.end_lr = end_lr
        super().__init__(start_lr, last_epoch, verbose)

    def get_lr(self) -> float:
        """Return the learning rate of the current epoch; after the warm-up, moves the wrapped schedule there."""
        if self.last_epoch < self.warmup_steps:
            return (self.end_lr - self.start_lr) * self.last_epoch / self.warmup_steps + self.start_lr
        if isinstance(self.learning_rate, LRScheduler):
            self.learning_rate.step(self.last_epoch - self.warmup_steps)
            return self.learning_rate()
        return self.learning_rate

    def state_dict(self) -> State:
        """Return the state; a wrapped schedule's is under ``LinearWarmup_LR``."""
        state = super().state_dict()
        if isinstance(self.learning_rate, LRScheduler):
            state["LinearWarmup_LR"] = self.learning_rate.state_dict()
        return state

    def set_state_dict(self, state_dict: State) -> None:
        """Continue from a :meth:`state_dict`.

        Args:
            state_dict: as returned by :meth:`state_dict`.

        Raises:
            RuntimeError: an entry is missing.
        """
        own = dict(state_dict)
        wrapped = own.pop("LinearWarmup_LR", None)
        super().set_state_dict(own)
        if isinstance(self.learning_rate, LRScheduler):
            if wrapped is None:
                raise RuntimeError("the state of LinearWarmup lacks 'LinearWarmup_LR', its wrapped schedule")
            self.learning_rate.set_state_dict(wrapped)

    set_dict = set_state_dict


class LinearLR(LRScheduler):
    """The base learning rate times a factor that goes linearly from ``start_factor`` to ``end_factor``.

    Args:
        learning_rate: base learning rate.
        total_steps: number of steps of the line, positive; constant after them.
        start_factor: factor at epoch 0, in (0, 1].
        end_factor: factor at ``total_steps``, in [0, 1].
        last_epoch: index of the last epoch.
        verbose: print a line at each step.

    Raises:
        TypeError: ``total_steps`` is not an int.
        ValueError: a factor is out of its range or ``total_steps`` is not positive.
    """

    def __init__(
        self, learning_rate: float, total_steps: int, start_factor: float = 1.0 / 3, end_factor: float = 1.0,
        last_epoch: int = -1, verbose: bool = False,
    ) -> None:
        check_positive_integer("total_steps", total_steps)
        if not 0 < start_factor <= 1.0:
            raise ValueError(f"start_factor must be in (0, 1], but is {start_factor}")
        if not 0 <= end_factor <= 1.0:
            raise ValueError(f"end_factor must be in [0, 1], but is {end_factor}")
        self.total_steps = total_steps
        self.start_factor = start_factor
        self.end_factor = end_factor
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Return the learning rate of the current epoch, from that of the epoch before."""
        if self.last_epoch == 0:
            return self.base_lr * self.start_factor
        if self.last_epoch > self.total_steps:
            return self.last_lr
        change = self.end_factor - self.start_factor
        return self.last_lr * (1.0 + change / (self.total_steps * self.start_factor + (self.last_epoch - 1) * change))

    def _get_closed_form_lr(self) -> float:
        """Return the learning rate of the current epoch, without the one before."""
        part = min(self.total_steps, self.last_epoch) / self.total_steps
        return self.base_lr * (self.start_factor + (self.end_factor - self.start_factor) * part)

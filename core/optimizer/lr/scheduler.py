"""The base of learning-rate schedules, with Paddle's stepping and state rules."""

from __future__ import annotations

import warnings
from typing import Any, Optional

State = dict[str, Any]


class LRScheduler:
    """Base class: a schedule gives the learning rate as a function of the number of :meth:`step` calls.

    A subclass sets its own attributes, calls this constructor last (it makes the first step, to epoch 0) and defines
    :meth:`get_lr`. One that also defines ``_get_closed_form_lr`` uses it when :meth:`step` is given an epoch.

    Args:
        learning_rate: base learning rate, not negative.
        last_epoch: index of the last epoch; -1 begins again.
        verbose: print a line at each step.

    Raises:
        TypeError: the learning rate is not a number.
        ValueError: the learning rate is negative.
    """

    def __init__(self, learning_rate: float = 0.1, last_epoch: int = -1, verbose: bool = False) -> None:
        self.base_lr = check_learning_rate(learning_rate)
        self.last_lr = self.base_lr
        self.last_epoch = last_epoch
        self.verbose = verbose
        self.step()

    def __call__(self) -> float:
        """Return the current learning rate."""
        return self.last_lr

    def get_lr(self) -> float:
        """Return the learning rate of epoch ``self.last_epoch``.

        Raises:
            NotImplementedError: the subclass does not define it.
        """
        raise NotImplementedError(f"{type(self).__name__} must define get_lr()")

    def step(self, epoch: Optional[int] = None) -> None:
        """Go to the next epoch, or to a given one, and compute its learning rate.

        Args:
            epoch: the epoch to go to; None goes to the next.
        """
        if epoch is None:
            self.last_epoch += 1
            self.last_lr = self.get_lr()
        else:
            self.last_epoch = epoch
            self.last_lr = getattr(self, "_get_closed_form_lr", self.get_lr)()
        self.report()

    def report(self) -> None:
        """Print the learning rate where ``verbose`` asks for it."""
        if self.verbose:
            print(f"Epoch {self.last_epoch}: {type(self).__name__} set learning rate to {self.last_lr}.")

    def state_keys(self) -> None:
        """Put the names of the attributes that :meth:`state_dict` keeps into ``self.keys``; may be extended."""
        self.keys = ["last_epoch", "last_lr"]

    def state_dict(self) -> State:
        """Return what the schedule needs to continue: plain numbers by attribute name."""
        self.state_keys()
        return {key: _plain(self.__dict__[key]) for key in self.keys if key in self.__dict__}

    def set_state_dict(self, state_dict: State) -> None:
        """Continue from a :meth:`state_dict`.

        Args:
            state_dict: as returned by :meth:`state_dict`.

        Raises:
            RuntimeError: an entry is missing.
        """
        self.state_keys()
        for key in self.keys:
            if key not in state_dict:
                raise RuntimeError(f"the state of {type(self).__name__} lacks {key!r}; is it of another schedule?")
            self.__dict__[key] = state_dict[key]
        surplus = sorted(set(state_dict) - set(self.keys))
        if surplus:
            warnings.warn(f"the state of {type(self).__name__} has unused entries: {surplus}", stacklevel=2)

    set_dict = set_state_dict


def _plain(value: Any) -> Any:
    """Return a one-element tensor or array as a Python number, and any other value as it is."""
    return value.item() if hasattr(value, "item") else value


def check_learning_rate(learning_rate: Any) -> float:
    """Return a learning rate as a float.

    Raises:
        TypeError: it is not a number.
        ValueError: it is negative.
    """
    if isinstance(learning_rate, bool) or not isinstance(learning_rate, (int, float)):
        raise TypeError(f"learning_rate must be a float or an int, not {type(learning_rate).__name__}")
    if learning_rate < 0:
        raise ValueError(f"learning_rate must not be negative, but is {learning_rate}")
    return float(learning_rate)


def check_positive_integer(name: str, value: Any) -> None:
    """Check an argument that counts steps.

    Raises:
        TypeError: it is not an int.
        ValueError: it is not positive.
    """
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} must be an int, not {type(value).__name__}")
    if value <= 0:
        raise ValueError(f"{name} must be positive, but is {value}")

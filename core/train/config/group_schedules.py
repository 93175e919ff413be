"""One schedule that a phase advances and a checkpoint holds, of several learning rates."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, Optional

from core.optimizer.lr.scheduler import LRScheduler
from core.train.config.yaml_file import shortened

GROUPS = "groups"

MOST_STEPS = 100_000_000
"""More than any run makes; a state with more is damaged, and going there would take minutes."""


class GroupSchedules(LRScheduler):
    """The schedule of an optimizer, and with it those of parameter groups; its rate is the optimizer's.

    Args:
        main: the optimizer's.
        groups: those of groups, by the groups' patterns.
    """

    def __init__(self, main: LRScheduler, groups: Mapping[str, LRScheduler]) -> None:
        self.main = main
        self.groups = dict(groups)
        self._beginnings = copy.deepcopy([vars(schedule) for schedule in (main, *groups.values())])

    def __call__(self) -> float:
        """Return the optimizer's learning rate."""
        return self.main()

    def step(self, epoch: Optional[int] = None) -> None:
        """Advance all schedules.

        Args:
            epoch: where to go to; None: to the next step.
        """
        for schedule in (self.main, *self.groups.values()):
            schedule.step(epoch)

    def __getattr__(self, name: str) -> Any:
        """Return what the optimizer's schedule has, such as ``last_epoch``."""
        if name == "main":  # not set yet
            raise AttributeError(name)
        return getattr(self.main, name)

    def state_dict(self) -> dict[str, Any]:
        """Return the state of the optimizer's schedule, and under "groups" those of groups where there are any."""
        groups = {patterns: schedule.state_dict() for patterns, schedule in self.groups.items()}
        return {**self.main.state_dict(), **({GROUPS: groups} if groups else {})}

    def set_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go to the steps of a :meth:`state_dict`.

        Only the numbers of steps are taken from it: the rates are those of these schedules, as if they had been
        stepped from the beginning. So schedules of another kind, rate or length continue, too.

        Args:
            state_dict: as :meth:`state_dict` returns it.

        Raises:
            ValueError: it is of an optimizer whose groups have other schedules, or is damaged.
        """
        groups = state_dict.get(GROUPS, {}) if isinstance(state_dict, Mapping) else {}
        if set(groups) != set(self.groups):
            raise ValueError(
                f"optimizer.groups: the run began with schedules for {_listed(groups)}, and now there are some for "
                f"{_listed(self.groups)}: continue with those of the beginning"
            )
        states = [state_dict, *(groups[patterns] for patterns in self.groups)]
        for schedule, beginning, state in zip((self.main, *self.groups.values()), self._beginnings, states):
            steps = state.get("last_epoch") if isinstance(state, Mapping) else state
            if not isinstance(state, Mapping) or not isinstance(steps, int) or not 0 <= steps <= MOST_STEPS:
                raise ValueError(f"the state of a schedule is damaged: its number of steps is {shortened(steps)}")
            vars(schedule).clear()
            vars(schedule).update(copy.deepcopy(beginning))
            for _ in range(steps):
                schedule.step()

    set_dict = set_state_dict


def _listed(groups: Mapping[str, Any]) -> str:
    return "; ".join(sorted(groups)) or "no group"

"""Schedules that fall and rise: cosine annealing, warm restarts, one cycle, many cycles."""

from __future__ import annotations

import math
from typing import Callable, Optional

from core.optimizer.lr.scheduler import LRScheduler, State, check_learning_rate, check_positive_integer


class CosineAnnealingDecay(LRScheduler):
    r"""Half a cosine from the base learning rate to ``eta_min`` ("SGDR", arXiv:1608.03983, without restarts).

    :math:`lr = eta_{min} + (base - eta_{min}) (1 + \cos(\pi \cdot epoch / T_{max})) / 2`, computed from the learning
    rate before it as Paddle does.

    Args:
        learning_rate: base learning rate.
        T_max: number of epochs of the half cosine, positive.
        eta_min: the lowest learning rate.
        last_epoch: index of the last epoch.
        verbose: print a line at each step.

    Raises:
        ValueError: ``T_max`` is not positive.
    """

    def __init__(
        self, learning_rate: float, T_max: float, eta_min: float = 0, last_epoch: int = -1, verbose: bool = False
    ) -> None:
        if T_max <= 0:
            raise ValueError(f"T_max must be positive, but is {T_max}")
        self.T_max = T_max
        self.eta_min = float(eta_min)
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Return the learning rate of the current epoch, from that of the epoch before."""
        if self.last_epoch == 0:
            return self.base_lr
        if (self.last_epoch - 1 - self.T_max) % (2 * self.T_max) == 0:
            return self.last_lr + (self.base_lr - self.eta_min) * (1 - math.cos(math.pi / self.T_max)) / 2
        now = 1 + math.cos(math.pi * self.last_epoch / self.T_max)
        before = 1 + math.cos(math.pi * (self.last_epoch - 1) / self.T_max)
        return now / before * (self.last_lr - self.eta_min) + self.eta_min

    def _get_closed_form_lr(self) -> float:
        """Return the learning rate of the current epoch, without the one before."""
        phase = math.pi * self.last_epoch / self.T_max
        return self.eta_min + (self.base_lr - self.eta_min) * (1 + math.cos(phase)) / 2


class CosineAnnealingWarmRestarts(LRScheduler):
    r"""Cosine annealing that begins again after each period ("SGDR", arXiv:1608.03983).

    Args:
        learning_rate: base learning rate.
        T_0: epochs of the first period, positive.
        T_mult: each period is this many times the one before, at least 1.
        eta_min: the lowest learning rate.
        last_epoch: index of the last epoch.
        verbose: print a line at each step.

    Raises:
        TypeError: ``T_0`` or ``T_mult`` is not an int.
        ValueError: ``T_0`` or ``T_mult`` is not positive.
    """

    def __init__(
        self, learning_rate: float, T_0: int, T_mult: int = 1, eta_min: float = 0, last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        check_positive_integer("T_0", T_0)
        check_positive_integer("T_mult", T_mult)
        self.T_0 = T_0
        self.T_i = T_0
        self.T_mult = T_mult
        self.eta_min = eta_min
        self.T_cur: float = last_epoch
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Return the learning rate of the current epoch."""
        return self.eta_min + (self.base_lr - self.eta_min) * (1 + math.cos(math.pi * self.T_cur / self.T_i)) / 2

    def step(self, epoch: Optional[float] = None) -> None:
        """Go to the next epoch, or to a given one, which may lie between two.

        Args:
            epoch: the epoch to go to; None goes to the next.

        Raises:
            ValueError: the epoch is negative.
        """
        if epoch is None and self.last_epoch < 0:
            epoch = 0
        if epoch is None:
            epoch = self.last_epoch + 1
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur -= self.T_i
                self.T_i *= self.T_mult
        else:
            self._locate(epoch)
        self.last_epoch = math.floor(epoch)
        self.last_lr = self.get_lr()
        self.report()

    def _locate(self, epoch: float) -> None:
        """Find the period that an epoch is in, and the position in it."""
        if epoch < 0:
            raise ValueError(f"epoch must not be negative, but is {epoch}")
        self.T_i = self.T_0
        self.T_cur = epoch
        if self.T_mult == 1:
            self.T_cur = epoch % self.T_0
            return
        while self.T_cur >= self.T_i:
            self.T_cur -= self.T_i
            self.T_i *= self.T_mult

    def set_state_dict(self, state_dict: State) -> None:
        """Continue from a :meth:`state_dict`; the place in the period follows from the epoch.

        Args:
            state_dict: as returned by :meth:`state_dict`.

        Raises:
            RuntimeError: an entry is missing.
        """
        super().set_state_dict(state_dict)
        self._locate(self.last_epoch)

    set_dict = set_state_dict


class OneCycleLR(LRScheduler):
    """One rise to the maximum and one fall ("Super-Convergence", arXiv:1708.07120).

    The learning rate goes from ``max_learning_rate / divide_factor`` to the maximum within ``phase_pct`` of all steps,
    then to ``end_learning_rate``; with ``three_phase`` it comes back to the start as slowly as it rose, then goes to
    the end.

    Args:
        max_learning_rate: the peak.
        total_steps: number of all steps, positive.
        divide_factor: the peak over the start.
        end_learning_rate: the final learning rate.
        phase_pct: share of the steps spent rising, in [0, 1]; below 0.5 with ``three_phase``.
        anneal_strategy: ``"cos"`` or ``"linear"``.
        three_phase: whether to use three phases.
        last_epoch: index of the last epoch.
        verbose: print a line at each step.

    Raises:
        TypeError: a number has a wrong type.
        ValueError: a number is out of its range, or the strategy is unknown; at a step past ``total_steps``.
    """

    def __init__(
        self, max_learning_rate: float, total_steps: int, divide_factor: float = 25.0,
        end_learning_rate: float = 0.0001, phase_pct: float = 0.3, anneal_strategy: str = "cos",
        three_phase: bool = False, last_epoch: int = -1, verbose: bool = False,
    ) -> None:
        maximum = check_learning_rate(max_learning_rate)
        end = check_learning_rate(end_learning_rate)
        check_positive_integer("total_steps", total_steps)
        if not 0 <= phase_pct <= 1:
            raise ValueError(f"phase_pct must be between 0 and 1, but is {phase_pct}")
        if three_phase and phase_pct >= 0.5:
            raise ValueError(f"phase_pct must be below 0.5 with three_phase, but is {phase_pct}")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be 'cos' or 'linear', but is {anneal_strategy!r}")
        self.total_steps = total_steps
        self.anneal_strategy = anneal_strategy
        start = maximum / float(divide_factor)
        rise_end = phase_pct * total_steps - 1
        if three_phase:
            self.knots = [(0, start), (rise_end, maximum), (2 * phase_pct * total_steps - 2, start)]
        else:
            self.knots = [(0, start), (rise_end, maximum)]
        self.knots.append((total_steps - 1, end))
        super().__init__(start, last_epoch, verbose)

    def get_lr(self) -> float:
        """Return the learning rate of the current step.

        Raises:
            ValueError: the step is past ``total_steps``.
        """
        step = self.last_epoch
        if step > self.total_steps:
            raise ValueError(f"step {step} is past the {self.total_steps} steps of the cycle")
        phases = list(zip(self.knots, self.knots[1:]))
        (begin, low), (end, high) = next((phase for phase in phases if step <= phase[1][0]), phases[-1])
        part = (step - begin) / (end - begin)
        if self.anneal_strategy == "cos":
            return high + (low - high) / 2.0 * (math.cos(math.pi * part) + 1)
        return (high - low) * part + low


class CyclicLR(LRScheduler):
    """A zigzag between two learning rates ("Cyclical Learning Rates", arXiv:1506.01186).

    Args:
        base_learning_rate: lower end of each cycle.
        max_learning_rate: upper end of the first cycle.
        step_size_up: steps of the rise, positive.
        step_size_down: steps of the fall; as many as of the rise where None.
        mode: ``"triangular"``; ``"triangular2"`` halves the height each cycle; ``"exp_range"`` multiplies it by
            ``exp_gamma`` each step.
        exp_gamma: factor of ``"exp_range"``.
        scale_fn: factor of the height as a function of the cycle or the step; replaces ``mode``.
        scale_mode: what ``scale_fn`` is given: ``"cycle"`` (from 1) or ``"iterations"`` (from 0).
        last_epoch: index of the last step.
        verbose: print a line at each step.

    Raises:
        TypeError: a number has a wrong type.
        ValueError: a number is out of its range, or a mode is unknown.
    """

    def __init__(
        self, base_learning_rate: float, max_learning_rate: float, step_size_up: int,
        step_size_down: Optional[int] = None, mode: str = "triangular", exp_gamma: float = 1.0,
        scale_fn: Optional[Callable[[int], float]] = None, scale_mode: str = "cycle", last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        maximum = check_learning_rate(max_learning_rate)
        check_positive_integer("step_size_up", step_size_up)
        if step_size_down is None:
            step_size_down = step_size_up
        check_positive_integer("step_size_down", step_size_down)
        scales: dict[str, tuple[Callable[[int], float], str]] = {
            "triangular": (lambda _cycle: 1.0, "cycle"),
            "triangular2": (lambda cycle: 0.5 ** (cycle - 1), "cycle"),
            "exp_range": (lambda step: exp_gamma**step, "iterations"),
        }
        if mode not in scales and scale_fn is None:
            raise ValueError(f"mode must be one of {sorted(scales)}, or scale_fn be given, but is {mode!r}")
        if scale_mode not in ("cycle", "iterations"):
            raise ValueError(f"scale_mode must be 'cycle' or 'iterations', but is {scale_mode!r}")
        self.amplitude = maximum - check_learning_rate(base_learning_rate)
        self.cycle_size = step_size_up + step_size_down
        self.step_up_pct = step_size_up / self.cycle_size
        self.scale_fn, self.scale_mode = scales[mode] if scale_fn is None else (scale_fn, scale_mode)
        super().__init__(base_learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Return the learning rate of the current step."""
        cycle = 1 + self.last_epoch // self.cycle_size
        part = 1.0 + self.last_epoch / self.cycle_size - cycle
        height = part / self.step_up_pct if part <= self.step_up_pct else (1 - part) / (1 - self.step_up_pct)
        return self.base_lr + self.amplitude * height * self.scale_fn(
            cycle if self.scale_mode == "cycle" else self.last_epoch
        )

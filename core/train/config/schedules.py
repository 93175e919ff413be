"""The section ``schedule`` of a config: learning-rate schedules, whose lengths are in epochs."""

from __future__ import annotations

import itertools
import math
import operator
from typing import Annotated, Any, Optional

import pydantic

from core.train.config.table import Component, Named, Table

Positive = Annotated[float, pydantic.Field(gt=0)]
NotNegative = Annotated[float, pydantic.Field(ge=0)]


def constant(learning_rate: Positive, warmup_epochs: NotNegative = 0.0, *, steps_per_epoch: int, epochs: float) -> Any:
    """One learning rate throughout, after a linear warm-up from zero."""
    from core.optimizer.lr import PiecewiseDecay  # loads the engine, which not every process needs

    flat = PiecewiseDecay([1], [learning_rate, learning_rate])
    return _warmed_up(flat, learning_rate, warmup_epochs, steps_per_epoch)


def cosine(
    learning_rate: Positive,
    warmup_epochs: NotNegative = 0.0,
    end_learning_rate: NotNegative = 0.0,
    by_epoch: bool = False,
    decay_epochs: Optional[Positive] = None,
    *,
    steps_per_epoch: int,
    epochs: float,
) -> Any:
    """Half a cosine from the learning rate to its end, after a linear warm-up from zero.

    It falls with every step; with ``by_epoch`` at the end of each epoch, as in recipes of Fluid. It is at its end after
    ``decay_epochs``, warm-up included, where training may have ended before; by default with the training.
    """
    from core.optimizer.lr import CosineAnnealingDecay, LambdaDecay  # loads the engine, which not every process needs

    length = epochs if decay_epochs is None else decay_epochs
    if length < epochs:
        raise ValueError(f"decay_epochs {decay_epochs} must not be less than the {epochs} epochs of training")
    steps = max(round(length * steps_per_epoch) - round(warmup_epochs * steps_per_epoch), 1)
    if by_epoch:
        count = max(round(steps / steps_per_epoch), 1)
        end = end_learning_rate / learning_rate

        def share(step: int) -> float:
            epoch = min(step // steps_per_epoch, count)
            return end + (1 - end) * (1 + math.cos(math.pi * epoch / count)) / 2

        return _warmed_up(LambdaDecay(learning_rate, share), learning_rate, warmup_epochs, steps_per_epoch)
    decay = CosineAnnealingDecay(learning_rate, T_max=steps, eta_min=end_learning_rate)
    return _warmed_up(decay, learning_rate, warmup_epochs, steps_per_epoch)


def polynomial(
    learning_rate: Positive,
    power: Positive = 1.0,
    warmup_epochs: NotNegative = 0.0,
    end_learning_rate: NotNegative = 0.0,
    *,
    steps_per_epoch: int,
    epochs: float,
) -> Any:
    """(1 - progress) ** power from the learning rate to its end, after a linear warm-up from zero."""
    from core.optimizer.lr import PolynomialDecay  # loads the engine, which not every process needs

    steps = max(round(epochs * steps_per_epoch) - round(warmup_epochs * steps_per_epoch), 1)
    decay = PolynomialDecay(learning_rate, decay_steps=steps, end_lr=end_learning_rate, power=power)
    return _warmed_up(decay, learning_rate, warmup_epochs, steps_per_epoch)


def linear(
    learning_rate: Positive,
    warmup_epochs: NotNegative = 0.0,
    flat_epochs: NotNegative = 0.0,
    end_learning_rate: NotNegative = 0.0,
    *,
    steps_per_epoch: int,
    epochs: float,
) -> Any:
    """A straight line from the learning rate to its end, after a linear warm-up from zero and some flat epochs.

    CycleGAN's recipe is 100 flat epochs of 200.
    """
    from core.optimizer.lr import LambdaDecay  # loads the engine, which not every process needs

    flat = round(flat_epochs * steps_per_epoch)
    steps = max(round(epochs * steps_per_epoch) - round(warmup_epochs * steps_per_epoch) - flat, 1)
    end = end_learning_rate / learning_rate

    def share(step: int) -> float:
        return 1 - (1 - end) * min(max(step - flat, 0) / steps, 1.0)

    return _warmed_up(LambdaDecay(learning_rate, share), learning_rate, warmup_epochs, steps_per_epoch)


def exponential(
    learning_rate: Positive,
    factor: Positive,
    decay_epochs: Positive,
    warmup_epochs: NotNegative = 0.0,
    by_epoch: bool = False,
    *,
    steps_per_epoch: int,
    epochs: float,
) -> Any:
    """A learning rate that is multiplied by a factor over each span of epochs, after a linear warm-up from zero.

    It falls with every step; with ``by_epoch`` in jumps, at the end of each span. EfficientNet's recipe is factor 0.97,
    decay_epochs 2.4, warmup_epochs 5.
    """
    from core.optimizer.lr import LambdaDecay  # loads the engine, which not every process needs

    span = decay_epochs * steps_per_epoch

    def share(step: int) -> float:
        return float(factor ** (step // span if by_epoch else step / span))

    return _warmed_up(LambdaDecay(learning_rate, share), learning_rate, warmup_epochs, steps_per_epoch)


def piecewise(
    learning_rate: Positive,
    decay_epochs: list[float],
    factor: Positive = 0.1,
    warmup_epochs: NotNegative = 0.0,
    factors: Optional[list[Positive]] = None,
    *,
    steps_per_epoch: int,
    epochs: float,
) -> Any:
    """A learning rate that is multiplied by a factor at given epochs, after a linear warm-up from zero.

    With ``factors`` each of these epochs has its own, instead of ``factor``.
    """
    from core.optimizer.lr import PiecewiseDecay  # loads the engine, which not every process needs

    own = [factor] * len(decay_epochs) if factors is None else factors
    if len(own) != len(decay_epochs):
        raise ValueError(f"factors {own} must be as many as decay_epochs {decay_epochs}")

    boundaries = [round((epoch - warmup_epochs) * steps_per_epoch) for epoch in decay_epochs]
    if boundaries != sorted(boundaries) or (boundaries and boundaries[0] <= 0):
        raise ValueError(f"decay_epochs {decay_epochs} must rise and come after the {warmup_epochs} epochs of warm-up")
    decay = PiecewiseDecay(boundaries, list(itertools.accumulate([learning_rate, *own], operator.mul)))
    return _warmed_up(decay, learning_rate, warmup_epochs, steps_per_epoch)


def _warmed_up(decay: Any, learning_rate: float, warmup_epochs: float, steps_per_epoch: int) -> Any:
    from core.optimizer.lr import LinearWarmup  # loads the engine, which not every process needs

    steps = round(warmup_epochs * steps_per_epoch)
    if steps < 1:
        return decay
    start = learning_rate / (steps + 1)  # the first step already moves
    return LinearWarmup(decay, warmup_steps=steps, start_lr=start, end_lr=learning_rate)


SCHEDULES = Table(
    "schedule",
    {
        "Constant": constant,
        "Cosine": cosine,
        "Piecewise": piecewise,
        "Linear": linear,
        "Polynomial": polynomial,
        "Exponential": exponential,
    },
    provided=("steps_per_epoch", "epochs"),
)
ScheduleChoice = Annotated[Component, Named(SCHEDULES)]

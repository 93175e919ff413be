"""The section ``schedule`` of a config: learning-rate schedules, whose lengths are in epochs.

Each begins with a linear warm-up of ``warmup_epochs``, or of the share ``warmup_share`` of all steps.
"""

from __future__ import annotations

import itertools
import math
import operator
from typing import Annotated, Any, Optional

import pydantic

from core.train.config.table import Component, Named, Table

Positive = Annotated[float, pydantic.Field(gt=0)]
NotNegative = Annotated[float, pydantic.Field(ge=0)]
Share = Annotated[float, pydantic.Field(ge=0, lt=1)]


def constant(
    learning_rate: Positive,
    warmup_epochs: NotNegative = 0.0,
    warmup_share: Share = 0.0,
    *,
    steps_per_epoch: int,
    epochs: float,
) -> Any:
    """One learning rate throughout, after a linear warm-up from zero."""
    from core.optimizer.lr import PiecewiseDecay  # loads the engine, which not every process needs

    flat = PiecewiseDecay([1], [learning_rate, learning_rate])
    return _warmed_up(flat, learning_rate, _warmup(warmup_epochs, warmup_share, steps_per_epoch, epochs))


def cosine(
    learning_rate: Positive,
    warmup_epochs: NotNegative = 0.0,
    end_learning_rate: NotNegative = 0.0,
    by_epoch: bool = False,
    decay_epochs: Optional[Positive] = None,
    warmup_share: Share = 0.0,
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
    warmup = _warmup(warmup_epochs, warmup_share, steps_per_epoch, epochs)
    steps = max(round(length * steps_per_epoch) - warmup, 1)
    if by_epoch:
        count = max(round(steps / steps_per_epoch), 1)
        end = end_learning_rate / learning_rate

        def share(step: int) -> float:
            epoch = min(step // steps_per_epoch, count)
            return end + (1 - end) * (1 + math.cos(math.pi * epoch / count)) / 2

        return _warmed_up(LambdaDecay(learning_rate, share), learning_rate, warmup)
    decay = CosineAnnealingDecay(learning_rate, T_max=steps, eta_min=end_learning_rate)
    return _warmed_up(decay, learning_rate, warmup)


def cosine_restarts(
    learning_rate: Positive,
    periods: list[Positive],
    restart_weights: Optional[list[Positive]] = None,
    end_learning_rate: NotNegative = 0.0,
    *,
    steps_per_epoch: int,
    epochs: float,
) -> Any:
    """Half a cosine from the learning rate to its end, several times.

    ``periods`` are shares of the training, such as [1, 1, 1, 1]; ``restart_weights`` are factors on how far above the
    end each begins. Paper: Loshchilov and Hutter, "SGDR: stochastic gradient descent with warm restarts", ICLR 2017,
    https://arxiv.org/abs/1608.03983
    """
    from core.optimizer.lr import LambdaDecay  # loads the engine, which not every process needs

    weights = [1.0] * len(periods) if restart_weights is None else restart_weights
    if not periods or len(weights) != len(periods):
        raise ValueError(f"restart_weights {weights} must be as many as periods {periods}, and one at least")
    steps = max(round(epochs * steps_per_epoch), 1)
    ends = [max(round(steps * done / sum(periods)), 1) for done in itertools.accumulate(periods)]
    end = end_learning_rate / learning_rate

    def share(step: int) -> float:
        number = min(sum(step >= each for each in ends), len(ends) - 1)
        begin = ends[number - 1] if number else 0
        done = min((step - begin) / max(ends[number] - begin, 1), 1.0)
        return end + weights[number] * (1 - end) * (1 + math.cos(math.pi * done)) / 2

    return LambdaDecay(learning_rate, share)


def polynomial(
    learning_rate: Positive,
    power: Positive = 1.0,
    warmup_epochs: NotNegative = 0.0,
    end_learning_rate: NotNegative = 0.0,
    warmup_share: Share = 0.0,
    *,
    steps_per_epoch: int,
    epochs: float,
) -> Any:
    """(1 - progress) ** power from the learning rate to its end, after a linear warm-up from zero."""
    from core.optimizer.lr import PolynomialDecay  # loads the engine, which not every process needs

    warmup = _warmup(warmup_epochs, warmup_share, steps_per_epoch, epochs)
    steps = max(round(epochs * steps_per_epoch) - warmup, 1)
    decay = PolynomialDecay(learning_rate, decay_steps=steps, end_lr=end_learning_rate, power=power)
    return _warmed_up(decay, learning_rate, warmup)


def linear(
    learning_rate: Positive,
    warmup_epochs: NotNegative = 0.0,
    flat_epochs: NotNegative = 0.0,
    end_learning_rate: NotNegative = 0.0,
    warmup_share: Share = 0.0,
    from_first_step: bool = False,
    *,
    steps_per_epoch: int,
    epochs: float,
) -> Any:
    """A straight line from the learning rate to its end, after a linear warm-up from zero and some flat epochs.

    CycleGAN's recipe is 100 flat epochs of 200. With ``from_first_step`` the line begins at the first step, so that it
    is already lower where the warm-up ends; BERT's and ERNIE's recipe is that with warmup_share 0.1.
    """
    from core.optimizer.lr import LambdaDecay  # loads the engine, which not every process needs

    flat = round(flat_epochs * steps_per_epoch)
    warmup = _warmup(warmup_epochs, warmup_share, steps_per_epoch, epochs)
    before = warmup if from_first_step else 0
    steps = max(round(epochs * steps_per_epoch) - warmup + before - flat, 1)
    end = end_learning_rate / learning_rate

    def share(step: int) -> float:
        return 1 - (1 - end) * min(max(step + before - flat, 0) / steps, 1.0)

    return _warmed_up(LambdaDecay(learning_rate, share), learning_rate, warmup)


def exponential(
    learning_rate: Positive,
    factor: Positive,
    decay_epochs: Positive,
    warmup_epochs: NotNegative = 0.0,
    by_epoch: bool = False,
    warmup_share: Share = 0.0,
    flat_epochs: NotNegative = 0.0,
    *,
    steps_per_epoch: int,
    epochs: float,
) -> Any:
    """A learning rate that is multiplied by a factor over each span of epochs, after a linear warm-up from zero.

    It falls with every step; with ``by_epoch`` in jumps, at the end of each span. The first span begins after
    ``flat_epochs``. EfficientNet's recipe is factor 0.97, decay_epochs 2.4, warmup_epochs 5.
    """
    from core.optimizer.lr import LambdaDecay  # loads the engine, which not every process needs

    span = decay_epochs * steps_per_epoch
    flat = flat_epochs * steps_per_epoch
    warmup = _warmup(warmup_epochs, warmup_share, steps_per_epoch, epochs)

    def share(step: int) -> float:
        done = max(step - flat, 0.0)
        return float(factor ** (done // span if by_epoch else done / span))

    return _warmed_up(LambdaDecay(learning_rate, share), learning_rate, warmup)


def piecewise(
    learning_rate: Positive,
    decay_epochs: list[float],
    factor: Positive = 0.1,
    warmup_epochs: NotNegative = 0.0,
    factors: Optional[list[Positive]] = None,
    warmup_share: Share = 0.0,
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

    warmup = _warmup(warmup_epochs, warmup_share, steps_per_epoch, epochs)
    before = warmup_epochs or warmup_share * epochs
    boundaries = [round((epoch - before) * steps_per_epoch) for epoch in decay_epochs]
    if boundaries != sorted(boundaries) or (boundaries and boundaries[0] <= 0):
        raise ValueError(f"decay_epochs {decay_epochs} must rise and come after the {before} epochs of warm-up")
    decay = PiecewiseDecay(boundaries, list(itertools.accumulate([learning_rate, *own], operator.mul)))
    return _warmed_up(decay, learning_rate, warmup)


def noam(
    learning_rate: Positive,
    d_model: Annotated[int, pydantic.Field(gt=0)],
    warmup_steps: Annotated[int, pydantic.Field(gt=0)],
    *,
    steps_per_epoch: int,
    epochs: float,
) -> Any:
    """learning_rate / √d_model times step / warmup_steps ** 1.5 to the step warmup_steps, and then times 1 / √step.

    The recipe of "Attention Is All You Need" (arXiv:1706.03762); the first step is number 1.
    """
    from core.optimizer.lr import NoamDecay  # loads the engine, which not every process needs

    return NoamDecay(d_model, warmup_steps, learning_rate, last_epoch=0)


def _warmup(epochs_of_it: float, share: float, steps_per_epoch: int, epochs: float) -> int:
    """Return the steps of a warm-up.

    Raises:
        ValueError: both lengths of it are given.
    """
    if epochs_of_it and share:
        raise ValueError(f"give warmup_epochs ({epochs_of_it}) or warmup_share ({share}), not both")
    return round((epochs_of_it or share * epochs) * steps_per_epoch)


def _warmed_up(decay: Any, learning_rate: float, steps: int) -> Any:
    from core.optimizer.lr import LinearWarmup  # loads the engine, which not every process needs

    if steps < 1:
        return decay
    start = learning_rate / (steps + 1)  # the first step already moves
    return LinearWarmup(decay, warmup_steps=steps, start_lr=start, end_lr=learning_rate)


SCHEDULES = Table(
    "schedule",
    {
        "Constant": constant,
        "Cosine": cosine,
        "CosineRestarts": cosine_restarts,
        "Piecewise": piecewise,
        "Linear": linear,
        "Polynomial": polynomial,
        "Exponential": exponential,
        "Noam": noam,
    },
    provided=("steps_per_epoch", "epochs"),
)
ScheduleChoice = Annotated[Component, Named(SCHEDULES)]

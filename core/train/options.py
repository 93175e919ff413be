"""The keys of a config that every task shares: how long to train, what to keep, with which optimizer and schedule."""

from __future__ import annotations

import math
import os
from typing import Annotated, Any, Literal, Optional

import pydantic

from core.io.files import is_url
from core.train.config import Section
from core.train.table import Component, Table
from core.train.yaml_file import shortened


def _whole(root: str) -> str:
    """Return a path that means the same from any working directory, as the run's config is read from others."""
    return root if is_url(root) else os.path.abspath(os.path.expanduser(root))


DataRoot = Optional[Annotated[str, pydantic.AfterValidator(_whole)]]
"""The folder of the data, which ``--data FOLDER`` sets."""


def _new_folder(output: str) -> str:
    path = os.path.expanduser(output)
    if os.path.basename(os.path.normpath(path)) in ("", ".", "..") or "\0" in path or path.isspace():
        raise ValueError(f"must name the folder to write, as in runs/first, not {shortened(output)}")
    return path


Output = Annotated[str, pydantic.AfterValidator(_new_folder)]
"""The folder of a run; it is made, so the root, the working directory and what is above it are none."""

Seed = Annotated[int, pydantic.Field(ge=0, lt=2**32)]
"""What every generator of random numbers takes."""

Workers = Annotated[int, pydantic.Field(ge=0, le=1024)]
"""How many processes read data; each is a Python of its own."""


class TrainOptions(Section):
    """How the Trainer runs."""

    epochs: pydantic.PositiveInt = pydantic.Field(
        le=1_000_000_000, description="how often the training data is visited"
    )
    compiled: bool = pydantic.Field(
        True, description="run compiled graphs; false runs operator by operator, for debugging"
    )
    precision: Literal["float32", "bfloat16", "float16"] = pydantic.Field(
        "float32", description="what products and convolutions of a training step compute in; weights stay float32"
    )
    accumulate: pydantic.PositiveInt = pydantic.Field(
        1,
        le=1_000_000,
        description="batches of one step: their gradients are averaged, as of one batch of all their samples",
    )
    ema: Optional[Annotated[float, pydantic.Field(gt=0, lt=1)]] = pydantic.Field(
        None, description="decay of a moving average of the weights, such as 0.999, which is evaluated and kept"
    )
    evaluate_every: pydantic.PositiveInt = pydantic.Field(
        1, description="epochs between evaluations on the valid split"
    )
    checkpoint_every: pydantic.PositiveInt = pydantic.Field(1, description="epochs between checkpoints")
    keep_checkpoints: pydantic.PositiveInt = pydantic.Field(
        2, description="how many of the newest to keep, beside the best"
    )
    early_stop: Optional[pydantic.PositiveInt] = pydantic.Field(
        None, description="stop after this many evaluations without a better one"
    )
    tensorboard: bool = pydantic.Field(True, description="write TensorBoard events")


OPTIMIZERS = Table(
    "optimizer",
    {
        name: f"core.optimizer:{name}"
        for name in ("SGD", "Momentum", "Adam", "AdamW", "Adamax", "Adagrad", "Adadelta", "RMSProp", "Lamb")
    },
    provided=("learning_rate", "parameters"),
)
OptimizerChoice = Annotated[Component, pydantic.AfterValidator(OPTIMIZERS.check)]


def constant(learning_rate: float, warmup_epochs: float = 0.0, *, steps_per_epoch: int, epochs: int) -> Any:
    """One learning rate throughout, after a linear warm-up from zero."""
    from core.optimizer.lr import PiecewiseDecay

    flat = PiecewiseDecay([1], [learning_rate, learning_rate])
    return _warmed_up(flat, learning_rate, warmup_epochs, steps_per_epoch)


def cosine(
    learning_rate: float,
    warmup_epochs: float = 0.0,
    end_learning_rate: float = 0.0,
    by_epoch: bool = False,
    *,
    steps_per_epoch: int,
    epochs: int,
) -> Any:
    """Half a cosine from the learning rate to its end, after a linear warm-up from zero.

    It falls with every step; with ``by_epoch`` at the end of each epoch, as in recipes of Fluid.
    """
    from core.optimizer.lr import CosineAnnealingDecay, LambdaDecay

    steps = max(epochs * steps_per_epoch - round(warmup_epochs * steps_per_epoch), 1)
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
    learning_rate: float,
    power: float = 1.0,
    warmup_epochs: float = 0.0,
    end_learning_rate: float = 0.0,
    *,
    steps_per_epoch: int,
    epochs: int,
) -> Any:
    """(1 - progress) ** power from the learning rate to its end, after a linear warm-up from zero."""
    from core.optimizer.lr import PolynomialDecay

    steps = max(epochs * steps_per_epoch - round(warmup_epochs * steps_per_epoch), 1)
    decay = PolynomialDecay(learning_rate, decay_steps=steps, end_lr=end_learning_rate, power=power)
    return _warmed_up(decay, learning_rate, warmup_epochs, steps_per_epoch)


def linear(
    learning_rate: float,
    warmup_epochs: float = 0.0,
    flat_epochs: float = 0.0,
    end_learning_rate: float = 0.0,
    *,
    steps_per_epoch: int,
    epochs: int,
) -> Any:
    """A straight line from the learning rate to its end, after a linear warm-up from zero and some flat epochs.

    CycleGAN's recipe is 100 flat epochs of 200.
    """
    from core.optimizer.lr import LambdaDecay

    flat = round(flat_epochs * steps_per_epoch)
    steps = max(epochs * steps_per_epoch - round(warmup_epochs * steps_per_epoch) - flat, 1)
    end = end_learning_rate / learning_rate

    def share(step: int) -> float:
        return 1 - (1 - end) * min(max(step - flat, 0) / steps, 1.0)

    return _warmed_up(LambdaDecay(learning_rate, share), learning_rate, warmup_epochs, steps_per_epoch)


def exponential(
    learning_rate: float,
    factor: float,
    decay_epochs: float,
    warmup_epochs: float = 0.0,
    by_epoch: bool = False,
    *,
    steps_per_epoch: int,
    epochs: int,
) -> Any:
    """A learning rate that is multiplied by a factor over each span of epochs, after a linear warm-up from zero.

    It falls with every step; with ``by_epoch`` in jumps, at the end of each span. EfficientNet's recipe is factor 0.97,
    decay_epochs 2.4, warmup_epochs 5.
    """
    from core.optimizer.lr import LambdaDecay

    span = decay_epochs * steps_per_epoch
    if span <= 0:
        raise ValueError(f"decay_epochs must be positive, not {decay_epochs}")

    def share(step: int) -> float:
        return float(factor ** (step // span if by_epoch else step / span))

    return _warmed_up(LambdaDecay(learning_rate, share), learning_rate, warmup_epochs, steps_per_epoch)


def piecewise(
    learning_rate: float,
    decay_epochs: list[float],
    factor: float = 0.1,
    warmup_epochs: float = 0.0,
    *,
    steps_per_epoch: int,
    epochs: int,
) -> Any:
    """A learning rate that is multiplied by a factor at given epochs, after a linear warm-up from zero."""
    from core.optimizer.lr import PiecewiseDecay

    boundaries = [round((epoch - warmup_epochs) * steps_per_epoch) for epoch in decay_epochs]
    if boundaries != sorted(boundaries) or (boundaries and boundaries[0] <= 0):
        raise ValueError(f"decay_epochs {decay_epochs} must rise and come after the {warmup_epochs} epochs of warm-up")
    decay = PiecewiseDecay(boundaries, [learning_rate * factor**i for i in range(len(boundaries) + 1)])
    return _warmed_up(decay, learning_rate, warmup_epochs, steps_per_epoch)


def _warmed_up(decay: Any, learning_rate: float, warmup_epochs: float, steps_per_epoch: int) -> Any:
    from core.optimizer.lr import LinearWarmup

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
ScheduleChoice = Annotated[Component, pydantic.AfterValidator(SCHEDULES.check)]

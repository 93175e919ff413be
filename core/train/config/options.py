"""The keys of a config that every task shares: how long to train and what to keep."""

from __future__ import annotations

import os
from typing import Annotated, Literal, Optional

import pydantic

from core.io.files import is_url
from core.train.config.interval import Interval, ShortForm
from core.train.config.schema import Section
from core.train.config.yaml_file import shortened


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


CHECKPOINT_MINUTES = 10
"""Minutes of training between checkpoints, beside those at ends of epochs."""

_ANY_INTERVAL = "an integer counts epochs; or keys epochs, steps, minutes"


class LossScaling(Section):
    """By what losses are multiplied before the backward pass of mixed precision, and gradients divided after it."""

    init_loss_scaling: float = pydantic.Field(65536.0, gt=0, description="the first factor")
    use_dynamic_loss_scaling: bool = pydantic.Field(
        True, description="false: the factor stays; true: it follows from whether gradients are finite"
    )
    incr_every_n_steps: pydantic.PositiveInt = pydantic.Field(
        2000, description="after so many steps in a row whose gradients were finite the factor rises"
    )
    incr_ratio: float = pydantic.Field(2.0, gt=1, description="by what it is then multiplied")
    decr_every_n_nan_or_inf: pydantic.PositiveInt = pydantic.Field(
        1, description="after so many steps in a row whose gradients were not it falls"
    )
    decr_ratio: float = pydantic.Field(0.5, gt=0, lt=1, description="by what it is then multiplied")


class PreciseNormSection(Section):
    """When the running statistics of batch normalisation are taken anew, from batches that pass with fixed weights."""

    every: pydantic.PositiveInt = pydantic.Field(10, description="at the end of every so many epochs, and of the last")
    batches: pydantic.PositiveInt = pydantic.Field(200, description="how many batches are averaged")


class TrainOptions(Section):
    """How the Trainer runs; exactly one of ``epochs`` and ``steps`` says how long."""

    epochs: Optional[Annotated[int, pydantic.Field(gt=0, le=1_000_000_000)]] = pydantic.Field(
        None, description="how often the training data is visited; or give steps"
    )
    steps: Optional[Annotated[int, pydantic.Field(gt=0, le=1_000_000_000_000)]] = pydantic.Field(
        None, description="how many steps to make, instead of epochs; a stream without a length needs it"
    )
    compiled: bool = pydantic.Field(
        True, description="run compiled graphs; false runs operator by operator, for debugging"
    )
    precision: Literal["float32", "bfloat16", "float16"] = pydantic.Field(
        "float32", description="what products and convolutions of a training step compute in; weights stay float32"
    )
    loss_scaling: Optional[LossScaling] = pydantic.Field(
        None, description="null: float16 scales losses with the defaults, bfloat16 does not need it"
    )
    accumulate: pydantic.PositiveInt = pydantic.Field(
        1,
        le=1_000_000,
        description="batches of one step: their gradients are averaged, as of one batch of all their samples",
    )
    ema: Optional[Annotated[float, pydantic.Field(gt=0, lt=1)]] = pydantic.Field(
        None, description="decay of a moving average of the weights, such as 0.999, which is evaluated and kept"
    )
    precise_norm: Optional[PreciseNormSection] = pydantic.Field(
        None, description="null: batch normalisation keeps the running averages of training"
    )
    evaluate_every: Annotated[Interval, ShortForm()] = pydantic.Field(
        Interval(epochs=1), description=f"how often to evaluate the valid split; {_ANY_INTERVAL}"
    )
    checkpoint_every: Annotated[Interval, ShortForm(CHECKPOINT_MINUTES)] = pydantic.Field(
        Interval(epochs=1, minutes=CHECKPOINT_MINUTES),
        description=f"how often to save; {_ANY_INTERVAL}; an integer means these epochs and every "
        f"{CHECKPOINT_MINUTES} minutes of training",
    )
    log_every: Annotated[Interval, ShortForm()] = pydantic.Field(
        Interval(epochs=1), description=f"how often to write the means since the last time; {_ANY_INTERVAL}"
    )
    keep_checkpoints: pydantic.PositiveInt = pydantic.Field(
        2, description="how many of the newest to keep, beside the best"
    )
    early_stop: Optional[pydantic.PositiveInt] = pydantic.Field(
        None, description="stop after this many evaluations without a better one"
    )
    tensorboard: bool = pydantic.Field(True, description="write TensorBoard events")

    @pydantic.model_validator(mode="after")
    def _scales_what_is_low(self) -> TrainOptions:
        if self.loss_scaling is not None and self.precision == "float32":
            raise ValueError("loss_scaling goes with precision bfloat16 or float16, not with float32")
        return self

    @pydantic.model_validator(mode="after")
    def _has_statistics_of_its_weights(self) -> TrainOptions:
        if self.precise_norm is not None and self.ema is not None:
            raise ValueError("precise_norm and ema exclude each other: statistics are of weights that are not averaged")
        if self.precise_norm is not None and self.epochs is None:
            raise ValueError("precise_norm goes with epochs, not with steps")
        return self

    @pydantic.model_validator(mode="after")
    def _has_one_length(self) -> TrainOptions:
        if self.epochs is None and self.steps is None:
            raise ValueError("give epochs, or steps, to say how long to train")
        if self.epochs is not None and self.steps is not None:
            raise ValueError(
                f"epochs ({self.epochs}) and steps ({self.steps}) exclude each other; leave one out, or set it to null"
            )
        return self

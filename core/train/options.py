"""The keys of a config that every task shares: how long to train and what to keep."""

from __future__ import annotations

import os
from typing import Annotated, Literal, Optional

import pydantic

from core.io.files import is_url
from core.train.config import Section
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

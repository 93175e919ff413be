"""The keys of a classification config."""

from __future__ import annotations

import json
import os
from typing import Annotated, Any, Optional, Union

import pydantic

from core.io.files import is_url
from core.train.config import Section, describe_schema
from core.train.options import OptimizerChoice, ScheduleChoice, TrainOptions
from core.train.table import nearest
from PaddleClas.data.pipeline import SplitSection
from PaddleClas.models.registry import MODELS


def _known_model(name: str) -> str:
    if name not in MODELS:
        raise ValueError(f"unknown model {name!r}; the nearest is {nearest(name, MODELS)!r} (all: {', '.join(MODELS)})")
    return name


class ModelSection(Section):
    """Which network."""

    name: Annotated[str, pydantic.AfterValidator(_known_model)] = pydantic.Field(
        description="a name of PaddleClas.list_models()"
    )
    class_num: pydantic.PositiveInt = pydantic.Field(description="the number of classes")
    pretrained: Union[bool, str] = pydantic.Field(
        False, description="true: official weights, downloaded once; a path: a weight file; false: fresh weights"
    )
    adapt_head: bool = pydantic.Field(
        False, description="a weight file for another number of classes keeps its head out"
    )
    arguments: dict[str, Any] = pydantic.Field({}, description="further arguments of the network")


def _whole(root: str) -> str:
    """Return a path that means the same from any working directory, as the run's config is read from others."""
    return root if is_url(root) else os.path.abspath(os.path.expanduser(root))


def data_override(folder: str) -> str:
    """Return the override that ``--data FOLDER`` stands for."""
    return f"data.root={json.dumps(folder)}"


class DataSection(Section):
    """Which images."""

    root: Optional[Annotated[str, pydantic.AfterValidator(_whole)]] = pydantic.Field(
        None, description="the folder that the data sets' paths are relative to; --data FOLDER sets it"
    )
    num_workers: pydantic.NonNegativeInt = pydantic.Field(
        0, description="processes that read images beside the training; 0: the training's own; results are the same"
    )
    train: SplitSection
    valid: Optional[SplitSection] = None
    test: Optional[SplitSection] = None


class LossSection(Section):
    """What is minimised: the cross entropy."""

    label_smoothing: Annotated[float, pydantic.Field(ge=0, lt=1)] = pydantic.Field(
        0.0, description="how much of each label is spread over all classes"
    )


class ExpectSection(Section):
    """What the experiment should reach; eval.py fails below it."""

    split: str = pydantic.Field("test", description="on which split")
    accuracy: float = pydantic.Field(description="at least this top-1 accuracy, between 0 and 1")


class ClassificationConfig(Section):
    """One experiment."""

    seed: pydantic.NonNegativeInt = pydantic.Field(0, description="of weights, order and augmentation")
    output: str = pydantic.Field(description="the run's folder; a number is added when it is taken")
    model: ModelSection
    data: DataSection
    loss: LossSection = LossSection(label_smoothing=0.0)
    optimizer: OptimizerChoice = pydantic.Field(description="an optimizer of core.optimizer with its arguments")
    schedule: ScheduleChoice = pydantic.Field(description="Constant, Cosine or Piecewise, with learning_rate")
    train: TrainOptions
    expect: Optional[ExpectSection] = None


def keys() -> list[str]:
    """Return one line for each key that a config may have, with type, default and meaning."""
    return describe_schema(ClassificationConfig)

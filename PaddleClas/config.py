"""The keys of a classification config."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Optional, Union

import pydantic

from core.train.config import Section, describe_schema
from core.train.optimizers import OptimizerChoice
from core.train.options import DataRoot, Output, Seed, TrainOptions, Workers
from core.train.schedules import SCHEDULES, ScheduleChoice
from core.train.table import Component, Table
from PaddleClas.data.dataset import MOST_CLASSES
from PaddleClas.data.pipeline import SplitSection
from PaddleClas.losses import CrossEntropy, FocalLoss
from PaddleClas.models.registry import known_name


def _known_model(name: str) -> str:
    known_name(name)
    return name


class ModelSection(Section):
    """Which network."""

    name: Annotated[str, pydantic.AfterValidator(_known_model)] = pydantic.Field(
        description="a name of PaddleClas.list_models()"
    )
    class_num: pydantic.PositiveInt = pydantic.Field(
        le=MOST_CLASSES, description="the number of classes, as the data has them"
    )
    pretrained: Union[bool, str] = pydantic.Field(
        False, description="true: official weights, downloaded once; a path: a weight file; false: fresh weights"
    )
    adapt_head: bool = pydantic.Field(
        False, description="a weight file for another number of classes keeps its head out"
    )
    arguments: dict[str, Any] = pydantic.Field({}, description="further arguments of the network")

    def architecture(self) -> ModelSection:
        """Return the same network without weights to start from: those of a run are in its checkpoints."""
        return self.model_copy(update={"pretrained": False, "adapt_head": False})


class DataSection(Section):
    """Which images."""

    root: DataRoot = pydantic.Field(
        None, description="the folder that the data sets' paths are relative to; --data FOLDER sets it"
    )
    num_workers: Workers = pydantic.Field(
        0, description="processes that read images beside the training; 0: the training's own; results are the same"
    )
    train: SplitSection
    valid: Optional[SplitSection] = None
    test: Optional[SplitSection] = None


LOSSES = Table("loss", {"CrossEntropy": CrossEntropy, "FocalLoss": FocalLoss})


def _possible_loss(component: Component) -> Component:
    LOSSES.build(LOSSES.check(component))  # which says what is out of range
    return component


class TeacherSection(ModelSection):
    """A trained network whose answers the trained one learns to give."""

    weight: pydantic.PositiveFloat = pydantic.Field(1.0, description="of the distance to the teacher's answers")


class EvaluateSection(Section):
    """How a split is evaluated; training's own evaluations look at each image once."""

    topk: list[pydantic.PositiveInt] = pydantic.Field(
        [1, 5], description="an image counts as right for k where its class is among the k best"
    )
    flip: bool = pydantic.Field(False, description="eval.py also looks at each image mirrored, and averages")
    crops: Literal[1, 5, 10] = pydantic.Field(
        1, description="eval.py looks at the whole image, at corners and centre (5), or at those mirrored too (10)"
    )
    crop_size: Optional[pydantic.PositiveInt] = pydantic.Field(
        None, description="side of the crops, pixels; null: 7/8 of the image's shorter side"
    )


class ExpectSection(Section):
    """What the experiment should reach; eval.py fails where it does not."""

    split: str = pydantic.Field("test", description="on which split")
    accuracy: float = pydantic.Field(description="the top-1 accuracy, between 0 and 1")
    tolerance: Optional[pydantic.NonNegativeFloat] = pydantic.Field(
        None, description="how far from it is still right, in both directions; null: whatever is higher is right"
    )


class ClassificationConfig(Section):
    """One experiment."""

    seed: Seed = pydantic.Field(0, description="of weights, order and augmentation")
    output: Output = pydantic.Field(description="the run's folder; a number is added when it is taken")
    model: ModelSection
    data: DataSection
    loss: Annotated[Component, pydantic.AfterValidator(_possible_loss)] = pydantic.Field(
        Component(name="CrossEntropy"), description=f"what is minimised; of {', '.join(LOSSES.entries)}"
    )
    teacher: Optional[TeacherSection] = pydantic.Field(
        None, description="learn the answers of this trained network instead of the labels (distillation)"
    )
    optimizer: OptimizerChoice = pydantic.Field(description="an optimizer of core.optimizer with its arguments")
    schedule: ScheduleChoice = pydantic.Field(description=f"with learning_rate; of {', '.join(SCHEDULES.entries)}")
    decay_norm_and_bias: bool = pydantic.Field(
        True, description="whether weight decay reaches biases, and scales and offsets of normalisation"
    )
    train: TrainOptions
    evaluate: EvaluateSection = EvaluateSection()
    expect: Optional[ExpectSection] = None


def keys() -> list[str]:
    """Return one line for each key that a config may have, with type, default and meaning."""
    return describe_schema(ClassificationConfig)

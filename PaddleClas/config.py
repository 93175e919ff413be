"""The keys of a classification config, and the toolkit's record."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal, Optional

import pydantic

from core.train.classification.losses import LOSSES
from core.train.config.old_keys import OldKeys
from core.train.config.schema import Section
from core.train.config.table import Component, Named, Table
from core.train.config.teacher import TeacherSection
from core.train.runner.config import Experiment
from core.train.runner.splits import Splits
from core.train.runner.toolkit import Toolkit
from PaddleClas.data.pipeline import SplitSection
from PaddleClas.models.registry import NETWORKS

TASKS = Table("task", {"Classification": "PaddleClas.task:ClassificationTask"}, provided=("config",))


class ClassifierTeacher(TeacherSection):
    """A trained classifier whose answers the trained one learns to give."""

    network: Annotated[Component, Named(NETWORKS)] = pydantic.Field(description="with its weights, as pretrained")


class EvaluateSection(Section):
    """How a split is evaluated; training's own evaluations look at each image once."""

    topk: list[pydantic.PositiveInt] = pydantic.Field(
        default=[1, 5], description="an image counts as right for k where its class is among the k best"
    )
    flip: bool = pydantic.Field(False, description="eval.py also looks at each image mirrored, and averages")
    crops: Literal[1, 5, 10] = pydantic.Field(
        default=1,
        description="eval.py looks at the whole image, at corners and centre (5), or at those mirrored too (10)",
    )
    crop_size: Optional[pydantic.PositiveInt] = pydantic.Field(
        default=None, description="side of the crops, pixels; null: 7/8 of the image's shorter side"
    )


def _teacher(section: Any) -> tuple[Any, str]:
    """Rewrite a teacher whose network was in the section itself."""
    of_network = {"name", "class_num", "pretrained", "adapt_head", "arguments"}
    if not isinstance(section, dict) or not of_network & set(section):
        return section, ""
    kept = {key: value for key, value in section.items() if key in ("network", "weight")}
    old = {key: value for key, value in section.items() if key not in kept}
    network: dict[str, Any] = {}
    for part in (kept.get("network"), old.pop("arguments", None)):
        if not isinstance(part, (dict, type(None))):
            return section, ""
        network.update(part or {})
    network.update(old)
    return {**kept, "network": network}, "teacher -> teacher.network"


class ClassificationConfig(Experiment):
    """One experiment."""

    old_keys: ClassVar[OldKeys] = {
        "model.arguments": "network",
        **Experiment.old_keys,
        "decay_norm_and_bias": "optimizer.decay_norm_and_bias",
        "teacher": _teacher,
    }

    task: Annotated[Component, Named(TASKS)] = pydantic.Field(
        Component(name="Classification"), description="the task to train"
    )
    network: Annotated[Component, Named(NETWORKS)] = pydantic.Field(
        description="with class_num, pretrained (true: official weights, downloaded once; a path: a weight file), "
        "adapt_head (a weight file for another number of classes keeps its head out), and its own settings"
    )
    data: Splits[SplitSection]
    loss: Annotated[Component, Named(LOSSES)] = pydantic.Field(
        Component(name="CrossEntropy"), description="what is minimised"
    )
    teacher: Optional[ClassifierTeacher] = pydantic.Field(
        None, description="learn the answers of this trained network instead of the labels (distillation)"
    )
    evaluate: EvaluateSection = EvaluateSection()

    @property
    def class_num(self) -> int:
        """The number of classes that the network tells apart."""
        return int(self.network.arguments.get("class_num", 1000))

    def title(self) -> str:
        """Return the names of network, task and optimizer, and the number of classes."""
        return f"{super().title()}\n{self.class_num} classes"

    def evaluated(self, split: str) -> ClassificationConfig:
        """Return the same experiment for an evaluation of a split; only training asks a teacher."""
        return super().evaluated(split).model_copy(update={"teacher": None})


TOOLKIT = Toolkit("PaddleClas", ClassificationConfig, inference="PaddleClas.inference:infer")

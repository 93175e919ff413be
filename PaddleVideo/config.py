"""The keys of a config for videos, and the toolkit's record."""

from __future__ import annotations

from typing import Annotated, Optional

import pydantic

from core.train.classification.losses import LOSSES
from core.train.config.schema import Section
from core.train.config.table import Component, Named, Table
from core.train.config.teacher import TeacherSection
from core.train.runner.config import Experiment
from core.train.runner.splits import Splits
from core.train.runner.toolkit import Toolkit
from PaddleVideo.data.pipeline import SplitSection
from PaddleVideo.models.registry import NETWORKS

TASKS = Table(
    "task",
    {
        "Recognition": "PaddleVideo.tasks.recognition:RecognitionTask",
        "Tagging": "PaddleVideo.tasks.tagging:TaggingTask",
        "SkeletonRecognition": "PaddleVideo.tasks.skeletons:SkeletonTask",
        "ActionDetection": "PaddleVideo.tasks.detection:DetectionTask",
        "ActionProposals": "PaddleVideo.tasks.proposals:ProposalTask",
        "ActionSegmentation": "PaddleVideo.tasks.segmentation:SegmentationTask",
    },
    provided=("config",),
)


class RecogniserTeacher(TeacherSection):
    """A trained network whose answers the trained one learns to give."""

    network: Annotated[Component, Named(NETWORKS)] = pydantic.Field(description="with its weights, as pretrained")


class EvaluateSection(Section):
    """How a split is evaluated."""

    topk: list[pydantic.PositiveInt] = pydantic.Field(
        default=[1, 5], description="a clip counts as right for k where its class is among the k best"
    )


class VideoConfig(Experiment):
    """One experiment."""

    task: Annotated[Component, Named(TASKS)] = pydantic.Field(
        Component(name="Recognition"), description="the task to train"
    )
    network: Annotated[Component, Named(NETWORKS)] = pydantic.Field(
        description="with class_num, pretrained (true: official weights, downloaded once; the name of a classifier of "
        "PaddleClas, for the backbone; a path: a weight file), adapt_head (a weight file for another number of classes "
        "keeps its head out), and its own settings"
    )
    data: Splits[SplitSection]
    loss: Annotated[Component, Named(LOSSES)] = pydantic.Field(
        Component(name="CrossEntropy"),
        description="what is minimised; Tagging and the tasks of intervals ask their network",
    )
    teacher: Optional[RecogniserTeacher] = pydantic.Field(
        None, description="learn the answers of this trained network instead of the labels (distillation)"
    )
    evaluate: EvaluateSection = EvaluateSection()

    @property
    def class_num(self) -> int:
        """The number of classes that the network tells apart.

        Raises:
            ValueError: it tells none apart.
        """
        if "class_num" not in self.network.arguments:
            message = "has no class_num, for it tells no classes apart; choose another network, or task.name"
            raise ValueError(f"network: {self.network.name} {message}")
        return int(self.network.arguments["class_num"])

    def title(self) -> str:
        """Return the names of network, task and optimizer, and the number of classes, if there are any."""
        text = f"\n{self.class_num} classes" if "class_num" in self.network.arguments else ""
        return super().title() + text

    def evaluated(self, split: str) -> VideoConfig:
        """Return the same experiment for an evaluation of a split; only training asks a teacher."""
        return super().evaluated(split).model_copy(update={"teacher": None})


TOOLKIT = Toolkit("PaddleVideo", VideoConfig, inference="PaddleVideo.inference:infer")

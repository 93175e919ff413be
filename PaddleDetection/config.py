"""The keys of a detection config, and the toolkit's record."""

from __future__ import annotations

from typing import Annotated, Literal, Optional

import pydantic

from core.train.config.schema import Section
from core.train.config.table import Component, Named, Table
from core.train.runner.config import Experiment
from core.train.runner.splits import Splits
from core.train.runner.toolkit import Toolkit
from PaddleDetection.data.pipeline import SplitSection
from PaddleDetection.models.registry import NETWORKS

TASKS = Table("task", {"Detection": "PaddleDetection.task:DetectionTask"}, provided=("config",))


class MergeSection(Section):
    """How the boxes of several views of an image become one list."""

    nms_threshold: float = pydantic.Field(0.5, ge=0, le=1, description="the largest overlap with a better box")
    soft: Optional[Literal["linear", "gaussian"]] = pydantic.Field(
        default=None,
        description="lower the scores of boxes that overlap a better one, instead of dropping them (Soft-NMS)",
    )
    soft_sigma: pydantic.PositiveFloat = pydantic.Field(0.5, description="of gaussian")
    score_threshold: float = pydantic.Field(0.001, ge=0, le=1, description="boxes must score above it")


class EvaluateSection(Section):
    """How detections are judged."""

    metric: Literal["VOC", "COCO", "WIDER"] = pydantic.Field(
        default="VOC", description="whose measure: PASCAL VOC's, COCO's, or WIDER FACE's, which is of faces alone"
    )
    map_type: Literal["11point", "integral"] = pydantic.Field(
        default="11point",
        description="how VOC averages precision: over eleven recalls (2007), or under the whole curve",
    )
    classwise: bool = pydantic.Field(False, description="list the classes even where they are more than 20")
    scales: list[pydantic.PositiveFloat] = pydantic.Field(
        default=[1.0], min_length=1, description="eval.py looks at the prepared images in each of these sizes"
    )
    flip: bool = pydantic.Field(False, description="eval.py looks at their mirror images, too")
    face_views: bool = pydantic.Field(
        default=False,
        description="eval.py looks at images, one a batch, in the sizes of WIDER FACE's tests, and mirrored",
    )
    merge: MergeSection = MergeSection()

    @pydantic.model_validator(mode="after")
    def _one_way_of_views(self) -> EvaluateSection:
        if self.face_views and (self.scales != [1.0] or self.flip):
            raise ValueError("face_views has sizes and mirror images of its own: leave out scales and flip")
        return self


class DetectionConfig(Experiment):
    """One experiment."""

    task: Annotated[Component, Named(TASKS)] = pydantic.Field(
        Component(name="Detection"), description="the task to train"
    )
    network: Annotated[Component, Named(NETWORKS)] = pydantic.Field(
        description="with num_classes (background is none of them), pretrained (true: official weights; or the name of "
        "a checkpoint or of the backbone's classifier, or a weight file's path), and its own settings"
    )
    data: Splits[SplitSection]
    evaluate: EvaluateSection = EvaluateSection()

    @property
    def num_classes(self) -> int:
        """The number of classes that the network tells apart."""
        return int(self.network.arguments.get("num_classes", 80))

    def title(self) -> str:
        """Return the names of network, task and optimizer, and the number of classes."""
        return f"{super().title()}\n{self.num_classes} classes"


TOOLKIT = Toolkit(
    "PaddleDetection",
    DetectionConfig,
    inference="PaddleDetection.inference:infer",
    preview="PaddleDetection.previewing:preview",
)

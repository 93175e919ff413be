"""Object detection: what a training step and an evaluation step are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import core
from core.train.runner.task import ToolkitTask
from core.train.task import Phase
from PaddleDetection.config import DetectionConfig
from PaddleDetection.data.dataset import DetectionDataset
from PaddleDetection.data.pipeline import batched_fields, network_fields
from PaddleDetection.evaluator import DetectionEvaluator
from PaddleDetection.models.registry import NETWORKS


class DetectionTask(ToolkitTask):
    """Trains a network to find objects in images.

    Args:
        config: the experiment.
    """

    monitor = "mAP"

    def __init__(self, config: DetectionConfig) -> None:
        super().__init__(config)
        self.network = self.add_network("model", NETWORKS, config.network, "network")

    def check_dataset(self, split: str, dataset: DetectionDataset) -> None:
        """Refuse data with another number of classes than the network."""
        found, known = len(dataset.class_names), self.config.num_classes
        if found != known:
            raise ValueError(
                f"data.{split} has {found} classes, but network.num_classes is {known}; "
                f"set network.num_classes: {found}"
            )

    def collate(self, split: str) -> Any:
        """Return how each field of a batch is batched: what belongs to objects is padded."""
        return batched_fields(list(network_fields(self.dataset(split)[0])))

    def phases(self, steps_per_epoch: int, epochs: int) -> list[Phase]:
        """Return the one phase: the sum of the detector's losses."""
        return [Phase("train", self.loss, *self.learning(self.config, ["model"], steps_per_epoch, epochs))]

    def loss(self, fields: Mapping[str, Any]) -> tuple[Any, Mapping[str, Any]]:
        """Return the sum of the losses of a batch, and each of them."""
        targets = {**fields, "gt_count": fields["gt_bbox_lengths"]}
        losses = self.network.losses(fields["image"], fields["im_shape"], fields["scale_factor"], targets)
        return core.add_n(list(losses.values())), losses

    def predict(self, fields: Mapping[str, Any]) -> Sequence[Any]:
        """Return boxes (N, K, 6) and their numbers (N,), and masks where the detector has them."""
        return list(self.network(fields["image"], fields["im_shape"], fields["scale_factor"]))

    def evaluator(self, split: str) -> DetectionEvaluator:
        """Return an empty evaluator."""
        return DetectionEvaluator(self.dataset(split), self.config.evaluate.map_type)

    def facts(self) -> list[str]:
        """Return how many images there are."""
        (line,) = super().facts()
        return [f"{line} images"]

"""What PicoDet, PP-YOLOE and YOLOX have in common: a box from each cell, and training in two phases."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Callable

import core
from PaddleDetection.models.base import Detector
from PaddleDetection.models.boxes import suppressed


class AnchorFree(Detector):
    """Predicts a box from each cell of several levels, and learns otherwise in the first epochs than later.

    Args:
        backbone: makes feature maps of images, the finest first.
        neck: makes of them the maps that the head looks at.
        num_classes: how many classes there are.
        later: the epoch, counted from 0, at which the second phase of training begins.
        suppression: arguments of :func:`core.vision.ops.multiclass_nms`.

    Attributes:
        head_name: the attribute that holds the head; official parameter names have it.
        loss: of the feature maps, what the head makes of them, the objects, and :meth:`phase`.
        early: 1.0 in the first phase, else 0.0.
    """

    head_name = "head"
    loss: Callable[..., dict[str, Any]]

    def __init__(self, backbone: Any, neck: Any, num_classes: int, later: int, suppression: Mapping[str, Any]) -> None:
        super().__init__()
        self.num_classes = num_classes
        self.backbone = backbone
        self.neck = neck
        self.later = later
        self.register_buffer("early", core.to_tensor(float(later > 0)), persistable=False)
        self.suppression = suppression

    def forward(self, image: Any, im_shape: Any, scale_factor: Any) -> tuple[Any, Any]:
        """Return boxes (N, keep_top_k, 6) and their numbers (N,)."""
        head = getattr(self, self.head_name)
        boxes, scores = head.boxes(head(self.neck(self.backbone(image))))
        return suppressed(boxes, scores, scale_factor, self.suppression)

    def losses(self, image: Any, im_shape: Any, scale_factor: Any, targets: Mapping[str, Any]) -> dict[str, Any]:
        """Return the losses by the names that the detector's own loss gives them."""
        features = self.neck(self.backbone(image))
        return self.loss(features, getattr(self, self.head_name)(features), targets, self.phase())

    def phase(self) -> Any:
        """Return what the loss needs to know of how far training is."""
        return self.early

    def begin_epoch(self, epoch: int) -> None:
        """Begin the second phase at its epoch."""
        self.early.set_value(core.to_tensor(float(epoch < self.later)))

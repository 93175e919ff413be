"""YOLOv3 (Redmon and Farhadi, "YOLOv3: An Incremental Improvement", arXiv 1804.02767), with 2.x's parameter names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Optional

import numpy as np

import core
from core.vision.ops import multiclass_nms, yolo_box
from PaddleDetection.models.anchor_fitting import Fitted, clustered, pixels
from PaddleDetection.models.backbones.darknet import BLOCKS, DarkNet
from PaddleDetection.models.backbones.mobilenet_v1 import MobileNet
from PaddleDetection.models.backbones.mobilenet_v3 import MobileNetV3
from PaddleDetection.models.backbones.resnet import ResNet
from PaddleDetection.models.base import Detector
from PaddleDetection.models.boxes import original_sizes, suppression
from PaddleDetection.models.generations import is_first, rows_from_pixels
from PaddleDetection.models.heads.yolo_head import YOLOv3Head
from PaddleDetection.models.losses.yolov3_loss import FirstYOLOv3Loss, YOLOv3Loss
from PaddleDetection.models.necks.yolo_fpn import WIDTH, YOLOv3FPN

ANCHORS = ((10, 13), (16, 30), (33, 23), (30, 61), (62, 45), (59, 119), (116, 90), (156, 198), (373, 326))
"""Width and height, pixels, of an image whose longer side is 416."""

ANCHOR_MASKS = ((6, 7, 8), (3, 4, 5), (0, 1, 2))
"""Which of them each level has, the coarsest first."""


def _check_anchors(anchors: Sequence[Sequence[float]], anchor_masks: Sequence[Sequence[int]], levels: int) -> None:
    """Refuse anchors without a size, and masks that name none or are too few or too many."""
    for anchor in anchors:
        if len(anchor) != 2 or not min(anchor) > 0:
            raise ValueError(f"anchors must be pairs of positive numbers, width and height, not {list(anchor)}")
    if len(anchor_masks) != levels:
        raise ValueError(f"anchor_masks must be one list for each of {levels} levels, not {len(anchor_masks)} lists")
    for index in (index for mask in anchor_masks for index in mask):
        if not 0 <= index < len(anchors):
            raise ValueError(f"anchor_masks has the number {index}, but there are {len(anchors)} anchors, from 0 on")


class AnchorYOLO(Detector):
    """What YOLOv3 and PP-YOLO have in common: boxes around anchors at several scales.

    Args:
        backbone: as of :class:`YOLOv3`.
        neck: likewise.
        num_classes: likewise.
        anchors: likewise.
        anchor_masks: likewise.
        conf_thresh: likewise.
        **decoding: further arguments of :func:`core.vision.ops.yolo_box`.

    Attributes:
        loss: of :meth:`outputs`.
        suppression: arguments of the function that leaves boxes out.
    """

    loss: YOLOv3Loss
    suppression: dict[str, Any]

    def __init__(
        self,
        backbone: Any,
        neck: Any,
        num_classes: int,
        anchors: Sequence[Sequence[float]],
        anchor_masks: Sequence[Sequence[int]],
        conf_thresh: float,
        **decoding: Any,
    ) -> None:
        super().__init__()
        self.num_classes = num_classes
        self.backbone = backbone
        self.neck = neck
        self.strides = list(neck.strides)
        _check_anchors(anchors, anchor_masks, len(self.strides))
        counts = [len(mask) for mask in anchor_masks]
        self.yolo_head = YOLOv3Head(neck.channels, counts, num_classes, decoding.get("iou_aware", False))
        self.divisor = max(self.strides)
        self.anchors = [[number for index in mask for number in anchors[index]] for mask in anchor_masks]
        self.conf_thresh, self.decoding = conf_thresh, decoding

    def fitted_anchors(self, sides: np.ndarray) -> Fitted:
        """Return as many clusters of the boxes as there are anchors."""
        count = sum(len(level) // 2 for level in self.anchors)
        found = clustered(sides, count).anchors
        return Fitted({"anchors": pixels(found)} if len(found) == count else {}, found)

    def forward(self, image: Any, im_shape: Any, scale_factor: Any) -> tuple[Any, Any]:
        """Return boxes (N, keep_top_k, 6) and their numbers (N,)."""
        original = core.cast(original_sizes(im_shape, scale_factor), "int32")
        whole = [[int(number) for number in level] for level in self.anchors]
        found = [
            yolo_box(output, original, anchors, self.num_classes, self.conf_thresh, stride, **self.decoding)
            for output, anchors, stride in zip(self.outputs(image), whole, self.strides)
        ]
        boxes = core.concat([corners for corners, _ in found], 1)
        return self.suppressed(boxes, core.concat([scores.transpose([0, 2, 1]) for _, scores in found], 2))

    def suppressed(self, boxes: Any, scores: Any) -> tuple[Any, Any]:
        """Return the boxes that remain (N, keep_top_k, 6), and their numbers (N,).

        Args:
            boxes: corners in pixels of the original image (N, A, 4).
            scores: of each class (N, num_classes, A).
        """
        rows, counts, _ = multiclass_nms(boxes, scores, **self.suppression, padded=True)
        return rows, counts

    def losses(self, image: Any, im_shape: Any, scale_factor: Any, targets: Mapping[str, Any]) -> dict[str, Any]:
        """Return "loss_xy", "loss_wh", "loss_obj" and "loss_cls", and those of overlaps where they count.

        In generation 1 there is "loss_yolo" alone, their sum.
        """
        return self.loss(self.outputs(image), targets)

    def outputs(self, image: Any) -> list[Any]:
        """Return what the head predicts at each level, the coarsest first."""
        return self.yolo_head(self.neck(self.backbone(image)))


class YOLOv3(AnchorYOLO):
    """Predicts boxes around anchors at three scales.

    Args:
        backbone: makes feature maps of images, the finest first.
        neck: makes of them the maps that the head looks at, the coarsest first.
        num_classes: how many classes there are.
        anchors: width and height of all anchors, pixels.
        anchor_masks: which of them each level has, the coarsest first.
        ignore_thresh: in training, predictions that overlap an object more than this are no background.
        label_smooth: in training, move the targets of the classes a little away from 0 and 1; null: in generation 1.
        scale_x_y: how far centres reach beyond their cell.
        conf_thresh: boxes of a smaller confidence are left out.
        score_threshold: boxes of a class must score above it.
        nms_top_k: so many of the best boxes of each class are looked at.
        keep_top_k: so many boxes of an image are given.
        nms_threshold: the largest overlap with a better box of the same class.
        soft_nms: "linear" or "gaussian" lowers the scores of overlapping boxes (arXiv 1704.04503); null drops them.
        soft_sigma: of gaussian.
        generation: 2, or 1 for what the releases before 2.0 did: in training every object counts, also where a later
            one has its anchor and cell, and boxes that end with whole pixels are suppressed.
    """

    def __init__(
        self,
        backbone: Any,
        neck: Any,
        num_classes: int = 80,
        anchors: Sequence[Sequence[float]] = ANCHORS,
        anchor_masks: Sequence[Sequence[int]] = ANCHOR_MASKS,
        ignore_thresh: float = 0.7,
        label_smooth: Optional[bool] = None,
        scale_x_y: float = 1.0,
        conf_thresh: float = 0.005,
        score_threshold: float = 0.01,
        nms_top_k: int = 1000,
        keep_top_k: int = 100,
        nms_threshold: float = 0.45,
        soft_nms: Optional[str] = None,
        soft_sigma: float = 0.5,
        generation: int = 2,
    ) -> None:
        super().__init__(backbone, neck, num_classes, anchors, anchor_masks, conf_thresh, scale_x_y=scale_x_y)
        self.is_first = is_first(generation)
        self.suppression = suppression(
            *(score_threshold, nms_top_k, keep_top_k, nms_threshold, soft_nms, soft_sigma),
            normalized=not self.is_first,
        )
        smooth = self.is_first if label_smooth is None else label_smooth
        kind = FirstYOLOv3Loss if self.is_first else YOLOv3Loss
        self.loss = kind(num_classes, anchors, anchor_masks, self.strides, ignore_thresh, smooth, scale_x_y)

    def suppressed(self, boxes: Any, scores: Any) -> tuple[Any, Any]:
        """Return what the base class does; in generation 1 the boxes end with their last pixel until then."""
        rows, counts = super().suppressed(boxes, scores)
        return rows_from_pixels(rows) if self.is_first else rows, counts


def yolov3_darknet53(num_classes: int = 80, freeze_at: int = -1, **settings: Any) -> YOLOv3:
    """Return YOLOv3 on DarkNet-53.

    Args:
        num_classes: how many classes there are.
        freeze_at: the backbone's stages up to this one, counted from 0, keep their weights; -1: none.
        **settings: further arguments of :class:`YOLOv3`.
    """
    return _on(DarkNet(freeze_at), num_classes, **settings)


def yolov3_darknet(
    num_classes: int = 80,
    blocks: Sequence[int] = BLOCKS,
    scale: float = 1.0,
    width: int = WIDTH,
    anchor_masks: Sequence[Sequence[int]] = ANCHOR_MASKS,
    **settings: Any,
) -> YOLOv3:
    """Return YOLOv3 on a DarkNet of any depth and width, for as many of its deepest stages as there are anchor masks.

    Args:
        num_classes: how many classes there are.
        blocks: how many residual blocks each of the backbone's stages has.
        scale: factor on the backbone's number of channels.
        width: channels inside the coarsest block of the neck.
        anchor_masks: which of the anchors each level has, the coarsest first.
        **settings: further arguments of :class:`YOLOv3`.
    """
    stages = range(len(blocks))[-len(anchor_masks) :]
    backbone = DarkNet(return_idx=stages, blocks=blocks, width=int(32 * scale))
    return _on(backbone, num_classes, width, anchor_masks=anchor_masks, **settings)


def yolov3_mobilenet_v1(num_classes: int = 80, scale: float = 1.0, width: int = WIDTH, **settings: Any) -> YOLOv3:
    """Return YOLOv3 on MobileNetV1.

    Args:
        num_classes: how many classes there are.
        scale: factor on the backbone's number of channels.
        width: channels inside the coarsest block of the neck.
        **settings: further arguments of :class:`YOLOv3`.
    """
    return _on(MobileNet(scale), num_classes, width, **settings)


def yolov3_mobilenet_v3_large(num_classes: int = 80, scale: float = 1.0, width: int = WIDTH, **settings: Any) -> YOLOv3:
    """Return YOLOv3 on the large MobileNetV3.

    Args:
        num_classes: how many classes there are.
        scale: factor on the backbone's number of channels.
        width: channels inside the coarsest block of the neck.
        **settings: further arguments of :class:`YOLOv3`.
    """
    return _on(MobileNetV3(scale), num_classes, width, **settings)


def yolov3_r34(num_classes: int = 80, freeze_at: int = -1, freeze_norm: bool = False, **settings: Any) -> YOLOv3:
    """Return YOLOv3 on ResNet-34.

    Args:
        num_classes: how many classes there are.
        freeze_at: the backbone's stem and stages up to this one, counted from 0, keep their weights; -1: none does.
        freeze_norm: whether the backbone's normalisations keep scale, offset and statistics.
        **settings: further arguments of :class:`YOLOv3`.
    """
    backbone = ResNet(34, freeze_at=freeze_at, freeze_norm=freeze_norm, return_idx=(1, 2, 3))
    return _on(backbone, num_classes, **settings)


def yolov3_r50vd_dcn(num_classes: int = 80, freeze_at: int = -1, freeze_norm: bool = False, **settings: Any) -> YOLOv3:
    """Return YOLOv3 on ResNet-50-D whose last stage has deformable convolutions (Zhu et al., arXiv 1811.11168).

    Args:
        num_classes: how many classes there are.
        freeze_at: as of :func:`yolov3_r34`.
        freeze_norm: likewise.
        **settings: further arguments of :class:`YOLOv3`.
    """
    frozen: dict[str, Any] = {"freeze_at": freeze_at, "freeze_norm": freeze_norm}
    backbone = ResNet(50, variant="d", **frozen, return_idx=(1, 2, 3), dcn_v2_stages=(3,))
    return _on(backbone, num_classes, **settings)


def _on(backbone: Any, num_classes: int, width: int = WIDTH, **settings: Any) -> YOLOv3:
    return YOLOv3(backbone, YOLOv3FPN(backbone.channels, backbone.strides, width), num_classes, **settings)

"""PP-YOLO (Long et al., arXiv 2007.12099) and PP-YOLOv2 (Huang et al., arXiv 2104.10419).

They are YOLOv3 with a loss of overlaps, centres that reach beyond their cell, DropBlock, predicted overlaps and matrix
NMS; the small ones lack some of it. The moving average of their weights is the trainer's (``train.ema``).

Source of parameter names: PaddleDetection 2.x.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.vision.ops import matrix_nms
from PaddleDetection.models.architectures.yolov3 import ANCHOR_MASKS, ANCHORS, AnchorYOLO
from PaddleDetection.models.backbones.resnet import ResNet
from PaddleDetection.models.losses.yolov3_loss import YOLOv3Loss
from PaddleDetection.models.necks.pp_yolo_fpn import PPYOLOFPN
from PaddleDetection.models.necks.pp_yolo_pan import PPYOLOPAN

ANCHORS_R18 = ((10, 14), (23, 27), (37, 58), (81, 82), (135, 169), (344, 319))
ANCHORS_MBV3 = ((11, 18), (34, 47), (51, 126), (115, 71), (120, 195), (254, 235))
TWO_LEVELS = ((3, 4, 5), (0, 1, 2))
"""Which anchors each level has, the coarsest first."""


class PPYOLO(AnchorYOLO):
    """Predicts boxes around anchors at two or three scales.

    Args:
        backbone: makes feature maps of images, the finest first.
        neck: makes of them the maps that the head looks at, the coarsest first.
        iou_aware: whether overlaps are predicted.
        matrix: lower the scores of boxes that overlap better ones; else these are left out.
        num_classes: how many classes there are.
        anchors: width and height of all anchors, pixels.
        anchor_masks: which of them each level has, the coarsest first.
        ignore_thresh: in training, predictions that overlap an object more than this are no background.
        label_smooth: in training, move the targets of the classes a little away from 0 and 1.
        scale_x_y: how far centres reach beyond their cell.
        iou_thresh: in training, further anchors more like an object than this answer for it, too; 1: none.
        iou_weight: in training, weight of the loss of overlaps.
        iou_aware_factor: power of predicted overlaps in the confidence, that of objectness is the rest to 1.
        conf_thresh: boxes of a smaller confidence are left out.
        score_threshold: boxes of a class must score above it.
        post_threshold: of matrix NMS: lowered scores must be above it.
        nms_top_k: so many of the best boxes of each class are looked at; -1: all.
        keep_top_k: so many boxes of an image are given.
        nms_threshold: of the other: the largest overlap with a better box of the same class.
    """

    def __init__(
        self,
        backbone: Any,
        neck: Any,
        iou_aware: bool,
        matrix: bool,
        num_classes: int = 80,
        anchors: Sequence[Sequence[float]] = ANCHORS,
        anchor_masks: Sequence[Sequence[int]] = ANCHOR_MASKS,
        ignore_thresh: float = 0.7,
        label_smooth: bool = False,
        scale_x_y: float = 1.05,
        iou_thresh: float = 1.0,
        iou_weight: float = 2.5,
        iou_aware_factor: float = 0.4,
        conf_thresh: float = 0.01,
        score_threshold: float = 0.01,
        post_threshold: float = 0.01,
        nms_top_k: int = -1,
        keep_top_k: int = 100,
        nms_threshold: float = 0.45,
    ) -> None:
        decoding = {"scale_x_y": scale_x_y, "iou_aware": iou_aware, "iou_aware_factor": iou_aware_factor}
        super().__init__(backbone, neck, num_classes, anchors, anchor_masks, conf_thresh, **decoding)
        self.matrix = matrix
        self.suppression: dict[str, Any] = {
            "score_threshold": score_threshold,
            "nms_top_k": nms_top_k,
            "keep_top_k": keep_top_k,
        }
        if matrix:
            self.suppression.update(post_threshold=post_threshold, background_label=-1, normalized=False)
        else:
            self.suppression.update(nms_threshold=nms_threshold)
        self.loss = YOLOv3Loss(
            num_classes,
            anchors,
            anchor_masks,
            self.strides,
            ignore_thresh,
            label_smooth,
            scale_x_y,
            iou_thresh,
            iou_weight,
            float(iou_aware),
        )

    def suppressed(self, boxes: Any, scores: Any) -> tuple[Any, Any]:
        """Return the boxes that remain (N, keep_top_k, 6), and their numbers (N,); see :class:`AnchorYOLO`."""
        if not self.matrix:
            return super().suppressed(boxes, scores)
        rows, counts, _ = matrix_nms(boxes, scores, **self.suppression, padded=True)
        return rows, counts


class PPYOLOMobile(PPYOLO):
    """:class:`PPYOLO` on small backbones: no predicted overlaps, no matrix NMS.

    Args:
        backbone: as of :class:`PPYOLO`, like the other ones.
        neck: likewise.
        num_classes: likewise.
        anchors: likewise.
        anchor_masks: likewise.
        ignore_thresh: likewise.
        iou_thresh: likewise.
        conf_thresh: likewise.
        score_threshold: likewise.
        nms_top_k: likewise.
        **settings: further arguments of :class:`PPYOLO`.
    """

    def __init__(
        self,
        backbone: Any,
        neck: Any,
        num_classes: int = 80,
        anchors: Sequence[Sequence[float]] = ANCHORS_MBV3,
        anchor_masks: Sequence[Sequence[int]] = TWO_LEVELS,
        ignore_thresh: float = 0.5,
        iou_thresh: float = 0.25,
        conf_thresh: float = 0.005,
        score_threshold: float = 0.005,
        nms_top_k: int = 1000,
        **settings: Any,
    ) -> None:
        options: dict[str, Any] = {
            "ignore_thresh": ignore_thresh,
            "iou_thresh": iou_thresh,
            "conf_thresh": conf_thresh,
            "score_threshold": score_threshold,
            "nms_top_k": nms_top_k,
        }
        super().__init__(backbone, neck, False, False, num_classes, anchors, anchor_masks, **options, **settings)


def ppyolo_r50vd_dcn(num_classes: int = 80, keep_prob: float = 0.9, **settings: Any) -> PPYOLO:
    """Return PP-YOLO on ResNet-50-D whose last stage has deformable convolutions.

    Args:
        num_classes: how many classes there are.
        keep_prob: of DropBlock in training; 1: nothing is dropped.
        **settings: further arguments of :class:`PPYOLO`.
    """
    backbone = _resnet(50, (1, 2, 3), (3,))
    neck = PPYOLOFPN(backbone.channels, backbone.strides, coord_conv=True, keep_prob=keep_prob, spp=True)
    return PPYOLO(backbone, neck, True, True, num_classes, **settings)


def ppyolo_r18vd(
    num_classes: int = 80,
    keep_prob: float = 0.9,
    anchors: Sequence[Sequence[float]] = ANCHORS_R18,
    anchor_masks: Sequence[Sequence[int]] = TWO_LEVELS,
    **settings: Any,
) -> PPYOLO:
    """Return PP-YOLO on ResNet-18-D, with two levels.

    Args:
        num_classes: how many classes there are.
        keep_prob: of DropBlock in training; 1: nothing is dropped.
        anchors: as :class:`PPYOLO` takes them.
        anchor_masks: likewise.
        **settings: further arguments of :class:`PPYOLO`.
    """
    backbone = _resnet(18, (2, 3))
    neck = PPYOLOFPN(backbone.channels, backbone.strides, conv_block_num=0, keep_prob=keep_prob)
    return PPYOLO(backbone, neck, False, True, num_classes, anchors, anchor_masks, **settings)


def ppyolov2_r50vd_dcn(
    num_classes: int = 80, keep_prob: float = 0.9, iou_aware_factor: float = 0.5, **settings: Any
) -> PPYOLO:
    """Return PP-YOLOv2 on ResNet-50-D whose last stage has deformable convolutions.

    Args:
        num_classes: how many classes there are.
        keep_prob: of DropBlock in training; 1: nothing is dropped.
        iou_aware_factor: as :class:`PPYOLO` takes it.
        **settings: further arguments of :class:`PPYOLO`.
    """
    return _second(50, num_classes, keep_prob, iou_aware_factor=iou_aware_factor, **settings)


def ppyolov2_r101vd_dcn(
    num_classes: int = 80, keep_prob: float = 0.9, iou_aware_factor: float = 0.5, **settings: Any
) -> PPYOLO:
    """Return PP-YOLOv2 on ResNet-101-D; arguments as :func:`ppyolov2_r50vd_dcn`."""
    return _second(101, num_classes, keep_prob, iou_aware_factor=iou_aware_factor, **settings)


def _resnet(depth: int, return_idx: Sequence[int], dcn_v2_stages: Sequence[int] = ()) -> ResNet:
    """Return a ResNet-D that learns in all its parts."""
    return ResNet(
        depth, variant="d", freeze_norm=False, freeze_at=-1, return_idx=return_idx, dcn_v2_stages=dcn_v2_stages
    )


def _second(depth: int, num_classes: int, keep_prob: float, **settings: Any) -> PPYOLO:
    backbone = _resnet(depth, (1, 2, 3), (3,))
    neck = PPYOLOPAN(backbone.channels, backbone.strides, keep_prob=keep_prob)
    return PPYOLO(backbone, neck, True, True, num_classes, **settings)

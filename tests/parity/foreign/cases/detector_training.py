"""Detectors that are trained: the official losses, on boxes that are drawn into the batch."""

from __future__ import annotations

import importlib
from typing import Any, Callable

import numpy as np

from cases.case import Training
from cases.detector_settings import REGIONS, RETINA, SMALL_YOLO
from cases.detectors import CLASSES, detector, inputs_of, sizes_with_an_axis

EXTENT = 96
BOXES = np.array(
    [[[6, 10, 50, 60], [40, 30, 90, 80], [60, 5, 84, 25]], [[2, 50, 40, 92], [30, 8, 70, 40], [55, 50, 75, 88]]],
    np.float32,
)
"""Corners of the boxes in each of two images, in pixels."""

LABELS = np.array([[0, 3, 1], [4, 2, 0]], np.int32)
IMAGES = (("uniform", (2, 3, EXTENT, EXTENT)),)


def yolo_loss(model: Any, images: Any) -> Any:
    """Return the loss of YOLOv3 against targets that the official reader makes of the boxes."""
    import paddle

    operators = importlib.import_module("ppdet.data.transform.batch_operators")
    head = model.detector.yolo_head
    sizes = BOXES[..., 2:] - BOXES[..., :2]
    relative = np.concatenate([(BOXES[..., :2] + sizes / 2) / EXTENT, sizes / EXTENT], axis=-1)
    samples = [
        {"image": np.zeros((3, EXTENT, EXTENT)), "gt_bbox": boxes, "gt_class": labels}
        for boxes, labels in zip(relative, LABELS)
    ]
    anchors = [[10, 13], [16, 30], [33, 23], [30, 61], [62, 45], [59, 119], [116, 90], [156, 198], [373, 326]]
    masks = [[6, 7, 8], [3, 4, 5], [0, 1, 2]]
    assert len(head.mask_anchors) == len(masks)
    operators.Gt2YoloTarget(anchors, masks, [32, 16, 8], CLASSES)(samples)
    targets = {
        key: paddle.to_tensor(np.stack([sample[key] for sample in samples]).astype(np.float32))
        for key in ("gt_bbox", "target0", "target1", "target2")
    }
    return _loss(model, {**inputs_of(images), **targets})


def regions_loss(model: Any, images: Any) -> Any:
    """Return the loss of both stages of a detector."""
    import paddle

    found = {
        "gt_bbox": [paddle.to_tensor(boxes) for boxes in BOXES],
        "gt_class": [paddle.to_tensor(labels[:, None]) for labels in LABELS],
    }
    return _loss(model, {**inputs_of(images), **found})


def _loss(model: Any, batch: dict[str, Any]) -> Any:
    with sizes_with_an_axis():
        return model.detector(batch)["loss"].sum()


def _momentum(rate: float) -> Callable[[Any], Any]:
    def optimizer(parameters: Any) -> Any:
        import paddle

        decay = paddle.regularizer.L2Decay(1e-4)
        return paddle.optimizer.Momentum(rate, momentum=0.9, parameters=parameters, weight_decay=decay)

    return optimizer


YOLO = {
    **SMALL_YOLO,
    "YOLOv3": {**SMALL_YOLO["YOLOv3"], "backbone": "DarkNet"},
    "BBoxPostProcess": {"decode": {"name": "YOLOBox"}, "nms": {"name": "MultiClassNMS"}},
}
FASTER_RCNN = {
    **REGIONS,
    "ResNet": {"depth": 18, "freeze_at": -1, "freeze_norm": False, "return_idx": [0, 1, 2, 3]},
    "FasterRCNN": {**RETINA, "rpn_head": "RPNHead", "bbox_head": "BBoxHead", "bbox_post_process": "BBoxPostProcess"},
}
TRAINED = {
    "train_YOLOv3_DarkNet53": Training("paddledet", detector("YOLOv3", YOLO), yolo_loss, IMAGES, _momentum(1e-6)),
    "train_FasterRCNN_ResNet18_FPN": Training(
        "paddledet", detector("FasterRCNN", FASTER_RCNN), regions_loss, IMAGES, _momentum(1e-5)
    ),
}

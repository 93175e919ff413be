"""PaddleDetection's own detectors, put together as its configurations do; for a Python that has it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

ANCHORS = [[10, 13], [16, 30], [33, 23], [30, 61], [62, 45], [59, 119], [116, 90], [156, 198], [373, 326]]
MASKS = [[6, 7, 8], [3, 4, 5], [0, 1, 2]]
STRIDES = [32, 16, 8]


def built(name: str, classes: int, overlap: float = 0.5) -> Any:
    """Return a detector; in training, regions that overlap an object by ``overlap`` show it."""
    from ppdet.modeling import architectures, backbones, heads, layers, necks, post_process
    from ppdet.modeling.losses.yolo_loss import YOLOv3Loss

    def channels(part: Any) -> list[int]:
        return [shape.channels for shape in part.out_shape]

    if name.startswith("yolov3"):
        darknet = name == "yolov3_darknet53"
        backbone = backbones.DarkNet() if darknet else backbones.MobileNet(feature_maps=[4, 6, 13])
        neck = necks.YOLOv3FPN(in_channels=channels(backbone))
        loss = YOLOv3Loss(classes, downsample=STRIDES)
        head = heads.YOLOv3Head(channels(neck), num_classes=classes, anchors=ANCHORS, anchor_masks=MASKS, loss=loss)
        nms = layers.MultiClassNMS(score_threshold=0.01, nms_top_k=1000, keep_top_k=100, nms_threshold=0.45)
        decode = layers.YOLOBox(classes, 0.005, 32)
        return architectures.YOLOv3(backbone, neck, head, post_process.BBoxPostProcess(classes, decode, nms))
    if name == "ssd_mobilenet_v1_300":
        maps = [11, 13, 14, 15, 16, 17]
        backbone = backbones.MobileNet(feature_maps=maps, with_extra_blocks=True)
        anchors = layers.AnchorGeneratorSSD(
            steps=[0] * 6,
            aspect_ratios=[[2.0], *[[2.0, 3.0]] * 5],
            min_sizes=[60.0, 105.0, 150.0, 195.0, 240.0, 285.0],
            max_sizes=[[], 150.0, 195.0, 240.0, 285.0, 300.0],
            min_max_aspect_ratios_order=False,
        )
        head = heads.SSDHead(classes, channels(backbone), anchors, kernel_size=1, padding=0)
        nms = layers.MultiClassNMS(score_threshold=0.01, nms_top_k=400, keep_top_k=200, nms_threshold=0.45)
        decode = layers.SSDBox()
        return architectures.SSD(backbone, head, post_process.BBoxPostProcess(classes, decode, nms))
    if name.endswith("rcnn_r50_fpn"):
        return _region_detector(name, classes, overlap)
    scale = {"depth_mult": 0.33, "width_mult": 0.5}
    backbone = backbones.CSPResNet(use_large_stem=True, **scale)
    neck = necks.CustomCSPPAN(channels(backbone), [768, 384, 192], act="swish", spp=True, **scale)
    nms = layers.MultiClassNMS(score_threshold=0.01, nms_top_k=1000, keep_top_k=300, nms_threshold=0.7)
    head = heads.PPYOLOEHead(channels(neck), classes, nms=nms)
    return architectures.PPYOLOE(backbone, neck, head, None)


def yolo_targets(images: np.ndarray, objects: Mapping[str, np.ndarray], classes: int) -> dict[str, np.ndarray]:
    """Return what YOLOv3's loss compares with, as PaddleDetection's reader makes it.

    Args:
        images: float32 (N, 3, H, W).
        objects: "gt_bbox" (N, G, 4), corners in pixels, and "gt_class" (N, G), all of them given.
        classes: how many classes there are.
    """
    from ppdet.data.transform.batch_operators import Gt2YoloTarget

    sides = np.array(images.shape[:1:-1], np.float32)
    lower, upper = objects["gt_bbox"][..., :2] / sides, objects["gt_bbox"][..., 2:] / sides
    boxes = np.concatenate([(lower + upper) / 2, upper - lower], -1)
    samples = [
        {"image": image, "gt_bbox": own, "gt_class": labels[:, None]}
        for image, own, labels in zip(images, boxes, objects["gt_class"])
    ]
    made = Gt2YoloTarget(ANCHORS, MASKS, STRIDES, classes)(samples)
    levels = {f"target{level}": np.stack([sample[f"target{level}"] for sample in made]) for level in range(len(MASKS))}
    return {"gt_bbox": boxes, **levels}


def _region_detector(name: str, classes: int, overlap: float) -> Any:
    """Return Faster or Mask R-CNN for one image, its masks as the head gives them: pasting them in is left out."""
    import paddle
    from ppdet.modeling import architectures, backbones, heads, layers, necks, post_process
    from ppdet.modeling.heads.bbox_head import TwoFCHead
    from ppdet.modeling.heads.mask_head import MaskFeat, MaskHead
    from ppdet.modeling.proposal_generator.rpn_head import RPNHead
    from ppdet.modeling.proposal_generator.target_layer import BBoxAssigner, RPNTargetAssign

    backbone = backbones.ResNet(50, return_idx=[0, 1, 2, 3], num_stages=4)
    neck = necks.FPN([shape.channels for shape in backbone.out_shape], 256)
    kept = {"min_size": 0.0, "nms_thresh": 0.7, "pre_nms_top_n": 1000, "post_nms_top_n": 1000}
    anchors = {"anchor_sizes": [[32], [64], [128], [256], [512]], "strides": [4, 8, 16, 32, 64]}
    learned = {**kept, "pre_nms_top_n": 2000}
    proposals = RPNHead({"aspect_ratios": [0.5, 1.0, 2.0], **anchors}, RPNTargetAssign(), learned, kept, 256)
    assigner = BBoxAssigner(fg_thresh=overlap, bg_thresh=overlap, num_classes=classes)
    cut = {"sampling_ratio": 0, "aligned": True, "spatial_scale": [1 / 4, 1 / 8, 1 / 16, 1 / 32]}
    head = heads.BBoxHead(TwoFCHead(256, 1024, 7), 1024, {"resolution": 7, **cut}, assigner, num_classes=classes)
    nms = layers.MultiClassNMS(score_threshold=0.05, nms_top_k=-1, keep_top_k=100, nms_threshold=0.5, return_index=True)
    boxes = layers.RCNNBox(num_classes=classes)
    boxes.export_onnx = True  # one image, without a loop over images

    propose = proposals._gen_proposal

    def proposed(*given: Any) -> Any:
        """Return regions by the form for one image, and counts (1,), which have no axis in Paddle 2.6's programs."""
        proposals.export_onnx = not proposals.training
        regions, counts = propose(*given)
        return regions, paddle.reshape(counts, [-1])

    def decoded(found: Any, regions: Any, im_shape: Any, scale_factor: Any) -> Any:
        """Return boxes scaled back, which ``export_eb`` leaves out: Paddle 2.6 cannot save ppdet's form of it."""
        (corners, counts), scores = boxes(found, regions, im_shape, scale_factor)
        return (corners / paddle.concat([paddle.flip(scale_factor, [1])] * 2, 1), counts), scores

    proposals._gen_proposal = proposed
    finish = post_process.BBoxPostProcess(classes, decoded, nms, export_eb=True)
    finish.origin_shape_list = None
    if name.startswith("faster"):
        return architectures.FasterRCNN(backbone, proposals, head, finish, neck)
    masks = MaskHead(MaskFeat(256, 256, 4), {"resolution": 14, **cut}, None, classes)
    return architectures.MaskRCNN(backbone, proposals, head, masks, finish, lambda logits, *_: logits, neck)

"""Settings that several small detectors share, and how a case is made of a detector."""

from __future__ import annotations

from typing import Any

from cases.case import Case
from cases.detectors import Settings, decoded

BOXES = {"name": "MultiClassNMS", "nms_top_k": 100, "keep_top_k": 20, "score_threshold": 0.05, "nms_threshold": 0.6}
RESNET18: Settings = {"ResNet": {"depth": 18, "freeze_at": -1, "freeze_norm": False, "return_idx": [1, 2, 3]}}
FIVE_LEVELS: Settings = {
    **RESNET18,
    "FPN": {"out_channel": 32, "has_extra_convs": True, "extra_stage": 2, "use_c5": False},
    "FCOSFeat": {"feat_in": 32, "feat_out": 32, "num_convs": 2, "norm_type": "gn"},
}
REGIONS: Settings = {
    "ResNet": {"depth": 18, "return_idx": [0, 1, 2, 3]},
    "FPN": {"out_channel": 32},
    "RPNHead": {
        "anchor_generator": {
            "aspect_ratios": [0.5, 1.0, 2.0],
            "anchor_sizes": [[16], [24], [32], [48], [64]],
            "strides": [4, 8, 16, 32, 64],
        },
        "train_proposal": {"min_size": 0.0, "nms_thresh": 0.7, "pre_nms_top_n": 200, "post_nms_top_n": 60},
        "test_proposal": {"min_size": 0.0, "nms_thresh": 0.7, "pre_nms_top_n": 100, "post_nms_top_n": 12},
        "rpn_target_assign": {"use_random": False, "batch_size_per_im": 64},
    },
    "BBoxHead": {
        "head": "TwoFCHead",
        "bbox_assigner": "BBoxAssigner",
        "roi_extractor": {"resolution": 7, "sampling_ratio": 0, "aligned": True},
    },
    "TwoFCHead": {"out_channel": 64},
    "BBoxAssigner": {"use_random": False, "batch_size_per_im": 64},
    "BBoxPostProcess": {"decode": "RCNNBox", "nms": {**BOXES, "nms_top_k": -1}},
}
SMALL_YOLO: Settings = {
    "YOLOv3": {
        "backbone": "MobileNet",
        "neck": "YOLOv3FPN",
        "yolo_head": "YOLOv3Head",
        "post_process": "BBoxPostProcess",
    },
    "MobileNet": {"scale": 0.25, "feature_maps": [4, 6, 13]},
    "YOLOv3Head": {"loss": "YOLOv3Loss"},
    "YOLOv3Loss": {"ignore_thresh": 0.7, "label_smooth": False},
    "BBoxPostProcess": {"decode": {"name": "YOLOBox", "conf_thresh": 0.05, "downsample_ratio": 32}, "nms": BOXES},
}
RETINA = {"backbone": "ResNet", "neck": "FPN"}


def detector_case(build: Any, extent: int = 96, count: int = 2, **options: Any) -> Case:
    """Return a case of a detector, whose boxes are compared too.

    Args:
        build: makes the detector.
        extent: of the images, in pixels.
        count: how many images.
        options: further fields of the case.
    """
    return Case("paddledet", build, (("uniform", (count, 3, extent, extent)),), **{"decode": decoded, **options})

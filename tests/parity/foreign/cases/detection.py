"""Detectors and their parts: ``ppdet.modeling`` of paddledet."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
from recipe import uniform

from cases import backbones, dense_detectors, detector_training, region_detectors, yolo_detectors
from cases.case import Case


def _chained(*parts: Any) -> Any:
    """Return a network of a backbone and what follows it, as the official architectures chain them."""
    import paddle

    class Chain(paddle.nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.parts = paddle.nn.LayerList(parts)

        def forward(self, images: Any) -> Any:
            found = {"image": images}
            for part in self.parts:
                found = part(found)
            return found

    return Chain()


def _yolov3() -> Any:
    darknet = importlib.import_module("ppdet.modeling.backbones.darknet")
    necks = importlib.import_module("ppdet.modeling.necks.yolo_fpn")
    heads = importlib.import_module("ppdet.modeling.heads.yolo_head")
    return _chained(
        darknet.DarkNet(depth=53, norm_type="bn", norm_decay=0.0),
        necks.YOLOv3FPN(in_channels=[256, 512, 1024], norm_type="bn"),
        heads.YOLOv3Head(num_classes=20, loss=None),
    )


def _fpn() -> Any:
    resnet = importlib.import_module("ppdet.modeling.backbones.resnet")
    necks = importlib.import_module("ppdet.modeling.necks.fpn")
    return _chained(
        resnet.ResNet(depth=18, norm_type="bn", freeze_at=-1, return_idx=[0, 1, 2, 3]),
        necks.FPN([64, 128, 256, 512], 64, spatial_scales=[0.25, 0.125, 0.0625, 0.03125]),
    )


def _ppyoloe() -> Any:
    backbones = importlib.import_module("ppdet.modeling.backbones.cspresnet")
    necks = importlib.import_module("ppdet.modeling.necks.custom_pan")
    heads = importlib.import_module("ppdet.modeling.heads.ppyoloe_head")
    small = {"width_mult": 0.25, "depth_mult": 0.33, "act": "swish"}
    return _chained(
        backbones.CSPResNet(use_large_stem=True, use_alpha=True, **small),
        necks.CustomCSPPAN(in_channels=[64, 128, 256], out_channels=[768, 384, 192], spp=True, **small),
        heads.PPYOLOEHead(in_channels=[192, 96, 48], num_classes=20, nms=None, exclude_nms=True),
    )


def _roi_align() -> Any:
    return importlib.import_module("ppdet.modeling.heads.roi_extractor").RoIAlign(
        resolution=5, spatial_scale=[0.25, 0.125, 0.0625, 0.03125], aligned=True
    )


def _on_regions(model: Any, *features: Any) -> Any:
    import paddle

    corners = uniform("corners", (8, 2), 0.0, 60.0)
    sizes = uniform("sizes", (8, 2), 4.0, 60.0) * np.array([[1], [4], [16], [2], [1], [8], [3], [5]], "float32")
    regions = paddle.to_tensor(np.concatenate([corners, corners + sizes], axis=1))
    return model(features, [regions], paddle.to_tensor(np.array([3, 5], "int32")))


CASES = {
    "PPYOLOE": Case("paddledet", _ppyoloe, (("uniform", (1, 3, 96, 96)),)),
    "RoIAlign": Case(
        "paddledet",
        _roi_align,
        tuple(("uniform", (2, 6, extent, extent)) for extent in (64, 32, 16, 8)),
        _on_regions,
        compiles=False,  # how many regions each level gets depends on the boxes
    ),
    "YOLOv3_DarkNet53": Case("paddledet", _yolov3, (("uniform", (1, 3, 96, 96)),)),
    "ResNet18_FPN": Case("paddledet", _fpn),
    **backbones.CASES,
    **dense_detectors.CASES,
    **region_detectors.CASES,
    **yolo_detectors.CASES,
}

TRAINED = detector_training.TRAINED

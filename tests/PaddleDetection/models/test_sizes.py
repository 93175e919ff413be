"""How many parameters the parts of detectors have."""

from __future__ import annotations

from typing import Any, Callable

import pytest

import core
import PaddleDetection
from PaddleDetection.models.architectures import yolov3
from PaddleDetection.models.backbones.darknet import DarkNet
from PaddleDetection.models.backbones.mobilenet_v1 import MobileNet
from PaddleDetection.models.necks.yolo_fpn import YOLOv3FPN


@pytest.mark.parametrize(
    ("part", "count"),
    [
        (DarkNet, 40_584_928),
        (MobileNet, 3_206_976),
        (lambda: MobileNet(feature_maps=(11, 13, 14, 15, 16, 17), with_extra_blocks=True), 5_430_464),
        (lambda: YOLOv3FPN((256, 512, 1024), (8, 16, 32)), 20_906_496),
    ],
)
def test_trained_parameters(part: Callable[[], Any], count: int) -> None:
    with core.LazyGuard():
        assert sum(parameter.size for parameter in part().parameters() if not parameter.stop_gradient) == count


def test_a_darknet_of_any_depth_and_width() -> None:
    with core.LazyGuard():
        small = yolov3.yolov3_darknet(10, [1, 2, 4], 0.5, 64, anchors=[[23, 29]], anchor_masks=[[0]])
        default, official = yolov3.yolov3_darknet(), yolov3.yolov3_darknet53()
    assert small.strides == [8] and small.backbone.channels == (128,)
    assert sum(parameter.size for parameter in small.parameters() if not parameter.stop_gradient) == 722_303
    assert {key: value.shape for key, value in default.state_dict().items()} == {
        key: value.shape for key, value in official.state_dict().items()
    }


@pytest.mark.parametrize(
    "name", ["ssd_mobilenet_v1_300", "yolox_nano", "picodet_xs", "ppyoloe_crn_s", "yolov3_mobilenet_v1", "blazeface"]
)
def test_soft_suppression_is_a_setting(name: str) -> None:
    with core.LazyGuard():
        made = PaddleDetection.create_model(name, soft_nms="gaussian", soft_sigma=0.4)
    assert (made.suppression["soft"], made.suppression["soft_sigma"]) == ("gaussian", 0.4)

"""How many parameters the parts of detectors have."""

from __future__ import annotations

from typing import Any, Callable

import pytest

import core
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

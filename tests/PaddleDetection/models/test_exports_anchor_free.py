"""YOLOX, PicoDet, PP-YOLOE and TTFNet, saved for open sizes, give at sizes never traced what the original gives."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import core
from core import nn
from PaddleDetection.models.architectures.picodet import PicoDet
from PaddleDetection.models.architectures.ppyoloe import PPYOLOE
from PaddleDetection.models.architectures.ttfnet import TTFNet
from PaddleDetection.models.architectures.yolox import YOLOX
from PaddleDetection.models.necks.ttf_fpn import TTFFPN
from tests.PaddleDetection.models.open_sizes import found_at_open_sizes


class Pyramid(nn.Layer):
    """Stands in for a backbone with levels of 8 channels, or for a neck, which gives what it is given."""

    def __init__(self, levels: int) -> None:
        super().__init__()
        self.channels = (8,) * levels
        self.strides = (4, 8, 16, 32)[-levels:]
        self.conv = nn.Conv2D(3, 8, self.strides[0], self.strides[0])

    def forward(self, x: Any) -> Any:
        if isinstance(x, list):
            return x
        levels = [self.conv(x)]
        for _ in self.strides[1:]:
            levels.append(nn.functional.max_pool2d(levels[-1], 2))
        return levels


def detector(name: str) -> Any:
    settings: dict[str, Any] = {"score_threshold": 0.0, "keep_top_k": 20}
    if name == "TTFNet":
        backbone = Pyramid(4)
        return TTFNet(backbone, TTFFPN(backbone.channels, backbone.strides, (8, 8, 8)), 3, 8, 8, **settings)
    parts = Pyramid(3), Pyramid(3)
    if name == "PPYOLOE":
        return PPYOLOE(*parts, 3, **settings)
    return YOLOX(*parts, 8, False, 3, **settings) if name == "YOLOX" else PicoDet(*parts, 1, 3, **settings)


@pytest.mark.parametrize("name", ["YOLOX", "PicoDet", "PPYOLOE", "TTFNet"])
def test_open_sizes(name: str, tmp_path: Path) -> None:
    core.seed(0)
    model = detector(name)
    for key, parameter in model.named_parameters():
        if key.endswith(("weight", "scale_reg")) and parameter.ndim == 4 and "conv_offset" not in key:
            parameter.set_value(core.randn(parameter.shape) * 0.2)
    found_at_open_sizes(model, tmp_path, im_shape=(64, 64))

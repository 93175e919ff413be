"""Detectors with a pyramid, saved for open sizes, give at sizes never traced what the training code gives."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import core
from core import nn
from PaddleDetection.models.architectures.fcos import FCOS
from PaddleDetection.models.architectures.retinanet import RetinaNet
from tests.PaddleDetection.models.open_sizes import found_at_open_sizes


class Pyramid(nn.Layer):
    """Stands in for a backbone with three levels of 32 channels, or for a neck, which gives what it is given."""

    channels = (32, 32, 32)
    strides = (8, 16, 32)

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2D(3, 32, 8, 8)

    def forward(self, x: Any) -> Any:
        if isinstance(x, list):
            return x
        levels = [self.conv(x)]
        for _ in range(2):
            levels.append(nn.functional.max_pool2d(levels[-1], 2))
        return levels


@pytest.mark.parametrize(("kind", "generation"), [(RetinaNet, 2), (RetinaNet, 1), (FCOS, 2)])
def test_open_sizes(kind: Any, generation: int, tmp_path: Path) -> None:
    core.seed(0)
    settings: dict[str, Any] = {"channels": 32, "num_convs": 1, "keep_top_k": 20, "score_threshold": 0.001}
    if kind is FCOS:
        settings["object_sizes_boundary"] = (64, 128)
    else:
        settings.update(nms_pre=30, generation=generation)
    model = kind(Pyramid(), Pyramid(), 3, **settings)
    found_at_open_sizes(model, tmp_path, im_shape=(64, 64))

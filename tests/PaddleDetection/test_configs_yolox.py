"""The configs of YOLOX, PicoDet and TTFNet are valid, build, and say what was published."""

from __future__ import annotations

import pytest

import core
from PaddleDetection.config import TOOLKIT
from PaddleDetection.models.registry import NETWORKS
from tests.PaddleDetection.configs import config_file

PUBLISHED = {
    "yolox_nano_300e_coco": (25.8, 64, 0.01),
    "yolox_tiny_300e_coco": (32.9, 64, 0.01),
    "yolox_s_300e_coco": (40.4, 64, 0.01),
    "yolox_m_300e_coco": (46.9, 64, 0.01),
    "yolox_l_300e_coco": (50.1, 64, 0.01),
    "yolox_x_300e_coco": (51.1, 64, 0.01),
    "picodet_s_320_coco": (29.1, 256, 0.32),
    "picodet_m_320_coco": (34.4, 192, 0.24),
    "picodet_s_416_coco": (32.5, 192, 0.24),
    "picodet_m_416_coco": (37.5, 192, 0.24),
    "picodet_l_416_coco": (39.4, 96, 0.12),
    "ttfnet_darknet53_1x_coco": (33.5, 96, 0.015),
}
"""AP on val2017, images of a step, learning rate."""


@pytest.mark.parametrize("name", PUBLISHED)
def test_reads_builds_and_cites(name: str) -> None:
    path = config_file(name)
    config = TOOLKIT.load(path)
    precision, images, rate = PUBLISHED[name]
    assert f"Published: {precision} AP on val2017" in path.read_text()
    assert config.data.train.batch_size * config.train.accumulate == images
    assert config.schedule.arguments["learning_rate"] == rate
    with core.LazyGuard():
        network = NETWORKS.build(config.network)
    sizes = [part.arguments["target_size"] for part in config.data.valid.transforms if part.name == "Resize"]
    assert [side % network.divisor for side in sizes[0]] == [0, 0]
    for split in (config.data.train, config.data.valid):
        assert split.composed(split.transforms)

"""The configs of the PP-YOLO family and of SOLOv2 are valid, build, and say what was published."""

from __future__ import annotations

import re

import pytest

import core
from PaddleDetection.config import TOOLKIT
from PaddleDetection.models.registry import NETWORKS
from tests.PaddleDetection.configs import config_file

PUBLISHED = {
    "ppyoloe_crn_s_300e_coco": (43.0, 256, 0.04),
    "ppyoloe_crn_m_300e_coco": (49.0, 224, 0.035),
    "ppyoloe_crn_l_300e_coco": (51.4, 160, 0.025),
    "ppyoloe_crn_x_300e_coco": (52.3, 128, 0.02),
    "ppyoloe_plus_crn_s_80e_coco": (43.7, 64, 0.001),
    "ppyoloe_plus_crn_m_80e_coco": (49.8, 64, 0.001),
    "ppyoloe_plus_crn_l_80e_coco": (52.9, 64, 0.001),
    "ppyoloe_plus_crn_x_80e_coco": (54.7, 64, 0.001),
    "ppyolo_tiny_650e_coco": (20.6, 256, 0.005),
    "ppyolo_mbv3_small_coco": (17.2, 128, 0.005),
    "ppyolo_mbv3_large_coco": (23.2, 128, 0.005),
    "ppyolo_r18vd_coco": (29.2, 128, 0.004),
    "ppyolo_r50vd_dcn_1x_coco": (44.8, 192, 0.01),
    "ppyolo_r50vd_dcn_2x_coco": (45.2, 192, 0.01),
    "ppyolov2_r50vd_dcn_365e_coco": (49.1, 96, 0.005),
    "ppyolov2_r101vd_dcn_365e_coco": (49.7, 96, 0.005),
    "solov2_r50_fpn_1x_coco": (35.6, 16, 0.01),
}
"""AP on val2017, images of a step, learning rate."""


@pytest.mark.parametrize("name", PUBLISHED)
def test_reads_builds_and_cites(name: str) -> None:
    path = config_file(name)
    config = TOOLKIT.load(path)
    precision, images, rate = PUBLISHED[name]
    assert re.search(f"Published: {precision} AP (of masks )?on val2017", path.read_text())
    assert config.data.train.batch_size * config.train.accumulate == images
    assert config.schedule.arguments["learning_rate"] == rate
    with core.LazyGuard():
        network = NETWORKS.resolve(config.network.name)()
    NETWORKS.check(config.network)
    (size,) = [part.arguments["target_size"] for part in config.data.valid.transforms if part.name == "Resize"]
    drawn = [part.arguments["target_size"] for part in config.data.train.batch_transforms if "Resize" in part.name]
    strides = [part.arguments["pad_to_stride"] for part in config.data.valid.batch_transforms]
    assert {side % network.divisor for side in strides or (*size, *drawn[0])} == {0}
    for split in (config.data.train, config.data.valid):
        assert split.composed(split.transforms)

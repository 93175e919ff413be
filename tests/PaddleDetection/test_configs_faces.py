"""The configs of PyramidBox and BlazeFace are valid, and say what was published."""

from __future__ import annotations

import pytest

import core
from PaddleDetection.config import TOOLKIT
from PaddleDetection.models.registry import NETWORKS
from tests.PaddleDetection.configs import config_file

PUBLISHED = {
    "pyramidbox_widerface": ("96.0 / 94.8 / 88.8", 16, 160),
    "blazeface_1000e": ("88.5 / 85.5 / 73.1", 8, 1000),
    "blazeface_fpn_ssh_1000e": ("90.7 / 88.3 / 79.3", 8, 1000),
}
"""AP of easy, medium and hard faces, images of a step, epochs."""


@pytest.mark.parametrize("name", PUBLISHED)
def test_reads_builds_and_cites(name: str) -> None:
    path = config_file(name)
    config = TOOLKIT.load(path)
    precision, images, epochs = PUBLISHED[name]
    assert f"Published: {precision} AP on the easy, medium and hard faces" in path.read_text()
    assert config.data.train.batch_size * config.train.accumulate == images
    assert config.train.epochs == epochs and config.schedule.arguments["learning_rate"] == 0.001
    assert config.evaluate.metric == "WIDER" and config.evaluate.face_views
    for split in (config.data.train, config.data.valid):
        assert split.composed(split.transforms)
    with core.LazyGuard():
        network = NETWORKS.resolve(config.network.name)(num_classes=config.num_classes)
    assert config.network.arguments.get("pretrained") == ("VGG16" if "pyramid" in name else None)
    assert config.num_classes == network.num_classes == 1
    kept = {"nms_threshold": 0.3, "score_threshold": 0.01, "nms_top_k": 5000, "keep_top_k": 750}
    assert {key: network.suppression[key] for key in kept} == kept and network.suppression["soft"] is None
    assert network.loss.overlap_threshold == 0.35

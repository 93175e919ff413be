"""The configs of two-stage detectors are valid, and say what was published."""

from __future__ import annotations

import pytest

import core
from PaddleClas.models.weights import WEIGHTS
from PaddleDetection.config import TOOLKIT
from PaddleDetection.models.pretrained import classifier_of
from PaddleDetection.models.registry import NETWORKS
from tests.PaddleDetection.configs import CONFIGS, config_file

PUBLISHED = {
    "faster_rcnn_r50_1x": ("35.2 AP on val2017", 8, 0.01, 180000),
    "faster_rcnn_r50_2x": ("37.1 AP on val2017", 8, 0.01, 360000),
    "faster_rcnn_r50_fpn_1x": ("37.2 AP on val2017", 16, 0.02, 90000),
    "faster_rcnn_r50_fpn_2x": ("37.7 AP on val2017", 16, 0.02, 180000),
    "faster_rcnn_r50_vd_1x": ("36.4 AP on val2017", 8, 0.01, 180000),
    "faster_rcnn_r50_vd_fpn_2x": ("38.9 AP on val2017", 16, 0.02, 180000),
    "faster_rcnn_r101_1x": ("38.3 AP on val2017", 8, 0.01, 180000),
    "faster_rcnn_r101_fpn_1x": ("38.7 AP on val2017", 8, 0.01, 180000),
    "faster_rcnn_r101_fpn_2x": ("39.1 AP on val2017", 8, 0.01, 360000),
    "faster_rcnn_r101_vd_fpn_1x": ("40.5 AP on val2017", 8, 0.01, 180000),
    "faster_rcnn_r101_vd_fpn_2x": ("40.8 AP on val2017", 8, 0.01, 360000),
    "faster_rcnn_x101_vd_64x4d_fpn_1x": ("42.2 AP on val2017", 8, 0.01, 180000),
    "faster_rcnn_x101_vd_64x4d_fpn_2x": ("41.7 AP on val2017", 8, 0.01, 360000),
    "faster_rcnn_se154_vd_fpn_s1x": ("42.9 AP on val2017", 8, 0.01, 260000),
    "mask_rcnn_r50_1x": ("36.5 AP on val2017, of masks 32.2", 8, 0.01, 180000),
    "mask_rcnn_r50_2x": ("38.2 AP on val2017, of masks 33.4", 8, 0.01, 360000),
    "mask_rcnn_r50_fpn_1x": ("37.9 AP on val2017, of masks 34.2", 16, 0.02, 90000),
    "mask_rcnn_r50_fpn_2x": ("38.7 AP on val2017, of masks 34.7", 16, 0.02, 180000),
    "mask_rcnn_r50_vd_fpn_2x": ("39.8 AP on val2017, of masks 35.4", 16, 0.02, 180000),
    "mask_rcnn_r101_fpn_1x": ("39.5 AP on val2017, of masks 35.2", 8, 0.01, 180000),
    "mask_rcnn_se154_vd_fpn_s1x": ("44.0 AP on val2017, of masks 38.7", 8, 0.01, 260000),
    "cascade_rcnn_r50_fpn_1x": ("40.9 AP on val2017", 16, 0.02, 90000),
    "cascade_rcnn_cls_aware_r200_vd_fpn_dcnv2_nonlocal_softnms": ("51.7 AP on val2017", 8, 0.01, 460000),
    "libra_rcnn_r50_vd_fpn_1x": ("40.5 AP on val2017", 16, 0.02, 90000),
    "libra_rcnn_r101_vd_fpn_1x": ("42.5 AP on val2017", 16, 0.02, 90000),
    "cascade_mask_rcnn_dcnv2_se154_vd_fpn_gn_s1x": ("51.9 AP on val2017, of masks 43.9", 8, 0.01, 300000),
    "faster_rcnn_r50_1x_coco": ("36.7 AP on val2017", 8, 0.01, 12),
    "faster_rcnn_r50_vd_1x_coco": ("37.6 AP on val2017", 8, 0.01, 12),
    "faster_rcnn_r101_1x_coco": ("39.0 AP on val2017", 8, 0.01, 12),
    "faster_rcnn_r34_fpn_1x_coco": ("37.8 AP on val2017", 8, 0.01, 12),
    "faster_rcnn_r34_vd_fpn_1x_coco": ("38.5 AP on val2017", 8, 0.01, 12),
    "faster_rcnn_r50_fpn_1x_coco": ("38.4 AP on val2017", 8, 0.01, 12),
    "faster_rcnn_r50_fpn_2x_coco": ("40.0 AP on val2017", 8, 0.01, 24),
    "faster_rcnn_r50_vd_fpn_1x_coco": ("39.5 AP on val2017", 8, 0.01, 12),
    "faster_rcnn_r50_vd_fpn_2x_coco": ("40.8 AP on val2017", 8, 0.01, 24),
    "faster_rcnn_r101_fpn_2x_coco": ("41.4 AP on val2017", 8, 0.01, 24),
    "faster_rcnn_r101_vd_fpn_1x_coco": ("42.0 AP on val2017", 8, 0.01, 12),
    "faster_rcnn_r101_vd_fpn_2x_coco": ("43.0 AP on val2017", 8, 0.01, 24),
    "faster_rcnn_x101_vd_64x4d_fpn_1x_coco": ("43.4 AP on val2017", 8, 0.01, 12),
    "faster_rcnn_x101_vd_64x4d_fpn_2x_coco": ("44.0 AP on val2017", 8, 0.01, 24),
    "faster_rcnn_r50_fpn_gn_2x_coco": ("41.9 AP on val2017", 8, 0.01, 24),
    "faster_rcnn_dcn_r50_fpn_1x_coco": ("42.1 AP on val2017", 8, 0.01, 12),
    "faster_rcnn_dcn_r50_vd_fpn_1x_coco": ("42.7 AP on val2017", 8, 0.01, 12),
    "faster_rcnn_dcn_r50_vd_fpn_2x_coco": ("43.7 AP on val2017", 8, 0.01, 24),
    "faster_rcnn_dcn_r101_vd_fpn_1x_coco": ("45.1 AP on val2017", 8, 0.01, 12),
    "faster_rcnn_dcn_x101_vd_64x4d_fpn_1x_coco": ("46.5 AP on val2017", 8, 0.01, 12),
    "mask_rcnn_r50_1x_coco": ("37.4 AP on val2017, of masks 32.8", 8, 0.01, 12),
    "mask_rcnn_r50_2x_coco": ("39.7 AP on val2017, of masks 34.5", 8, 0.01, 24),
    "mask_rcnn_r50_fpn_1x_coco": ("39.2 AP on val2017, of masks 35.6", 8, 0.01, 12),
    "mask_rcnn_r50_fpn_2x_coco": ("40.5 AP on val2017, of masks 36.7", 8, 0.01, 24),
    "mask_rcnn_r50_vd_fpn_1x_coco": ("40.3 AP on val2017, of masks 36.4", 8, 0.01, 12),
    "mask_rcnn_r50_vd_fpn_2x_coco": ("41.4 AP on val2017, of masks 37.5", 8, 0.01, 24),
    "mask_rcnn_r101_fpn_1x_coco": ("40.6 AP on val2017, of masks 36.6", 8, 0.01, 12),
    "mask_rcnn_r101_vd_fpn_1x_coco": ("42.4 AP on val2017, of masks 38.1", 8, 0.01, 12),
    "mask_rcnn_x101_vd_64x4d_fpn_1x_coco": ("44.0 AP on val2017, of masks 39.5", 8, 0.01, 12),
    "mask_rcnn_x101_vd_64x4d_fpn_2x_coco": ("44.6 AP on val2017, of masks 39.8", 8, 0.01, 24),
    "mask_rcnn_r50_fpn_gn_2x_coco": ("42.3 AP on val2017, of masks 38.4", 8, 0.01, 24),
    "mask_rcnn_dcn_r50_fpn_1x_coco": ("42.7 AP on val2017, of masks 38.4", 8, 0.01, 12),
    "mask_rcnn_dcn_r50_vd_fpn_2x_coco": ("44.6 AP on val2017, of masks 39.8", 8, 0.01, 24),
    "mask_rcnn_dcn_r101_vd_fpn_1x_coco": ("45.6 AP on val2017, of masks 40.6", 8, 0.01, 12),
    "mask_rcnn_dcn_x101_vd_64x4d_fpn_1x_coco": ("47.3 AP on val2017, of masks 42.0", 8, 0.01, 12),
    "cascade_rcnn_r50_fpn_1x_coco": ("41.1 AP on val2017", 8, 0.01, 12),
    "cascade_rcnn_r50_fpn_gn_2x_coco": ("44.6 AP on val2017", 8, 0.01, 24),
    "cascade_rcnn_dcn_r50_fpn_1x_coco": ("42.1 AP on val2017", 8, 0.01, 12),
    "cascade_rcnn_dcn_x101_vd_64x4d_fpn_1x_coco": ("48.8 AP on val2017", 8, 0.01, 12),
    "cascade_mask_rcnn_r50_fpn_1x_coco": ("41.8 AP on val2017, of masks 36.3", 8, 0.01, 12),
    "cascade_mask_rcnn_r50_fpn_gn_2x_coco": ("45.0 AP on val2017, of masks 39.3", 8, 0.01, 24),}
"""What was published, images of a step, learning rate, epochs or steps."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.zoo if place % 8 else []) for place, name in enumerate(PUBLISHED)]
)
def test_reads_and_cites(name: str) -> None:
    path = config_file(name)
    config = TOOLKIT.load(path)
    figure, images, rate, length = PUBLISHED[name]
    assert f"Published: {figure} (PaddleDetection" in path.read_text().replace("\n# ", " ")
    assert config.data.train.batch_size * config.train.accumulate == images
    assert config.schedule.arguments["learning_rate"] == rate
    assert (config.train.epochs or config.train.steps) == length
    assert config.output == f"runs/{name}" and config.num_classes == 80
    classifier = config.network.arguments["pretrained"]
    assert classifier in WEIGHTS and classifier_of(config.network.name) == classifier
    assert ("mask_" in name) == any(part.name == "Poly2Mask" for part in config.data.train.transforms)
    assert name.endswith("_coco") == (config.network.arguments.get("generation") is None)
    for split in (config.data.train, config.data.valid):
        assert split.composed(split.transforms)


def test_every_config_of_a_two_stage_detector_is_known() -> None:
    own = [path.stem for family in ("faster", "mask", "cascade", "libra") for path in CONFIGS.glob(f"{family}_rcnn/*")]
    assert sorted(PUBLISHED) == sorted(own)


@pytest.mark.parametrize(
    "name", ["faster_rcnn_r50_1x_coco", pytest.param("cascade_mask_rcnn_r50_fpn_gn_2x_coco", marks=pytest.mark.zoo)]
)
def test_builds(name: str) -> None:
    network = TOOLKIT.load(config_file(name)).network
    settings = {key: value for key, value in network.arguments.items() if key != "pretrained"}
    with core.LazyGuard():
        made = NETWORKS.resolve(network.name)(**settings)
    assert made.num_classes == 80 and made.divisor == (1 if made.neck is None else 32)

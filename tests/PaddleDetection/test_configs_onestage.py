"""The configs of YOLOv3, RetinaNet, FCOS and SSD are valid, and say what was published."""

from __future__ import annotations

import fnmatch

import pytest

import core
from PaddleClas.models.weights import WEIGHTS
from PaddleDetection.config import TOOLKIT
from PaddleDetection.models.backbones.mobilenet_v1 import MobileNet
from PaddleDetection.models.pretrained import classifier_of
from tests.PaddleDetection.configs import config_file
from tests.sampling import sampled

COCO, VOC = "AP on val2017", "mAP on VOC 2007's test set"
PUBLISHED = {
    "yolov3_darknet53_270e_coco": (39.0, COCO, 64, 0.001, 270),
    "yolov3_mobilenet_v1_270e_coco": (29.4, COCO, 64, 0.001, 270),
    "yolov3_mobilenet_v3_large_270e_coco": (31.4, COCO, 64, 0.001, 270),
    "yolov3_r34_270e_coco": (36.2, COCO, 64, 0.001, 270),
    "yolov3_r50vd_dcn_270e_coco": (39.1, COCO, 64, 0.001, 270),
    "yolov3_darknet": (38.9, COCO, 64, 0.001, 500_200),
    "yolov3_mobilenet_v1": (29.3, COCO, 64, 0.001, 500_200),
    "yolov3_r34": (36.2, COCO, 64, 0.001, 500_200),
    "retinanet_r50_fpn_1x_coco": (37.5, COCO, 16, 0.01, 12),
    "retinanet_r50_fpn_2x_coco": (39.1, COCO, 16, 0.01, 24),
    "retinanet_r101_fpn_2x_coco": (40.6, COCO, 16, 0.01, 24),
    "retinanet_r50_fpn_1x": (36.0, COCO, 16, 0.01, 90_000),
    "retinanet_r101_fpn_1x": (37.3, COCO, 16, 0.01, 90_000),
    "fcos_r50_fpn_1x_coco": (39.6, COCO, 16, 0.01, 12),
    "fcos_dcn_r50_fpn_1x_coco": (44.3, COCO, 16, 0.01, 12),
    "fcos_r50_fpn_multiscale_2x_coco": (41.8, COCO, 16, 0.01, 24),
    "ssd_mobilenet_v1_300_120e_voc": (73.8, VOC, 64, 0.001, 120),
    "ssd_mobilenet_v1_voc": (73.2, VOC, 64, 0.001, 28_000),
    "ssd_vgg16_300_240e_voc": (77.8, VOC, 32, 0.001, 240),
    "ssd_vgg16_300_voc": (77.5, VOC, 32, 0.001, 120_000),
    "ssd_vgg16_512_voc": (80.2, VOC, 32, 0.001, 120_000),
    "ssd_vgg16_300": (25.1, COCO, 32, 0.001, 400_000),
    "ssd_vgg16_512": (29.1, COCO, 32, 0.001, 400_000),
    "ssdlite_mobilenet_v3_small_320_coco": (16.2, COCO, 512, 0.4, 1700),
    "ssdlite_mobilenet_v3_large_320_coco": (23.3, COCO, 512, 0.4, 1700),
    "ssdlite_mobilenet_v1_300_coco": ("no figure", "", 512, 0.4, 1700),
}
"""What was published, images of a step, learning rate, epochs or steps."""


@pytest.mark.parametrize("name", sampled(PUBLISHED, 3, group=lambda name: name.split("_")[0]))
def test_reads_and_cites(name: str) -> None:
    path = config_file(name)
    config = TOOLKIT.load(path)
    figure, what, images, rate, length = PUBLISHED[name]
    assert f"Published: {figure} {what}".rstrip() in path.read_text()
    assert config.data.train.batch_size * config.train.accumulate == images
    assert config.schedule.arguments["learning_rate"] == rate
    assert (config.train.epochs or config.train.steps) == length
    assert config.output == f"runs/{name}" and config.network.name.split("_")[0] == name.split("_")[0]
    assert config.num_classes == (20 if what is VOC else 80)
    classifier = config.network.arguments["pretrained"]
    assert classifier in WEIGHTS and classifier_of(config.network.name) == classifier
    for split in (config.data.train, config.data.valid):
        assert split.composed(split.transforms)


@pytest.mark.parametrize("name", ["yolov3_mobilenet_v1", "ssd_mobilenet_v1_voc"])
def test_kernels_of_mobilenet_learn_without_decay(name: str) -> None:
    (group,) = TOOLKIT.load(config_file(name)).optimizer.groups
    with core.LazyGuard():
        names = [f"backbone.{key}" for key, _ in MobileNet(with_extra_blocks=True).named_parameters()]
    fitting = fnmatch.filter(names, group.parameters[0])
    assert fitting == [key for key in names if key.endswith("_conv.weight")] and len(fitting) == 35
    assert group.weight_decay == 0.0


def test_retinanet_of_release_1_5() -> None:
    arguments = TOOLKIT.load(config_file("retinanet_r50_fpn_1x")).network.arguments
    assert arguments["generation"] == 1

"""Weights for detectors: from a path, from the cache, for another number of classes, for the backbone alone."""

from __future__ import annotations

import logging
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
import PaddleDetection
from core.train.config.table import Component
from core.weights.downloads.download import cache_path
from PaddleDetection.models.pretrained import classifier_of
from PaddleDetection.models.registry import NETWORKS
from PaddleDetection.models.weights import CHECKPOINTS, own_checkpoint
from tests.engine import ENGINE

SMALL = {"scale": 0.25, "width": 32}


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    core.seed(3)
    model = PaddleDetection.create_model("yolov3_mobilenet_v1", num_classes=3, **SMALL)
    path = tmp_path_factory.mktemp("weights") / "mine.pdparams"
    core.save(model.state_dict(), str(path))
    return path


def build(path: Any, num_classes: int = 3, name: str = "yolov3_mobilenet_v1", **settings: Any) -> Any:
    return PaddleDetection.create_model(name, pretrained=path, num_classes=num_classes, **{**SMALL, **settings})


def test_a_path_gives_the_weights_of_the_file(path: Path) -> None:
    expected, found = core.load(str(path)), build(path).state_dict()
    assert list(found) == list(expected)
    assert all(np.array_equal(found[key].numpy(), value.numpy()) for key, value in expected.items())


def test_another_number_of_classes_names_what_is_skipped(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    model = build(path, num_classes=5)
    (record,) = [record for record in caplog.records if record.levelno >= logging.WARNING]
    message = record.getMessage()
    assert message.splitlines()[0].endswith("mine.pdparams': 235 of 241 entries of the model loaded")
    skipped = [line.strip() for line in message.splitlines()[1:]]
    sides = (64, 32, 16)
    expected = [
        text
        for level, side in enumerate(sides)
        for text in (
            f"fresh: yolo_head.yolo_output.{level}.weight ([24, {side}, 1, 1] -> [30, {side}, 1, 1])",
            f"fresh: yolo_head.yolo_output.{level}.bias ([24] -> [30])",
        )
    ]
    assert sorted(skipped) == sorted(expected)
    assert model.yolo_head.yolo_outputs[0].bias.shape == [30]


def test_ssd_with_other_prior_boxes_begins_with_the_backbone(tmp_path: Path) -> None:
    few = {"min_sizes": [[44], [48], [52], [56], [60], [64]], "aspect_ratios": [[]] * 6}
    core.seed(1)
    given = PaddleDetection.create_model("ssd_mobilenet_v1_300", num_classes=10, scale=0.125, **few)
    core.save(given.state_dict(), str(tmp_path / "few.pdparams"))
    for classes in (3, 10):
        settings = {"num_classes": classes, "scale": 0.125}
        found = PaddleDetection.create_model("ssd_mobilenet_v1_300", tmp_path / "few.pdparams", **settings)
        shapes = found.ssd_head.boxes0.weight.shape, found.ssd_head.scores1.weight.shape
        assert shapes == ([12, 64, 1, 1], [6 * (classes + 1), 128, 1, 1])
        for name, value in given.backbone.state_dict().items():
            np.testing.assert_array_equal(found.backbone.state_dict()[name].numpy(), value.numpy())


def test_what_does_not_depend_on_the_classes_must_fit(path: Path) -> None:
    with pytest.raises(ValueError, match=r"mine.pdparams' does not fit the model: \d+ entries differ: .*neck.yolo_blo"):
        build(path, width=64)


def test_a_backbone_alone(path: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    whole = core.load(str(path))
    backbone = {key[len("backbone.") :]: value for key, value in whole.items() if key.startswith("backbone.")}
    core.save(backbone, str(tmp_path / "backbone.pdparams"))
    with caplog.at_level(logging.INFO):
        found = build(tmp_path / "backbone.pdparams").state_dict()
    assert all(np.array_equal(found[f"backbone.{key}"].numpy(), value.numpy()) for key, value in backbone.items())
    assert "holds the weights of the backbone alone" in caplog.text


def test_a_classifier_of_today_fills_the_backbone(tmp_path: Path) -> None:
    import PaddleClas

    core.seed(5)
    classifier = PaddleClas.create_model("MobileNetV1_x0_25", class_num=7)
    core.save(classifier.state_dict(), str(tmp_path / "mobilenet.pdparams"))
    found = build(tmp_path / "mobilenet.pdparams")
    image = core.randn([1, 3, 64, 64])
    for model in (found, classifier):
        model.eval()
    expected = classifier.forward_stages(image)[-1]
    np.testing.assert_allclose(found.backbone(image)[-1].numpy(), expected.numpy(), rtol=1e-5, atol=1e-6)


def test_classifiers_of_backbones() -> None:
    for network, classifier in (
        ("yolov3_darknet53", "DarkNet53"), ("yolov3_r50vd_dcn", "ResNet50_vd"), ("retinanet_r101_fpn", "ResNet101"),
        ("faster_rcnn_r34_vd_fpn", "ResNet34_vd"), ("mask_rcnn_x101_vd_64x4d_fpn", "ResNeXt101_vd_64x4d"),
        ("ssd_mobilenet_v1_300", "MobileNetV1"), ("yolox_s", None),
    ):  # fmt: skip
        assert classifier_of(network) == classifier


def test_a_config_starts_from_weights_and_a_run_does_not_ask_for_them_again(path: Path) -> None:
    component = Component(name="yolov3_mobilenet_v1", pretrained=str(path), num_classes=3, **SMALL)
    NETWORKS.check(component)
    model = NETWORKS.build(component)
    assert np.array_equal(
        model.state_dict()["backbone.conv1._conv.weight"].numpy(),
        core.load(str(path))["backbone.conv1._conv.weight"].numpy(),
    )
    assert "pretrained: false" in NETWORKS.describe("yolov3_mobilenet_v1")


@pytest.fixture
def cached(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file as the official one of yolov3_mobilenet_v1 in the cache."""
    monkeypatch.setenv("CORE_HOME", str(tmp_path))
    target = cache_path(CHECKPOINTS["yolov3_mobilenet_v1_270e_coco"].record.url)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(path.read_bytes())
    return target


def test_official_weights_come_from_the_cache(cached: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert build(True).num_classes == 3
    assert "270e_coco.pdparams is not known: that the file is the published one could not be verified" in caplog.text
    model = PaddleDetection.create_model("yolov3_mobilenet_v1", pretrained="yolov3_mobilenet_v1_270e_coco", **SMALL)
    assert model.num_classes == 80  # those of the official file
    by_checkpoint = PaddleDetection.create_model("yolov3_mobilenet_v1_270e_coco", pretrained=True, **SMALL)
    assert by_checkpoint.num_classes == 80


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": "yolov3_mobilnet_v1"}, "unknown network 'yolov3_mobilnet_v1'; the nearest"),
        ({"num_classes": 0}, "num_classes must be a positive whole number, not 0"),
        ({"path": "yolov3_darknet53_270e_coco"}, "is of the network yolov3_darknet53, not yolov3_mobilenet_v1"),
        (
            {"path": "ResNet9999"},
            "^pretrained: there are no weights 'ResNet9999', and no such file; the nearest are '.*'ResNet50'",
        ),
        ({"path": "none.pdparams"}, "none.pdparams': there is no such file"),
        ({"path": "MobileNetV1_x0_25"}, "cannot download .*put it at .*MobileNetV1_x0_25_pretrained.pdparams"),
        ({"name": "picodet_s", "path": "picodet_s_320_coco_lcnet"}, "cannot download .*picodet_s_320_coco_lcnet.pdpa"),
    ],
)
def test_what_cannot_be_built(
    arguments: dict[str, Any], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CORE_HOME", str(tmp_path))
    monkeypatch.setenv("CORE_WEIGHTS_MIRROR", str(tmp_path / "no mirror"))
    with pytest.raises((ValueError, OSError), match=message):
        PaddleDetection.create_model(
            arguments.get("name", "yolov3_mobilenet_v1"),
            pretrained=arguments.get("path", False),
            num_classes=arguments.get("num_classes", 3),
        )


def test_pretrained_is_a_bool_or_a_path() -> None:
    with pytest.raises(TypeError, match="pretrained must be a bool, a checkpoint's name or a path, not 3"):
        PaddleDetection.create_model("yolov3_mobilenet_v1", pretrained=3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="takes no argument 'num_class'; the nearest is 'num_classes'"):
        PaddleDetection.create_model("yolov3_mobilenet_v1", num_class=3)
    with pytest.raises(ValueError, match=r"unknown network \['a'\]"):
        PaddleDetection.create_model(["a"])  # type: ignore[arg-type]  # refused


def test_the_manifest() -> None:
    assert own_checkpoint("yolov3_darknet53") == "yolov3_darknet53_270e_coco"
    pascal = CHECKPOINTS["ssd_mobilenet_v1_pascal"]
    assert (pascal.network, pascal.record.class_count, pascal.class_count) == ("ssd_mobilenet_v1_300", 21, 20)
    older = CHECKPOINTS["faster_rcnn_r50_fpn_1x.tar"]
    assert older.record.url == "https://paddlemodels.bj.bcebos.com/object_detection/faster_rcnn_r50_fpn_1x.tar"
    assert (older.record.class_count, older.class_count, older.release) == (81, 80, 1)
    newer = CHECKPOINTS["mask_rcnn_r50_fpn_2x_coco"]
    assert newer.record.url == "https://paddledet.bj.bcebos.com/models/mask_rcnn_r50_fpn_2x_coco.pdparams"
    assert dict(newer.record.metrics) == {"box AP": 40.5, "mask AP": 36.7}
    assert newer.recipe == "COCO train2017, 24 epochs" and newer.record.class_count == 80
    assert all(re.fullmatch(r"https?://\S+", checkpoint.record.url) for checkpoint in CHECKPOINTS.values())
    urls = [checkpoint.record.url for checkpoint in CHECKPOINTS.values()]
    assert {checkpoint.network for checkpoint in CHECKPOINTS.values()} <= set(PaddleDetection.list_models())
    assert len(set(urls)) == len(urls) and all(one.record.sha256 is None for one in CHECKPOINTS.values())


def test_listing_and_opening(tmp_path: Path) -> None:
    assert PaddleDetection.list_models("YOLOX_?") == ["yolox_s", "yolox_m", "yolox_l", "yolox_x"]
    with pytest.raises(FileNotFoundError):
        PaddleDetection.open_detector(tmp_path / "nothing")
    program = f"import sys, PaddleDetection; PaddleDetection.list_models(); assert '{ENGINE}' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True, cwd=Path(__file__).parents[3])

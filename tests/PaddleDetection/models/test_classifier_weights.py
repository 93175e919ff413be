"""Classifiers of PaddleClas fill the backbones of detectors: the same images give the same feature maps."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
import PaddleClas
import PaddleDetection
from tests.parity.recipe import uniform

CASES: dict[str, tuple[str, list[int]]] = {
    "ppyolo_r18vd": ("ResNet18_vd", [2, 3]),
    "yolov3_r34": ("ResNet34", [1, 2, 3]),
    "yolov3_r50vd_dcn": ("ResNet50_vd", [1, 2]),  # the last stage's convolutions are deformable
    "retinanet_r50_fpn": ("ResNet50", [1, 2, 3]),
    "faster_rcnn_r50": ("ResNet50", [2]),
    "yolov3_mobilenet_v3_large": ("MobileNetV3_large_x1_0", [2, 3, 4]),
    "ssdlite_mobilenet_v3_small_320": ("MobileNetV3_small_x1_0", []),
    "ssd_vgg16_300": ("VGG16", []),
    "ssd_mobilenet_v1_300": ("MobileNetV1", [3, 4]),
    "yolov3_darknet53": ("DarkNet53", []),  # the classifier has plain ReLU
    "faster_rcnn_se154_vd_fpn": ("SENet154_vd", [0, 1, 2, 3]),
}
"""Detector to its classifier, and the classifier's stages whose maps are the backbone's first ones."""

QUICK = ("ppyolo_r18vd", "ssdlite_mobilenet_v3_small_320")


def classifier_file(name: str, path: Path) -> Any:
    """Return a classifier with lively weights, which a file has too."""
    with core.LazyGuard():
        made = PaddleClas.create_model(name, class_num=7)
    values = {}
    for key, value in made.state_dict().items():
        if value.ndim == 2 and value.shape[1] in (4096, 7):  # linear layers, which no backbone has
            continue
        scale = key.endswith("_variance") or value.ndim == 1 and key.endswith("weight")
        low, high = (0.5, 1.0) if scale else (-0.2, 0.2)
        values[key] = uniform(key, value.shape, low, high)
        if value.ndim == 4:
            values[key] *= np.sqrt(25.0 / np.prod(value.shape[1:]))
        value.set_value(values[key])
    made.eval()
    core.save(values, str(path))
    return made


@pytest.mark.parametrize("name", [one if one in QUICK else pytest.param(one, marks=pytest.mark.zoo) for one in CASES])
def test_same_feature_maps(name: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    classifier, stages = CASES[name]
    path = tmp_path / "classifier.pdparams"
    whole = classifier_file(classifier, path)
    with caplog.at_level(logging.INFO):
        made = PaddleDetection.create_model(name, pretrained=path, num_classes=3)
    assert "holds the weights of the backbone alone" in caplog.text
    made.eval()
    image = core.to_tensor(uniform("image", (1, 3, 64, 64), -2.0, 2.0))
    if stages:
        expected = whole.forward_stages(image)
        for place, found in zip(stages, made.backbone(image)):
            wanted = expected[place].numpy()
            np.testing.assert_allclose(found.numpy(), wanted, rtol=1e-4, atol=1e-5 * np.abs(wanted).max())
    own = tuple(f"{one}." for one in made.backbone.own_layers)
    loaded = {key: value.numpy() for key, value in core.load(str(path)).items()}
    filled = [key for key, value in made.backbone.state_dict().items() if not key.startswith(own)]
    numbers = {value.tobytes() for value in loaded.values()}
    assert all(made.backbone.state_dict()[key].numpy().tobytes() in numbers for key in filled)
    if name == "ssd_vgg16_300":
        for block, count in enumerate((2, 2, 3, 3, 3)):
            for number in range(count):
                layer = getattr(getattr(made.backbone, f"conv_block_{block}"), f"conv{number}")
                wanted = loaded[f"conv_block_{block + 1}.conv{number + 1}.weight"]
                np.testing.assert_array_equal(layer.weight.numpy(), wanted)
                assert not layer.bias.numpy().any()


def test_what_a_backbone_must_have_may_not_be_missing(tmp_path: Path) -> None:
    path = tmp_path / "classifier.pdparams"
    classifier_file("ResNet18_vd", path)
    values = core.load(str(path))
    core.save({key: value for key, value in values.items() if not key.startswith("blocks.4.")}, str(path))
    with pytest.raises(ValueError, match=r"does not fit the model: it lacks 15 entries: res4.res4a"):
        PaddleDetection.create_model("ppyolo_r18vd", pretrained=path)

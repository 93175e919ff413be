"""Whole one-stage detectors: a compiled training step, weights written and read, a program for any size."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from core.static import InputSpec
from PaddleDetection.models.registry import NETWORKS
from tests.parity.PaddleDetection.backbone_cases import weights
from tests.parity.recipe import uniform

QUICK = ("blazeface_fpn_ssh",)
NAMES = (
    *QUICK,
    "blazeface",
    "ssdlite_mobilenet_v3_small_320",
    "yolov3_mobilenet_v3_large",
    "yolov3_r34",
    "yolov3_r50vd_dcn",
    "retinanet_r50_fpn",
    "fcos_r50_fpn",
    "fcos_dcn_r50_fpn",
    "ssd_vgg16_300",
)
PARAMETERS = [one if one in QUICK else pytest.param(one, marks=pytest.mark.zoo) for one in NAMES]
SMALLEST = {"ssd_vgg16_300": (270, 300)}
"""Height and width of images, where smaller ones leave the last feature maps nothing."""


def detector(name: str) -> Any:
    few: dict[str, Any] = {"keep_top_k": 10, "score_threshold": 0.001}
    made = NETWORKS.resolve(name)(num_classes=2, **few)
    made.set_state_dict(weights(name, {key: list(value.shape) for key, value in made.state_dict().items()}))
    return made


def image(name: str, count: int, height: int, width: int) -> Any:
    least = SMALLEST.get(name, (0, 0))
    size = [max(pair) for pair in zip((height, width), least)]
    return core.to_tensor(uniform("image", (count, 3, *size), -2.0, 2.0))


@pytest.mark.parametrize("name", PARAMETERS)
def test_a_compiled_step_reaches_every_parameter(name: str) -> None:
    made = detector(name)
    made.train()
    boxes = [[[6.0, 8.0, 40.0, 44.0], [30.0, 20.0, 60.0, 90.0], [0.0, 0.0, 0.0, 0.0]]] * 2
    targets = {
        "gt_bbox": core.to_tensor(np.array(boxes, np.float32)),
        "gt_class": core.to_tensor(np.array([[0, 1, 0]] * 2)),
        "gt_score": core.ones([2, 3]),
        "gt_count": core.to_tensor(np.array([2, 1])),
    }

    @core.jit.to_static
    def step(image: Any, shape: Any, scale: Any, boxes: Any, classes: Any, scores: Any, counts: Any) -> Any:
        given = dict(zip(targets, (boxes, classes, scores, counts)))
        return core.add_n(list(made.losses(image, shape, scale, given).values()))

    pixels = image(name, 2, 128, 128)
    shape = core.to_tensor(np.array([pixels.shape[2:]] * 2, np.float32))
    loss = step(pixels, shape, core.ones([2, 2]), *targets.values())
    loss.backward()
    assert np.isfinite(loss.item())
    for key, parameter in made.named_parameters():
        if not parameter.stop_gradient:
            assert parameter.grad is not None and np.isfinite(parameter.grad.numpy()).all(), key


@pytest.mark.parametrize("name", PARAMETERS)
def test_export_and_weights_give_the_same_boxes(name: str, tmp_path: Path) -> None:
    core.seed(0)
    made = detector(name)
    made.eval()
    core.save(made.state_dict(), str(tmp_path / "weights.pdparams"))
    core.seed(1)
    again = NETWORKS.resolve(name)(num_classes=2, keep_top_k=10, score_threshold=0.001)
    again.set_state_dict(core.load(str(tmp_path / "weights.pdparams")))
    again.eval()
    examples = made.examples or {0: (2, 3), 2: (96, 128), 3: (64, 160)}
    images = {0: examples[0]}
    spec = [
        InputSpec([None, 3, None, None], "float32", "image", examples=examples),
        InputSpec([None, 2], "float32", "im_shape", examples=images),
        InputSpec([None, 2], "float32", "scale_factor", examples=images),
    ]
    core.jit.save(made, str(tmp_path / "model"), spec)
    loaded = core.jit.load(str(tmp_path / "model"))
    for images, height, width in ((1, 128, 128), (2, 128, 256)):
        given = image(name, images, height, width), core.full([images, 2], 128.0), core.full([images, 2], 0.5)
        wanted, found = made(*given)
        assert found.numpy().min() > 0
        for other in (again, loaded, core.jit.to_static(made.__call__)):
            rows, counts = other(*given)
            np.testing.assert_array_equal(counts.numpy(), found.numpy())
            np.testing.assert_allclose(rows.numpy(), wanted.numpy(), rtol=1e-4, atol=2e-3)

"""The loss of YOLOv3 against PaddleDetection 2.6's: values and gradients."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import core
from PaddleDetection.models.losses.yolov3_loss import YOLOv3Loss
from tests.parity.PaddleDetection import yolo_cases as cases
from tests.parity.stored import stored_arrays

NAMES = ("loss_xy", "loss_wh", "loss_obj", "loss_cls")


@pytest.fixture(scope="module")
def official() -> dict[str, np.ndarray]:
    path = Path(__file__).parents[2] / "parity" / "PaddleDetection" / "references" / "yolo.npz"
    return stored_arrays(path)


def targets(case: str) -> dict[str, core.Tensor]:
    found = cases.objects(case)
    return {
        "gt_bbox": core.to_tensor(found.boxes),
        "gt_class": core.to_tensor(found.classes),
        "gt_score": core.to_tensor(found.scores),
        "gt_count": core.to_tensor(found.counts),
    }


@pytest.mark.parametrize("compiled", [pytest.param(False, marks=pytest.mark.zoo), True])
@pytest.mark.parametrize("case", cases.OPTIONS)
def test_as_the_official_loss(case: str, compiled: bool, official: dict[str, np.ndarray]) -> None:
    loss = YOLOv3Loss(cases.CLASSES, cases.ANCHORS, cases.MASKS, cases.STRIDES, **cases.OPTIONS[case])

    def call(*tensors: core.Tensor) -> tuple[core.Tensor, ...]:
        found = loss(tensors[:3], dict(zip(targets(case), tensors[3:])))
        return tuple(found[name] for name in NAMES)

    outputs = [core.to_tensor(output, stop_gradient=False) for output in cases.outputs(case)]
    given = [*outputs, *targets(case).values()]
    found = core.jit.to_static(call)(*given) if compiled else call(*given)
    for name, value in zip(NAMES, found):
        np.testing.assert_allclose(value.numpy(), official[f"{case} {name}"], rtol=1e-5)
    core.add_n(list(found)).backward()
    for level, output in enumerate(outputs):
        np.testing.assert_allclose(output.grad.numpy(), official[f"{case} gradient {level}"], atol=1e-5)

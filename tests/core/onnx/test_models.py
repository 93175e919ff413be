"""Whole classifiers through onnxruntime; tests/PaddleClas/models/test_exports.py has all of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnxruntime import InferenceSession

import core
from core.jit.input_spec import InputSpec
from PaddleClas import create_model

SMALLEST = {
    "LeNet": (1, 28),
    "VGG11": (3, 224),
    "ResNet18": (3, 64),
    "ResNet50_vc": (3, 64),
    "ResNet18_vd": (3, 64),
    "MobileNetV1_x0_25": (3, 64),
    "MobileNetV2_x0_25": (3, 64),
}


def with_plausible_statistics(name: str) -> core.nn.Layer:
    core.seed(1)
    model = create_model(name, class_num=10)
    generator = np.random.default_rng(2)
    for key, tensor in model.state_dict().items():
        if key.endswith("_variance"):
            tensor.set_value(generator.uniform(0.5, 1.5, tensor.shape).astype("float32"))
        elif key.endswith("_mean"):
            tensor.set_value(generator.uniform(-0.1, 0.1, tensor.shape).astype("float32"))
    model.eval()
    return model


def check(name: str, channels: int, size: int, folder: Path, batches: Sequence[int] = (1, 3, 8)) -> None:
    model = with_plausible_statistics(name)
    core.onnx.export(model, str(folder / name), [InputSpec([None, channels, size, size], name="image")])
    session = InferenceSession(folder / f"{name}.onnx", providers=["CPUExecutionProvider"])
    for batch in batches:
        image = np.random.default_rng(batch).uniform(-1, 1, (batch, channels, size, size)).astype("float32")
        with core.no_grad():
            expected = model(core.to_tensor(image)).numpy()
        (got,) = session.run(None, {"image": image})
        np.testing.assert_allclose(got, expected, rtol=0, atol=1e-5 * max(1, np.abs(expected).max()))
    stored = {tensor.name for tensor in onnx.load(folder / f"{name}.onnx").graph.initializer}
    assert stored >= set(model.state_dict())
    (folder / f"{name}.onnx").unlink()  # up to 600 MB, which pytest would keep


LARGE = ("VGG11", "ResNet18", "ResNet50_vc")
"""Left out of the default run: 531 MB of weights, and networks whose operators ResNet18_vd has too."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.zoo] if name in LARGE else []) for name in SMALLEST]
)
def test_a_classifier_gives_its_own_numbers_at_any_batch(name: str, tmp_path: Path) -> None:
    check(name, *SMALLEST[name], tmp_path, batches=(1, 3) if name == "VGG11" else (1, 3, 8))  # it takes 224 x 224 only

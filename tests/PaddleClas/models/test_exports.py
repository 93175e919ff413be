"""Saved programs and ONNX files: they serve every batch size, and answer as the model does in evaluation.

One network of each kind of block, in one of both forms always; all in both with `-m zoo`. Weights
and images are those of the comparison with the official implementation, where rounding does not grow.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from onnxruntime import InferenceSession

import core
import PaddleClas
from core.static import InputSpec
from tests.parity.PaddleClas.test_networks import REFERENCES, WITHOUT_REFERENCE, assert_close, classes, official_state
from tests.parity.recipe import input_images

TOO_LARGE = ("ResNeXt101_32x48d_wsl", "Fix_ResNeXt101_32x48d_wsl")
"""The widest, of 3.3 GB: more than an ONNX file may hold, and its export than a machine of 24 GB. A narrower one of the
same file (32x32d) is exported instead."""

NAMES = [name for name in PaddleClas.list_models() if name not in TOO_LARGE]

FRESH = ("VGG", "SqueezeNet", *WITHOUT_REFERENCE)
"""Networks with fresh weights instead: there is no official one, or no normalisation that would keep rounding small."""


AS_PROGRAM = ("LeNet", "MobileNetV3_small_x0_35", "ShuffleNetV2_x0_25")
AS_ONNX = ("SE_ResNet18_vd", "SqueezeNet1_1", "RegNetX_200MF")
"""What the default run exports: plain and grouped convolutions, shuffles, concatenations, gates."""


def marked(chosen: tuple[str, ...]) -> list[object]:
    """Return all names; those that are not chosen are left to the run of the whole zoo."""
    return [pytest.param(name, marks=() if name in chosen else pytest.mark.zoo) for name in NAMES]


def model_and_images(name: str) -> tuple[core.nn.Layer, np.ndarray]:
    if name.startswith(FRESH):
        core.seed(1)
        model = PaddleClas.create_model(name)
        size = 224 if name.startswith("VGG") else 64
        images = input_images((1, 3, size, size))
    else:
        with core.LazyGuard():
            model = PaddleClas.create_model(name, class_num=classes(name))
        reference = np.load(REFERENCES / f"{name}.npz")
        assert model.set_state_dict(official_state(reference)) == ([], [])
        model.materialize()
        images = input_images(reference["input_shape"])
    model.eval()
    return model, images


def spec(images: np.ndarray) -> list[InputSpec]:
    return [InputSpec([None, *images.shape[1:]], name="image")]


def answers(model: core.nn.Layer, images: np.ndarray) -> list[np.ndarray]:
    """Return the logits of each head; GoogLeNet has three."""
    with core.no_grad():
        outputs = model(core.to_tensor(images))
    return [head.numpy() for head in (outputs if isinstance(outputs, list) else [outputs])]


def assert_all_close(actual: list[np.ndarray], expected: list[np.ndarray]) -> None:
    assert len(actual) == len(expected)
    for one, other in zip(actual, expected):
        assert_close(one, other)


@pytest.fixture
def path(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path / "exported"
    shutil.rmtree(tmp_path)  # up to gigabytes, which pytest would keep


@pytest.mark.parametrize("name", marked(AS_PROGRAM))
def test_a_saved_program_answers_as_the_model(name: str, path: Path) -> None:
    model, images = model_and_images(name)
    core.jit.save(model, str(path), spec(images))
    loaded = core.jit.load(str(path))
    for batch in (images, images[:1], np.concatenate([images, -images])):
        assert_all_close(answers(loaded, batch), answers(model, batch))


@pytest.mark.parametrize("name", marked(AS_ONNX))
def test_an_onnx_file_answers_as_the_model(name: str, path: Path) -> None:
    model, images = model_and_images(name)
    core.onnx.export(model, str(path), spec(images))
    session = InferenceSession(f"{path}.onnx", providers=["CPUExecutionProvider"])
    for batch in (images, images[:1], np.concatenate([images, -images])):
        assert_all_close(session.run(None, {"image": batch}), answers(model, batch))

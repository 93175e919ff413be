"""Branches that are one convolution in evaluation: the same numbers, in the network and in what is exported."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import core
from core.static import InputSpec
from PaddleClas.models.pp_lcnet_v2 import SeveralKernels
from PaddleClas.models.repvgg import RepVGG, RepVGGBlock


def with_statistics(layer: core.nn.Layer, channels: int) -> np.ndarray:
    """Return images, after the layer's normalisations have seen others."""
    draw = np.random.default_rng(1)
    layer.train()
    for _ in range(3):
        layer(core.to_tensor(draw.standard_normal((4, channels, 9, 9)).astype("float32") * 2 + 1))
    layer.eval()
    return draw.standard_normal((2, channels, 9, 9)).astype("float32")


@pytest.mark.parametrize(
    ("channels", "stride", "groups", "use_se"), [(16, 1, 1, False), (16, 1, 4, True), (12, 2, 2, False)]
)
def test_the_merged_convolution_gives_what_the_branches_do(
    channels: int, stride: int, groups: int, use_se: bool
) -> None:
    core.seed(5)
    block = RepVGGBlock(16, channels, stride, groups, use_se)
    images = core.to_tensor(with_statistics(block, 16))
    with core.no_grad():
        separate = block.separately(images)
        expected = core.nn.functional.relu(separate if block.se is None else block.se(separate)).numpy()
        np.testing.assert_allclose(block(images).numpy(), expected, atol=2e-5)
        weight, bias = block.merged()
    assert weight.shape == [channels, 16 // groups, 3, 3] and bias.shape == [channels]


@pytest.mark.parametrize("stride", [1, 2])
def test_several_depthwise_kernels_are_one(stride: int) -> None:
    core.seed(5)
    layer = SeveralKernels(6, 5, stride)
    assert len(list(layer.children())) == (3 if stride == 1 else 2)
    images = core.to_tensor(with_statistics(layer, 6))
    with core.no_grad():
        expected = sum(branch(images).numpy() for branch in layer.children())
        np.testing.assert_allclose(layer(images).numpy(), expected, atol=2e-5)


def test_an_exported_program_has_one_convolution_a_block(tmp_path: Path) -> None:
    model = RepVGG((1, 2, 1, 1), (0.125,) * 4, class_num=3)
    model.eval()
    core.jit.save(model, str(tmp_path / "program"), [InputSpec([None, 3, 32, 32], name="image")])
    (program,) = (path for path in tmp_path.rglob("*") if path.name.endswith(".json"))
    text = json.dumps(json.loads(program.read_text()))
    assert text.count('"convolution"') == 6 and "batch_norm" not in text

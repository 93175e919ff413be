"""Families with blocks of their own kind, in sizes that take a moment: trained, compiled, saved, as ONNX.

The smallest network of each family that is published is trained and exported with `-m zoo`: test_compiled.py and
test_exports.py.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable

import numpy as np
import pytest
from onnxruntime import InferenceSession

import core
from core.static import InputSpec
from PaddleClas.models.convnext import ConvNeXt
from PaddleClas.models.cspnet import CSPDarkNet
from PaddleClas.models.mobilevit import MobileViT
from PaddleClas.models.pp_hgnet import PPHGNet
from PaddleClas.models.pp_hgnet_v2 import PPHGNetV2
from PaddleClas.models.pp_lcnet import PPLCNet
from PaddleClas.models.pp_lcnet_v2 import PPLCNetV2
from PaddleClas.models.repvgg import RepVGG
from PaddleClas.models.swin_transformer import SwinTransformer
from PaddleClas.models.swin_transformer_v2 import SwinTransformerV2
from PaddleClas.models.vision_transformer import VisionTransformer
from tests.sampling import sampled

LIGHT_STAGES = ((8, 8, 16, 1, False, False, 3, 2), (16, 8, 16, 1, True, True, 5, 2))
NETWORKS: dict[str, tuple[int, Callable[[], Any]]] = {
    "Swin": (40, lambda: SwinTransformer(4, 3, 5, 8, (2, 2), (2, 4), 4, drop_path_rate=0.0)),
    "RepVGG": (32, lambda: RepVGG((2, 1, 1, 1), (0.25,) * 4, groups=2, class_num=5, use_se=True)),
    "DeiT": (32, lambda: VisionTransformer(32, 8, 3, 5, 16, 2, 2, qkv_bias=True, distilled=True)),
    "MobileViT": (48, lambda: MobileViT(3, (8,) * 9, (8, 8, 8), 2, 5)),
    "SwinV2": (
        32,
        lambda: SwinTransformerV2(
            32, 4, 3, 5, 8, (2, 2), (2, 4), 4, drop_path_rate=0.0, pretrained_window_sizes=(0, 2)
        ),
    ),
    "PPHGNetV2": (
        32,
        lambda: PPHGNetV2(LIGHT_STAGES, (3, 8, 8), True, class_expand=16, class_num=5, lr_mult_list=(1.0, 1.0, 0.5)),
    ),
    "ConvNeXt": (32, lambda: ConvNeXt(3, 5, (1, 2), (8, 16))),
    "PPLCNetV2": (32, lambda: PPLCNetV2(0.125, (1, 1, 2, 1), 5, class_expand=16)),
    "PPHGNet": (32, lambda: PPHGNet((8, 8, 8), ((8, 8, 16, 1), (16, 8, 16, 2)), 2, class_expand=16, class_num=5)),
    "ViT": (32, lambda: VisionTransformer(32, 16, 3, 5, 16, 2, 2, qk_scale=0.5)),
    "PPLCNet": (32, lambda: PPLCNet(0.125, 5, class_expand=16)),
    "CSPDarkNet": (32, lambda: CSPDarkNet(3, 5)),
}
"""The size of images, and what makes the network."""

NAMES = [name for name in NETWORKS if name != "CSPDarkNet"]  # which has one size, and is no small one


def kind_of(name: str) -> str:
    """Return what a network is an example of: windows, patches between convolutions, or what other networks have."""
    return "windows" if name.startswith("Swin") else name if name == "MobileViT" else "others"


def made(name: str) -> tuple[Any, np.ndarray]:
    """Return a network whose statistics have seen images, in evaluation mode, and images."""
    core.seed(3)
    size, network = NETWORKS[name]
    model = network()
    images = np.random.default_rng(0).standard_normal((4, 3, size, size)).astype("float32")
    model.train()
    with core.no_grad():
        model(core.to_tensor(images))
    model.eval()
    return model, images


def two_steps(name: str, wrap: Callable[[Any], Any], rounded: bool = False) -> dict[str, np.ndarray]:
    """Return the losses and weights of two training steps.

    Args:
        name: of the network.
        wrap: compiles the loss, or not.
        rounded: begin with weights that are one unit in the last place off: what that changes is rounding.
    """
    model, images = made(name)
    if rounded:
        signs = np.random.default_rng(1)
        for parameter in model.parameters():
            weight = parameter.numpy()
            towards = np.where(signs.random(weight.shape) < 0.5, -np.inf, np.inf).astype(np.float32)
            parameter.set_value(np.nextafter(weight, towards))
    for layer in model.sublayers():
        if isinstance(layer, core.nn.Dropout):
            layer.p = 0.0
    model.train()
    labels = core.to_tensor(np.arange(4))
    loss_of = wrap(lambda x: core.nn.functional.cross_entropy(model(x), labels))
    optimizer = core.optimizer.Momentum(0.01, 0.9, parameters=model.parameters())
    found = {}
    for step in range(2):
        loss = loss_of(core.to_tensor(images))
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        found[f"loss {step}"] = loss.numpy()
    found.update({key: tensor.numpy() for key, tensor in model.state_dict().items()})
    return found


def distance(found: np.ndarray, expected: np.ndarray) -> float:
    """Return how far numbers are from those expected, as a share of 1 or of the largest of these."""
    assert found.shape == expected.shape
    return float(np.abs(found - expected).max() / max(1.0, np.abs(expected).max()))


def assert_close(found: np.ndarray, expected: np.ndarray, tolerance: float) -> None:
    assert distance(found, expected) <= tolerance


@pytest.mark.parametrize("name", sampled(NAMES, 4, group=kind_of))
def test_two_compiled_steps_are_the_eager_ones(name: str) -> None:
    expected, compiled = two_steps(name, lambda function: function), two_steps(name, core.jit.to_static)
    far = [key for key, value in compiled.items() if distance(value, expected[key]) > 1e-4]
    rounded = two_steps(name, lambda function: function, rounded=True) if far else {}
    for key in far:
        assert_close(compiled[key], expected[key], 2 * distance(rounded[key], expected[key]))
    fresh, _ = made(name)
    moved = [key for key, value in fresh.state_dict().items() if not np.array_equal(value.numpy(), expected[key])]
    assert len(moved) > len(expected) / 2


@pytest.mark.parametrize("name", sampled(NAMES[::-1], 4, group=kind_of, turn=2))
def test_programs_and_onnx_files_answer_as_the_network(name: str, tmp_path: Path) -> None:
    model, images = made(name)
    with core.no_grad():
        expected = model(core.to_tensor(images)).numpy()
    spec = [InputSpec([None, *images.shape[1:]], name="image")]
    core.jit.save(model, str(tmp_path / "program"), spec)
    loaded = core.jit.load(str(tmp_path / "program"))
    core.onnx.export(model, str(tmp_path / "file"), spec)
    session = InferenceSession(str(tmp_path / "file.onnx"), providers=["CPUExecutionProvider"])
    for count in (1, 4):
        with core.no_grad():
            assert_close(loaded(core.to_tensor(images[:count])).numpy(), expected[:count], 1e-5)
        assert_close(session.run(None, {"image": images[:count]})[0], expected[:count], 1e-5)

"""temporal_shift: the custom copy, parts cut and joined, gradients of both orders, programs, channels last, ONNX."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from core import nn
from core.jit import Predictor
from core.jit.exported.reader import read_program
from core.jit.passes.fusion import optimized
from core.nn import functional as F
from core.static import InputSpec
from tests.core.gradient_check import check_gradients
from tests.core.kernels.channels_last.builder import shifted

RNG = np.random.default_rng(6)


def draw(*shape: int, dtype: str = "float32") -> np.ndarray:
    return RNG.standard_normal(shape).astype(dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("case", [(1, 5, 0.3), (2, 8, 0.25), (3, 10, 0.45), (4, 6, 0.1), (8, 16, 0.125)])
def test_values_are_moved_to_the_last_bit(case: tuple[int, int, float], dtype: str) -> None:
    frames, channels, ratio = case
    x = draw(2 * frames, channels, 3, 5, dtype=dtype)
    wanted = shifted(x, frames, int(channels * ratio), int(2 * channels * ratio))
    np.testing.assert_array_equal(F.temporal_shift(core.to_tensor(x), frames, ratio).numpy(), wanted)
    last = core.to_tensor(np.ascontiguousarray(np.moveaxis(x, 1, -1)))
    found = F.temporal_shift(last, frames, ratio, data_format="NHWC")
    np.testing.assert_array_equal(np.moveaxis(found.numpy(), -1, 1), wanted)
    half = F.temporal_shift(core.cast(core.to_tensor(x), "bfloat16"), frames, ratio)
    rounded = core.cast(core.cast(core.to_tensor(x), "bfloat16"), "float32").numpy()
    again = shifted(rounded, frames, int(channels * ratio), int(2 * channels * ratio))
    assert half.dtype == "bfloat16"
    np.testing.assert_array_equal(core.cast(half, "float32").numpy(), again)


def test_gradients_of_both_orders() -> None:
    check_gradients(lambda x: F.temporal_shift(x, 3) ** 3, draw(6, 5, 2, 1, dtype="float64"))
    x = core.to_tensor(draw(6, 8, 2, 3), stop_gradient=False)
    given = draw(6, 8, 2, 3)
    y = F.temporal_shift(x * x, 3) * core.to_tensor(given)
    (first,) = core.grad(y.sum(), [x], create_graph=True)
    back = shifted(given[::-1], 3, 2, 4)[::-1]  # in the other direction of time
    np.testing.assert_array_equal(first.numpy(), 2 * x.numpy() * back)
    (second,) = core.grad(first.sum(), [x])
    np.testing.assert_array_equal(second.numpy(), 2 * back)


class _Blocks(nn.Layer):
    """Residual blocks with a shift, the second of which is wider than a pixel."""

    def __init__(self, channels: int = 16, classes: int = 5) -> None:
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2D(3, channels, 3, 2, 1, bias_attr=False), nn.BatchNorm2D(channels), nn.ReLU())
        self.inner = nn.LayerList()
        for kernel, width in ((1, channels // 2), (3, channels)):
            layers = [nn.Conv2D(channels, width, kernel, 1, kernel // 2, bias_attr=False), nn.BatchNorm2D(width)]
            layers += [nn.ReLU(), nn.Conv2D(width, channels, 1, bias_attr=False), nn.BatchNorm2D(channels)]
            self.inner.append(nn.Sequential(*layers))
        self.fc = nn.Linear(channels, classes)

    def forward(self, x: Any) -> Any:
        """Return scores of each frame of clips (N, 4, 3, H, W)."""
        x = self.stem(core.reshape(x, [-1, *x.shape[2:]]))
        for inner in self.inner:
            x = F.relu(x + inner(F.temporal_shift(x, 4, 0.25)))
        return self.fc(core.flatten(F.adaptive_avg_pool2d(x, 1), 1))


def _network() -> _Blocks:
    core.seed(3)
    network = _Blocks()
    for name, value in network.state_dict().items():
        if name.endswith("_variance"):
            value.set_value(RNG.random(value.shape).astype("float32") + 0.5)
    return network


def test_compiled_training_gives_the_eager_gradients() -> None:
    x, found = core.to_tensor(draw(2, 4, 3, 12, 10)), []
    for compiled in (False, True):
        network = _network()
        call = core.jit.to_static(network) if compiled else network
        for _ in range(2):  # gradients are added up
            (call(x) ** 2).sum().backward()
        trained = [parameter for parameter in network.parameters() if not parameter.stop_gradient]
        found.append([parameter.grad.numpy() for parameter in trained])
    for eager, static in zip(*found):
        np.testing.assert_allclose(static, eager, rtol=0, atol=1e-5 * np.abs(eager).max())


@pytest.mark.parametrize("compiled", [False, True])
def test_an_input_that_is_read_twice_gets_both_gradients(compiled: bool) -> None:
    weight = core.create_parameter([8, 4, 3, 3], "float32")
    weight.set_value(draw(8, 4, 3, 3))
    given = [draw(8, 4, 3, 3) for _ in range(2)]

    def twice() -> Any:
        first, second = [core.to_tensor(array) for array in given]
        return (F.temporal_shift(weight, 4) * first + F.temporal_shift(weight, 4, 0.3) * second + weight).sum()

    (core.jit.to_static(twice) if compiled else twice)().backward()
    back = sum([shifted(array[::-1], 4, 1, 2)[::-1] for array in given])
    np.testing.assert_allclose(weight.grad.numpy(), back + 1, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("clips", [None, 2])
def test_exported_networks_read_the_frames_before_and_after_where_they_are(tmp_path: Path, clips: Any) -> None:
    network = _network()
    network.eval()
    core.jit.save(network, tmp_path / "model", [InputSpec([clips, 4, 3, 20, 22], name="clips")])
    program = optimized(read_program(tmp_path / "model"))
    assert [node.operator for node in program.nodes] == ["reshape", "channels_last"]
    (layers,) = [found.layers for found in program.networks.values()]
    assert [layer.kind for layer in layers if layer.shift] in (["product", "shift"], ["product", "product"])
    ours, engine = Predictor(tmp_path / "model"), Predictor(tmp_path / "model", fuse=False)
    for count in (1, 2, 3) if clips is None else (clips,):
        x = draw(count, 4, 3, 20, 22)
        wanted = network(core.to_tensor(x)).numpy()
        for predictor in (ours, engine):
            np.testing.assert_allclose(predictor.run(x), wanted, rtol=0, atol=1e-6 * np.abs(wanted).max())


def test_onnx_moves_the_same_channels(tmp_path: Path) -> None:
    runtime = pytest.importorskip("onnxruntime")
    for frames, ratio in ((1, 0.3), (4, 0.25)):
        x = draw(2 * frames, 6, 2, 3)
        core.onnx.export(
            lambda x, n=frames, r=ratio: F.temporal_shift(x, n, r), tmp_path / "model", [core.to_tensor(x)]
        )
        session = runtime.InferenceSession(str(tmp_path / "model.onnx"))
        (found,) = session.run(None, {session.get_inputs()[0].name: x})
        np.testing.assert_array_equal(found, shifted(x, frames, int(6 * ratio), int(12 * ratio)))

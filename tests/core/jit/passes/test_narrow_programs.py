"""Exported programs in bfloat16 and in 8 bits run in kernels that keep their values in 16 and 8 bits."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from core import nn
from core.jit import Predictor
from core.jit.exported.reader import read_program
from core.jit.passes.fusion import optimized
from core.kernels.channels_last.forms import BFLOAT16, BYTES, FLOAT32, HAS_BFLOAT16_PRODUCTS
from core.quantization.post_training import PostTraining
from core.static import InputSpec
from tests.core.jit.passes.mobile_networks import mobile_v1, mobile_v3

RNG = np.random.default_rng(4)
needs_bfloat16 = pytest.mark.skipif(not HAS_BFLOAT16_PRODUCTS, reason="no AVX512-BF16")


class Residual(nn.Layer):
    """A small network of the residual kind: dense convolutions, a sum, maxima and averages of windows."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2D(3, 16, 3, 2, 1), nn.ReLU(), nn.MaxPool2D(3, 2, 1))
        self.body = nn.Sequential(nn.Conv2D(16, 16, 3, padding=1), nn.ReLU(), nn.Conv2D(16, 32, 1))
        self.short = nn.Sequential(nn.Conv2D(16, 32, 1))
        self.pool = nn.Sequential(nn.AvgPool2D(2, 2), nn.Conv2D(32, 48, 1), nn.ReLU(), nn.AdaptiveAvgPool2D(1))
        self.head = nn.Linear(48, 7)

    def forward(self, x: Any) -> Any:
        x = self.stem(x)
        x = nn.functional.relu(self.body(x) + self.short(x))
        return self.head(self.pool(x).flatten(1))


class Encoder(nn.Layer):
    """One layer of a Transformer."""

    def __init__(self, masked: bool = False) -> None:
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(128, 2, 256, 0.0, "gelu")
        self.masked = masked

    def forward(self, x: Any) -> Any:
        hidden = (x[:, :, 0] > 0.5).astype("float32").unsqueeze([1, 2]) * -1e4 if self.masked else None
        return self.layer(x, hidden)


def results(folder: Path, x: np.ndarray) -> np.ndarray:
    found: np.ndarray = Predictor(folder).run(x)
    return found


def forms(folder: Path) -> set[int]:
    (network,) = optimized(read_program(folder)).networks.values()
    return {layer.form for layer in network.layers}


@needs_bfloat16
@pytest.mark.parametrize("build", [mobile_v1, mobile_v3, Residual])
def test_networks_in_bfloat16(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, build: Callable[[], Any]) -> None:
    monkeypatch.setattr("core.kernels.engine.matrix_extensions.used", False)
    core.seed(3)
    network, x = build(), RNG.standard_normal((2, 3, 40, 36)).astype(np.float32)
    network.eval()
    spec = [InputSpec([None, 3, 40, 36], name="image")]
    core.jit.save(network, tmp_path / "wide", spec)
    with core.amp.auto_cast(dtype="bfloat16"):
        core.jit.save(network, tmp_path / "half", spec)
    program = optimized(read_program(tmp_path / "half"))
    assert [node.operator for node in program.nodes][0] == "channels_last" and BFLOAT16 in forms(tmp_path / "half")
    exact, got = results(tmp_path / "wide", x), results(tmp_path / "half", x)
    engine = Predictor(tmp_path / "half", fuse=False).run(x)
    largest = np.abs(exact).max()
    assert np.abs(got - exact).max() < max(0.01 * largest, 1.5 * np.abs(engine - exact).max())


@pytest.mark.parametrize("build", [mobile_v1, Residual])
def test_networks_of_bytes(tmp_path: Path, build: Callable[[], Any]) -> None:
    core.seed(3)
    network, x = nn.Sequential(build()), RNG.standard_normal((2, 3, 40, 36)).astype(np.float32)
    network.eval()
    quantization = PostTraining({"model": network}, "absmax")
    network(core.to_tensor(x))
    quantization.convert()
    core.jit.save(network, tmp_path / "model", [InputSpec([None, 3, 40, 36], name="image")])
    program = optimized(read_program(tmp_path / "model"))
    assert [node.operator for node in program.nodes] == ["channels_last"]
    assert forms(tmp_path / "model") >= {FLOAT32, BYTES}
    if build is Residual:  # a branch that is added to another, what is averaged first, and the result stay float32
        (network,) = program.networks.values()
        wide = [(layer.kind, layer.channels) for layer in network.layers if layer.form == FLOAT32]
        assert wide == [("product", 32), ("product", 32), ("product", 48), ("product", 7)]
    expected, got = Predictor(tmp_path / "model", fuse=False).run(x), results(tmp_path / "model", x)
    assert np.linalg.norm(got - expected) < 0.05 * np.linalg.norm(expected)


def test_few_layers_of_bytes(tmp_path: Path) -> None:
    core.seed(3)
    network, x = nn.Sequential(Residual()), RNG.standard_normal((2, 3, 40, 36)).astype(np.float32)
    network.eval()
    quantization = PostTraining({"model": network}, "absmax")
    network(core.to_tensor(x))
    quantization.keep_in_float(quantization.layers[:-1])
    quantization.convert()
    core.jit.save(network, tmp_path / "model", [InputSpec([None, 3, 40, 36], name="image")])
    expected, got = Predictor(tmp_path / "model", fuse=False).run(x), results(tmp_path / "model", x)
    assert np.linalg.norm(got - expected) < 0.02 * np.linalg.norm(expected)


def encoded(folder: Path, kind: str, network: Any, x: np.ndarray) -> tuple[Any, np.ndarray]:
    """Export a network in 16 or 8 bits; return its program, and what the live network gives in float32."""
    exact = network(core.to_tensor(x)).numpy()
    if kind == "int8":
        quantization = PostTraining({"model": network}, "absmax")
        network(core.to_tensor(x))
        quantization.convert()
    with core.amp.auto_cast(kind == "bfloat16", dtype="bfloat16"):
        core.jit.save(network, folder, [InputSpec([None, None, 128], name="x")])
    return optimized(read_program(folder)), exact


@pytest.mark.parametrize("kind", [pytest.param("bfloat16", marks=needs_bfloat16), "int8"])
@pytest.mark.parametrize("masked", [False, True])
def test_products_of_encoders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, masked: bool) -> None:
    monkeypatch.setattr("core.kernels.engine.matrix_extensions.used", False)
    core.seed(5)
    network, x = Encoder(masked), RNG.standard_normal((2, 9, 128)).astype(np.float32)
    network.eval()
    program, exact = encoded(tmp_path / "model", kind, network, x)
    nodes = {node.operator: [n for n in program.nodes if n.operator == node.operator] for node in program.nodes}
    products, form = nodes["narrow_affine"], BYTES if kind == "int8" else BFLOAT16
    assert len(products) == 6 and "packed_affine" not in nodes and "quantize_dequantize" not in nodes
    # query, key and value; their sum; the two products between the normalised sums
    halves = BFLOAT16 if HAS_BFLOAT16_PRODUCTS else None
    assert [node.attributes.get("written") for node in products] == [halves, halves, halves, None, form, None]
    assert [node.attributes.get("in_words", False) for node in products] == [False] * 3 + [bool(halves), True, True]
    assert ("narrow_attention" in nodes) == HAS_BFLOAT16_PRODUCTS
    assert [node.attributes.get("written") for node in nodes["add_and_normalize"]] == [form, None]
    np.testing.assert_allclose(results(tmp_path / "model", x), exact, atol=0.03 * np.abs(exact).max())
    np.testing.assert_array_equal(results(tmp_path / "model", x[1:]), results(tmp_path / "model", x)[1:])


class Watched(nn.Layer):
    """Products whose results are read by others than products, too."""

    def __init__(self) -> None:
        super().__init__()
        self.layer, self.first, self.second = Encoder(), nn.Linear(128, 128), nn.Linear(128, 128)

    def forward(self, x: Any) -> Any:
        inner = nn.functional.relu(self.first(self.layer(x)))
        return self.second(inner) + core.tanh(inner)


@pytest.mark.parametrize("kind", [pytest.param("bfloat16", marks=needs_bfloat16), "int8"])
def test_values_that_others_read_stay_float32(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    monkeypatch.setattr("core.kernels.engine.matrix_extensions.used", False)
    core.seed(5)
    network, x = Watched(), RNG.standard_normal((2, 9, 128)).astype(np.float32)
    network.eval()
    program, exact = encoded(tmp_path / "model", kind, network, x)
    last = [node.attributes for node in program.nodes if node.operator == "narrow_affine"][-2:]
    assert all("written" not in options for options in last)
    assert [options.get("in_words", False) for options in last] == [True, False]
    np.testing.assert_allclose(results(tmp_path / "model", x), exact, atol=0.03 * np.abs(exact).max())

"""Training steps of networks of depthwise convolutions run with channels last, and give what ordinary steps give."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any, Callable

import numpy as np
import pytest

import core
from core import nn
from core.jit.passes import regions
from core.jit.running import segments
from core.nn import functional as F
from tests.core.jit.passes.mobile_networks import Block, Excitation, Head, Inverted

RNG = np.random.default_rng(11)
_formed: list[int] = []


@pytest.fixture(autouse=True)
def counted(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Note how many layers each region has."""
    original = segments.with_regions

    def with_regions(trace: Any, outputs: Any) -> Any:
        found = original(trace, outputs)
        if found is not None:
            _formed.append(len(found.operator.region.layers))
        return found

    monkeypatch.setattr(segments, "with_regions", with_regions)
    _formed.clear()
    yield


class Padded(nn.Layer):
    """A depthwise convolution of stride 2 behind padding on one side, as EfficientNet has them."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.block = Block(channels, channels, 3, 2, channels, F.swish, padding=0)

    def forward(self, x: Any) -> Any:
        """Return images."""
        return self.block(F.pad(x, [0, 2, 0, 2]))


class Dropped(nn.Layer):
    """A sum one side of which is dropped for some images."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.inner = Inverted(channels, 3, F.relu6)
        self.register_buffer("kept", core.to_tensor(np.array([0.0, 1.25, 1.25], np.float32).reshape(3, 1, 1, 1)))

    def forward(self, x: Any) -> Any:
        """Return images."""
        return x + self.inner.project(self.inner.depthwise(self.inner.expand(x))) * self.kept


def small_mobile() -> Any:
    stem = Block(3, 16, 3, 2, activation=F.relu)
    rows = [Block(16, 16, 3, groups=16, activation=F.relu), Block(16, 24, 1, activation=F.relu)]
    return nn.Sequential(stem, *rows, Inverted(24, 3, F.relu), Inverted(24, 5, F.relu6, stride=2), Head(24))


def small_excited() -> Any:
    def hard(channels: int) -> Any:
        return Excitation(channels, F.relu, F.hardsigmoid)

    def soft(channels: int) -> Any:
        return Excitation(channels, F.swish, F.sigmoid)

    stem = Block(3, 24, 3, 2, activation=F.hardswish)
    rows = [Inverted(24, 5, F.hardswish, hard), Inverted(24, 3, F.swish, soft), Padded(24), Dropped(24)]
    return nn.Sequential(stem, *rows, Block(24, 40, 1, activation=F.swish), Head(40))


NETWORKS = {"plain": small_mobile, "excited": small_excited}


def steps(network: Any, images: np.ndarray, dtype: str = "float32") -> dict[str, np.ndarray]:
    """Return the loss, the gradients and the statistics after a compiled step."""
    loss = core.jit.to_static(lambda x, y: F.cross_entropy(network(x), y))
    labels = core.to_tensor(np.arange(len(images)) % 7)
    core.seed(5)
    value = loss(core.to_tensor(images.astype(dtype)), labels)
    value.backward()
    found = {"loss": value.numpy()}
    found.update({name: p.grad.numpy().copy() for name, p in network.named_parameters() if p.grad is not None})
    found.update({name: value.numpy().copy() for name, value in network.state_dict().items() if "norm._" in name})
    return found


def distance(found: dict[str, np.ndarray], exact: dict[str, np.ndarray]) -> float:
    """Return the largest difference, measured by the largest number of each array."""
    assert found.keys() == exact.keys()
    return max(float(np.abs(found[key] - exact[key]).max() / (np.abs(exact[key]).max() + 1e-3)) for key in exact)


@pytest.mark.parametrize("name", NETWORKS)
def test_a_step_is_as_exact_as_the_ordinary_one(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    images = RNG.standard_normal((3, 3, 37, 33)).astype(np.float32)
    network = NETWORKS[name]()
    state = {key: value.numpy().copy() for key, value in network.state_dict().items()}
    ours = steps(network, images)
    assert _formed == [{"plain": 11, "excited": 23}[name]]
    monkeypatch.setattr(segments, "with_regions", lambda *_: None)

    def again(dtype: str) -> dict[str, np.ndarray]:
        other = NETWORKS[name]()
        other.set_state_dict({key: core.to_tensor(value) for key, value in state.items()})
        return steps(other.astype(dtype) if dtype == "float64" else other, images, dtype)

    exact = again("float64")
    assert distance(ours, exact) < max(2e-4, 2 * distance(again("float32"), exact))


def test_steps_in_a_row_accumulate() -> None:
    images = RNG.standard_normal((3, 3, 32, 32)).astype(np.float32)
    network = small_mobile()
    once, twice = steps(network, images), steps(network, images)
    learnt = [key for key, parameter in network.named_parameters() if not parameter.stop_gradient]
    assert len(learnt) > 20
    for key in learnt:
        np.testing.assert_array_equal(twice[key], 2 * once[key])


def test_two_results_wait_for_their_backward_passes() -> None:
    network = small_mobile()
    loss = core.jit.to_static(lambda x: (network(x) ** 2.0).sum())
    batches = [core.to_tensor(RNG.standard_normal((2, 3, 32, 32)).astype(np.float32)) for _ in range(2)]
    expected = []
    for batch in batches:
        core.seed(5)
        loss(batch).backward()
        expected.append(network[1].convolution.weight.grad.numpy().copy())
        network[1].convolution.weight.clear_grad()
    core.seed(5)
    first = loss(batches[0])
    core.seed(5)
    second = loss(batches[1])
    first.backward()
    np.testing.assert_array_equal(network[1].convolution.weight.grad.numpy(), expected[0])
    network[1].convolution.weight.clear_grad()
    second.backward()
    np.testing.assert_array_equal(network[1].convolution.weight.grad.numpy(), expected[1])


def test_images_may_need_gradients_and_weights_none(monkeypatch: pytest.MonkeyPatch) -> None:
    images = RNG.standard_normal((2, 16, 9, 11)).astype(np.float32)
    network = nn.Sequential(
        Block(16, 16, 3, 1, 16, F.relu), Block(16, 24, 1, activation=F.swish), Inverted(24, 3, F.relu)
    )
    network[1].convolution.weight.stop_gradient = True

    def gradients() -> list[np.ndarray]:
        x = core.to_tensor(images, stop_gradient=False)
        weights = [network[0].convolution.weight, network[2].expand.norm.weight]
        (core.jit.to_static(lambda x: network(x))(x) ** 3.0).mean().backward()
        found = [x.grad.numpy(), *[weight.grad.numpy().copy() for weight in weights]]
        assert network[1].convolution.weight.grad is None
        for parameter in network.parameters():
            parameter.clear_grad()
        return found

    ours = gradients()
    assert len(_formed) == 1
    monkeypatch.setattr(segments, "with_regions", lambda *_: None)
    for found, expected in zip(ours, gradients()):
        np.testing.assert_allclose(found, expected, rtol=1e-3, atol=2e-4 * np.abs(expected).max())


def test_a_gradient_of_a_gradient_is_the_eager_one() -> None:
    network = nn.Sequential(Block(16, 16, 3, 1, 16, F.swish), Block(16, 24, 1, activation=F.swish), Block(24, 16, 1))
    images = RNG.standard_normal((2, 16, 6, 6)).astype(np.float32)

    def penalty(function: Callable[[Any], Any]) -> np.ndarray:
        x = core.to_tensor(images, stop_gradient=False)
        (slope,) = core.grad((function(x) ** 3.0).sum(), x, create_graph=True)
        (slope**2.0).mean().backward()
        found = network[0].convolution.weight.grad.numpy().copy()
        for parameter in network.parameters():
            parameter.clear_grad()
        return found

    compiled = penalty(core.jit.to_static(lambda x: network(x)))
    assert len(_formed) == 1
    expected = penalty(network)
    np.testing.assert_allclose(compiled, expected, rtol=1e-3, atol=1e-4 * np.abs(expected).max())


@pytest.mark.parametrize("kernel, stride", [(3, 1), (3, 2), (5, 1), (5, 2)])
def test_depthwise_gradients_are_those_of_sums_over_windows(
    kernel: int, stride: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(regions, "_is_worth_it", lambda *_: True)
    x = RNG.standard_normal((2, 24, 9, 8)).astype(np.float32)
    weight = RNG.standard_normal((24, 1, kernel, kernel)).astype(np.float32)
    convolution = nn.Conv2D(24, 24, kernel, stride, padding=kernel // 2, groups=24, bias_attr=False)
    convolution.weight.set_value(weight)
    pixels = nn.Sequential(nn.Conv2D(24, 24, 1), nn.Conv2D(24, 24, 1))
    for layer in pixels:
        layer.weight.set_value(np.eye(24, dtype=np.float32)[:, :, None, None])
    given = core.to_tensor(x, stop_gradient=False)
    result = core.jit.to_static(lambda x: pixels(convolution(x)))(given)
    (result * result).sum().backward()
    assert _formed == [4]
    pad = kernel // 2
    wide = np.pad(x.astype(np.float64), ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    windows = np.lib.stride_tricks.sliding_window_view(wide, (kernel, kernel), (2, 3))[:, :, ::stride, ::stride]
    y = np.einsum("ncyxij,cij->ncyx", windows, weight[:, 0])
    np.testing.assert_allclose(result.numpy(), y, rtol=1e-4, atol=1e-5)
    of_weight = np.einsum("ncyxij,ncyx->cij", windows, 2 * y)
    np.testing.assert_allclose(convolution.weight.grad.numpy()[:, 0], of_weight, rtol=1e-4, atol=1e-3)
    of_x = np.zeros_like(wide)
    for i in range(kernel):
        for j in range(kernel):
            rows, columns = slice(i, i + stride * y.shape[2], stride), slice(j, j + stride * y.shape[3], stride)
            of_x[:, :, rows, columns] += 2 * y * weight[None, :, 0, i, j, None, None]
    np.testing.assert_allclose(given.grad.numpy(), of_x[:, :, pad:-pad, pad:-pad], rtol=1e-4, atol=1e-4)


def test_other_steps_are_left_as_they_are() -> None:
    images = core.to_tensor(RNG.standard_normal((2, 3, 16, 16)).astype(np.float32))
    dense = nn.Sequential(Block(3, 16, 3, activation=F.relu), Block(16, 16, 3, activation=F.relu))
    core.jit.to_static(lambda x: dense(x))(images).sum().backward()
    pairs = [(Block(256, 256, 3, groups=256, activation=F.swish), Block(256, 256, 1, activation=F.swish)) for _ in "ab"]
    wide = nn.Sequential(*[layer for pair in pairs for layer in pair])
    maps = core.to_tensor(RNG.standard_normal((1, 256, 4, 4)).astype(np.float32))
    core.jit.to_static(lambda x: wide(x))(maps).sum().backward()  # products take most of its time
    plain = nn.Sequential(Block(16, 16, 3, groups=16, activation=F.relu), Inverted(16, 3, F.relu))
    maps = core.to_tensor(RNG.standard_normal((1, 16, 8, 8)).astype(np.float32))
    core.jit.to_static(lambda x: plain(x))(maps).sum().backward()  # the engine's own activation costs nothing
    network = small_mobile()
    network.eval()
    with core.no_grad():
        core.jit.to_static(lambda x: network(x))(images)
    assert not _formed


_GRADIENTS = """
import hashlib
import numpy as np
import core
from tests.core.jit.running import test_regions
core.seed(3)
network = test_regions.small_excited()[:-1]
images = np.random.default_rng(0).standard_normal((3, 3, 37, 33), dtype="float32")
(core.jit.to_static(lambda x: network(x))(core.to_tensor(images)) ** 3.0).sum().backward()
found = [p.grad.numpy() for p in network.parameters() if p.grad is not None]
print(hashlib.sha256(b"".join(array.tobytes() for array in found)).hexdigest(), len(found) > 20)
"""


@pytest.mark.exhaustive
def test_no_bit_depends_on_the_number_of_threads() -> None:
    digests = [
        subprocess.run(
            [sys.executable, "-c", _GRADIENTS],
            env={**os.environ, "OMP_NUM_THREADS": threads},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for threads in ("1", "2")
    ]
    assert digests[0] == digests[1] and "True" in digests[0]

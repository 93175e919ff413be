"""Compiled functions whose weights rest: folded after some calls, usual again after a write, and always right."""

from __future__ import annotations

import logging
from typing import Any, Callable

import numpy as np
import pytest

import core
from core import nn
from core.jit.passes.fusion import optimized
from core.jit.running import frozen_program
from core.kernels.channels_last.forms import HAS_BFLOAT16_PRODUCTS
from core.nn import functional as F
from tests.core.jit.passes.mobile_networks import Block, Head, efficient, mobile_v1, mobile_v3, se_resnext


class Small(nn.Layer):
    """A convolution with batch normalisation and a linear layer."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2D(3, 8, 3, padding=1)
        self.norm = nn.BatchNorm2D(8)
        self.fc = nn.Linear(8, 4)

    def forward(self, x: Any) -> Any:
        return self.fc(F.relu(self.norm(self.conv(x))).mean(axis=[2, 3]))


@pytest.fixture
def network() -> Small:
    core.seed(5)
    made = Small()
    source = np.random.RandomState(1)
    for buffer in made.buffers():
        buffer.set_value(np.abs(source.randn(*buffer.shape)).astype(np.float32) + 0.5)
    made.eval()
    return made


@pytest.fixture
def images() -> Any:
    return core.to_tensor(np.random.RandomState(2).randn(2, 3, 6, 6).astype(np.float32))


def by_numpy(network: Small, images: Any) -> np.ndarray:
    """Return what the network gives, in float64."""
    values = {name: tensor.numpy().astype(np.float64) for name, tensor in network.state_dict().items()}
    padded = np.pad(images.numpy().astype(np.float64), ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (2, 3))
    x = np.einsum("nchwij,ocij->nohw", windows, values["conv.weight"]) + values["conv.bias"][:, None, None]
    column = {name: values[f"norm.{name}"][:, None, None] for name in ("weight", "bias", "_mean", "_variance")}
    x = (x - column["_mean"]) / np.sqrt(column["_variance"] + 1e-5) * column["weight"] + column["bias"]
    return np.asarray(np.maximum(x, 0).mean((2, 3)) @ values["fc.weight"] + values["fc.bias"])


@pytest.mark.bfloat16
def test_in_mixed_precision_weights_are_cast_and_folded_once(network: Small, images: Any) -> None:
    compiled = core.jit.to_static(network)
    with core.no_grad(), core.amp.auto_cast(dtype="bfloat16"):
        found = [compiled(images).as_float_numpy() for _ in range(frozen_program.FROZEN_CALLS + 2)]
    assert program_of(compiled).frozen.is_active
    expected = by_numpy(network, images)
    for values in found:
        np.testing.assert_allclose(values, expected, atol=0.01 * np.abs(expected).max())


@pytest.mark.bfloat16
@pytest.mark.parametrize("build", [mobile_v3, efficient, se_resnext])
def test_in_mixed_precision_depthwise_networks_rest_with_channels_last(
    build: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.kernels.engine.matrix_extensions.used", False)
    found = noted_operators(monkeypatch, "core.jit.running.frozen_program.optimized")
    core.seed(5)
    network = build()
    network.eval()
    images = core.randn([2, 3, 64, 64])
    with core.no_grad():
        exact = network(images).numpy()
        compiled = core.jit.to_static(network)
        with core.amp.auto_cast(dtype="bfloat16"):
            values = [compiled(images) for _ in range(frozen_program.FROZEN_CALLS + 1)]
    assert found == [["channels_last", "half_cast"]] and program_of(compiled).frozen.is_active
    errors = [np.abs(value.as_float_numpy() - exact).max() / np.abs(exact).max() for value in values]
    assert values[-1].dtype is values[0].dtype is core.bfloat16
    rounding = 0.01 if HAS_BFLOAT16_PRODUCTS else 2**-9  # else they rest in float32
    assert max(errors) < 0.03 and errors[-1] <= errors[0] + rounding


def noted_operators(monkeypatch: pytest.MonkeyPatch, place: str) -> list[list[str]]:
    """Return a list that fills with the operators of each program that the passes make."""
    found: list[list[str]] = []

    def noted(program: Any, may_upcast: bool) -> Any:
        made = optimized(program, may_upcast)
        found.append([node.operator for node in made.nodes])
        return made

    monkeypatch.setattr(place, noted)
    return found


def program_of(compiled: Any) -> Any:
    """Return the only program of a compiled layer."""
    ((program,),) = compiled.forward.programs.values()
    return program


def calls(compiled: Any, images: Any, count: int) -> list[np.ndarray]:
    with core.no_grad():
        return [compiled(images).numpy() for _ in range(count)]


def test_the_folded_form_takes_over_and_gives_the_same(network: Small, images: Any) -> None:
    compiled = core.jit.to_static(network)
    found = calls(compiled, images, frozen_program.FROZEN_CALLS - 1)
    assert not program_of(compiled).frozen.is_active
    found += calls(compiled, images, 5)
    assert program_of(compiled).frozen.is_active
    for values in found:
        np.testing.assert_allclose(values, by_numpy(network, images), rtol=1e-5, atol=1e-6)
    other = core.to_tensor(images.numpy()[::-1].copy())
    np.testing.assert_allclose(calls(compiled, other, 1)[0], by_numpy(network, other), rtol=1e-5, atol=1e-6)


def test_results_of_earlier_calls_stay(network: Small, images: Any) -> None:
    compiled = core.jit.to_static(network)
    calls(compiled, images, frozen_program.FROZEN_CALLS + 1)
    other = core.to_tensor(images.numpy()[::-1].copy())
    with core.no_grad():
        first, second, third = compiled(images), compiled(other), compiled(other)
    np.testing.assert_allclose(first.numpy(), by_numpy(network, images), rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(second.numpy(), third.numpy())


def in_place(network: Small) -> None:
    network.conv.weight.set_value(network.conv.weight.numpy() * 2)


def by_another_tensor(network: Small) -> None:
    network.norm._mean.update(network.norm._mean + 1)


def by_an_optimizer(network: Small) -> None:
    optimizer = core.optimizer.SGD(0.5, parameters=network.parameters())
    network.conv(core.ones([1, 3, 6, 6])).sum().backward()
    optimizer.step()
    optimizer.clear_grad()


def by_a_training_step(network: Small) -> None:
    network.train()
    network(core.ones([2, 3, 6, 6]) * core.arange(6, dtype="float32"))
    network.eval()


def by_loading(network: Small) -> None:
    network.set_state_dict({name: value * 1.5 for name, value in network.state_dict().items()})


@pytest.mark.parametrize("write", [in_place, by_another_tensor, by_an_optimizer, by_a_training_step, by_loading])
def test_a_write_is_seen_by_the_next_call(network: Small, images: Any, write: Callable[[Small], None]) -> None:
    compiled = core.jit.to_static(network)
    (before, *_) = calls(compiled, images, frozen_program.FROZEN_CALLS + 2)
    program = program_of(compiled)
    assert program.frozen.is_active
    write(network)
    (after,) = calls(compiled, images, 1)
    assert not program.frozen.is_active and not np.allclose(before, after, rtol=1e-2)
    np.testing.assert_allclose(after, by_numpy(network, images), rtol=1e-5, atol=1e-6)
    found = calls(compiled, images, frozen_program.FROZEN_CALLS + 1)
    assert program.frozen.is_active
    np.testing.assert_allclose(found[-1], by_numpy(network, images), rtol=1e-5, atol=1e-6)


def test_gradients_are_those_of_the_usual_form(network: Small, images: Any) -> None:
    compiled = core.jit.to_static(network)
    calls(compiled, images, frozen_program.FROZEN_CALLS + 2)
    for _ in range(2):
        network.clear_gradients()
        compiled(images).sum().backward()
    found = network.conv.weight.grad.numpy()
    network.clear_gradients()
    network.forward.function(images).sum().backward()
    np.testing.assert_allclose(found, network.conv.weight.grad.numpy(), rtol=1e-5, atol=1e-6)


def test_writing_every_time_never_folds(network: Small, images: Any) -> None:
    compiled = core.jit.to_static(network)
    for _ in range(2 * frozen_program.FROZEN_CALLS):
        calls(compiled, images, 1)
        in_place(network)
    assert not program_of(compiled).frozen.is_active


@pytest.mark.parametrize("reason", ["training", "draws", "no weights"])
def test_what_is_not_frozen(network: Small, images: Any, reason: str) -> None:
    functions = {
        "training": network.forward,
        "draws": lambda x: F.dropout(network.conv(x), 0.5),
        "no weights": lambda x: F.relu(x),
    }
    if reason == "training":
        network.train()
    compiled = core.jit.to_static(functions[reason])
    calls(compiled, images, 1)
    ((program,),) = compiled.programs.values()
    assert program.frozen is None


def test_a_form_that_gives_something_else_is_refused(
    network: Small, images: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("core.jit.running.frozen_program.optimized", lambda program, _: _with_another_weight(program))
    compiled = core.jit.to_static(network)
    with caplog.at_level(logging.INFO, "core.jit"):
        found = calls(compiled, images, 2 * frozen_program.FROZEN_CALLS)
    assert not program_of(compiled).frozen.is_active
    (message,) = [record.getMessage() for record in caplog.records]
    assert "Small.forward keeps its usual form: folded, its results differ by" in message
    np.testing.assert_array_equal(found[0], found[-1])


def _with_another_weight(program: Any) -> Any:
    for weight in program.weights.values():
        weight.array = weight.array + np.float32(1)
    return program


@pytest.mark.parametrize("build", [mobile_v3, efficient, se_resnext])
def test_networks_rest_with_channels_last(build: Callable[[], Any], monkeypatch: pytest.MonkeyPatch) -> None:
    found = noted_operators(monkeypatch, "core.jit.running.frozen_program.optimized")
    core.seed(5)
    network = build()
    network.eval()
    images = core.randn([2, 3, 64, 64])
    with core.no_grad():
        expected = network(images).numpy()
        compiled = core.jit.to_static(network)
        values = [compiled(images).numpy() for _ in range(frozen_program.FROZEN_CALLS + 1)]
    assert found == [["channels_last"]] and program_of(compiled).frozen.is_active
    for value in values:
        np.testing.assert_allclose(value, expected, rtol=1e-4, atol=1e-5 * np.abs(expected).max())


@pytest.mark.bfloat16
def test_casts_that_the_code_asks_for_stay() -> None:
    core.seed(5)
    network = mobile_v1()
    network.eval()
    rounded = core.jit.to_static(lambda x: network(x.astype("bfloat16").astype("float32")))
    images = core.randn([2, 3, 64, 64])
    expected = network(core.to_tensor(images.astype("bfloat16").as_float_numpy())).numpy()
    values = calls(rounded, images, frozen_program.FROZEN_CALLS + 1)
    ((program,),) = rounded.programs.values()
    assert program.frozen.is_active and not program.frozen.is_mixed
    lost = np.abs(network(images).numpy() - expected).max()
    assert max(np.abs(value - expected).max() for value in values) < 0.2 * lost


@pytest.mark.bfloat16
@pytest.mark.parametrize("channels", [32, 24])
def test_whole_blocks_of_channels_stay_in_bfloat16_where_matrix_registers_are(
    channels: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.kernels.engine.matrix_extensions.used", True)
    network = nn.Sequential(
        Block(3, channels, 3, 2, activation=F.relu),
        Block(channels, channels, 3, groups=channels, activation=F.relu),
        Head(channels),
    )
    network.eval()
    found = noted_operators(monkeypatch, "core.jit.running.frozen_program.optimized")
    images = core.randn([2, 3, 32, 32])
    compiled = core.jit.to_static(network)
    with core.no_grad(), core.amp.auto_cast(dtype="bfloat16"):
        values = [compiled(images).as_float_numpy() for _ in range(frozen_program.FROZEN_CALLS + 1)]
    assert program_of(compiled).frozen.is_active
    assert ("channels_last" in found[-1]) == (channels == 24)
    np.testing.assert_allclose(values[-1], values[0], atol=0.03 * np.abs(values[0]).max())

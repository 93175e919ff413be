"""GradScaler: the factor's way by hand, skipped steps, state, and what is refused."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
import pytest

import core
from core.amp import GradScaler

INF, NAN = float("inf"), float("nan")


def parameter(dtype: str = "float32") -> core.Tensor:
    return core.create_parameter([3], dtype, default_initializer=core.nn.initializer.Constant(1.0))


def give(weight: core.Tensor, *numbers: float) -> None:
    weight._grad = core.to_tensor(np.array(numbers, "float32"), weight.dtype)


def test_the_factor_grows_after_finite_steps_and_shrinks_after_others() -> None:
    # grows (x 2) after 3 finite steps in a row, shrinks (x 0.5) after 2 others in a row; both counts begin anew
    trace = [
        (1.0, 8.0), (1.0, 8.0), (1.0, 16.0),  # the third finite step
        (INF, 16.0), (NAN, 8.0),  # the second that is not
        (1.0, 8.0), (-INF, 8.0), (1.0, 8.0), (1.0, 8.0),  # a step that is not finite ends the row of finite ones
        (INF, 8.0), (1.0, 8.0), (INF, 8.0), (INF, 4.0),  # and the other way round
        (INF, 4.0), (INF, 2.0), (1.0, 2.0), (1.0, 2.0), (1.0, 4.0), (1.0, 4.0),
    ]  # fmt: skip
    weight = parameter()
    optimizer = core.optimizer.SGD(0.5, parameters=[weight])
    scaler = GradScaler(True, 8.0, incr_ratio=2.0, decr_ratio=0.5, incr_every_n_steps=3, decr_every_n_nan_or_inf=2)
    expected = np.ones(3)
    for number, factor in trace:
        scale = scaler.state_dict()["scale"][0]
        give(weight, 4.0 * scale, number * scale, 0.0)
        if np.isfinite(number):
            expected -= 0.5 * np.array([4.0, number, 0.0])
        scaler.step(optimizer)
        scaler.update()
        assert scaler.state_dict()["scale"] == np.float32(factor)
        np.testing.assert_array_equal(weight.numpy(), expected.astype("float32"))


def test_scaled_training_is_unscaled_training() -> None:
    x = core.to_tensor(np.random.default_rng(0).standard_normal((4, 3)), "float32")
    weights = []
    for scaler in (None, GradScaler(init_loss_scaling=1024.0), GradScaler(enable=False)):
        weight = parameter()
        optimizer = core.optimizer.Momentum(0.1, 0.9, parameters=[weight], grad_clip=core.nn.ClipGradByGlobalNorm(0.3))
        for _ in range(3):
            loss = (core.matmul(x, weight) ** 2.0).mean()
            if scaler is None:
                loss.backward()
                optimizer.step()
            else:
                scaled = scaler.scale(loss)
                assert float(scaled) == float(loss) * (1024.0 if scaler.is_enable() else 1.0)
                scaled.backward()
                scaler.minimize(optimizer, scaled)
            optimizer.clear_grad()
        weights.append(weight.numpy())
    np.testing.assert_array_equal(weights[0], weights[1])
    np.testing.assert_array_equal(weights[0], weights[2])


def test_unscale_gives_the_true_gradients_of_every_type() -> None:
    weights = [parameter(), parameter("bfloat16"), parameter("float64")]
    optimizer = core.optimizer.SGD(1.0, parameters=weights)
    scaler = GradScaler(init_loss_scaling=4.0)
    for weight in weights:
        give(weight, 4.0, 8.0, -2.0)
    scaler.unscale_(optimizer)
    for weight in weights:
        assert weight.grad.dtype == weight.dtype
        np.testing.assert_array_equal(weight.grad.as_float_numpy(), [1.0, 2.0, -0.5])
    scaler.step(optimizer)
    for weight in weights:
        np.testing.assert_array_equal(weight.as_float_numpy(), [0.0, -1.0, 1.5])


def test_an_infinite_16_bit_gradient_is_seen() -> None:
    weight = parameter("bfloat16")
    optimizer = core.optimizer.SGD(1.0, parameters=[weight])
    scaler = GradScaler(init_loss_scaling=4.0)
    give(weight, 1.0, INF, 0.0)
    assert scaler.minimize(optimizer, weight.sum()) == (None, None)
    np.testing.assert_array_equal(weight.as_float_numpy(), 1.0)
    assert scaler.state_dict()["scale"] == 2.0


def test_a_fixed_factor_stays() -> None:
    weight = parameter()
    optimizer = core.optimizer.SGD(1.0, parameters=[weight])
    scaler = GradScaler(init_loss_scaling=4.0, incr_every_n_steps=1, use_dynamic_loss_scaling=False)
    assert not scaler.is_use_dynamic_loss_scaling() and scaler.is_enable()
    for number in (1.0, INF, 1.0):
        give(weight, number, 0.0, 0.0)
        scaler.step(optimizer)
    assert scaler.state_dict()["scale"] == 4.0
    np.testing.assert_array_equal(weight.numpy(), [0.5, 1.0, 1.0])


def test_the_log_says_when_the_factor_shrinks(caplog: pytest.LogCaptureFixture) -> None:
    weight = parameter()
    give(weight, INF, 0.0, 0.0)
    with caplog.at_level(logging.INFO, "core.amp"):
        GradScaler(init_loss_scaling=8.0).minimize(core.optimizer.SGD(1.0, parameters=[weight]), weight.sum())
    assert "the loss is scaled by 4 from now on, not 8" in caplog.text


def test_the_state_goes_round_by_paddles_names() -> None:
    scaler = GradScaler(True, 8.0, 3.0, 0.25, 5, 2)
    weight = parameter()
    optimizer = core.optimizer.SGD(1.0, parameters=[weight])
    for number in (1.0, 1.0, INF):
        give(weight, number, 0.0, 0.0)
        scaler.step(optimizer)
        scaler.update()
    state = scaler.state_dict()
    assert state == {
        "scale": np.float32(8.0),
        "incr_ratio": 3.0,
        "decr_ratio": 0.25,
        "incr_every_n_steps": 5,
        "decr_every_n_nan_or_inf": 2,
        "incr_count": 0,
        "decr_count": 1,
        "use_dynamic_loss_scaling": True,
    }
    other = GradScaler()
    other.load_state_dict(state)
    assert other.state_dict() == state
    give(weight, INF, 0.0, 0.0)
    other.step(optimizer)
    other.update()
    assert other.state_dict()["scale"] == 2.0
    assert GradScaler(enable=False).state_dict() == {}
    GradScaler(enable=False).load_state_dict(state)
    with pytest.raises(RuntimeError, match="the state is empty: that scaler was not enabled"):
        other.load_state_dict({})


def test_settings() -> None:
    scaler = GradScaler()
    settings: dict[str, tuple[Any, Any, Any]] = {
        "init_loss_scaling": (65536.0, 32.0, INF),
        "incr_ratio": (2.0, 4.0, 1.0),
        "decr_ratio": (0.5, 0.25, 1.0),
        "incr_every_n_steps": (2000, 10, 0),
        "decr_every_n_nan_or_inf": (1, 3, 1.5),
    }
    for name, (default, new, wrong) in settings.items():
        assert getattr(scaler, f"get_{name}")() == default
        getattr(scaler, f"set_{name}")(new)
        assert getattr(scaler, f"get_{name}")() == new
        with pytest.raises(ValueError, match=f"GradScaler: {name} must be .*, not {wrong}"):
            getattr(scaler, f"set_{name}")(wrong)
    assert scaler.state_dict()["scale"] == 32.0


def test_the_order_of_calls_is_checked() -> None:
    weight = parameter()
    give(weight, 1.0, 1.0, 1.0)
    optimizer = core.optimizer.SGD(1.0, parameters=[weight])
    scaler = GradScaler()
    scaler.unscale_(optimizer)
    with pytest.raises(RuntimeError, match="unscale_.. was called for this optimizer already since the last update"):
        scaler.unscale_(optimizer)
    scaler.step(optimizer)
    with pytest.raises(RuntimeError, match="step.. was called for this optimizer already since the last update"):
        scaler.step(optimizer)
    with pytest.raises(RuntimeError, match="unscale_.. comes before step"):
        scaler.unscale_(optimizer)
    scaler.update()
    scaler.step(optimizer)
    with pytest.raises(TypeError, match="expects the loss as a Tensor, got float"):
        scaler.scale(1.0)  # type: ignore[arg-type]

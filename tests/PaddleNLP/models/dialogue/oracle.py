"""What networks of dialogues are compared with: their formulas in NumPy, and difference quotients of their losses."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
import pytest

import core

Values = dict[str, np.ndarray]


def drawn(model: Any, seed: int = 0, scale: float = 0.4) -> Values:
    """Give a network weights from -scale to scale, and return them in float64."""
    source = np.random.default_rng(seed)
    values = {name: source.uniform(-scale, scale, tensor.shape) for name, tensor in model.state_dict().items()}
    model.set_state_dict({name: value.astype(np.float32) for name, value in values.items()})
    return {name: value.astype(np.float32).astype(np.float64) for name, value in values.items()}


def linear(x: np.ndarray, values: Values, name: str) -> np.ndarray:
    """Return x W + b."""
    return np.asarray(x @ values[f"{name}.weight"] + values.get(f"{name}.bias", 0.0))


def norm(x: np.ndarray, values: Values, name: str) -> np.ndarray:
    """Return a layer norm."""
    centred = x - x.mean(-1, keepdims=True)
    scaled = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5)
    return np.asarray(scaled * values[f"{name}.weight"] + values[f"{name}.bias"])


def softmax(x: np.ndarray, axis: int = -1) -> np.ndarray:
    """Return shares."""
    raised = np.exp(x - x.max(axis, keepdims=True))
    return np.asarray(raised / raised.sum(axis, keepdims=True))


def sigmoid(x: np.ndarray) -> np.ndarray:
    """Return 1 / (1 + exp(-x))."""
    return np.asarray(1 / (1 + np.exp(-x)))


def fluid_gru(x: np.ndarray, weight: np.ndarray, bias: np.ndarray, origin: bool, act: Any = np.tanh) -> np.ndarray:
    """Return the states of Fluid's GRU along a text, (L, H).

    Args:
        x: (L, 3 H), update, reset, candidate.
        weight: (H, 3 H), whose numbers are first those of both gates.
        bias: 3 H.
        origin: whether the update gate says how much is kept.
        act: of the candidate.
    """
    size, numbers, bias = weight.shape[0], weight.reshape(-1), bias.reshape(-1)
    gates, candidate = numbers[: 2 * size * size].reshape(size, -1), numbers[2 * size * size :].reshape(size, -1)
    state, found = np.zeros(size), []
    for row in x:
        both = sigmoid(row[: 2 * size] + state @ gates + bias[: 2 * size])
        update, reset = both[:size], both[size:]
        new = act(row[2 * size :] + (reset * state) @ candidate + bias[2 * size :])
        state = update * state + (1 - update) * new if origin else (1 - update) * state + update * new
        found.append(state)
    return np.array(found).reshape(-1, size)


def both_ways(
    words: np.ndarray, values: Values, name: str, origin: bool, act: Any = np.tanh
) -> tuple[np.ndarray, np.ndarray]:
    """Return the states of a text read from both ends, (L, H), and the last ones (H,)."""
    sides = []
    for way in ("forward", "backward"):
        x = linear(words if way == "forward" else words[::-1], values, f"{name}.fc_{way}")
        found = fluid_gru(x, values[f"{name}.gru_{way}.weight"], values[f"{name}.gru_{way}.bias"], origin, act)
        sides.append(found if way == "forward" else found[::-1])
    if not len(words):
        return np.concatenate(sides, -1), np.zeros(2 * sides[0].shape[1])
    return np.concatenate(sides, -1), np.concatenate([sides[0][-1], sides[1][0]])


def check_loss_gradients(model: Any, loss: Callable[[], Any], step: float = 2e-3, tolerance: float = 0.01) -> None:
    """Compare gradients of a float32 loss with central differences, along four directions of all parameters at once."""
    parameters = [parameter for parameter in model.parameters() if not parameter.stop_gradient]
    loss().backward()
    gradients = [np.zeros(one.shape) if one.grad is None else one.grad.numpy() for one in parameters]
    model.clear_gradients()
    values, source = [one.numpy().copy() for one in parameters], np.random.default_rng(1)
    for _ in range(4):
        drawn_directions = [source.standard_normal(value.shape) for value in values]
        directions = [one / max(float(np.linalg.norm(one)), 1e-9) for one in drawn_directions]
        ends = []
        for sign in (1, -1):
            for parameter, value, direction in zip(parameters, values, directions):
                parameter.set_value((value + sign * step * direction).astype(np.float32))
            with core.no_grad():
                ends.append(float(loss()))
        found = [float((gradient * direction).sum()) for gradient, direction in zip(gradients, directions)]
        largest = max(np.abs(found).max(), 0.05)
        assert sum(found) == pytest.approx((ends[0] - ends[1]) / (2 * step), abs=tolerance * largest)
    for parameter, value in zip(parameters, values):
        parameter.set_value(value)


def count(model: Any) -> int:
    """Return the number of parameters' elements."""
    return sum(int(np.prod(one.shape)) for one in model.parameters())

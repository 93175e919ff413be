"""Finite-difference checks of first and second derivatives in float64, shared by the tests of all operators."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Callable, Optional

import numpy as np

import core
from core.tensor import Tensor

DIRECTIONS = 2
"""Along how many random directions a gradient is compared, instead of along each axis."""


def check_gradients(
    function: Callable[..., Any],
    *arrays: np.ndarray,
    order: int = 2,
    step: float = 1e-5,
    tolerance: float = 1e-6,
    only: Optional[Sequence[int]] = None,
) -> None:
    """Compare gradients of ``sum(function(*tensors) * weights)`` with central differences, to the given order.

    Args:
        function: Takes tensors, returns one tensor or a tuple of them; every floating-point output counts.
        arrays: Inputs; floating-point ones are differentiated in float64.
        order: 1 checks the gradient, 2 also the gradient of a weighted sum of the gradients (``create_graph=True``).
        step: Half the distance of the difference quotient.
        tolerance: Allowed difference, relative to the largest gradient (at least 1).
        only: Indices of the inputs to differentiate; all floating-point ones when None.
    """
    inputs = [array.astype("float64") if array.dtype.kind == "f" else array for array in arrays]
    chosen = [i for i, array in enumerate(inputs) if array.dtype.kind == "f" and (only is None or i in only)]

    def scalar(tensors: Sequence[Tensor]) -> Tensor:
        outputs = function(*tensors)
        total = None
        for output in outputs if isinstance(outputs, (tuple, list)) else [outputs]:
            if output.dtype.is_floating:
                term = (output * core.to_tensor(_weights(output.shape, 1), dtype=output.dtype)).sum()
                total = term if total is None else total + term
        assert total is not None
        return total

    def gradient(tensors: Sequence[Tensor]) -> list[Tensor]:
        wanted = [tensors[i] for i in chosen]
        found = core.grad(scalar(tensors), wanted, create_graph=True, allow_unused=True)
        return [core.zeros_like(t) if g is None else g for t, g in zip(wanted, found)]

    def weighted_gradient(tensors: Sequence[Tensor]) -> Tensor:
        terms = [(g * core.to_tensor(_weights(g.shape, 2 + i))).sum() for i, g in enumerate(gradient(tensors))]
        total = terms[0]
        for term in terms[1:]:
            total = total + term
        return total

    _compare("first", scalar, inputs, chosen, step, tolerance)
    tensors = _tensors(inputs, chosen)
    scalar(tensors).backward()
    for i, plain in zip(chosen, gradient(_tensors(inputs, chosen))):
        leaf = tensors[i].grad
        got = np.zeros(inputs[i].shape) if leaf is None else leaf.numpy()
        np.testing.assert_allclose(got, plain.numpy(), rtol=1e-9, atol=1e-9 * max(1.0, np.abs(got).max(initial=0)))
    if order >= 2:
        _compare("second", weighted_gradient, inputs, chosen, step, tolerance * 10)


def _weights(shape: Sequence[int], stream: int) -> np.ndarray:
    return np.random.default_rng(stream).uniform(0.5, 1.5, tuple(shape))


def _tensors(inputs: Sequence[np.ndarray], chosen: Sequence[int]) -> list[Tensor]:
    return [core.to_tensor(array, stop_gradient=i not in chosen) for i, array in enumerate(inputs)]


def _compare(
    label: str,
    function: Callable[..., Tensor],
    inputs: list[np.ndarray],
    chosen: list[int],
    step: float,
    tolerance: float,
) -> None:
    tensors = _tensors(inputs, chosen)
    value = function(tensors)
    if value.stop_gradient:
        found = [None] * len(chosen)
    else:
        found = core.grad(value, [tensors[i] for i in chosen], allow_unused=True)
    def moved(i: int, direction: np.ndarray) -> float:
        """Return the difference quotient along a direction in which input ``i`` is moved."""
        ends = []
        for sign in (1, -1):
            changed = [*inputs[:i], inputs[i] + sign * step * direction, *inputs[i + 1 :]]
            ends.append(function(_tensors(changed, chosen)).item())
        return float(ends[0] - ends[1]) / (2 * step)

    for i, got in zip(chosen, found):
        actual = np.zeros(inputs[i].shape) if got is None else got.numpy()
        assert actual.shape == inputs[i].shape
        if actual.size > 2 * DIRECTIONS and _is_right_along_directions(actual, partial(moved, i), tolerance):
            continue
        expected = np.zeros(inputs[i].shape)
        for position in np.ndindex(*inputs[i].shape):
            direction = np.zeros(inputs[i].shape)
            direction[position] = 1
            expected[position] = moved(i, direction)
        scale = max(1.0, np.abs(expected).max(initial=0))
        np.testing.assert_allclose(
            actual, expected, rtol=0, atol=tolerance * scale, err_msg=f"{label} derivative by input {i}"
        )


def _is_right_along_directions(actual: np.ndarray, moved: Callable[[np.ndarray], float], tolerance: float) -> bool:
    """Return whether a gradient agrees along random directions, which move every element at once by up to 1.

    An element that is off by the tolerance alone puts each of them off by half of it, which is all that they may be;
    where one is, the elements are compared one by one.
    """
    generator = np.random.default_rng(actual.size)
    allowed = 0.5 * tolerance * max(1.0, np.abs(actual).max(initial=0))
    for _ in range(DIRECTIONS):
        direction = generator.uniform(0.5, 1, actual.shape) * generator.choice([-1, 1], actual.shape)
        if not abs(moved(direction) - (actual * direction).sum()) <= allowed:
            return False
    return True

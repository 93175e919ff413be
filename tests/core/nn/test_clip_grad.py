"""Clipping gradients in place."""

from __future__ import annotations

import math

import numpy as np
import pytest

import core
from core import nn


def parameters() -> list[core.Tensor]:
    both = [core.create_parameter([2, 2], "float32"), core.create_parameter([3], "float32")]
    head = (both[0] * core.to_tensor([[1.0, 0.0], [3.0, -4.0]])).sum() + (
        both[1] * core.to_tensor([0.0, 2.0, 5.0])
    ).sum()
    head.backward()
    return [*both, core.create_parameter([1], "float32")]


@pytest.mark.parametrize(("kind", "norm"), [(1, 15.0), (2, math.sqrt(55)), (math.inf, 5.0)])
def test_norm_is_cut(kind: float, norm: float) -> None:
    targets = parameters()
    total = nn.utils.clip_grad_norm_(targets, 2.0, kind)
    assert total.shape == [] and total.item() == pytest.approx(norm)
    np.testing.assert_allclose(targets[0].grad.numpy(), np.array([[1, 0], [3, -4]]) * 2 / norm, rtol=1e-5)
    np.testing.assert_allclose(targets[1].grad.numpy(), np.array([0, 2, 5]) * 2 / norm, rtol=1e-5)
    assert targets[2].grad is None


def test_small_gradients_stay() -> None:
    targets = parameters()
    nn.utils.clip_grad_norm_(targets, 100.0)
    assert targets[1].grad.numpy().tolist() == [0, 2, 5]
    assert nn.utils.clip_grad_norm_(core.create_parameter([1], "float32"), 1.0).item() == 0


def test_value_is_cut() -> None:
    targets = parameters()
    nn.utils.clip_grad_value_(targets, 2.5)
    assert targets[0].grad.numpy().tolist() == [[1, 0], [2.5, -2.5]]
    assert targets[1].grad.numpy().tolist() == [0, 2, 2.5]


def test_errors() -> None:
    with pytest.raises(ValueError, match="norm_type must be 0, 1, 2 or infinity, but got 3"):
        nn.utils.clip_grad_norm_(parameters(), 1.0, 3)
    with pytest.raises(ValueError, match="clip_value must not be negative, but got -1"):
        nn.utils.clip_grad_value_(parameters(), -1)
    targets = parameters()
    targets[0].grad = core.full([2, 2], math.inf)
    with pytest.raises(RuntimeError, match="the gradients have the norm inf: they cannot be clipped"):
        nn.utils.clip_grad_norm_(targets, 1.0, error_if_nonfinite=True)

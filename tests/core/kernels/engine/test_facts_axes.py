"""The engine slices and chooses along five axes at most; tensors may have more."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import core
from core.kernels.dispatch.errors import OperatorError
from tests.core.gradient_check import check_gradients

A = np.random.default_rng(0).normal(size=(2, 1, 2, 1, 2, 3))
B = np.random.default_rng(1).normal(size=(1, 2, 1, 2, 2, 1))


def test_the_engine_chooses_along_five_axes_at_most() -> None:
    x = core.to_tensor(A)
    np.testing.assert_array_equal(core.where(x > 0, x, 2 * x).numpy(), np.where(A > 0, A, 2 * A))
    same = core.to_tensor(A).astype("bfloat16").astype("float32").numpy()
    np.testing.assert_allclose(same, A, rtol=2**-8)


@pytest.mark.parametrize("function", [core.add, core.greater_than, core.maximum])
def test_the_engine_broadcasts_along_five_groups_of_axes_at_most(function: Callable[..., core.Tensor]) -> None:
    with pytest.raises(OperatorError, match=r"along 6 separate groups of axes.*expand\(\) a few axes first"):
        function(core.to_tensor(A), core.to_tensor(B))
    wide = core.to_tensor(B).expand([1, 2, 1, 2, 2, 3])
    np.testing.assert_array_equal(core.add(core.to_tensor(A), wide).numpy(), A + B)


def test_the_engine_slices_along_five_axes_at_most() -> None:
    x = core.to_tensor(A)
    np.testing.assert_array_equal(x[:, :, 1:, :, ::-1, ::2].numpy(), A[:, :, 1:, :, ::-1, ::2])
    np.testing.assert_array_equal(x[1, ..., -1].numpy(), A[1, ..., -1])
    check_gradients(lambda t: (t[:, :, 1:, :, ::-1] ** 2)[..., 1:], A[:, :, :, :, :, :2])
    check_gradients(lambda t: core.where(t > 0.1, t**2, -t), A[:1])
    np.testing.assert_allclose(x.cumsum(2).numpy(), A.cumsum(2))

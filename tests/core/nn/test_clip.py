"""Gradient clips called by themselves; inside optimizers they are tested with those."""

from __future__ import annotations

import numpy as np
import pytest

from core.nn.clip import ClipGradBase, ClipGradByGlobalNorm, ClipGradByNorm, ClipGradByValue
from core.tensor import Tensor


def pair(gradient, dtype="float32", need_clip=True):
    parameter = Tensor(np.zeros(np.shape(gradient), np.float32), dtype, stop_gradient=False)
    parameter.need_clip = need_clip
    return parameter, Tensor(np.array(gradient, np.float32), dtype)


def values(clip, pairs):
    return [gradient if gradient is None else gradient.as_float_numpy().tolist() for _, gradient in clip(pairs)]


def test_by_value():
    pairs = [pair([-3.0, 0.25, 3.0]), pair([9.0], need_clip=False), pair([5.0], "float64")]
    assert values(ClipGradByValue(1.0), pairs) == [[-1.0, 0.25, 1.0], [9.0], [1.0]]
    assert values(ClipGradByValue(2.0, -0.5), pairs) == [[-0.5, 0.25, 2.0], [9.0], [2.0]]
    assert pairs[0][1].tolist() == [-3.0, 0.25, 3.0]


def test_by_norm_scales_each():
    pairs = [pair([3.0, 4.0]), pair([0.3, 0.4]), pair([[6.0], [8.0]], need_clip=False)]
    result = values(ClipGradByNorm(1.0), pairs)
    np.testing.assert_allclose(result[0], [0.6, 0.8], rtol=1e-6)
    np.testing.assert_allclose(result[1], [0.3, 0.4], rtol=1e-6)
    assert result[2] == [[6.0], [8.0]]


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16"])
def test_by_global_norm_scales_all_by_one_factor(dtype):
    pairs = [pair([3.0], dtype), pair([[4.0]], dtype), pair([100.0], dtype, need_clip=False), (pair([1.0])[0], None)]
    result = values(ClipGradByGlobalNorm(2.5), pairs)
    assert result == [[1.5], [[2.0]], [100.0], None]
    assert [gradient.dtype.name for _, gradient in ClipGradByGlobalNorm(2.5)(pairs)[:3]] == [dtype] * 3
    assert values(ClipGradByGlobalNorm(50.0), pairs) == [[3.0], [[4.0]], [100.0], None]


def test_result_carries_no_gradient():
    ((_, gradient),) = ClipGradByNorm(1.0)([pair([3.0])])
    assert gradient.stop_gradient


def test_descriptions_are_paddles():
    assert str(ClipGradByValue(1.0)) == "Clip Gradient By Value, min = -1.000000, max=1.000000"
    assert str(ClipGradByNorm(1.0)) == "Gradient Clip By Norm, clip_norm=1.000000"
    assert str(ClipGradByGlobalNorm(1.0)) == "Gradient Clip By GlobalNorm, global_norm=1.000000"


def test_errors():
    with pytest.raises(ValueError, match="max must be positive where min is not given, but is 0"):
        ClipGradByValue(0)
    with pytest.raises(NotImplementedError, match=r"ClipGradBase must define __call__\(params_grads\)"):
        ClipGradBase()([pair([1.0])])

"""Largest and smallest numbers along axes against NumPy, also where something is no number."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

import core
from core.kernels.lowerings.extremes import FEWEST_ELEMENTS
from core.kernels.numeric.extremes import extremes

RNG = np.random.default_rng(6)


@pytest.mark.parametrize("smallest", [False, True])
@pytest.mark.parametrize(
    ("shape", "axis"),
    [((3, 40), (1,)), ((40, 3), (0,)), ((2, 9, 700), (1,)), ((2, 3, 4, 5), (1, 2)), ((4, 1), (1,)), ((5,), (0,))],
)
def test_extremes_are_numpy_s(shape: tuple[int, ...], axis: tuple[int, ...], smallest: bool) -> None:
    x = RNG.standard_normal(shape).astype("float32")
    x.flat[:2] = np.inf, -np.inf
    wanted = (np.min if smallest else np.max)(x, axis=axis)
    for strange in (None, np.nan, -np.nan):
        if strange is not None:
            x.flat[-1] = strange
            wanted = (np.min if smallest else np.max)(x, axis=axis)
        out = np.empty(wanted.shape, "float32")
        extremes(x, axis=axis, keepdims=False, smallest=smallest, out=out)
        np.testing.assert_array_equal(out, wanted)


@pytest.mark.parametrize("name", ["max", "min", "amax", "amin"])
def test_many_numbers_are_given_to_the_kernel(name: str) -> None:
    x = RNG.standard_normal((4, FEWEST_ELEMENTS // 16, 8)).astype("float32")
    given = core.to_tensor(x)
    function: Any = getattr(core, name)
    for axis, keepdim in ((1, False), ([0, 1], True), (-1, False), (None, False), ([0, 2], False)):
        axes = tuple(axis) if isinstance(axis, list) else axis
        wanted = getattr(np, name)(x, axis=axes, keepdims=keepdim)
        np.testing.assert_array_equal(function(given, axis=axis, keepdim=keepdim).numpy(), wanted)
        compiled = core.jit.to_static(functools.partial(function, axis=axis, keepdim=keepdim))
        np.testing.assert_array_equal(compiled(given).numpy(), wanted)

"""``core.shape(x)`` in a program that is being traced for one shape: its numbers are known and serve as sizes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import core


def positions(x: Any) -> Any:
    sizes = core.shape(x)
    length = sizes[-1]
    ones = core.ones(sizes[:-1], dtype="int64").unsqueeze(-1)
    return ones * core.arange(0, length, dtype="int64")


def halves(x: Any) -> Any:
    rows, length = core.shape(x)
    first = x[:, : length // 2]
    return core.concat([first, core.zeros([rows, length - length // 2])], axis=1).reshape((-1, rows))


def counted_down(x: Any) -> Any:
    length = core.shape(x)[1]
    return core.arange(length, -length, -1.0, dtype="float32")


def doubled(x: Any) -> Any:
    return core.ones(core.shape(x) * 2 + core.shape(x) - 1)


@pytest.mark.parametrize("function", [positions, halves, counted_down, doubled])
def test_sizes_are_sizes(function: Any) -> None:
    compiled = core.jit.to_static(function)
    for shape in ([2, 6], [3, 5]):
        x = core.to_tensor(np.arange(np.prod(shape), dtype="float32").reshape(shape))
        expected = function(x)
        found = compiled(x)
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found.numpy(), expected.numpy())


@core.jit.to_static
def chosen(x: Any) -> Any:
    mask = None
    if core.shape(x)[-1] > 3:  # known: neither branch needs what the other makes
        mask = x * 2
    if mask is None:
        return core.ones([7])
    return mask if core.numel(x) != 8 else mask.reshape([-1])


@pytest.mark.parametrize("shape, expected", [([1, 3], [7]), ([1, 5], [1, 5]), ([2, 4], [8])])
def test_a_comparison_of_known_sizes_picks_one_branch(shape: list[int], expected: list[int]) -> None:
    assert chosen(core.ones(shape)).shape == expected


def test_what_is_no_size_computes_as_any_tensor() -> None:
    @core.jit.to_static
    def mean(x: Any) -> Any:
        return x.sum() / core.shape(x)[0] * core.to_tensor(True) + (core.shape(x)[1] > x[0, 0]).astype("float32")

    x = core.to_tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    assert float(mean(x)) == 11.5

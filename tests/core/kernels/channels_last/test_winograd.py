"""Convolutions by few multiplications against numpy in float64, and which convolutions are computed so."""

from __future__ import annotations

import math

import numba
import numpy as np
import pytest

from core.kernels.channels_last.weights import multiplications, side_of_tiles
from core.kernels.channels_last.winograd import matrices, transformed_weights
from tests.core.kernels.channels_last.builder import Builder, activation, draw


@pytest.mark.parametrize("side", [2, 4])
def test_the_algorithm_is_a_convolution(side: int) -> None:
    result, weights, window = matrices(side)
    d, w = np.random.default_rng(0).standard_normal((2, side + 2))
    expected = [d[i : i + 3] @ w[:3] for i in range(side)]
    np.testing.assert_allclose(result @ ((weights @ w[:3]) * (window @ d)), expected, atol=1e-11)
    weight = draw(5, 3, 3, 3)
    changed = np.einsum("ay,bx,oiyx->abio", weights, weights, weight.astype(np.float64))
    np.testing.assert_allclose(transformed_weights(weight, side), changed.reshape(-1, 3, 5), atol=1e-6)


@pytest.mark.parametrize("side", [2, 4])
@pytest.mark.parametrize("size", [(2, 2), (2, 3), (7, 9), (13, 13), (33, 18)])
def test_odd_sizes_borders_and_channels(side: int, size: tuple[int, int]) -> None:
    for batch, pad in ((1, (1, 1, 1, 1)), (3, (0, 2, 1, 0)), (2, (2, 2, 2, 2))):
        x = draw(batch, 2, *size)
        builder = Builder(x)
        first = builder.convolution(0, draw(20, 2, 1, 1), draw(20), bounds=(0.0, math.inf))
        wide = builder.convolution(first, draw(50, 20, 3, 3), draw(50), pad=(1, 1, 1, 1), side=side)
        builder.convolution(wide, draw(17, 50, 3, 3), pad=pad, activation=activation("leaky_relu", 0.1), side=side)
        builder.convolution(wide, draw(50, 50, 3, 3), pad=(1,) * 4, other=wide, bounds=(0.0, 1.5), side=side)
        builder.convolution(wide, draw(8, 50, 3, 3), draw(8), (2, 2), (1, 1, 1, 1))  # a smaller border beside it
        builder.check(x)
    if min(size) > 2:
        x = draw(2, 3, *size)
        builder = Builder(x)
        first = builder.convolution(0, draw(8, 3, 1, 1))
        builder.convolution(first, draw(9, 8, 3, 3), draw(9), side=side)
        builder.check(x)


def test_bits_depend_neither_on_threads_nor_on_the_batch() -> None:
    x = draw(3, 3, 21, 19)
    builder = Builder(x)
    value = builder.convolution(0, draw(32, 3, 3, 3), draw(32), (1, 1), (1, 1, 1, 1))
    for side, channels in ((4, 32), (2, 64)):
        value = builder.convolution(value, draw(64, channels, 3, 3), pad=(1, 1, 1, 1), side=side)
    builder.convolution(value, draw(80, 64, 3, 3), draw(80), (2, 2), (1, 1, 1, 1))  # 576 lines: in two parts
    builder.check(x)
    network = builder.network([len(builder.layers)])
    out = np.empty((3, *network.output_shapes(x.shape)[0][1:]), np.float32)
    threads, results = numba.get_num_threads(), []
    try:
        for number in (1, 2):
            numba.set_num_threads(min(number, threads))
            network(x, builder.packed.array, [out])
            results.append(out.copy())
    finally:
        numba.set_num_threads(threads)
    for i in range(3):
        network(x[i : i + 1], builder.packed.array, [out[i : i + 1]])
    for result in results:
        np.testing.assert_array_equal(result, out)


@pytest.mark.parametrize(("side", "bound"), [(2, 5e-7), (4, 2e-6)])
def test_rounding_is_near_that_of_a_plain_product(side: int, bound: float) -> None:
    """Relative to the root mean square: medians of three draws are 2e-7 and 7e-7; the usual points have twice that."""
    x = draw(1, 256, 8, 8)
    builder = Builder(x)
    first = builder.convolution(0, np.eye(256, dtype=np.float32)[:, :, None, None] * 16, bounds=(0.0, math.inf))
    last = builder.convolution(first, draw(32, 256, 3, 3), pad=(1, 1, 1, 1), side=side)
    (got,), expected = builder.run(x)[last - 1 :], builder.expected[last]
    assert np.sqrt(((got - expected) ** 2).mean() / (expected**2).mean()) < bound


def test_which_convolutions_take_few_multiplications() -> None:
    def side(inputs: int, outputs: int, size: int, kernel: int = 3, groups: int = 1, stride: int = 1) -> int:
        weight = np.empty((outputs, inputs, kernel, kernel), np.float32)
        return side_of_tiles(weight, groups, (stride, stride), size * size)

    assert [side(32, 64, 160), side(128, 256, 40), side(256, 512, 20), side(512, 512, 28)] == [4] * 4
    assert [side(512, 512, 7), side(512, 1024, 10), side(512, 1024, 19)] == [2] * 3  # few tiles read many weights
    assert [side(64, 128, 0), side(256, 512, 0), side(512, 1024, 0)] == [4, 4, 2]  # of any size
    assert [side(64, 64, 56, groups=2), side(64, 64, 56, kernel=5), side(64, 64, 56, stride=2)] == [0] * 3
    assert side(4, 4, 56) == 0  # changing windows takes longer than multiplying
    weight = np.empty((8, 16, 3, 3), np.float32)
    counts = [multiplications(weight, 49, side) for side in (0, 2, 4)]
    assert counts == [9 * 128 * 49, 16 * 128 * 16, 36 * 128 * 4]

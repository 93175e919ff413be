"""Networks with channels last against numpy in float64: every kind of layer, odd sizes, any number of threads."""

from __future__ import annotations

import math
from typing import Any

import numba
import numpy as np
import pytest

from core.kernels.channels_last.layer import Layer
from core.kernels.channels_last.memory import Memory
from core.kernels.channels_last.network import Network
from core.kernels.channels_last.table import AS_IMAGE, AS_LAST, UNREAD
from core.kernels.channels_last.tiles import ROW_KINDS
from core.kernels.channels_last.weights import goes_along_rows, is_product
from tests.core.kernels.channels_last.builder import Builder, activation, draw, shifted


@pytest.mark.parametrize("size", [(1, 3, 7, 7), (2, 3, 17, 22), (3, 1, 40, 31)])
@pytest.mark.parametrize(
    "window", [((3, 3), (2, 2), (0, 0, 2, 2)), ((7, 7), (2, 2), (3, 3, 3, 3)), ((1, 1), (1, 1), (0,) * 4)]
)
def test_the_first_convolution_reads_plain_images(size: tuple[int, ...], window: Any) -> None:
    kernel, stride, pad = window
    x = draw(*size)
    for channels in (5, 16, 40):
        builder = Builder(x)
        builder.convolution(0, draw(channels, size[1], *kernel), draw(channels), stride, pad, bounds=(0.0, 1.5))
        builder.check(x)


@pytest.mark.parametrize("channels", [(3, 24), (24, 50), (16, 130)])
@pytest.mark.parametrize("height", [1, 2, 3, 5, 9, 30])
def test_products(channels: tuple[int, int], height: int) -> None:
    for batch in (1, 3):
        x = draw(batch, 2, height, height + 1)
        builder = Builder(x)
        first = builder.convolution(0, draw(channels[0], 2, 1, 1))
        wide = builder.convolution(first, draw(channels[1], channels[0], 1, 1), draw(channels[1]))
        last = builder.convolution(wide, draw(channels[1], channels[1], 1, 1), other=wide, bounds=(0.0, math.inf))
        builder.convolution(last, draw(20, channels[1], 1, 1), stride=(2, 2))
        builder.convolution(last, draw(20, channels[1], 3, 3), pad=(1, 1, 1, 1), activation=activation("swish"))
        builder.check(x)


@pytest.mark.parametrize("kind", ROW_KINDS)
def test_depthwise_and_finely_grouped_convolutions(kind: tuple[int, int, int]) -> None:
    kernel, stride, share = kind
    for (height, width), channels, pads in (
        ((9, 7), 24, (0, 1, 2, 1)),
        ((12, 23), 40, (2, 2, 2, 2)),
        ((5, 5), 16, (0,) * 4),
    ):
        x = draw(2, 2, height, width)
        builder = Builder(x)
        first = builder.convolution(0, draw(channels, 2, 1, 1), draw(channels))
        weight = draw(channels, share, kernel, kernel)
        given = {"stride": (stride, stride), "groups": channels // share}
        builder.convolution(first, weight, draw(channels), pad=pads, bounds=(-1.0, 1.0), **given)
        builder.convolution(first, weight, pad=pads, activation=activation("hard_swish", 1 / 6, 0.5), **given)
        builder.check(x)


def test_groups_of_whole_vectors() -> None:
    x = draw(2, 3, 10, 9)
    builder = Builder(x)
    first = builder.convolution(0, draw(96, 3, 1, 1))
    builder.convolution(first, draw(96, 16, 3, 3), draw(96), (2, 2), (1, 1, 1, 1), groups=6)
    builder.convolution(first, draw(192, 48, 3, 3), draw(192), pad=(1, 0, 0, 1), groups=2)
    builder.check(x)
    assert not is_product(draw(18, 6, 3, 3), 3) and not goes_along_rows(draw(24, 3, 3, 3), 8, (1, 1))
    assert not goes_along_rows(draw(8, 1, 7, 7), 8, (1, 1)) and not goes_along_rows(draw(8, 1, 3, 3), 8, (1, 2))


@pytest.mark.parametrize("size", [(1, 1), (4, 4), (23, 31)])
def test_squeeze_and_excitation(size: tuple[int, int]) -> None:
    x = draw(3, 3, *size)
    builder = Builder(x)
    first = builder.convolution(0, draw(72, 3, 1, 1), draw(72))
    rows = builder.convolution(first, draw(72, 1, 3, 3), pad=(1, 1, 1, 1), groups=72, activation=activation("swish"))
    for source in (rows, first):
        mean = builder.add(Layer("mean", source, 72), builder.expected[source].mean((2, 3), keepdims=True))
        small = builder.convolution(mean, draw(6, 72, 1, 1), draw(6), bounds=(0.0, math.inf))
        gate = builder.convolution(small, draw(72, 6, 1, 1), activation=activation("hard_sigmoid", 0.2, 0.5))
        projected = builder.convolution(source, draw(24, 72, 1, 1), scale=gate)
        builder.convolution(source, draw(24, 72, 1, 1), scale=gate, other=projected)
        product = builder.expected[source] * builder.expected[gate]
        builder.add(Layer("combine", source, 72, scale=gate, other=first, bounds=(0.0, math.inf)), product)
    builder.check(x)


@pytest.mark.parametrize(("size", "kernel", "stride"), [((9, 12), 2, 2), ((11, 7), 3, 1), ((8, 8), 2, 3)])
def test_average_pooling(size: tuple[int, int], kernel: int, stride: int) -> None:
    x = draw(2, 3, *size)
    builder = Builder(x)
    first = builder.convolution(0, draw(20, 3, 1, 1))
    values = builder.expected[first]
    windows = np.lib.stride_tricks.sliding_window_view(values, (kernel, kernel), axis=(2, 3))
    means = windows[:, :, ::stride, ::stride].mean((4, 5), dtype=np.float64).astype(np.float32)
    builder.add(Layer("average", first, 20, (kernel, kernel), (stride, stride)), means)
    builder.check(x)


def test_large_images_whose_next_pixels_are_asked_for() -> None:
    x = draw(1, 3, 150, 153)
    builder = Builder(x)
    first = builder.convolution(0, draw(16, 3, 1, 1))
    along = builder.convolution(first, draw(16, 1, 3, 3), pad=(1, 1, 1, 1), groups=16)
    builder.convolution(along, draw(32, 16, 1, 1), draw(32))
    builder.check(x)


def test_maximum_pooling_and_combinations() -> None:
    x = draw(2, 3, 11, 14)
    builder = Builder(x)
    first = builder.convolution(0, draw(20, 3, 1, 1))
    wide = np.pad(builder.expected[first], ((0, 0), (0, 0), (1, 1), (1, 1)), constant_values=-np.inf)
    windows = np.lib.stride_tricks.sliding_window_view(wide, (3, 3), axis=(2, 3))[:, :, ::2, ::2]
    builder.add(Layer("maximum", first, 20, (3, 3), (2, 2), (1, 1, 1, 1)), windows.max((4, 5)))
    values = builder.expected
    builder.add(Layer("combine", first, 20, other=first, activation=activation("sigmoid")), values[first])
    builder.add(Layer("combine", first, 20, activation=activation("scaled", 0.8)), values[first])
    builder.convolution(len(values) - 1, draw(20, 1, 5, 5), pad=(2, 2, 2, 2), groups=20)
    builder.check(x)


@pytest.mark.parametrize("channels", [(8, 16), (20, 5)])
def test_values_are_joined_and_their_pixels_repeated(channels: tuple[int, int]) -> None:
    x = draw(3, 2, 6, 10)
    builder = Builder(x)
    fine = builder.convolution(0, draw(channels[0], 2, 1, 1), draw(channels[0]))
    coarse = builder.convolution(0, draw(channels[1], 2, 3, 3), None, (2, 2), (1, 1, 1, 1))
    first, second = builder.expected[fine], builder.expected[coarse].repeat(2, 2).repeat(2, 3)
    parts = ((fine, 1), (coarse, 2), (fine, 1))
    whole = np.concatenate([first, second, first], 1)
    joined = builder.add(Layer("join", fine, whole.shape[1], parts=parts), whole)
    builder.convolution(joined, draw(24, whole.shape[1], 3, 3), draw(24), pad=(1, 1, 1, 1))
    builder.add(Layer("join", coarse, channels[1], parts=((coarse, 2),)), second)
    builder.check(x)
    with pytest.raises(ValueError, match="step 3 joins images of 7 x 10 and 8 x 10 and 7 x 10"):
        builder.network([joined]).output_shapes((1, 2, 7, 10))


def test_results_with_channels_last_and_results_of_which_only_the_size_is_asked() -> None:
    x = draw(2, 3, 5, 7)
    builder = Builder(x)
    first = builder.convolution(0, draw(20, 3, 1, 1), activation=activation("leaky_relu", 0.1))
    outputs = [(first, AS_LAST), (first, UNREAD), (first, AS_IMAGE)]
    network = Network(builder.layers, 3, builder.packed.array.size, outputs)
    assert network.output_shapes(x.shape) == [(2, 5, 7, 20), (2, 20, 5, 7), (2, 20, 5, 7)]
    results = [np.full(shape, -7, np.float32) for shape in network.output_shapes(x.shape)]
    network(x, builder.packed.array, results)
    np.testing.assert_allclose(results[0], builder.expected[first].transpose(0, 2, 3, 1), atol=2e-6 * builder.largest)
    np.testing.assert_array_equal(results[0].transpose(0, 3, 1, 2), results[2])
    assert (results[1] == -7).all()


@pytest.mark.parametrize("clips", [1, 2, 3])
@pytest.mark.parametrize("shift", [(1, 4, 8), (2, 5, 13), (3, 8, 16), (4, 0, 7), (4, 11, 23)])
def test_channels_of_the_images_before_and_after(clips: int, shift: tuple[int, int, int]) -> None:
    x = draw(clips * shift[0], 2, 7, 9)
    builder = Builder(x)
    first = builder.convolution(0, draw(24, 2, 1, 1), draw(24))
    second = builder.convolution(first, draw(40, 24, 1, 1), draw(40), shift=shift, bounds=(0.0, math.inf))
    third = builder.convolution(first, draw(40, 24, 3, 3), None, (2, 2), (1, 1, 0, 1), shift=shift)
    copied = builder.add(Layer("shift", second, 40, shift=shift), shifted(builder.expected[second], *shift))
    fourth = builder.convolution(copied, draw(40, 40, 3, 3), pad=(1, 1, 1, 1), side=2)
    builder.convolution(fourth, draw(16, 40, 1, 1), shift=shift, activation=activation("swish"))
    builder.convolution(third, draw(16, 40, 1, 1), shift=shift)
    builder.check(x)


def shifting(x: np.ndarray, shift: tuple[int, int, int]) -> Builder:
    """Return residual blocks that go image by image, and one with all images together."""
    builder = Builder(x)
    value = builder.convolution(0, draw(32, 3, 3, 3), draw(32), (2, 2), (1, 1, 1, 1), bounds=(0.0, math.inf))
    for _ in range(3):
        inner = builder.convolution(value, draw(16, 32, 1, 1), draw(16), shift=shift, bounds=(0.0, math.inf))
        inner = builder.convolution(inner, draw(16, 16, 3, 3), draw(16), pad=(1, 1, 1, 1), bounds=(0.0, math.inf))
        value = builder.convolution(inner, draw(32, 16, 1, 1), draw(32), other=value, bounds=(0.0, math.inf))
    value = builder.convolution(value, draw(250, 32, 3, 3), draw(250), (4, 4), shift=shift)
    value = builder.convolution(value, draw(250, 250, 1, 1), draw(250), shift=shift)
    builder.add(Layer("mean", value, 250), builder.expected[value].mean((2, 3), keepdims=True))
    return builder


def test_blocks_that_read_neighbours_go_image_by_image_one_after_another() -> None:
    shift = (4, 4, 8)
    x = draw(8, 3, 26, 24)
    builder = shifting(x, shift)
    memory = Memory(builder.layers, x.shape, [len(builder.layers)])
    assert memory.runs == [(0, 1), (2, 4), (5, 7), (8, 10)] and memory.alone == 10 < len(builder.layers)
    assert [value.batch for value in memory.values[:6]] == [1, 8, 1, 1, 8, 1]
    builder.check(x)  # whose results all stay
    network, out = builder.network([len(builder.layers)]), np.empty((8, 250, 1, 1), np.float32)
    network(x, builder.packed.array, [out])  # whose memory is used again
    np.testing.assert_allclose(out, builder.expected[-1], rtol=0, atol=2e-6 * builder.largest)
    again = np.empty_like(out)
    for clip in (slice(0, 4), slice(4, 8)):
        network(x[clip], builder.packed.array, [again[clip]])
    np.testing.assert_array_equal(out, again)
    with pytest.raises(ValueError, match="step 2 reads clips of 4 images, not 6 images"):
        network.output_shapes((6, 3, 26, 24))


def test_activations_of_extreme_numbers() -> None:
    x = np.array([-1e30, -200, -88, -20, -1e-7, 0, 1e-7, 5, 88, 200, 1e30, np.nan, np.inf], np.float32).reshape(
        1, 1, 1, 13
    )
    builder = Builder(np.zeros_like(x))
    builder.convolution(0, np.ones((1, 1, 1, 1), np.float32))
    for name in ("sigmoid", "swish", "hard_sigmoid", "hard_swish"):
        builder.add(Layer("combine", 1, 1, activation=activation(name, 1 / 6, 0.5)), np.zeros_like(x))
    builder.add(Layer("combine", 1, 1, bounds=(0.0, 6.0)), np.zeros_like(x))
    builder.add(Layer("combine", 1, 1, activation=activation("leaky_relu", 0.1)), np.zeros_like(x))
    values = [got.reshape(-1) for got in builder.run(x)]
    flat = x.reshape(-1).astype(np.float64)
    with np.errstate(over="ignore"):
        sigmoid = 1 / (1 + np.exp(-flat))
    np.testing.assert_allclose(values[1], sigmoid, rtol=2e-6, atol=1e-36)
    np.testing.assert_allclose(values[2], flat * sigmoid, rtol=2e-6, atol=1e-7)
    np.testing.assert_allclose(values[3], np.clip(flat / 6 + 0.5, 0, 1), rtol=1e-6)
    np.testing.assert_allclose(values[4], flat * np.clip(flat / 6 + 0.5, 0, 1), rtol=1e-6)
    np.testing.assert_array_equal(values[5], np.clip(flat, 0, 6).astype(np.float32))
    np.testing.assert_allclose(values[6], np.where(flat < 0, 0.1 * flat, flat), rtol=1e-6)


def mobile(x: np.ndarray) -> Builder:
    """Return a network that goes image by image first and then with all images together."""
    builder = Builder(x)
    value = builder.convolution(0, draw(32, 3, 3, 3), draw(32), (2, 2), (1, 1, 1, 1), bounds=(0.0, 6.0))
    for channels, stride in ((48, 2), (96, 2), (200, 2)):
        narrow = len(builder.layers[-1:]) and builder.layers[-1].channels
        rows = draw(narrow, 1, 3, 3)
        value = builder.convolution(
            value, rows, None, (stride, stride), (1, 1, 1, 1), narrow, activation=activation("swish")
        )
        mean = builder.add(Layer("mean", value, narrow), builder.expected[value].mean((2, 3), keepdims=True))
        gate = builder.convolution(mean, draw(narrow, narrow, 1, 1), activation=activation("sigmoid"))
        value = builder.convolution(value, draw(channels, narrow, 1, 1), draw(channels), scale=gate)
    mean = builder.add(Layer("mean", value, 200), builder.expected[value].mean((2, 3), keepdims=True))
    builder.convolution(mean, draw(70, 200, 1, 1), draw(70))
    return builder


def test_bits_depend_neither_on_threads_nor_on_the_batch() -> None:
    x = draw(5, 3, 64, 48)
    builder = mobile(x)
    memory = Memory(builder.layers, x.shape, [len(builder.layers)])
    assert 0 < memory.alone < len(builder.layers) and memory.values[1].batch == 1 and memory.values[-1].batch == 5
    builder.check(x)
    network, out = builder.network([len(builder.layers)]), np.empty((5, 70, 1, 1), np.float32)
    threads = numba.get_num_threads()
    results = []
    try:
        for number in (1, 2, threads):
            numba.set_num_threads(min(number, threads))
            network(x, builder.packed.array, [out])
            results.append(out.copy())
    finally:
        numba.set_num_threads(threads)
    for i in range(5):
        network(x[i : i + 1], builder.packed.array, [out[i : i + 1]])
    for result in results:
        np.testing.assert_array_equal(result, out)
    np.testing.assert_allclose(out, builder.expected[-1], rtol=0, atol=2e-6 * builder.largest)


def test_values_never_share_memory_while_they_are_needed() -> None:
    x = draw(3, 3, 64, 48)
    builder = mobile(x)
    last = len(builder.layers)
    memory = Memory(builder.layers, x.shape, [last])
    readers = {place: place for place in range(last + 1)}
    for place, layer in enumerate(builder.layers, 1):
        readers.update({read: place for read in (layer.source, layer.scale, layer.other) if read is not None})
    for i in range(last + 1):
        for j in range(i + 1, last + 1):
            if readers[i] >= j or (j <= memory.alone < readers[i]):
                first, second = memory.values[i], memory.values[j]
                assert first.start + first.size <= second.start or second.start + second.size <= first.start
    assert memory.size < sum(value.size for value in memory.values)


def test_images_that_are_too_small_are_refused() -> None:
    builder = Builder(draw(1, 3, 9, 9))
    builder.convolution(0, draw(8, 3, 7, 7))
    with pytest.raises(ValueError, match="step 1 leaves nothing of images of 5 x 9"):
        builder.network([1]).output_shapes((1, 3, 5, 9))

"""Resampling, grids and pixel rearrangement against loops over pixels, and derivatives to second order."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import core
from core.kernels.dispatch.errors import OperatorError
from core.operators.shape import pixels
from core.operators.vision import grids, resampling
from tests.core.gradient_check import check_gradients

GENERATOR = np.random.default_rng(0)
IMAGE = GENERATOR.standard_normal((2, 3, 5, 7))
VOLUME = GENERATOR.standard_normal((1, 2, 3, 4, 5))
SEQUENCE = GENERATOR.standard_normal((2, 3, 7))


def cubic(distance: float) -> float:
    a, d = -0.75, abs(distance)
    if d <= 1:
        return (a + 2) * d**3 - (a + 3) * d**2 + 1
    return a * d**3 - 5 * a * d**2 + 8 * a * d - 4 * a if d < 2 else 0.0


def resample_line(line: np.ndarray, size: int, mode: str, corners: bool, align_mode: int) -> np.ndarray:
    n = len(line)
    ratio = ((n - 1) / (size - 1) if size > 1 else 0.0) if corners else n / size
    result = []
    for i in range(size):
        if mode == "nearest":
            result.append(line[min(int(i * ratio + (0.5 if corners else 0)), n - 1)])
            continue
        centred = not corners and (mode == "bicubic" or align_mode == 0)
        at = (i + 0.5) * ratio - 0.5 if centred else i * ratio
        if mode == "bicubic":
            low = int(np.floor(at))
            result.append(sum(cubic(at - low - t) * line[min(max(low + t, 0), n - 1)] for t in range(-1, 3)))
        else:
            at = max(at, 0)
            low = min(int(at), n - 1)
            part = min(at - low, 1)
            result.append((1 - part) * line[low] + part * line[min(low + 1, n - 1)])
    return np.array(result)


@pytest.mark.parametrize("align_mode", [0, 1])
@pytest.mark.parametrize("corners", [False, True])
@pytest.mark.parametrize(
    ("data", "mode", "size"),
    [
        (SEQUENCE, "linear", [4]),
        (SEQUENCE, "nearest", [12]),
        (IMAGE, "nearest", [9, 4]),
        (IMAGE, "bilinear", [9, 4]),
        (IMAGE, "bicubic", [3, 10]),
        (VOLUME, "trilinear", [4, 2, 9]),
        (VOLUME, "nearest", [6, 4, 2]),
    ],
)
def test_interpolate(data: np.ndarray, mode: str, size: list[int], corners: bool, align_mode: int) -> None:
    expected = data
    for axis, length in enumerate(size, start=2):
        expected = np.apply_along_axis(resample_line, axis, expected, length, mode, corners, align_mode)
    got = resampling.interpolate(core.to_tensor(data), size, None, mode, corners, align_mode)
    np.testing.assert_allclose(got.numpy(), expected, atol=1e-12)
    last = [0, *range(2, data.ndim), 1]
    layout = {3: "NWC", 4: "NHWC", 5: "NDHWC"}[data.ndim]
    got = resampling.interpolate(core.to_tensor(data.transpose(last)), size, None, mode, corners, align_mode, layout)
    np.testing.assert_allclose(got.numpy(), expected.transpose(last), atol=1e-12)


def test_a_scale_factor_sets_the_ratio_and_the_size() -> None:
    x = core.to_tensor(np.arange(4.0).reshape(1, 1, 1, 4))
    doubled = resampling.interpolate(x, scale_factor=[1, 2], mode="nearest")
    assert doubled.flatten().tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    bigger = resampling.interpolate(x, scale_factor=[1, 1.4], mode="bilinear")
    at = np.clip((np.arange(5) + 0.5) / 1.4 - 0.5, 0, 3)
    np.testing.assert_allclose(bigger.flatten().numpy(), at)


def test_area_averages_regions() -> None:
    got = resampling.interpolate(core.to_tensor(np.arange(6.0).reshape(1, 1, 1, 6)), [1, 3], mode="area")
    assert got.flatten().tolist() == [0.5, 2.5, 4.5]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mode": "cubic", "size": [2, 2]}, "mode 'cubic' is none of linear"),
        ({"mode": "linear", "size": [2]}, "mode 'linear' expects a 3-D tensor, got shape"),
        ({}, "give either size or scale_factor"),
        ({"size": [0, 2]}, r"the output size \[0, 2\] must be positive"),
        ({"size": [1, 2, 3]}, "names 3 axes, the tensor has 2"),
        ({"size": 3, "data_format": "NWC"}, "data_format 'NWC' does not fit a 4-D tensor"),
        ({"size": 3, "mode": "bilinear", "align_mode": 2}, "align_mode is 0 or 1, got 2"),
    ],
)
def test_interpolate_refuses(options: dict, message: str) -> None:
    with pytest.raises(OperatorError, match=message):
        resampling.interpolate(core.to_tensor(IMAGE), **options)


def place(value: float, size: int, padding: str, corners: bool) -> float:
    at = (value + 1) / 2 * (size - 1) if corners else ((value + 1) * size - 1) / 2
    if padding == "reflection":
        low, high = (0, size - 1) if corners else (-0.5, size - 0.5)
        while not low <= at <= high:
            at = 2 * low - at if at < low else 2 * high - at
    return min(max(at, 0), size - 1) if padding != "zeros" else at


def sample(x: np.ndarray, point: np.ndarray, mode: str, padding: str, corners: bool) -> np.ndarray:
    sizes = x.shape[1:]
    at = [place(v, n, padding, corners) for v, n in zip(point[::-1], sizes)]
    total = np.zeros(x.shape[0])
    taps = [[(int(np.round(a)), 1.0)] if mode == "nearest" else _taps(a) for a in at]
    for chosen in itertools.product(*taps):
        position = tuple(index for index, _ in chosen)
        if all(0 <= i < n for i, n in zip(position, sizes)):
            total += x[(slice(None), *position)] * np.prod([weight for _, weight in chosen])
    return total


def _taps(at: float) -> list[tuple[int, float]]:
    low = int(np.floor(at))
    return [(low, 1 - (at - low)), (low + 1, at - low)]


@pytest.mark.parametrize("corners", [False, True])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("mode", ["bilinear", "nearest"])
@pytest.mark.parametrize("data", [IMAGE, VOLUME], ids=["image", "volume"])
def test_grid_sample(data: np.ndarray, mode: str, padding: str, corners: bool) -> None:
    rank = data.ndim - 2
    points = np.random.default_rng(1).uniform(-1.6, 1.6, (data.shape[0], *[3, 4, 2][:rank], rank))
    got = grids.grid_sample(core.to_tensor(data), core.to_tensor(points), mode, padding, corners).numpy()
    for where in np.ndindex(points.shape[:-1]):
        expected = sample(data[where[0]], points[where], mode, padding, corners)
        np.testing.assert_allclose(got[(where[0], slice(None), *where[1:])], expected, atol=1e-12)


def test_affine_grid_maps_corners() -> None:
    theta = np.array([[[1.0, 0, 0.25], [0, 2, 0]]])
    grid = grids.affine_grid(core.to_tensor(theta), [1, 1, 2, 3]).numpy()
    np.testing.assert_allclose(grid[0, :, :, 0], [[-0.75, 0.25, 1.25]] * 2)
    np.testing.assert_allclose(grid[0, :, :, 1], [[-2] * 3, [2] * 3])
    inner = grids.affine_grid(core.to_tensor(theta), [1, 1, 2, 3], align_corners=False).numpy()
    np.testing.assert_allclose(inner[0, :, :, 1], [[-1] * 3, [1] * 3])
    with pytest.raises(OperatorError, match=r"theta of shape \[1, 2, 3\] does not fit out_shape"):
        grids.affine_grid(core.to_tensor(theta), [2, 1, 2, 3])


def test_grid_sample_refuses() -> None:
    x, grid = core.to_tensor(IMAGE), core.zeros([2, 3, 3, 2], "float64")
    with pytest.raises(OperatorError, match="does not fit x of shape"):
        grids.grid_sample(x, core.zeros([2, 3, 3, 3], "float64"))
    with pytest.raises(OperatorError, match="mode is bilinear or nearest, got 'cubic'"):
        grids.grid_sample(x, grid, "cubic")
    with pytest.raises(OperatorError, match="padding_mode is zeros, border or reflection, got 'wrap'"):
        grids.grid_sample(x, grid, "nearest", "wrap")


@pytest.mark.parametrize("around", [0, 1, [1, 0], [1, 0, 2, 1]])
def test_unfold_copies_windows_and_fold_adds_them_back(around: object) -> None:
    kernel, stride, dilation = [2, 3], [1, 2], [2, 1]
    sides = [around] * 4 if isinstance(around, int) else around * 2 if len(around) == 2 else around
    top, left, bottom, right = sides
    padded = np.pad(IMAGE, [(0, 0), (0, 0), (top, bottom), (left, right)])
    rows = range(0, padded.shape[2] - dilation[0] * (kernel[0] - 1), stride[0])
    columns = range(0, padded.shape[3] - dilation[1] * (kernel[1] - 1), stride[1])
    expected = []
    for channel in range(3):
        for i, j in itertools.product(range(kernel[0]), range(kernel[1])):
            expected.append(
                [padded[:, channel, r + i * dilation[0], c + j * dilation[1]] for r in rows for c in columns]
            )
    expected = np.array(expected).transpose(2, 0, 1)
    got = pixels.unfold(core.to_tensor(IMAGE), kernel, stride, around, dilation)
    np.testing.assert_array_equal(got.numpy(), expected)
    if isinstance(around, int):
        other = np.random.default_rng(3).standard_normal(expected.shape)
        back = pixels.fold(core.to_tensor(other), [5, 7], kernel, stride, around, dilation).numpy()
        assert np.sum(back * IMAGE) == pytest.approx(np.sum(other * expected))  # fold is the transpose of unfold


def test_unfold_and_fold_refuse() -> None:
    with pytest.raises(OperatorError, match=r"no window of \(9, 9\) fits an image of shape"):
        pixels.unfold(core.to_tensor(IMAGE), 9)
    with pytest.raises(OperatorError, match="6 rows per channel and 28 windows are expected"):
        pixels.fold(core.zeros([1, 6, 5]), [5, 7], [2, 3], [1, 1], [0, 1])


def test_shuffles_move_pixels() -> None:
    x = np.arange(16.0).reshape(1, 4, 2, 2)
    expected = [[0, 4, 1, 5], [8, 12, 9, 13], [2, 6, 3, 7], [10, 14, 11, 15]]
    shuffled = pixels.pixel_shuffle(core.to_tensor(x), 2)
    np.testing.assert_array_equal(shuffled.numpy()[0, 0], expected)
    np.testing.assert_array_equal(pixels.pixel_unshuffle(shuffled, 2).numpy(), x)
    last = core.to_tensor(x.transpose(0, 2, 3, 1))
    shuffled = pixels.pixel_shuffle(last, 2, "NHWC")
    np.testing.assert_array_equal(shuffled.numpy()[0, :, :, 0], expected)
    np.testing.assert_array_equal(pixels.pixel_unshuffle(shuffled, 2, "NHWC").numpy(), last.numpy())
    mixed = pixels.channel_shuffle(core.to_tensor(x), 2).numpy()
    np.testing.assert_array_equal(mixed, x[:, [0, 2, 1, 3]])
    np.testing.assert_array_equal(pixels.channel_shuffle(last, 2, "NHWC").numpy(), last.numpy()[..., [0, 2, 1, 3]])
    for function, argument, message in (
        (pixels.pixel_shuffle, 3, "4 channels do not divide by upscale_factor 3 squared"),
        (pixels.pixel_unshuffle, 3, "an image of 2 x 2 does not divide by downscale_factor 3"),
        (pixels.channel_shuffle, 3, "4 channels do not divide into 3 groups"),
    ):
        with pytest.raises(OperatorError, match=message):
            function(core.to_tensor(x), argument)


SMALL = np.random.default_rng(5).standard_normal((1, 1, 3, 4))


@pytest.mark.parametrize("mode", ["nearest", "bilinear", "bicubic", "area"])
def test_interpolate_derivatives(mode: str) -> None:
    check_gradients(lambda x: resampling.interpolate(x, [2, 5], mode=mode) ** 2, SMALL)


@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
def test_grid_sample_derivatives(padding: str) -> None:
    points = np.random.default_rng(6).uniform(-0.9, 0.9, (1, 2, 2, 2))
    check_gradients(lambda x, g: grids.grid_sample(x, g, "bilinear", padding, False), SMALL, points, tolerance=1e-5)


def test_columns_derivatives() -> None:
    check_gradients(lambda x: pixels.unfold(x, [2, 3], [1, 2], [1, 0]) ** 2, SMALL)
    columns = np.random.default_rng(7).standard_normal((1, 6, 4))
    check_gradients(
        lambda x: pixels.fold(x, [3, 3], [2, 3], 1, [0, 1])[:, :, :1] ** 2, np.repeat(columns, 3, 2)[:, :, :6]
    )


def test_blocks_are_cut_from_floats_only() -> None:
    with pytest.raises(OperatorError, match="unfold: expects a floating-point tensor, got int64: cast it to float32"):
        pixels.unfold(core.ones([1, 1, 4, 4], "int64"), 2)
    with pytest.raises(OperatorError, match="fold: expects a floating-point tensor, got int32"):
        pixels.fold(core.ones([1, 4, 4], "int32"), [3, 3], 2)

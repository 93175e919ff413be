"""Pooling of boxes: the kernels against their definition, derivatives, messages."""

from __future__ import annotations

import numpy as np
import pytest

import core
from core.kernels.boxes import box_pooling
from core.kernels.dispatch.errors import OperatorError, OperatorTypeError
from core.vision import ops
from tests.core.gradient_check import check_gradients

RANDOM = np.random.default_rng(4)
IMAGES = RANDOM.normal(size=(2, 12, 7, 9))
CORNERS = RANDOM.uniform(-4, 12, (6, 2))
BOXES = np.concatenate([CORNERS, CORNERS + RANDOM.uniform(0.2, 9, (6, 2))], axis=1)
COUNTS = np.array([2, 4])
OWNER = np.repeat(np.arange(2), COUNTS)
POOLED = (3, 2)


@pytest.mark.parametrize(("ratio", "aligned"), [(-1, True), (2, False), (3, True)])
def test_aligned_samples_and_their_transpose(ratio: int, aligned: bool) -> None:
    grid = box_pooling.align_grid(BOXES, OWNER, POOLED, 0.7, ratio, aligned)
    found = np.empty((6, 12, *POOLED))
    box_pooling.align(IMAGES, grid, found)
    np.testing.assert_allclose(found, box_pooling.align_reference(IMAGES, grid, POOLED), atol=1e-12)
    gradient, back = RANDOM.normal(size=found.shape), np.empty(IMAGES.shape)
    box_pooling.align_back(gradient, grid, back)
    np.testing.assert_allclose(back, box_pooling.align_back_reference(gradient, grid, IMAGES.shape), atol=1e-12)
    np.testing.assert_allclose((back * IMAGES).sum(), (gradient * found).sum())


def test_largest_elements() -> None:
    bins = box_pooling.pool_bins(BOXES, OWNER, POOLED, 0.7, (7, 9))
    found = np.empty((6, 12, *POOLED), np.int64)
    box_pooling.largest(IMAGES, bins, found)
    np.testing.assert_array_equal(found, box_pooling.largest_reference(IMAGES, bins, POOLED))


def test_position_sensitive_means_and_their_transpose() -> None:
    bins = box_pooling.position_sensitive_bins(BOXES, OWNER, POOLED, 0.7, (7, 9))
    found = np.empty((6, 2, *POOLED))
    box_pooling.position_sensitive(IMAGES, bins, found)
    np.testing.assert_allclose(found, box_pooling.position_sensitive_reference(IMAGES, bins, POOLED), atol=1e-12)
    gradient, back = RANDOM.normal(size=found.shape), np.empty(IMAGES.shape)
    box_pooling.position_sensitive_back(gradient, bins, back)
    np.testing.assert_allclose((back * IMAGES).sum(), (gradient * found).sum())


@pytest.mark.parametrize("name", ["roi_align", "roi_pool", "psroi_pool"])
def test_gradients_of_small_boxes_too(name: str) -> None:
    boxes = core.to_tensor([[0.3, 0.2, 2.9, 3.1], [1.0, 1.2, 1.5, 1.9]], dtype="float64")
    counts = core.to_tensor([2], dtype="int32")
    images = np.random.default_rng(1).permutation(4 * 16).reshape(1, 4, 4, 4) / 64
    check_gradients(lambda x: getattr(ops, name)(x, boxes, counts, 2), images)


@pytest.mark.parametrize("name", ["roi_align", "roi_pool", "psroi_pool"])
def test_no_boxes_and_half_precision(name: str) -> None:
    function = getattr(ops, name)
    x = core.to_tensor(IMAGES.astype("float32"), stop_gradient=False)
    empty = function(x, core.zeros([0, 4]), core.to_tensor([0, 0], dtype="int32"), POOLED)
    assert empty.shape == [0, 2 if name == "psroi_pool" else 12, *POOLED]
    boxes, counts = core.to_tensor(BOXES.astype("float32")), core.to_tensor(COUNTS)
    half = function(x.astype("bfloat16"), boxes, counts, POOLED)
    assert half.dtype == core.bfloat16
    expected = function(x.astype("bfloat16").astype("float32"), boxes, counts, POOLED).numpy()
    np.testing.assert_allclose(half.astype("float32").numpy(), expected, rtol=1e-2, atol=1e-2)


LEVELS = np.array([1, 0, 1, 7, 0, -1])


@pytest.mark.parametrize(("ratio", "aligned", "channels"), [(-1, True, 12), (2, False, 3)])
def test_boxes_of_several_levels(ratio: int, aligned: bool, channels: int) -> None:
    maps = [RANDOM.normal(size=(2, channels, *size)) for size in ((7, 9), (4, 5))]
    scales = (0.7, 0.35)
    given = [core.to_tensor(array) for array in (BOXES, LEVELS, COUNTS)]
    options = {"sampling_ratio": ratio, "aligned": aligned}
    found = ops.roi_align_levels([core.to_tensor(x) for x in maps], *given, POOLED, scales, **options)
    expected = np.zeros((6, channels, *POOLED))
    for number, (x, scale) in enumerate(zip(maps, scales)):
        own = number == LEVELS
        grid = box_pooling.align_grid(BOXES[own], OWNER[own], POOLED, scale, ratio, aligned)
        expected[own] = box_pooling.align_reference(x, grid, POOLED)
    np.testing.assert_allclose(found.numpy(), expected, atol=1e-12)


@pytest.mark.parametrize("ratio", [-1, 2])
def test_gradients_of_several_levels(ratio: int) -> None:
    boxes, levels = core.to_tensor(BOXES), core.to_tensor(LEVELS)
    rest = (boxes, levels, core.to_tensor(COUNTS), 2, [0.7, 0.35], ratio)
    other = core.to_tensor(RANDOM.normal(size=(2, 2, 4, 5)))
    check_gradients(lambda x: ops.roi_align_levels([x, other], *rest), RANDOM.normal(size=(2, 2, 7, 9)))
    check_gradients(lambda x: ops.roi_align_levels([other, x], *rest), RANDOM.normal(size=(2, 2, 3, 4)))


def test_several_levels_without_boxes_and_in_half_precision() -> None:
    maps = [core.to_tensor(IMAGES.astype("float32")), core.ones([2, 12, 3, 4])]
    none = core.zeros([0], "int64")
    empty = ops.roi_align_levels(maps, core.zeros([0, 4]), none, core.to_tensor([0, 0]), POOLED, [1.0, 0.5])
    assert empty.shape == [0, 12, *POOLED]
    rest = (core.to_tensor(BOXES.astype("float32")), core.to_tensor(LEVELS), core.to_tensor(COUNTS), POOLED, [1.0, 0.5])
    half = [x.astype("bfloat16") for x in maps]
    found = ops.roi_align_levels(half, *rest)
    assert found.dtype == core.bfloat16
    expected = ops.roi_align_levels([x.astype("float32") for x in half], *rest).numpy()
    np.testing.assert_allclose(found.astype("float32").numpy(), expected, rtol=1e-2, atol=1e-2)


def test_messages_of_several_levels() -> None:
    maps, boxes, counts = [core.zeros([1, 4, 5, 5]), core.zeros([1, 4, 2, 2])], core.zeros([2, 4]), core.to_tensor([2])
    levels = core.to_tensor([0, 1])
    with pytest.raises(OperatorError, match="roi_align_levels: 2 maps need as many spatial_scales, but got 1"):
        ops.roi_align_levels(maps, boxes, levels, counts, 2, [1.0])
    with pytest.raises(OperatorError, match="0 maps need as many spatial_scales, but got 0"):
        ops.roi_align_levels([], boxes, levels, counts, 2, [])
    with pytest.raises(OperatorError, match=r"all maps must be float32\[1, 4, H, W\] and not empty, but got"):
        ops.roi_align_levels([maps[0], maps[1][:, :3]], boxes, levels, counts, 2, [1.0, 0.5])
    with pytest.raises(OperatorError, match=r"levels holds one number for each of 2 boxes, but got \[1\]"):
        ops.roi_align_levels(maps, boxes, levels[:1], counts, 2, [1.0, 0.5])
    with pytest.raises(OperatorTypeError, match="levels must hold integers, got float32"):
        ops.roi_align_levels(maps, boxes, levels.astype("float32"), counts, 2, [1.0, 0.5])
    with pytest.raises(OperatorError, match="roi_align_levels: boxes_num adds up to 3, but there are 2 boxes"):
        ops.roi_align_levels(maps, boxes, levels, core.to_tensor([3]), 2, [1.0, 0.5])


def test_a_box_with_its_corners_the_wrong_way_round_has_no_samples() -> None:
    x = core.ones([1, 2, 8, 8])
    x.stop_gradient = False
    boxes = core.to_tensor([[5.0, 5.0, 2.0, 2.0], [1.0, 1.0, 4.0, 4.0]])
    found = ops.roi_align(x, boxes, core.to_tensor([2], dtype="int32"), 2, sampling_ratio=-1)
    found.sum().backward()
    assert found.reshape([2, -1]).tolist() == [[0.0] * 8, [1.0] * 8]
    assert float(x.grad.sum()) == pytest.approx(8.0)


def test_messages() -> None:
    x, boxes, counts = core.zeros([1, 4, 5, 5]), core.zeros([2, 4]), core.to_tensor([2])
    with pytest.raises(OperatorError, match=r"roi_align: x has the shape \(N, C, H, W\), but got \[4, 5, 5\]"):
        ops.roi_align(x[0], boxes, counts, 2)
    with pytest.raises(OperatorError, match=r"roi_pool: boxes has the shape \[boxes, 4\], but got \[2, 3\]"):
        ops.roi_pool(x, boxes[:, :3], counts, 2)
    with pytest.raises(OperatorError, match=r"one number for each of 1 images, but got \[2\]"):
        ops.roi_align(x, boxes, core.to_tensor([1, 1]), 2)
    with pytest.raises(OperatorError, match="boxes_num adds up to 3, but there are 2 boxes"):
        ops.roi_align(x, boxes, core.to_tensor([3]), 2)
    with pytest.raises(OperatorTypeError, match="boxes_num must hold integers, got float32"):
        ops.roi_align(x, boxes, core.zeros([1]), 2)
    with pytest.raises(OperatorTypeError, match="x must be floating-point, got int64"):
        ops.roi_align(x.astype("int64"), boxes, counts, 2)
    with pytest.raises(OperatorError, match="psroi_pool: 4 channels do not divide into 3 x 3 bins"):
        ops.psroi_pool(x, boxes, counts, 3)
    with pytest.raises(OperatorError, match="roi_pool: x is empty"):
        ops.roi_pool(core.zeros([0, 4, 5, 5]), boxes, core.zeros([0], "int64"), 2)

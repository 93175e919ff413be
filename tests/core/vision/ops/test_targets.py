"""Matching, sampling and targets of two-stage detectors: against PaddleDetection 2.6's stored answers and numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import core
from core.jit import to_static
from core.kernels.boxes import matching
from core.kernels.dispatch.errors import OperatorError
from core.vision import ops
from tests.parity.vision.make_targets import COUNTS, CROWDS, PROPOSALS, STORED, inputs, outlines

GIVEN = inputs()
TENSORS = {name: core.to_tensor(array) for name, array in GIVEN.items()}
COUNT = core.to_tensor(COUNTS, dtype="int32")


@pytest.fixture(scope="module")
def stored() -> Any:
    return np.load(STORED)


def anchor_targets(anchors: Any, boxes: Any, crowd: Any, count: Any, ignore: float, use_random: bool = False) -> Any:
    weights = (1.0, 1.0, 2.0, 2.0)
    return ops.rpn_anchor_target(anchors, boxes, 64, 0.7, 0.3, 0.5, use_random, ignore, crowd, weights, count)


@pytest.mark.parametrize("name", CROWDS)
def test_targets_of_anchors_are_the_official_ones(name: str, stored: Any) -> None:
    with_crowd, ignore = CROWDS[name]
    crowd = TENSORS["crowd"] if with_crowd else core.zeros_like(TENSORS["crowd"])
    given = TENSORS["anchors"], TENSORS["gt_boxes"], crowd, COUNT
    found = anchor_targets(*given, ignore)
    labels = stored[f"rpn {name} labels"]
    np.testing.assert_array_equal(found[0].numpy(), labels)
    positive = labels == 1
    assert positive.any(1).tolist() == [True, False, True]
    for part, rows in zip(("boxes", "deltas"), found[1:]):
        np.testing.assert_allclose(rows.numpy()[positive], stored[f"rpn {name} {part}"][positive], rtol=1e-5, atol=1e-6)
        assert not rows.numpy()[1].any()
    compiled = to_static(lambda *tensors: anchor_targets(*tensors, ignore))(*given)
    np.testing.assert_array_equal(compiled[0].numpy(), labels)


def proposal_targets(rois: Any, classes: Any, boxes: Any, crowd: Any, count: Any, number: Any, **options: Any) -> Any:
    given = {"use_random": False, **options}
    return ops.generate_proposal_target(
        rois, classes, boxes, 32, 0.25, 0.5, 0.4, 5, 0.4, crowd, gt_count=count, rois_num=number, **given
    )


@pytest.mark.parametrize("padding", [0, 3])
@pytest.mark.parametrize("name", PROPOSALS)
def test_targets_of_proposals_are_the_official_ones(name: str, padding: int, stored: Any) -> None:
    rois = np.pad(GIVEN["rois"], ((0, 0), (0, padding), (0, 0)), constant_values=7.0)
    number = core.to_tensor([60] * 3) if padding else None
    given = core.to_tensor(rois), TENSORS["gt_classes"], TENSORS["gt_boxes"], TENSORS["crowd"], COUNT
    found = proposal_targets(*given, number, **PROPOSALS[name])
    compiled = to_static(lambda *tensors: proposal_targets(*tensors, number, **PROPOSALS[name]))(*given)
    for one, other in zip(found, compiled):
        np.testing.assert_array_equal(one.numpy(), other.numpy())
    *parts, counts = (part.numpy() for part in found)
    np.testing.assert_array_equal(counts, stored[f"box {name} counts"])
    for image in range(3):
        official = [stored[f"box {name} {part} {image}"] for part in ("rois", "labels", "boxes", "places")]
        # rows of proposals behind the last one stand between proposals and objects where all rows are returned
        rows = parts[1][image] != -1 if name == "cascade" else np.arange(32) < counts[image]
        wanted = official[1].ravel() != -1 if name == "cascade" else slice(None)
        labels = official[1].ravel()[wanted]
        np.testing.assert_array_equal(parts[1][image][rows], labels)
        np.testing.assert_array_equal(parts[0][image][rows], official[0][wanted])
        shown = labels != 5
        np.testing.assert_array_equal(parts[2][image][rows][shown], official[2][wanted][shown])
        np.testing.assert_array_equal(parts[3][image][rows][shown], official[3].ravel()[wanted][shown])
        assert (parts[1][image][~rows] == -1).all()


def padded_outlines() -> np.ndarray:
    table = np.full((3, 4, 24, 3), -1.0)
    for image, objects in enumerate(outlines()):
        for place, shapes in enumerate(objects):
            number = np.repeat(np.arange(len(shapes)), [len(shape) // 2 for shape in shapes])
            rows = np.column_stack([np.concatenate(shapes).reshape(-1, 2), number])
            table[image, place, : len(rows)] = rows
    return table


def test_masks_of_outlines_are_the_official_ones(stored: Any) -> None:
    given = TENSORS["rois"], TENSORS["gt_classes"], TENSORS["gt_boxes"], TENSORS["crowd"], COUNT

    def masks(outline: Any, *given: Any) -> Any:
        rois, labels, _, places, _ = proposal_targets(*given, None)
        return (*ops.generate_mask_target(outline, rois, labels, places, 5, 14), labels)

    outline = core.to_tensor(padded_outlines())
    found, weights, labels = (tensor.numpy() for tensor in masks(outline, *given))
    shown = (labels != 5) & (labels != -1)
    np.testing.assert_array_equal(weights, shown)
    official = stored["mask weights"]  # an image without objects has a row of its own there, of weight 0
    wanted = np.unpackbits(stored["masks"])[: official.size * 196].reshape(-1, 14, 14)[official > 0]
    assert wanted.any((1, 2)).sum() > 9
    np.testing.assert_array_equal(found[shown], wanted)
    assert not found[~shown].any()
    np.testing.assert_array_equal(to_static(masks)(outline, *given)[0].numpy(), found)


def test_masks_of_bitmaps() -> None:
    bitmap = np.zeros((1, 2, 8, 10), np.uint8)
    bitmap[0, 1, 2:6, 3:7] = 1
    rois = core.to_tensor([[[3.0, 2.0, 7.0, 6.0], [1.0, 0.0, 9.0, 8.0], [0.0, 0.0, 4.0, 4.0], [5.0, 4.0, 13.0, 12.0]]])
    labels, places = core.to_tensor([[0, 2, 5, 1]]), core.to_tensor([[1, 1, 1, 1]])
    masks, weights = ops.generate_mask_target(core.to_tensor(bitmap).astype("bool"), rois, labels, places, 5, 4)
    wanted = np.zeros((4, 4, 4), np.int32)
    wanted[0] = 1
    wanted[1, 1:3, 1:3] = 1
    wanted[3, 0, 0] = 1
    np.testing.assert_array_equal(masks.numpy()[0], wanted)
    assert weights.tolist() == [[1, 1, 0, 1]]
    with pytest.raises(OperatorError, match="sampled_gt_inds go to 7, but there are 2 objects"):
        ops.generate_mask_target(core.to_tensor(bitmap), rois, labels, places + 6, 5, 4)
    with pytest.raises(OperatorError, match=r"target: inputs do not fit each other: float32\[1, 2, 3, 4\]"):
        ops.generate_mask_target(core.zeros([1, 2, 3, 4]), rois, labels, places, 5, 4)


@pytest.mark.parametrize("low_quality", [True, False])
@pytest.mark.parametrize("count", [17, 2 * matching.CHUNK + 5])
def test_matching_is_its_definition(count: int, low_quality: bool) -> None:
    random = np.random.default_rng(count)
    corner = random.uniform(0, 80, (3, count, 2)).round()
    boxes = np.concatenate([corner, corner + random.uniform(0, 30, (3, count, 2)).round()], -1).astype(np.float32)
    objects = boxes[:, 3:9] + random.integers(-2, 3, (3, 6, 1))
    kinds = np.array([[1, 2, 1, 1, 0, 1], [2, 2, 0, 0, 0, 0], [1, 1, 1, 1, 2, 2]], np.int8)
    rooms = np.array([count, count - 4, count - 2])
    for ignore in (-1.0, 0.4):
        limits = matching.Limits(0.6, 0.3, low_quality, ignore)
        for table in (boxes, boxes[:1]):
            found = matching.match(table, objects.astype(np.float32), kinds, rooms, limits)
            expected = matching.match_reference(table, objects.astype(np.float32), kinds, rooms, limits)
            np.testing.assert_array_equal(found[1], expected[1])
            np.testing.assert_array_equal(found[0], expected[0])


def test_samples() -> None:
    labels = np.tile(np.array([0, 1, -1, 2, 1, 0, 0, 5]), (2, 1))
    labels[1, :5] = -1
    places, counts, sampled = ops.subsample_labels(core.to_tensor(labels), 4, 0.5, 0, False)
    assert places.tolist() == [[1, 3, 0, 5], [7, 5, 6, -1]] and counts.tolist() == [[2, 2], [1, 2]]
    assert sampled.tolist()[0] == [0, 1, -1, 2, -1, 0, -1, -1]
    core.seed(3)
    many = core.to_tensor(np.tile(np.arange(1000) % 10, (2, 1)))
    draws = [ops.subsample_labels(many, 100, 0.3, 0)[0].numpy() for _ in range(2)]
    assert (draws[0] != draws[1]).any() and (draws[0][0] != draws[0][1]).any()
    core.seed(3)
    np.testing.assert_array_equal(ops.subsample_labels(many, 100, 0.3, 0)[0].numpy(), draws[0])
    for row in draws[0]:
        assert len(set(row.tolist())) == 100 and (row[:30] % 10 != 0).all() and (row[30:] % 10 == 0).all()


def test_pairs_of_boxes() -> None:
    one, two = GIVEN["gt_boxes"][0], GIVEN["rois"][0]
    found = ops.box_iou(core.to_tensor(one), core.to_tensor(two)).numpy()
    np.testing.assert_allclose(found, matching.pairwise(one, two), rtol=1e-6)
    assert ops.box_iou(TENSORS["gt_boxes"], TENSORS["anchors"]).shape == [3, 4, 360]
    empty = core.to_tensor([[1.0, 1.0, 1.0, 1.0]])
    empty.stop_gradient = False
    same = ops.box_iou(empty, empty.detach())
    same.sum().backward()
    assert same.tolist() == [[0.0]] and empty.grad.tolist() == [[0.0] * 4]


def test_messages() -> None:
    boxes, objects = TENSORS["anchors"], TENSORS["gt_boxes"]
    with pytest.raises(OperatorError, match=r"label_box: expects boxes \(A, 4\) or \(N, A, 4\) and gt_boxes"):
        ops.label_box(boxes[:, :3], objects, 0.5, 0.5, False)
    with pytest.raises(OperatorError, match=r"is_crowd has the shape \[3, 4\], but got \[3\]"):
        ops.label_box(boxes, objects, 0.5, 0.5, False, is_crowd=core.zeros([3], "int64"))
    with pytest.raises(OperatorError, match="gt_count says 9 objects, but gt_boxes holds 4"):
        ops.label_box(boxes, objects, 0.5, 0.5, False, gt_count=core.to_tensor([1, 9, 2]))
    with pytest.raises(OperatorError, match=r"subsample_labels: labels are integers \(N, A\), got float32\[2\]"):
        ops.subsample_labels(core.zeros([2]), 3, 0.5)
    with pytest.raises(OperatorError, match="num_samples must be positive and fg_fraction from 0 to 1, got 0 and 2"):
        ops.subsample_labels(core.zeros([1, 2], "int64"), 0, 2)
    with pytest.raises(OperatorError, match=r"box_iou: boxes2 has the shape \(..., boxes, 4\), but got \[360, 3\]"):
        ops.box_iou(objects, boxes[:, :3])

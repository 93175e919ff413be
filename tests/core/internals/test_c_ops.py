"""Operators by their inner names give the public functions' results, in the inner order of arguments and results."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import core
from core.framework import LayerHelper
from core.internals import _C_ops, _legacy_C_ops
from core.jit import to_static
from core.vision import ops

RANDOM = np.random.default_rng(3)
CORNERS = RANDOM.uniform(0, 20, (1, 12, 2))
BOXES = core.to_tensor(np.concatenate([CORNERS, CORNERS + RANDOM.uniform(3, 12, CORNERS.shape)], -1), "float32")
SCORES = core.to_tensor(RANDOM.uniform(0, 1, (1, 3, 12)), "float32")
COUNTS = core.to_tensor([5, 7], dtype="int32")
MAPS, IMAGES = core.zeros([1, 3, 2, 3]), core.zeros([1, 3, 20, 30])
PROPOSED = [core.to_tensor(RANDOM.uniform(0, 1, shape), "float32") for shape in ((1, 2, 2, 3), (1, 8, 2, 3))]
PROPOSED += [core.to_tensor([[30.0, 30.0]]), BOXES[0], core.ones([12, 4])]


def assert_same(found: Any, expected: Any) -> None:
    if isinstance(expected, (list, tuple)):
        assert len(found) == len(expected)
        for got, wanted in zip(found, expected):
            assert_same(got, wanted)
    else:
        np.testing.assert_array_equal(found.numpy(), expected.numpy())


def pairs(**attributes: Any) -> list[Any]:
    return [part for pair in attributes.items() for part in pair]


def test_multiclass_nms3() -> None:
    rows, numbers, places = ops.multiclass_nms(BOXES, SCORES, 0.2, 9, 8, 0.4, False, 0.9, 1, return_index=True)
    assert_same(_C_ops.multiclass_nms3(BOXES, SCORES, None, 0.2, 9, 8, 0.4, False, 0.9, 1), (rows, places, numbers))
    given = pairs(
        background_label=1, score_threshold=0.2, nms_top_k=9, nms_threshold=0.4, keep_top_k=8, nms_eta=0.9,
        normalized=False,
    )  # fmt: skip
    assert_same(_legacy_C_ops.multiclass_nms3(BOXES, SCORES, None, *given), (rows, places, numbers))
    regions, likely = BOXES[0].unsqueeze(1).tile([1, 2, 1]), SCORES[0, :2].t()
    rows, numbers, places = ops.multiclass_nms(
        regions, likely, 0.2, 9, 8, background_label=0, return_index=True, rois_num=COUNTS
    )
    assert numbers.shape == [2]
    assert_same(_C_ops.multiclass_nms3(regions, likely, COUNTS, 0.2, 9, 8), (rows, places, numbers))


def test_matrix_nms() -> None:
    rows, numbers, places = ops.matrix_nms(BOXES, SCORES, 0.2, 0.1, 9, 8, True, 3.0, 1, False, return_index=True)
    assert_same(_C_ops.matrix_nms(BOXES, SCORES, 0.2, 9, 8, 0.1, True, 3.0, 1, False), (rows, places, numbers))
    given = pairs(
        background_label=1, score_threshold=0.2, post_threshold=0.1, nms_top_k=9, gaussian_sigma=3.0, use_gaussian=True,
        keep_top_k=8, normalized=False,
    )  # fmt: skip
    assert_same(_legacy_C_ops.matrix_nms(BOXES, SCORES, *given), (rows, places, numbers))


def test_distribute_fpn_proposals() -> None:
    rois, restore, numbers = ops.distribute_fpn_proposals(BOXES[0], 2, 4, 3, 8, True, COUNTS)
    assert_same(_C_ops.distribute_fpn_proposals(BOXES[0], COUNTS, 2, 4, 3, 8, True), (rois, numbers, restore))
    given = pairs(min_level=2, max_level=4, refer_level=3, refer_scale=8)  # with pixel_offset, when it is not said
    assert_same(_legacy_C_ops.distribute_fpn_proposals(BOXES[0], COUNTS, 3, 3, *given), (rois, restore, numbers))


def test_generate_proposals() -> None:
    expected = ops.generate_proposals(*PROPOSED, 9, 5, 0.6, 2.0, 0.9, True, return_rois_num=True)
    assert_same(_C_ops.generate_proposals(*PROPOSED, 9, 5, 0.6, 2.0, 0.9), expected)
    given = pairs(pre_nms_topN=9, post_nms_topN=5, nms_thresh=0.6, min_size=2.0, eta=0.9, pixel_offset=True)
    assert_same(_legacy_C_ops.generate_proposals_v2(*PROPOSED, *given), expected)


def test_anchors() -> None:
    expected = ops.prior_box(MAPS, IMAGES, [4.0], [8.0], [2.0], [0.1] * 4, True, True, [5.0, 6.0], 0.3, True)
    found = _C_ops.prior_box(MAPS, IMAGES, [4.0], [8.0], [2.0], [0.1] * 4, True, True, 5.0, 6.0, 0.3, True)
    assert_same(found, expected)
    given = pairs(
        min_sizes=[4.0], aspect_ratios=[2.0], variances=[0.1] * 4, flip=True, clip=True, step_w=5.0, step_h=6.0,
        offset=0.3, min_max_aspect_ratios_order=True, max_sizes=[8.0],
    )  # fmt: skip
    assert_same(_legacy_C_ops.prior_box(MAPS, IMAGES, *given), expected)
    given = pairs(anchor_sizes=[32.0], aspect_ratios=[0.5, 1.0], variances=[0.2] * 4, stride=[16.0, 16.0], offset=0.5)
    expected = ops.anchor_generator(MAPS, [32.0], [0.5, 1.0], [0.2] * 4, [16.0, 16.0])
    assert_same(_legacy_C_ops.anchor_generator(MAPS, *given), expected)


def test_box_coder() -> None:
    boxes, spread = BOXES[0], [0.1, 0.1, 0.2, 0.2]
    options = ("encode_center_size", False, 0)
    shared, own = (ops.box_coder(boxes, given, boxes, *options) for given in (spread, boxes))
    assert_same(_C_ops.box_coder(boxes, None, boxes, *options, spread), shared)
    assert_same(_C_ops.box_coder(boxes, boxes, boxes, *options, []), own)
    assert_same(_C_ops.box_coder(boxes, None, boxes), ops.box_coder(boxes, None, boxes))
    given = pairs(code_type="encode_center_size", box_normalized=False, axis=0)
    assert_same(_legacy_C_ops.box_coder(boxes, boxes, boxes, *given), own)
    assert_same(_legacy_C_ops.box_coder(boxes, None, boxes, *given, "variance", spread), shared)


def test_numel() -> None:
    assert _C_ops.numel(BOXES).numpy() == 48


def test_c_allreduce_sum_is_another_tensor_with_the_gradient_of_the_sum() -> None:
    x = core.to_tensor([1.0, 2.0], stop_gradient=False)
    total = _legacy_C_ops.c_allreduce_sum(x, "ring_id", 0, "use_calc_stream", True)
    assert total is not x and total.tolist() == [1.0, 2.0]
    (total * core.to_tensor([3.0, 4.0])).sum().backward()
    assert x.grad.tolist() == [3.0, 4.0]
    with pytest.raises(ValueError, match="ring_id is 0, the group of all processes, not 3"):
        _legacy_C_ops.c_allreduce_sum(x, "ring_id", 3)


def test_operators_are_appended_by_name() -> None:
    def anchors(x: core.Tensor, image: core.Tensor) -> tuple[core.Tensor, core.Tensor]:
        helper = LayerHelper("prior_box")
        boxes, spread = (helper.create_variable_for_type_inference("float32") for _ in range(2))
        outputs = {"Boxes": boxes, "Variances": spread}
        helper.append_op("prior_box", {"Input": x, "Image": [image]}, outputs, {"min_sizes": [4.0], "clip": False})
        return boxes, spread

    assert_same(to_static(anchors)(MAPS, IMAGES), ops.prior_box(MAPS, IMAGES, [4.0], flip=True))
    helper = LayerHelper("multiclass_nms3")
    outputs = {name: helper.create_variable_for_type_inference("float32") for name in ("Out", "Index", "NmsRoisNum")}
    attributes = {"score_threshold": 0.2, "nms_top_k": 9, "keep_top_k": 8}
    helper.append_op("multiclass_nms3", {"BBoxes": BOXES, "Scores": SCORES}, outputs, attributes)
    assert_same(list(outputs.values()), _C_ops.multiclass_nms3(BOXES, SCORES, None, 0.2, 9, 8))


def test_attributes_that_are_wrong() -> None:
    with pytest.raises(ValueError, match="matrix_nms: there is no attribute 'threshold', only score_threshold, post_"):
        _legacy_C_ops.matrix_nms(BOXES, SCORES, "threshold", 0.1)
    with pytest.raises(ValueError, match="names and values in turn, but 'nms_top_k' has no value"):
        _legacy_C_ops.matrix_nms(BOXES, SCORES, "score_threshold", 0.1, "nms_top_k")

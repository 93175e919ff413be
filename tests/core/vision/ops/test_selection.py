"""Selecting boxes: the kernels against their definitions, padded forms in programs, the anchors of RPN, messages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from core.jit import to_static
from core.kernels.boxes import multiclass, polygons, suppression
from core.kernels.dispatch.errors import OperatorError, OperatorTypeError
from core.kernels.numeric import introsort
from core.static import InputSpec
from core.vision import ops

RANDOM = np.random.default_rng(11)
CORNERS = RANDOM.integers(0, 6, (2, 30, 2))
TIED = np.concatenate([CORNERS, CORNERS + RANDOM.integers(-1, 6, CORNERS.shape)], axis=-1).astype(np.float32)
SCORES = (RANDOM.integers(0, 9, (2, 3, 30)) / 8).astype(np.float32)


@pytest.mark.parametrize("count", [0, 1, 2, 16, 17, 300])
@pytest.mark.parametrize("values", [2, 1000])
def test_orders_are_orders(count: int, values: int) -> None:
    scores = RANDOM.integers(0, values, count).astype(np.float32)
    falling = np.sort(scores)[::-1]
    for order in (introsort.descending(scores), introsort.largest(scores, count), introsort.top(scores, count)):
        np.testing.assert_array_equal(np.sort(order), np.arange(count))
        np.testing.assert_array_equal(scores[order], falling)
    for some in {0, 1, count // 2}:
        for order in (introsort.largest(scores, some), introsort.top(scores, some)):
            np.testing.assert_array_equal(scores[order], falling[:some])
        np.testing.assert_array_equal(np.sort(scores[introsort.chosen(scores, some)])[::-1], falling[:some])


def test_sorting_takes_any_scores() -> None:
    n = 5000  # each pivot is among the smallest of its part, so that the heap takes over
    killer = np.zeros(n, np.float32)
    killer[: n // 2 : 2], killer[n // 2 :] = np.arange(1, n // 2 + 1, 2), 2 * np.arange(1, n // 2 + 1)
    killer[1 : n // 2 : 2] = n // 2 + np.arange(1, n // 2 + 1, 2)
    for scores in (killer, -killer, np.arange(n, dtype=np.float32), np.full(n, np.nan, np.float32)):
        np.testing.assert_array_equal(scores[introsort.descending(scores)], -np.sort(-scores))
    chosen = introsort.chosen(-killer, 40)
    np.testing.assert_array_equal(np.sort(-killer[chosen]), np.sort(-killer)[-40:])
    mixed = np.array([np.nan, 1, np.inf, -np.inf, np.nan, 3], np.float32)
    np.testing.assert_array_equal(introsort.descending(mixed), [0, 2, 4, 5, 1, 3])


@pytest.mark.parametrize(("threshold", "plus", "eta"), [(0.5, 0.0, 1.0), (0.75, 1.0, 0.5), (0.0, 0.0, 1.0)])
@pytest.mark.parametrize("dtype", ["float32", pytest.param("float64", marks=pytest.mark.exhaustive)])
def test_suppression_of_boxes_that_are_alike_empty_or_turned(
    threshold: float, plus: float, eta: float, dtype: str
) -> None:
    boxes = TIED[0].astype(dtype)
    expected = suppression.suppress_reference(boxes, threshold, plus, eta)
    np.testing.assert_array_equal(suppression.suppress(boxes, threshold, plus, eta), expected)
    expected = suppression.suppress_crossing_reference(boxes, threshold)
    np.testing.assert_array_equal(suppression.suppress_crossing(boxes, threshold), expected)


def test_more_boxes_than_are_compared_at_once() -> None:
    corners = RANDOM.uniform(0, 60, (900, 2))
    boxes = np.concatenate([corners, corners + RANDOM.uniform(1, 5, (900, 2))], axis=1).astype(np.float32)
    kept = suppression.suppress(boxes, 0.1)
    assert len(kept) > 3 * suppression.AT_ONCE
    np.testing.assert_array_equal(kept, suppression.suppress_reference(boxes, 0.1))


def tasks_of(boxes: np.ndarray, scores: np.ndarray) -> multiclass.Tasks:
    images, classes, count = scores.shape
    table, zeros = np.repeat(np.arange(images), classes), np.zeros(images * classes, np.int64)
    return multiclass.Tasks(boxes, scores.reshape(-1, count), table, np.arange(len(table)), zeros, zeros + count)


@pytest.mark.parametrize("rule", [(0.125, -1, 0.5, 1.0, 0.0), (0.0, 9, 0.75, 0.5, 1.0), (2.0, -1, 0.5, 1.0, 0.0)])
def test_selection_within_classes_is_its_definition(rule: tuple[Any, ...]) -> None:
    tasks, limits = tasks_of(TIED, SCORES), multiclass.Rule(*rule)
    found, expected = multiclass.select(tasks, limits), multiclass.select_reference(tasks, limits)
    assert len(found.counts) == len(expected.counts) == 6
    for got, wanted in zip(found, expected):
        np.testing.assert_array_equal(got, wanted)


def test_threads_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    tasks, rule = tasks_of(TIED, SCORES), multiclass.Rule(0.125, -1, 0.5, 1.0, 0.0)
    alone = multiclass.select(tasks, rule)
    monkeypatch.setattr(multiclass, "WORTH_THREADS", 0)
    for got, wanted in zip(multiclass.select(tasks, rule), alone):
        np.testing.assert_array_equal(got, wanted)


def around(corners: int, radius: float, count: int) -> np.ndarray:
    """Return convex polygons, shape [count, 2 * corners]."""
    angles = np.sort(RANDOM.uniform(0, 2 * np.pi, (count, corners)), axis=1)
    center = RANDOM.uniform(0, 4, (count, 1, 2))
    return (center + radius * np.stack([np.cos(angles), np.sin(angles)], -1)).reshape(count, -1)


def test_areas_of_polygons() -> None:
    square, cut = np.array([0, 0, 4, 0, 4, 4, 0, 4.0]), np.array([2, 2, 2, 6, 6, 6, 6, 2.0])
    assert polygons.area(square) == polygons.area(cut) == 16 and polygons.common_area(square, cut) == 4
    arrow = np.array([0, 0, 4, 0, 4, 4, 2, 1.0])  # not convex
    assert polygons.area(arrow) == 6 == polygons.common_area(square, arrow)
    assert polygons.common_area(square, square + 5) == polygons.common_area(square, square[:2].repeat(4)) == 0
    for one, two in zip(around(4, 2, 20), around(8, 2, 20)):
        common, both = polygons.common_area(one, two), polygons.area(one) + polygons.area(two)
        expected = multiclass.polygon_overlap_reference(one, two)
        np.testing.assert_allclose(common / (both - common), expected, atol=1e-9)


def test_selection_of_polygons_is_its_definition() -> None:
    tasks = tasks_of(around(8, 2, 24)[None].astype(np.float32), SCORES[:1, :, :24])
    rule = multiclass.Rule(0.1, -1, 0.3, 1.0, 0.0)
    for got, wanted in zip(multiclass.select(tasks, rule), multiclass.select_reference(tasks, rule)):
        np.testing.assert_array_equal(got, wanted)


def multiclass_call(boxes: core.Tensor, scores: core.Tensor, **options: Any) -> Any:
    return ops.multiclass_nms(boxes, scores, 0.2, 20, 12, 0.4, return_index=True, **options)


def matrix_call(boxes: core.Tensor, scores: core.Tensor, **options: Any) -> Any:
    return ops.matrix_nms(boxes, scores, 0.2, 0.1, 20, 12, return_index=True, **options)


@pytest.mark.parametrize("call", [multiclass_call, matrix_call])
def test_padded_rows_are_the_rows_and_rows_without_a_box(call: Any) -> None:
    boxes, scores = core.to_tensor(TIED), core.to_tensor(SCORES)
    scores[1, :, 5:] = 0.0  # the second image has few
    rows, numbers, places = (tensor.numpy() for tensor in call(boxes, scores))
    table, counts, origin = (tensor.numpy() for tensor in call(boxes, scores, padded=True))
    np.testing.assert_array_equal(counts, numbers)
    assert table.shape == (2, 12, 6) and origin.shape == (2, 12, 1) and counts[1] < 12
    for image, (begin, end) in enumerate(((0, counts[0]), (counts[0], sum(counts)))):
        np.testing.assert_array_equal(table[image, : counts[image]], rows[begin:end])
        np.testing.assert_array_equal(origin[image, : counts[image]], places[begin:end])
        assert (table[image, counts[image] :] == [-1, 0, 0, 0, 0, 0]).all()
        assert (origin[image, counts[image] :] == -1).all()


def test_padded_forms_compile_and_are_exported_for_any_number_of_boxes(tmp_path: Path) -> None:
    def select(boxes: core.Tensor, scores: core.Tensor) -> Any:
        best = ops.nms(boxes[0], 0.4, scores[0, 0], top_k=40, padded=True)
        return multiclass_call(boxes, scores, padded=True), matrix_call(boxes, scores, padded=True), best

    def flat(results: Any) -> list[np.ndarray]:
        return [np.asarray(item) for item in (*results[0], *results[1], results[2])]

    boxes, scores = core.to_tensor(TIED), core.to_tensor(SCORES)
    expected = flat(select(boxes, scores))
    assert expected[-1].shape == (40,) and expected[-1][30:].tolist() == [-1] * 10
    for got, wanted in zip(flat(to_static(select)(boxes, scores)), expected):
        np.testing.assert_array_equal(got, wanted)
    specs = [InputSpec([None, None, 4], name="boxes"), InputSpec([None, 3, None], name="scores")]
    core.jit.save(select, str(tmp_path / "select"), specs)
    predictor = core.jit.Predictor(str(tmp_path / "select"))
    for got, wanted in zip(flat(predictor.run([TIED, SCORES])), expected):
        np.testing.assert_array_equal(got, wanted)
    few = flat(select(boxes[:1, :7], scores[:1, :, :7]))
    for got, wanted in zip(flat(predictor.run([TIED[:1, :7], SCORES[:1, :, :7]])), few):
        np.testing.assert_array_equal(got, wanted)


def test_padded_regions_and_proposals_compile() -> None:
    counts = core.to_tensor([10, 20], dtype="int32")

    def regions(boxes: core.Tensor, scores: core.Tensor, **options: Any) -> Any:
        return ops.multiclass_nms(boxes, scores, 0.2, -1, 40, 0.4, rois_num=counts, return_index=True, **options)

    boxes, scores = core.to_tensor(TIED.transpose(1, 0, 2)), core.to_tensor(SCORES[0, :2].T)
    rows, numbers, _ = regions(boxes, scores)
    table, found, _ = to_static(lambda *given: regions(*given, padded=True))(boxes, scores)
    assert found.tolist() == numbers.tolist() and table.shape == [2, 40, 6]
    np.testing.assert_array_equal(table.numpy()[0, : found[0]], rows.numpy()[: found[0]])

    given = [core.rand([2, 3, 2, 5]), core.rand([2, 12, 2, 5]) - 0.5, core.to_tensor([[30.0, 20.0], [9.0, 9.0]])]
    anchors = core.to_tensor(np.abs(TIED[0]) * 3)
    given += [anchors, core.ones_like(anchors)]
    boxes, ranks, numbers = ops.generate_proposals(*given, 20, 9, return_rois_num=True)
    table, found, counts = to_static(
        lambda *tensors: ops.generate_proposals(*tensors, 20, 9, return_rois_num=True, padded=True)
    )(*given)
    assert table.shape == [2, 9, 4] and found.shape == [2, 9, 1] and counts.tolist() == numbers.tolist()
    first = int(numbers[0])
    np.testing.assert_array_equal(table.numpy()[0, :first], boxes.numpy()[:first])
    np.testing.assert_array_equal(found.numpy()[1, : int(numbers[1])], ranks.numpy()[first:])
    assert not table.numpy()[1, int(numbers[1]) :].any()


def test_selecting_among_nothing() -> None:
    rows, numbers, places = ops.multiclass_nms(core.zeros([2, 0, 4]), core.zeros([2, 3, 0]), 0.1, 5, 5)
    assert rows.shape == [0, 6] and numbers.tolist() == [0, 0] and places is None
    rows, numbers, places = ops.multiclass_nms(core.zeros([0, 3, 4]), core.zeros([0, 3]), 0.1, 5, 5, return_index=True)
    assert rows.shape == [0, 6] and numbers.tolist() == [0] and places.shape == [0, 1]
    only = ops.multiclass_nms(core.ones([1, 2, 8]), core.ones([1, 1, 2]), 0.1, 5, 5, background_label=0)
    assert only[0].shape == [0, 10] and only[1].tolist() == [0]
    rows, numbers, _ = ops.multiclass_nms(core.zeros([0, 5, 4]), core.zeros([0, 2, 5]), 0.1, 5, 5)
    assert rows.shape == [0, 6] and numbers.shape == [0]
    half = ops.multiclass_nms(core.to_tensor(TIED, dtype="float16"), core.to_tensor(SCORES, dtype="float16"), 0.1, 5, 5)
    assert half[0].dtype == core.float32
    without = ops.multiclass_nms(core.to_tensor(TIED), core.to_tensor(SCORES), 0.1, 5, 5, return_rois_num=False)
    assert without[1:] == (None, None)


def test_padded_levels_give_the_features_of_all_boxes() -> None:
    maps = [core.rand([2, 3, size, size]) for size in (16, 8, 4)]
    corners = RANDOM.uniform(0, 20, (9, 2))
    boxes = core.to_tensor(np.concatenate([corners, corners + RANDOM.uniform(2, 80, (9, 2))], 1), "float32")
    counts = core.to_tensor([4, 5], dtype="int32")

    def features(boxes: core.Tensor, counts: core.Tensor, padded: bool) -> core.Tensor:
        levels, restore, numbers = ops.distribute_fpn_proposals(boxes, 2, 4, 3, 30, rois_num=counts, padded=padded)
        made = [
            ops.roi_align(level_map, level, number, 2, 0.5**scale)
            for scale, (level_map, level, number) in enumerate(zip(maps, levels, numbers), 2)
            if level.shape[0]
        ]
        return core.concat(made).gather(restore.flatten())

    levels, restore, numbers = ops.distribute_fpn_proposals(boxes, 2, 4, 3, 30, rois_num=counts, padded=True)
    assert [level.shape for level in levels] == [[9, 4]] * 3
    assert set((restore // 9).flatten().tolist()) == {0, 1, 2}
    assert [int(number.sum()) for number in numbers] == [9, 9, 9]
    expected = features(boxes, counts, False).numpy()
    np.testing.assert_array_equal(features(boxes, counts, True).numpy(), expected)
    found = to_static(lambda *given: features(*given, True))(boxes, counts)
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-6)
    assert ops.distribute_fpn_proposals(core.zeros([0, 4]), 2, 4, 3, 30, padded=True)[1].shape == [0, 1]


def test_anchors_for_any_size_are_exported(tmp_path: Path) -> None:
    def anchors(x: core.Tensor, image: core.Tensor) -> Any:
        of_pixels = ops.anchor_generator(x, [32.0, 64.0], [0.5, 1.0], stride=[16.0, 8.0])
        return *of_pixels, *ops.prior_box(x, image, [4.0, 8.0], [8.0, 12.0], [1.0, 2.0], flip=True, clip=True)

    specs = [InputSpec([None, 3, None, None], name=name) for name in ("x", "image")]
    core.jit.save(anchors, str(tmp_path / "anchors"), specs)
    x, image = core.zeros([1, 3, 5, 7]), core.zeros([1, 3, 70, 90])
    for got, wanted in zip(core.jit.load(str(tmp_path / "anchors"))(x, image), anchors(x, image)):
        np.testing.assert_array_equal(got.numpy(), wanted.numpy())
    boxes = anchors(x, image)[0].numpy()
    np.testing.assert_array_equal(boxes[2, 3, 2] + boxes[2, 3, 2, [2, 3, 0, 1]], [111, 39, 111, 39])  # twice the center
    assert ops.prior_box(x[:, :, :0], image, 4.0)[0].shape == [0, 7, 1, 4]


def test_messages() -> None:
    boxes, scores = core.to_tensor(TIED), core.to_tensor(SCORES)
    with pytest.raises(OperatorError, match=r"expects bboxes \(N, boxes, 4, 8, 16, 24 or 32\) and scores"):
        ops.multiclass_nms(boxes, scores[:, :, :3], 0.1, 5, 5)
    with pytest.raises(OperatorError, match=r"got \[30, 2, 8\] and \[30, 2\]"):
        ops.multiclass_nms(core.ones([30, 2, 8]), core.ones([30, 2]), 0.1, 5, 5)
    with pytest.raises(OperatorError, match="rois_num adds up to 31, but there are 30 boxes"):
        ops.multiclass_nms(core.ones([30, 2, 4]), core.ones([30, 2]), 0.1, 5, 5, rois_num=core.to_tensor([31]))
    with pytest.raises(OperatorTypeError, match="multiclass_nms: rois_num must hold integers, got float32"):
        ops.multiclass_nms(core.ones([30, 2, 4]), core.ones([30, 2]), 0.1, 5, 5, rois_num=core.ones([1]))
    with pytest.raises(OperatorTypeError, match="multiclass_nms: scores must be floating-point, got int64"):
        ops.multiclass_nms(boxes, scores.astype("int64"), 0.1, 5, 5)
    for call in (
        lambda: ops.multiclass_nms(boxes, scores, 0.1, 5, -1, padded=True),
        lambda: ops.matrix_nms(boxes, scores, 0.1, 0.1, 5, -1, padded=True),
    ):
        with pytest.raises(OperatorError, match="padded=True returns keep_top_k rows, which must be 1 or more, got -1"):
            call()
    with pytest.raises(OperatorError, match="nms: padded=True returns top_k rows, which must be 1 or more, got None"):
        ops.nms(boxes[0], padded=True)
    with pytest.raises(OperatorError, match="multiclass_suppression: the output shape depends on data, .* padded=True"):
        to_static(multiclass_call)(boxes, scores)
    x = core.zeros([1, 3, 2, 2])
    with pytest.raises(OperatorError, match=r"stride has 2 numbers and variance 4, got \[\] and \[0.1, "):
        ops.anchor_generator(x, 32.0, 1.0)
    with pytest.raises(OperatorError, match=r"aspect_ratios \[0.0\] and stride \[4.0, 4.0\] must be positive"):
        ops.anchor_generator(x, 32.0, 0.0, stride=[4, 4])
    with pytest.raises(OperatorTypeError, match="anchor_sizes is a number or a list of numbers, got 'large'"):
        ops.anchor_generator(x, "large", 1.0, stride=[4, 4])
    given = [core.ones([1, 2, 3, 3]), core.ones([1, 8, 3, 3]), core.ones([1, 2])]
    with pytest.raises(OperatorError, match=r"anchors has the shape \[18, 4\], but got \[17, 4\]"):
        ops.generate_proposals(*given, core.ones([17, 4]), core.ones([18, 4]))


def test_programs_whose_inputs_do_not_fit_are_refused_when_they_are_loaded(tmp_path: Path) -> None:
    specs = [InputSpec([1, 30, 4], name="boxes"), InputSpec([1, 3, 30], name="scores")]
    core.jit.save(lambda *given: multiclass_call(*given, padded=True), str(tmp_path / "select"), specs)
    path = tmp_path / "select" / "program.json"
    text = path.read_text(encoding="utf-8")
    for good, bad in (("[1, 3, 30]", "[1, 3, 5000]"), ("[1, 30, 4]", "[1, 30, 2]"), ("[1, 30, 4]", "[2, 30, 4]")):
        assert good in text
        path.write_text(text.replace(good, bad), encoding="utf-8")
        with pytest.raises(ValueError, match="multiclass_nms: inputs do not fit each other: float32"):
            core.jit.Predictor(str(tmp_path / "select"))

"""Soft suppression against a plain definition, and as part of programs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from core.jit import to_static
from core.kernels.boxes import multiclass, soft
from core.kernels.dispatch.errors import OperatorError
from core.static import InputSpec
from core.vision import ops

RANDOM = np.random.default_rng(4)
CORNERS = RANDOM.uniform(0, 30, (2, 40, 2))
BOXES = np.concatenate([CORNERS, CORNERS + RANDOM.uniform(5, 25, (2, 40, 2))], -1).round().astype(np.float32)
SCORES = RANDOM.random((2, 3, 40)).astype(np.float32)


def overlap(one: np.ndarray, two: np.ndarray, plus: float) -> float:
    sides = np.minimum(one[2:], two[2:]) - np.maximum(one[:2], two[:2]) + plus
    common = sides.prod() if (sides > 0).all() else 0.0
    return float(common / ((one[2:] - one[:2] + plus).prod() + (two[2:] - two[:2] + plus).prod() - common))


def defined(boxes: np.ndarray, scores: np.ndarray, method: str, plus: float) -> list[tuple[int, float]]:
    """Places and lowered scores of one class, in the order in which they are kept."""
    left = {place: float(score) for place, score in enumerate(scores) if score > 0.2}
    kept = []
    while left:
        best = max(left, key=lambda place: left[place])
        kept.append((best, left.pop(best)))
        for place in list(left):
            shared = overlap(boxes[best].astype(np.float64), boxes[place].astype(np.float64), plus)
            if method == "gaussian":
                left[place] *= np.exp(-(shared**2) / 0.5)
            elif shared > 0.3:
                left[place] *= 1 - shared
            if left[place] <= 0.2:
                del left[place]
    return kept


def call(*tensors: core.Tensor, **options: Any) -> Any:
    return ops.multiclass_nms(*tensors, 0.2, -1, 15, 0.3, return_index=True, **options)


@pytest.mark.parametrize("normalized", [True, False])
@pytest.mark.parametrize("method", ["linear", "gaussian"])
def test_rows_are_those_of_the_definition(method: str, normalized: bool) -> None:
    rows, counts, places = call(core.to_tensor(BOXES), core.to_tensor(SCORES), soft=method, normalized=normalized)
    end = 0
    for image in range(2):
        kept = [
            (label, score, place)
            for label in range(3)
            for place, score in defined(BOXES[image], SCORES[image, label], method, 0.0 if normalized else 1.0)
        ]
        assert len(kept) > 15
        best = sorted(sorted(kept, key=lambda row: -row[1])[:15], key=lambda row: row[0])
        begin, end = end, end + int(counts[image])
        assert end - begin == 15
        found = rows.numpy()[begin:end]
        np.testing.assert_array_equal(found[:, 0], [label for label, _, _ in best])
        np.testing.assert_allclose(found[:, 1], [score for _, score, _ in best], rtol=1e-5)
        np.testing.assert_array_equal(places.numpy()[begin:end, 0], [image * 40 + place for _, _, place in best])
        np.testing.assert_array_equal(found[:, 2:], BOXES[image, [place for _, _, place in best]])


@pytest.mark.parametrize("gaussian", [True, pytest.param(False, marks=pytest.mark.exhaustive)])
def test_the_kernel_is_its_reference(gaussian: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    zeros = np.zeros(6, np.int64)
    tasks = multiclass.Tasks(
        BOXES, SCORES.reshape(6, 40), np.repeat(np.arange(2), 3), np.arange(6), zeros + 2, zeros + 38
    )
    rule = soft.SoftRule(0.1, 20, 0.3, gaussian, 0.4, 0.0)
    expected, lowered = soft.select_soft_reference(tasks, rule)
    alone = soft.select_soft(tasks, rule)
    monkeypatch.setattr(soft, "WORTH_THREADS", 0)
    for found, ranks in (alone, soft.select_soft(tasks, rule)):
        np.testing.assert_array_equal(found.places, expected.places)
        np.testing.assert_array_equal(found.counts, expected.counts)
        np.testing.assert_allclose(ranks, lowered, rtol=1e-5)


def test_regions_of_several_images_and_padded_programs(tmp_path: Path) -> None:
    boxes, scores = core.to_tensor(BOXES.transpose(1, 0, 2).copy()), core.to_tensor(SCORES[0, :2].T.copy())
    rows, counts, _ = call(boxes, scores, rois_num=core.to_tensor([15, 25]), soft="linear")
    first, _, _ = call(boxes[:15], scores[:15], soft="linear")
    np.testing.assert_array_equal(rows.numpy()[: int(counts[0])], first.numpy())

    def select(boxes: core.Tensor, scores: core.Tensor) -> Any:
        return call(boxes, scores, soft="gaussian", padded=True)

    tensors = core.to_tensor(BOXES), core.to_tensor(SCORES)
    table, numbers, _ = select(*tensors)
    np.testing.assert_array_equal(to_static(select)(*tensors)[0].numpy(), table.numpy())
    specs = [InputSpec([None, None, 4], name="boxes"), InputSpec([None, 3, None], name="scores")]
    core.jit.save(select, str(tmp_path / "soft"), specs)
    found = core.jit.load(str(tmp_path / "soft"))(*tensors)
    np.testing.assert_array_equal(found[0].numpy(), table.numpy())
    assert found[1].tolist() == numbers.tolist() == [15, 15]
    nothing, none, _ = ops.multiclass_nms(core.zeros([2, 0, 4]), core.zeros([2, 3, 0]), 0.1, 5, 5, soft="linear")
    assert nothing.shape == [0, 6] and none.tolist() == [0, 0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"soft": "hard"}, "soft is 'linear', 'gaussian' or None, got 'hard'"),
        ({"soft": "linear", "soft_sigma": 0.0}, "soft_sigma must be positive, got 0.0"),
        ({"soft": "linear", "nms_eta": 0.9}, "takes boxes of 4 coordinates and nms_eta=1, got 4 and 0.9"),
    ],
)
def test_messages(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OperatorError, match=re.escape(message)):
        call(core.to_tensor(BOXES), core.to_tensor(SCORES), **options)

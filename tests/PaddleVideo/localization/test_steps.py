"""From a network's outputs to intervals, by hand, and the submission that they make."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from PaddleVideo.localization.pictures import Line, timelines
from PaddleVideo.localization.steps import KINDS, DetectionSteps, ProposalSteps, SegmentationSteps
from PaddleVideo.localization.submission import rows_of, write_submission
from PaddleVideo.models.localizers.anchors import anchors

FOUND = np.array([[1, 0.75, 2.0, 3.5]])


def test_detections() -> None:
    offsets, logits = np.zeros((len(anchors(64)), 2)), np.full((len(anchors(64)), 3), [30.0, 0.0, 0.0])
    logits[0] = [0.0, 0.0, 30.0]  # the first anchor: the middle of the first four steps, as wide as them
    found = DetectionSteps(5, 64).found([offsets, logits], 32.0)
    np.testing.assert_allclose(found, [[1.0, 1.0, 0.0, 2.0]], atol=1e-6)
    assert DetectionSteps(5, 64, keep=2).found([offsets, logits * 0.0], 32.0).shape == (2, 4)


def test_proposals() -> None:
    maps, starts, ends = np.full((2, 3, 4), 0.1), np.full(4, 0.1), np.full(4, 0.1)
    maps[:, 1, 2] = 1.0  # two steps from the third on
    starts[2] = ends[3] = 0.9
    best = ProposalSteps(5, 4).found([maps, starts, ends], 8.0)[0]
    np.testing.assert_allclose(best, [0.0, 0.81, 4.0, 8.0])


def test_segments() -> None:
    shares = np.array([[0.9, 0.7, 0.2, 0.4], [0.1, 0.3, 0.8, 0.6]])
    stages = np.stack([np.zeros_like(shares), np.log(shares)])  # the last stage counts
    steps = SegmentationSteps(5)
    np.testing.assert_allclose(steps.found([stages], 2.0), [[0, 0.8, 0.0, 1.0], [1, 0.7, 1.0, 2.0]])
    assert steps.unbatched(np.zeros((2, 1, 3, 4)))[0].shape == (2, 3, 4)


@pytest.mark.parametrize(
    ("steps", "shape"),
    [(DetectionSteps(3, 64), (1, 1, 64, 3)), (ProposalSteps(3, 10), (1, 3, 10)), (SegmentationSteps(3), (1, 3, 7))],
)
def test_inputs(steps: DetectionSteps, shape: tuple[int, ...]) -> None:
    values = np.random.default_rng(0).random((7, 3))
    assert steps.inputs(values).shape == shape and steps.inputs(values).dtype == np.float32
    again = KINDS[steps.kind](**steps.record())
    np.testing.assert_array_equal(again.inputs(values), steps.inputs(values))
    with pytest.raises(ValueError, match="the clip has 4 features a step, not 3"):
        steps.inputs(np.zeros((7, 4)), "the clip")
    values[5:, 1] = np.inf
    with pytest.raises(ValueError, match="the clip has features that are no finite numbers, at 2 steps from 5 on"):
        steps.inputs(values, "the clip")


def test_submissions(tmp_path: Path) -> None:
    results = {"v_one": rows_of(FOUND, ["a", "b"]), "two": rows_of(FOUND * [0, 1, 1, 1], ["action"])}
    assert write_submission(tmp_path, results) == "submission.json"
    assert json.loads((tmp_path / "submission.json").read_text()) == {
        "version": "VERSION 1.3",
        "results": {
            "one": [{"label": "b", "score": 0.75, "segment": [2.0, 3.5]}],
            "two": [{"score": 0.75, "segment": [2.0, 3.5]}],
        },
        "external_data": {},
    }


def test_timelines_show_what_was_found_and_what_is_true() -> None:
    truth = np.array([[0, 5.0, 8.0]])
    nothing = timelines([Line("one", 10.0, np.zeros((0, 4)))], ["a", "b"])
    found = timelines([Line("one", 10.0, FOUND, truth)], ["a", "b"])
    both = timelines([Line("one", 10.0, FOUND, truth), Line("two", 5.0, FOUND)], ["a", "b"])
    assert nothing.dtype == np.uint8 and nothing.shape[0] < found.shape[0] < both.shape[0]
    colourful = (np.ptp(found.astype(int), axis=2) > 60).sum(axis=0)
    columns = np.flatnonzero(colourful)
    share = np.ptp(columns) / found.shape[1]
    timelines([Line("one", 10.0, np.array([[1, 0.3, 2.0, 3.5]]))], ["a", "b"])  # 0.1 + 0.9 * 0.3 / 0.3 is above 1
    assert 0.1 < share < 0.16  # 1.5 of 10 seconds, of an axis that takes most of the width

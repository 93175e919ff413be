"""What networks of intervals learn: steps, anchors, padded lengths, and what training changes."""

from __future__ import annotations

import numpy as np

from core.io.randomness import sample_scope
from PaddleVideo.data.intervals.augmentation import cropped, moved
from PaddleVideo.data.intervals.dataset import IntervalDataset
from PaddleVideo.data.intervals.targets import DetectionTargets, ProposalTargets, StepTargets
from PaddleVideo.models.localizers.anchors import anchors, decode, edges


class OneVideo(IntervalDataset):
    """A video of 40 steps and 20 s: step n has the feature n; class 1 from 4 to 10 s."""

    def __init__(self) -> None:
        super().__init__(["a", "b"], 1)

    def read(self, index: int) -> np.ndarray:
        return np.arange(40.0)[:, None]

    def name(self, index: int) -> str:
        return "video"

    def duration(self, index: int) -> float:
        return 20.0

    def actions(self, index: int) -> np.ndarray:
        return np.array([[1, 4.0, 10.0]])

    def __len__(self) -> int:
        return 1


def test_anchors_learn_actions_in_steps_of_the_network() -> None:
    features, offsets, classes, index = DetectionTargets(OneVideo(), 64)[0]
    assert features.shape == (1, 64, 1) and index == 0 and set(classes.tolist()) == {0, 2}
    places = decode(64, offsets)[classes == 2]
    np.testing.assert_allclose(places, np.tile([4 / 20 * 64, 10 / 20 * 64], (len(places), 1)), rtol=1e-5)
    assert edges(anchors(64)[classes == 2]).shape == (len(places), 2)


def test_proposals_and_steps() -> None:
    features, overlaps, begins, ends, _ = ProposalTargets(OneVideo(), 20, 10)[0]
    assert features.shape == (1, 20) and overlaps[5, 4] == 1.0  # six steps of a second from the fifth on
    assert begins.argmax() in (3, 4) and ends.argmax() in (9, 10)
    features, labels, count, _ = StepTargets(OneVideo())[0]
    assert features.shape == (1, 40) and count == 40
    np.testing.assert_array_equal(np.flatnonzero(labels == 2), np.arange(8, 20))


def test_actions_move_whole_and_nothing_is_lost() -> None:
    values, rows = np.arange(50.0)[:, None], np.array([[0, 10.0, 15.0], [1, 30.0, 42.0]])
    places = set()
    for number in range(8):
        with sample_scope(0, 0, number):
            found, actions = moved(values, rows)
        assert sorted(found[:, 0]) == list(range(50))
        for kind, begin, end in actions.astype(int):
            np.testing.assert_array_equal(found[begin:end, 0], np.arange(*rows[kind, 1:].astype(int)))
        outside = np.setdiff1d(np.arange(50), np.r_[10:15, 30:42])
        np.testing.assert_array_equal(found[np.isin(found[:, 0], outside), 0], outside)
        places.add(tuple(actions.ravel().tolist()))
    assert len(places) > 4


def test_parts_keep_the_actions_whose_middle_they_hold() -> None:
    values, rows = np.arange(50.0)[:, None], np.array([[0, 10.0, 15.0], [1, 30.0, 42.0]])
    lengths = set()
    for number in range(12):
        with sample_scope(0, 0, number):
            found, actions = cropped(values, rows)
        first = found[0, 0]
        np.testing.assert_array_equal(found[:, 0], first + np.arange(len(found)))
        inside = [row for row in rows if first <= row[1:].mean() <= first + len(found)]
        assert len(actions) == len(inside) > 0
        np.testing.assert_allclose(actions[:, 1:], (np.array(inside)[:, 1:] - first).clip(0, len(found)))
        lengths.add(len(found))
    assert len(lengths) > 3 and min(lengths) >= 15

"""ActivityNet's average recall and mean average precision, and scores of segmented videos: by hand, and ppvideo's."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest

from PaddleVideo.intervals import overlaps
from PaddleVideo.metrics.detection import DetectionMAP
from PaddleVideo.metrics.proposals import AverageRecall
from PaddleVideo.metrics.segmentation import SegmentationScores, edit_distance, segment_hits, segments
from tests.parity.PaddleVideo.interval_cases import STORED, frame_videos, proposal_videos


def test_overlaps_by_hand() -> None:
    found = overlaps(np.array([[0.0, 4.0], [5.0, 5.0]]), np.array([[2.0, 6.0], [4.0, 8.0], [5.0, 5.0]]))
    np.testing.assert_allclose(found, np.array([[2 / 6, 0, 0], [0, 0, 0]]))


def test_average_recall_is_the_official_one() -> None:
    stored = json.loads(STORED.read_text())
    metric = AverageRecall(50)
    for rows, actions in proposal_videos():
        metric.update(rows, actions)
    recall, counts = metric.curve()
    np.testing.assert_allclose(recall.mean(0), stored["recall"])
    np.testing.assert_allclose(counts, stored["counts"])
    assert metric.accumulate()["AUC"] == pytest.approx(stored["AUC"])


def test_average_recall_by_hand() -> None:
    metric = AverageRecall()
    exact = np.array([[0.0, 10.0, 0.5]])
    metric.update(np.concatenate([exact, [[50.0, 60.0, 0.9]], np.full((98, 3), 0.1)]), np.array([[0.0, 10.0]]))
    found = metric.accumulate()
    assert (found["AR@1"], found["AR@5"], found["AR@100"]) == (0.0, 1.0, 1.0)  # the second in the list finds it
    assert found["AUC"] == pytest.approx(100 * 98.5 / 100)
    metric.update(np.tile([0.0, 7.2, 0.5], (100, 1)), np.array([[0.0, 10.0], [90.0, 99.0]]))
    assert metric.accumulate()["AR@100"] == pytest.approx(
        (1 + 0.5) / 3
    )  # 0.72 passes 5 of 10 thresholds, twice is once


def test_average_recall_without_truth_or_proposals() -> None:
    metric = AverageRecall()
    assert metric.accumulate() == {"AR@1": 0.0, "AR@5": 0.0, "AR@10": 0.0, "AR@100": 0.0, "AUC": 0.0}
    metric.update(np.zeros((0, 3)), np.array([[0.0, 1.0]]))
    assert metric.accumulate()["AR@100"] == 0.0
    metric.reset()
    metric.update(np.array([[0.0, 1.0, 0.5]]), np.zeros((0, 2)))
    assert metric.accumulate()["AR@100"] == 0.0


def straightforward(videos: list[tuple[np.ndarray, np.ndarray]], kind: int, threshold: float) -> float:
    """Return a class's average precision as ActivityNet defines it, detection by detection."""
    ranked = sorted(
        (
            (row[1], -video, -place)
            for video, (rows, _) in enumerate(videos)
            for place, row in enumerate(rows)
            if row[0] == kind
        ),
        reverse=True,
    )
    actions = {video: [tuple(row[1:]) for row in truth if row[0] == kind] for video, (_, truth) in enumerate(videos)}
    taken, right = set(), []
    for _, video, place in ranked:
        _, _, begin, end = videos[-video][0][-place]
        options = []
        for number, (first, last) in enumerate(actions[-video]):
            inner = max(0.0, min(end, last) - max(begin, first))
            options.append((inner / (end - begin + last - first - inner), -number))
        hit = next(
            (
                number
                for share, number in sorted(options, reverse=True)
                if share >= threshold and (video, number) not in taken
            ),
            None,
        )
        right.append(hit is not None)
        if hit is not None:
            taken.add((video, hit))
    count = sum(map(len, actions.values()))
    precision = [sum(right[: number + 1]) / (number + 1) for number in range(len(right))]
    recall = [sum(right[: number + 1]) / count for number in range(len(right))]
    points = [0.0, *recall, 1.0]
    envelope = list(itertools.accumulate(reversed([0.0, *precision, 0.0]), max))[::-1]
    return sum((points[i] - points[i - 1]) * envelope[i] for i in range(1, len(points)))


def random_videos() -> list[tuple[np.ndarray, np.ndarray]]:
    rng, videos = np.random.RandomState(1), []
    for _ in range(6):
        truth = np.column_stack([rng.randint(0, 3, 4), np.sort(rng.uniform(0, 60, (4, 2)), axis=1)])
        near = truth[rng.randint(0, 4, 25)] + np.column_stack([np.zeros(25), rng.normal(0, 2, (25, 2))])
        rows = np.column_stack([near[:, 0], rng.uniform(0, 1, 25), np.sort(near[:, 1:], axis=1)])
        videos.append((rows, truth))
    return videos


def test_mean_average_precision_is_a_straightforward_one() -> None:
    videos, metric = random_videos(), DetectionMAP()
    for rows, truth in videos:
        metric.update(rows, truth)
    found = metric.average_precisions()
    assert sorted(found) == [0, 1, 2]
    for kind, values in found.items():
        expected = [straightforward(videos, kind, threshold) for threshold in metric.thresholds]
        np.testing.assert_allclose(values, expected, rtol=1e-9)
    scores = metric.accumulate()
    assert scores["mAP@0.5"] == pytest.approx(np.mean([values[0] for values in found.values()]))
    assert scores["mAP"] == pytest.approx(np.mean(list(found.values())))


def test_mean_average_precision_by_hand() -> None:
    metric = DetectionMAP(np.array([0.5, 0.9]))
    exact, half = [1, 0.9, 0.0, 10.0], [1, 0.8, 0.0, 12.0]
    metric.update(np.array([exact, half, [1, 0.7, 20.0, 30.0]]), np.array([[1, 0.0, 10.0], [1, 20.0, 30.0]]))
    # right, a duplicate, right: precision 1 at recall 1/2, 2/3 at recall 1
    np.testing.assert_allclose(metric.average_precisions()[1], [(1 + 2 / 3) / 2] * 2)
    metric.update(np.zeros((0, 4)), np.array([[2, 0.0, 1.0]]))  # a class that nobody found
    assert metric.accumulate()["mAP@0.5"] == pytest.approx((1 + 2 / 3) / 4)
    metric.update(np.array([[1, 0.95, 0.0, 10.0], [3, 1.0, 0.0, 1.0]]), np.zeros((0, 3)))  # in a video without actions
    # wrong, right, duplicate, right; and a class without actions does not count
    assert metric.accumulate()["mAP@0.5"] == pytest.approx((1 / 2 + 1 / 2) / 4)


def test_equal_scores_take_their_turn_in_the_order_of_videos() -> None:
    metric = DetectionMAP(np.array([0.5]))
    metric.update(np.array([[0, 0.5, 0.0, 10.0]]), np.array([[0, 0.0, 10.0]]))
    metric.update(np.array([[0, 0.5, 0.0, 10.0]]), np.zeros((0, 3)))
    assert metric.accumulate()["mAP"] == 1.0
    assert DetectionMAP().accumulate()["mAP"] == 0.0


def test_scores_of_segmented_videos_are_the_official_ones() -> None:
    stored = json.loads(STORED.read_text())
    for name, background in (("none", ()), ("class 0", (0,))):
        metric = SegmentationScores(background)
        for answer, truth in frame_videos():
            metric.update(answer, truth)
        found = metric.accumulate()
        assert found["edit"] == pytest.approx(stored[f"background: {name}"]["edit"])
        values = [found[key] for key in ("F1@10", "F1@25", "F1@50")]
        np.testing.assert_allclose(values, stored[f"background: {name}"]["F1"])


def test_scores_of_a_segmented_video_by_hand() -> None:
    truth = np.array([0, 0, 0, 0, 1, 1, 1, 1, 0, 0])
    answer = np.array([0, 0, 0, 1, 1, 1, 2, 2, 0, 0])
    found = segments(answer)
    assert [list(one) for one in found] == [[0, 1, 2, 0], [0, 3, 6, 8], [3, 6, 8, 10]]
    assert [list(one) for one in segments(answer, (0,))] == [[1, 2], [3, 6], [6, 8]]
    metric = SegmentationScores()
    metric.update(answer, truth)
    scores = metric.accumulate()
    assert scores["accuracy"] == pytest.approx(70.0) and scores["edit"] == pytest.approx(75.0)  # one of four goes
    # overlaps 3/4, 2/5, none, 2/2: three are right from 0.1 and 0.25 on, two from 0.5 on; there are 4 and 3
    assert [scores[f"F1@{share}"] for share in (10, 25, 50)] == pytest.approx([600 / 7, 600 / 7, 400 / 7])
    assert segment_hits(segments(truth), segments(truth), 0.5) == 3
    assert segment_hits(segments(np.array([1, 0, 1])), segments(np.array([1, 1, 1])), 0.1) == 1  # one truth, one hit


@pytest.mark.parametrize(
    ("one", "other", "distance"),
    [("kitten", "sitting", 3), ("", "abc", 3), ("abc", "", 3), ("same", "same", 0), ("ab", "ba", 2)],
)
def test_edit_distance(one: str, other: str, distance: int) -> None:
    assert edit_distance(np.array(list(one)), np.array(list(other))) == distance


def test_videos_of_different_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match=r"answer and truth must be classes of the same frames, not \(3,\), \(2,\)"):
        SegmentationScores().update(np.zeros(3, int), np.zeros(2, int))
    assert SegmentationScores().accumulate()["edit"] == 0.0

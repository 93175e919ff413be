"""What a classifier of windows gives on drawn clips with actions, beside C-TCN and BMN on the same features.

    python -m benchmarks.PaddleVideo.sliding_window

Windows of several lengths lie all over each clip, and a logistic regression tells which class each shows, or
background. It is given of a window the mean of its features ("mean"); their deviation, too ("deviation"); or also how
both differ from what is before and after ("surroundings"), which says where actions begin and end. Its detections are
the windows that overlap no better one of their class much; its proposals are ranked as BMN's are. Both are judged by
the metrics that judge the networks.
"""

from __future__ import annotations

import argparse
from typing import NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from PaddleVideo.data.intervals.moving_digits import RATE, MovingDigitsIntervals
from PaddleVideo.intervals import overlaps
from PaddleVideo.metrics.detection import DetectionMAP
from PaddleVideo.metrics.proposals import AverageRecall
from PaddleVideo.models.localizers.proposals import soft_suppressed
from PaddleVideo.models.localizers.suppression import suppressed

LENGTHS = (12, 15, 18, 22, 26, 31, 36)
"""Frames of the windows."""

STRIDE = 2
"""Frames from one window to the next."""

RIGHT, WRONG = 0.7, 0.3
"""A window shows an action from this overlap on, and background below that; training sees no others."""

NMS = 0.4
"""The overlap by which a worse window of the same class is dropped."""


KINDS = {"mean": 1, "deviation": 2, "surroundings": 6}
"""How many of the parts of what is known of a window a classifier is given."""


class Windows(NamedTuple):
    """The windows of a clip: first frames and frames after the last ones (W, 2), and what is known of them (W, F)."""

    places: np.ndarray
    features: np.ndarray


def windows(values: np.ndarray, parts: int = 6) -> Windows:
    """Return the windows of a clip.

    Args:
        values: features, (T, D).
        parts: how much is known of them.
    """
    count = len(values)
    places = np.array(
        [[first, first + length] for length in LENGTHS for first in range(0, count - length + 1, STRIDE)], np.int64
    )
    sums = np.cumsum(np.pad(np.stack([values, values**2]).astype(np.float64), [(0, 0), (1, 0), (0, 0)]), axis=1)
    around = (places[:, 1] - places[:, 0])[:, None] // 3 * np.array([-1, 1])
    before = np.column_stack([places[:, 0] + around[:, 0], places[:, 0]])
    after = np.column_stack([places[:, 1], places[:, 1] + around[:, 1]])
    statistics = []
    for part in (places, before, after):
        first, last = part.clip(0, count).T
        frames = np.maximum(last - first, 1)[:, None]
        mean, square = (sums[kind, last] - sums[kind, first] for kind in (0, 1))
        mean, square = mean / frames, square / frames
        statistics += [mean, np.sqrt((square - mean**2).clip(0.0))]
    every = [statistics[0], statistics[1], *(statistics[number % 2] - statistics[number] for number in range(2, 6))]
    return Windows(places, np.concatenate(every[:parts], axis=1))


def fitted(data: MovingDigitsIntervals, parts: int) -> Pipeline:
    """Return the classifier: 0 is background.

    Args:
        data: to learn from.
        parts: how much it is given.
    """
    rows, classes = [], []
    for index in range(len(data)):
        found, actions = windows(data[index], parts), data.actions(index)
        shared = overlaps(found.places, actions[:, 1:] * RATE)
        best = shared.max(axis=1)
        wanted = np.where(best >= RIGHT, actions[shared.argmax(axis=1), 0] + 1, 0)
        kept = (best >= RIGHT) | (best < WRONG)
        rows.append(found.features[kept])
        classes.append(wanted[kept])
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=300))
    model.fit(np.concatenate(rows), np.concatenate(classes))
    return model


def judged(model: Pipeline, data: MovingDigitsIntervals, parts: int) -> dict[str, float]:
    """Return the mean average precisions, and the average recalls.

    Args:
        model: the classifier.
        data: to judge it by.
        parts: how much it is given.
    """
    precision, recall = DetectionMAP(), AverageRecall()
    for index in range(len(data)):
        found, actions = windows(data[index], parts), data.actions(index)
        shares = model.predict_proba(found.features)
        seconds = found.places / RATE
        rows = []
        for column, number in enumerate(model.classes_[1:].tolist(), start=1):  # few clips may lack a class
            best = suppressed(np.column_stack([seconds, shares[:, column]]), NMS)
            rows.append(np.column_stack([np.full(len(best), number - 1), best[:, 2], best[:, :2]]))
        precision.update(np.concatenate(rows), actions)
        ranked = np.column_stack([seconds / data.duration(index), 1.0 - shares[:, 0]])
        proposed = soft_suppressed(ranked)
        proposed[:, :2] *= data.duration(index)
        recall.update(proposed, actions[:, 1:])
    return {**precision.accumulate(), **recall.accumulate()}


def main() -> None:
    """Learn from the training clips, and judge on the test clips."""
    parser = argparse.ArgumentParser(description="A classifier of windows on drawn clips with actions.")
    parser.add_argument("--train", type=int, default=None, help="how many clips to learn from")
    parser.add_argument("--test", type=int, default=None, help="how many to judge it by")
    options = parser.parse_args()
    train, test = MovingDigitsIntervals("train", options.train), MovingDigitsIntervals("test", options.test)
    for kind, parts in KINDS.items():
        numbers = judged(fitted(train, parts), test, parts)
        print(f"{kind}: {', '.join(f'{name} {value:.4g}' for name, value in numbers.items())}")


if __name__ == "__main__":
    main()

"""Hit@1, PERR and GAP@20: the official code's numbers, and cases counted by hand."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from PaddleVideo.metrics.tagging import (
    best_labels,
    global_average_precision,
    hits_at_one,
    precisions_at_equal_recall,
)
from tests.parity.PaddleVideo import tagging_cases
from tests.parity.PaddleVideo.tagging_cases import CASES, drawn

OFFICIAL = json.loads(Path(tagging_cases.__file__).with_name("tagging.json").read_text())


@pytest.mark.parametrize("name", CASES)
def test_numbers_of_the_official_code(name: str) -> None:
    scores, labels = drawn(name)
    assert hits_at_one(scores, labels).mean() == pytest.approx(OFFICIAL[name]["hit_at_one"])
    assert precisions_at_equal_recall(scores, labels).mean() == pytest.approx(OFFICIAL[name]["perr"])
    best, right = best_labels(scores, labels)
    found = global_average_precision(best.ravel(), right.ravel(), int(labels.sum()))
    assert found == pytest.approx(OFFICIAL[name]["gap"])


def test_two_videos_by_hand() -> None:
    """Ranked: .9 right, .8 wrong, .7 right, .2 wrong of three labels in all: (1 + 2 / 3) / 3."""
    scores, labels = np.array([[0.9, 0.2], [0.8, 0.7]]), np.array([[1, 0], [0, 1]])
    best, right = best_labels(scores, labels)
    assert global_average_precision(best.ravel(), right.ravel(), 3) == pytest.approx((1 + 2 / 3) / 3)
    assert hits_at_one(scores, labels).tolist() == [True, False]
    assert precisions_at_equal_recall(scores, labels).tolist() == [1.0, 0.0]


def test_without_labels_or_scores() -> None:
    scores, labels = np.array([[0.5, 0.0, 0.1]]), np.zeros((1, 3))
    assert precisions_at_equal_recall(scores, labels).tolist() == [0.0]
    assert global_average_precision(*(part.ravel() for part in best_labels(scores, labels)), 0) == 0.0
    both = np.array([[0, 1, 1]])
    assert precisions_at_equal_recall(scores, both).tolist() == [0.5]  # a score of 0 is no answer


def test_only_twenty_labels_of_a_video_are_ranked() -> None:
    scores = np.linspace(1, 0, 30)[None]
    labels = np.zeros((1, 30))
    labels[0, 25] = 1
    best, right = best_labels(scores, labels)
    assert best.shape == (1, 20) and not right.any()

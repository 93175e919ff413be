"""Ranked candidates and relations, counted by hand and by scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score

from PaddleNLP.metrics.ranking import (
    mean_average_precision,
    mean_reciprocal_rank,
    positive_negative_ratio,
    ranks,
    recall_at,
)
from PaddleNLP.metrics.triples import Triple, TripleMetric, triple

GROUPS = ["b", "a", "a", "b", "a", "c", "b"]
SCORES = np.array([0.9, 0.2, 0.8, 0.5, 0.4, 0.1, 0.7])
LABELS = np.array([0, 1, 0, 1, 0, 0, 1])


def test_ranks_by_hand() -> None:
    # a: 0.8 no, 0.4 no, 0.2 yes; b: 0.9 no, 0.7 yes, 0.5 yes; c: nothing right
    assert ranks(SCORES, GROUPS).tolist() == [1, 3, 1, 3, 2, 1, 2]
    assert mean_reciprocal_rank(SCORES, LABELS, GROUPS) == pytest.approx((1 / 3 + 1 / 2 + 0) / 3)
    assert recall_at(SCORES, LABELS, GROUPS, 2) == pytest.approx((0 + 1 / 2) / 2)
    assert mean_average_precision(SCORES, LABELS, GROUPS) == pytest.approx((1 / 3 + (1 / 2 + 2 / 3) / 2) / 2)
    assert positive_negative_ratio(SCORES, LABELS, GROUPS) == 0 / 4
    assert positive_negative_ratio(-SCORES, LABELS, GROUPS) == float("inf")
    with pytest.raises(ValueError, match="there are no candidates to be ranked"):
        mean_reciprocal_rank(np.zeros(0), np.zeros(0), [])


def test_ranks_of_drawn_candidates() -> None:
    source = np.random.default_rng(0)
    groups, scores = source.integers(20, size=300), source.normal(size=300)
    labels = (source.uniform(size=300) < 0.3).astype(int)
    parts = [(scores[groups == number], labels[groups == number]) for number in range(20)]
    precisions = [average_precision_score(right, own) for own, right in parts if right.any()]
    assert mean_average_precision(scores, labels, groups) == pytest.approx(np.mean(precisions))
    reciprocal = [1 / (1 + right[np.argsort(-own)].argmax()) if right.any() else 0 for own, right in parts]
    assert mean_reciprocal_rank(scores, labels, groups) == pytest.approx(np.mean(reciprocal))
    pairs = np.array([right.sum() * (1 - right).sum() for _, right in parts])
    areas = np.array([roc_auc_score(right, own) if 0 < right.sum() < len(right) else 0 for own, right in parts])
    right, wrong = (pairs * areas).sum(), (pairs * (1 - areas))[pairs > 0].sum()
    assert positive_negative_ratio(scores, labels, groups) == pytest.approx(right / wrong)


def test_relations_count_where_predicate_and_both_ends_are_right() -> None:
    metric = TripleMetric()
    true = [triple({"predicate": "p", "subject": [0, 2], "object": [3, 4]}), Triple("q", (0, 2), (5, 6))]
    metric.add([Triple("p", (0, 2), (3, 4)), Triple("p", (0, 2), (3, 4)), Triple("q", (0, 2), (5, 7))], true)
    metric.add([], [Triple("q", (0, 1), (1, 2))])
    assert metric.result() == {"precision": 1 / 2, "recall": 1 / 3, "f1": 2 / 5}
    assert metric.of_kinds() == {
        "p": {"precision": 1.0, "recall": 1.0, "f1": 1.0, "support": 1},
        "q": {"precision": 0.0, "recall": 0.0, "f1": 0.0, "support": 2},
    }
    assert TripleMetric().result() == {"precision": 0.0, "recall": 0.0, "f1": 0.0}

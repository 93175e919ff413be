from __future__ import annotations

import itertools

import numpy as np
import pytest

from core.metric import Auc, Precision, Recall

SCORES = np.array([0.9, 0.5, 0.49, 0.2, 0.7, 0.1], np.float32)
TRUTH = np.array([1, 0, 1, 0, 1, 1])  # predicted positive: 0.9, 0.5, 0.7


@pytest.mark.parametrize("column", [False, True])
def test_precision_and_recall_by_hand(column: bool) -> None:
    precision, recall = Precision(), Recall(name="found")
    shape = (-1, 1) if column else (-1,)
    for part in (slice(0, 4), slice(4, 6)):
        precision.update(SCORES[part].reshape(shape), TRUTH[part].reshape(shape))
        recall.update(SCORES[part].reshape(shape), TRUTH[part].reshape(shape))
    assert (precision.tp, precision.fp) == (2, 1) and precision.accumulate() == 2 / 3
    assert (recall.tp, recall.fn) == (2, 2) and recall.accumulate() == 0.5
    assert (precision.name(), recall.name()) == ("precision", "found")
    for metric in (precision, recall):
        metric.reset()
        assert metric.accumulate() == 0.0
        with pytest.raises(ValueError, match=f"{type(metric).__name__}: 2 predictions do not fit 3 labels"):
            metric.update(SCORES[:2], TRUTH[:3])


def test_auc_is_the_share_of_pairs_in_the_right_order() -> None:
    generator = np.random.RandomState(0)
    chances = generator.randint(0, 20, 60) / 19
    truth = generator.randint(0, 2, 60)
    metric = Auc()
    for part in (slice(0, 25), slice(25, 60)):
        metric.update(np.stack([1 - chances[part], chances[part]], axis=1), truth[part, None])
    pairs = list(itertools.product(chances[truth == 1], chances[truth == 0]))
    expected = sum(1.0 if high > low else 0.5 if high == low else 0.0 for high, low in pairs) / len(pairs)
    assert metric.accumulate() == pytest.approx(expected, rel=1e-12)
    assert metric.name() == "auc"
    metric.reset()
    assert metric.accumulate() == 0.0


def test_auc_refuses_what_it_cannot_judge() -> None:
    with pytest.raises(ValueError, match="curve must be 'ROC', not 'PR'"):
        Auc(curve="PR")
    with pytest.raises(ValueError, match="num_thresholds must be a positive integer, not 0"):
        Auc(num_thresholds=0)
    with pytest.raises(ValueError, match=r"predictions must have shape \(3, 2\) for 3 labels, not \(3, 1\)"):
        Auc().update(np.zeros((3, 1)), np.zeros(3))
    with pytest.raises(ValueError, match="apply softmax first"):
        Auc().update(np.array([[0.0, 1.5]]), np.zeros(1))

"""Numbers of evaluations, against hand computations and scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, log_loss
from sklearn.multiclass import OneVsRestClassifier

import core
from PGL.tasks.link_prediction import Exchanged, RankEvaluator, filtered_rank
from PGL.tasks.node_classification import NodeEvaluator
from PGL.tasks.skip_gram import GroupEvaluator, f1_scores, most_probable


def test_ranks_by_hand() -> None:
    scores = np.array([0.9, 0.1, 0.8, 0.5, 0.5])
    assert filtered_rank(scores, 3, [3]) == 3.5  # behind 0 and 2, beside 4
    assert filtered_rank(scores, 3, [0, 3]) == 2.5
    assert filtered_rank(scores, 0, []) == 1
    evaluator = RankEvaluator(np.array([[0, 0, 1], [0, 0, 2], [2, 0, 1]]))
    tails = np.array([[0.0, 2.0, 3.0], [9.0, 1.0, 5.0]])  # of (0, 0, ?): 2 is known; of (2, 0, ?): nothing else is
    heads = np.array([[1.0, 5.0, 7.0], [4.0, 3.0, 2.0]])  # of (?, 0, 1): 2 and 0 are known of each other
    evaluator.update([tails, heads], [core.to_tensor(np.array([[0, 0, 1], [2, 0, 1]]))])
    assert evaluator.ranks == [1, 2, 3, 2]
    numbers = evaluator.result()
    assert numbers["mrr"] == pytest.approx((1 + 1 / 2 + 1 / 3 + 1 / 2) / 4) and numbers["mean_rank"] == 2
    assert (numbers["hits_1"], numbers["hits_3"], numbers["hits_10"]) == (0.25, 1, 1)


def test_f1_agrees_with_scikit_learn() -> None:
    generator = np.random.default_rng(0)
    truth, predicted = generator.random((2, 40, 5)) < 0.3
    ours = f1_scores(truth, predicted)
    assert ours["macro_f1"] == pytest.approx(f1_score(truth, predicted, average="macro"))
    assert ours["micro_f1"] == pytest.approx(f1_score(truth, predicted, average="micro"))
    assert most_probable(np.array([[0.1, 0.9, 0.5], [0.3, 0.3, 0.2]]), np.array([2, 1])).tolist() == [
        [False, True, True],
        [True, False, False],
    ]


def test_groups_are_found_as_by_one_classifier_against_the_rest() -> None:
    generator = np.random.default_rng(1)
    rows = generator.normal(size=(80, 6)).astype(np.float32)
    groups = rows @ generator.normal(size=(6, 4)) + generator.normal(size=(80, 4)) > 1
    groups[:, 3] = False  # a group that nobody is in
    train, test = np.arange(0, 80, 2), np.arange(1, 80, 2)
    evaluator = GroupEvaluator(groups, train, test)
    evaluator.update([rows], [])
    model = OneVsRestClassifier(LogisticRegression(solver="liblinear")).fit(rows[train], groups[train][:, :3])
    best = np.argsort(-model.predict_proba(rows[test]), axis=1)
    predicted = np.zeros((40, 4), bool)
    for row, order in enumerate(best):
        predicted[row, order[: groups[test][row].sum()]] = True
    expected = f1_score(groups[test], predicted, average="macro", zero_division=0.0)
    assert evaluator.result()["macro_f1"] == pytest.approx(expected)


def test_classes_agree_with_scikit_learn() -> None:
    generator = np.random.default_rng(2)
    logits, labels = generator.normal(size=(50, 4)), generator.integers(0, 4, 50)
    evaluator = NodeEvaluator(4)
    for part in (slice(0, 20), slice(20, 50)):
        evaluator.update([logits[part]], [None, core.to_tensor(labels[part])])
    numbers = evaluator.result()
    probabilities = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    assert numbers["accuracy"] == pytest.approx((logits.argmax(axis=1) == labels).mean())
    assert numbers["macro_f1"] == pytest.approx(f1_score(labels, logits.argmax(axis=1), average="macro"))
    assert numbers["loss"] == pytest.approx(log_loss(labels, probabilities))


def test_entities_are_exchanged_evenly() -> None:
    triples = np.arange(30).reshape(10, 3)
    np.random.seed(0)  # noqa: NPY002 -- what core.io.randomness draws from outside a loader
    chosen, others, heads = Exchanged(triples, 12, 500)([3, 1])
    np.testing.assert_array_equal(chosen, triples[[3, 1]])
    counts = np.bincount(others.reshape(-1), minlength=12)
    assert others.shape == (2, 500) and heads.shape == (1, 1) and heads.dtype == bool
    assert ((counts - 1000 / 12) ** 2 / (1000 / 12)).sum() < 31.3  # χ² of 11, 0.1 %

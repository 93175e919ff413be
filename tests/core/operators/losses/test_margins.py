"""Cross entropy with margins and the classes drawn for it, against numpy."""

from __future__ import annotations

import numpy as np
import pytest

import core
from core.jit import to_static
from core.kernels.dispatch.errors import OperatorError, OperatorIndexError
from core.nn import functional as F
from tests.core.gradient_check import check_gradients

RANDOM = np.random.default_rng(3)
COSINES = RANDOM.uniform(-0.9, 0.9, (5, 4))
LABELS = np.array([0, 3, 1, 1, 2])
MARGINS = [(1.0, 0.5, 0.0), (1.35, 0.0, 0.0), (1.0, 0.0, 0.35), (0.9, 0.4, 0.15)]


def expected(margins: tuple[float, float, float], scale: float) -> tuple[np.ndarray, np.ndarray]:
    scores, rows = COSINES.copy(), np.arange(5)
    scores[rows, LABELS] = np.cos(margins[0] * np.arccos(COSINES[rows, LABELS]) + margins[1]) - margins[2]
    chances = np.exp(scale * scores) / np.exp(scale * scores).sum(1, keepdims=True)
    return -np.log(chances[rows, LABELS])[:, None], chances


@pytest.mark.parametrize("margins", MARGINS)
def test_losses_and_probabilities(margins: tuple[float, float, float]) -> None:
    logits, labels = core.to_tensor(COSINES), core.to_tensor(LABELS)
    wanted, chances = expected(margins, 8.0)
    for function in (F.margin_cross_entropy, to_static(F.margin_cross_entropy)):
        loss, found = function(logits, labels, *margins, 8.0, return_softmax=True, reduction=None)
        np.testing.assert_allclose(loss.numpy(), wanted, rtol=1e-9)
        np.testing.assert_allclose(found.numpy(), chances, rtol=1e-9)
    np.testing.assert_allclose(F.margin_cross_entropy(logits, labels, *margins, 8.0).item(), wanted.mean())
    total = F.margin_cross_entropy(logits, labels.unsqueeze(1), *margins, 8.0, reduction="sum")
    np.testing.assert_allclose(total.item(), wanted.sum())
    check_gradients(lambda x: F.margin_cross_entropy(x, labels, *margins, scale=4.0), COSINES, tolerance=1e-5)


def test_drawn_classes() -> None:
    labels = core.to_tensor([11, 5, 1, 3, 12, 2, 15, 19, 18, 19])
    places, classes = F.class_center_sample(labels, 20, 6)
    assert places.tolist() == [4, 3, 0, 2, 5, 1, 6, 8, 7, 8] and classes.tolist() == [1, 2, 3, 5, 11, 12, 15, 18, 19]
    core.seed(1)
    draws = [F.class_center_sample(labels[:3], 20, 6) for _ in range(20)]
    for places, classes in draws:
        assert places.tolist() == [2, 1, 0] and classes.tolist()[:3] == [1, 5, 11]
        assert len(set(classes.tolist())) == 6 and classes.numpy().max() < 20
    assert len({tuple(classes.tolist()) for _, classes in draws}) > 10
    core.seed(1)
    assert F.class_center_sample(labels[:3], 20, 6)[1].tolist() == draws[0][1].tolist()


def test_messages() -> None:
    logits, labels = core.to_tensor(COSINES), core.to_tensor(LABELS)
    with pytest.raises(NotImplementedError, match="margin_cross_entropy: group"):
        F.margin_cross_entropy(logits, labels, group=object())
    with pytest.raises(OperatorError, match=r"logits \(N, classes\) and label \(N,\) or \(N, 1\), got \[5, 4\]"):
        F.margin_cross_entropy(logits, labels[:2])
    with pytest.raises(OperatorError, match="reduction is 'mean', 'sum' or None, got 'none'"):
        F.margin_cross_entropy(logits, labels, reduction="none")
    with pytest.raises(OperatorIndexError, match="label 4 is outside an axis of size 4"):
        F.margin_cross_entropy(logits, labels + 1)
    with pytest.raises(NotImplementedError, match="class_center_sample: group"):
        F.class_center_sample(labels, 4, 2, group=object())
    with pytest.raises(OperatorError, match=r"expects label \(N,\) and at most 4 samples, got \[5\] and 5"):
        F.class_center_sample(labels, 4, 5)
    with pytest.raises(OperatorIndexError, match="labels must lie within 0 and 2"):
        F.class_center_sample(labels, 3, 2)

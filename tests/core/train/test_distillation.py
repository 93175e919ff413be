"""Distances between the answers of a student and its teacher, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import core
from core import nn
from core.train.distillation import frozen, soft_divergence, symmetric_divergence

GENERATOR = np.random.RandomState(0)
LOGITS, OTHERS = GENERATOR.randn(2, 5, 4).astype("f4")


def log_softmax(logits: np.ndarray) -> np.ndarray:
    return np.asarray(logits - np.log(np.exp(logits).sum(axis=1, keepdims=True)))


def test_half_of_both_divergences() -> None:
    student, teacher = log_softmax(LOGITS), log_softmax(OTHERS)
    forward = (np.exp(teacher) * (teacher - student)).sum(axis=1)
    backward = (np.exp(student) * (student - teacher)).sum(axis=1)
    logits = core.to_tensor(LOGITS, stop_gradient=False)
    answers = core.to_tensor(OTHERS, stop_gradient=False)
    loss = symmetric_divergence(logits, answers)
    assert float(loss) == pytest.approx((forward + backward).mean() / 2, rel=1e-5)
    loss.backward()
    assert answers.grad is None and float(logits.grad.abs().sum()) > 0
    assert float(symmetric_divergence(answers, answers)) == 0


def test_softer_answers() -> None:
    student, teacher = (log_softmax(logits.astype("f8") / 3) for logits in (LOGITS, OTHERS))
    each = 9 * (np.exp(teacher) * (teacher - student)).sum(axis=1)
    logits = core.to_tensor(LOGITS, stop_gradient=False)
    answers = core.to_tensor(OTHERS, stop_gradient=False)
    loss = soft_divergence(logits, answers, 3.0)
    assert float(loss) == pytest.approx(each.mean(), rel=1e-4)
    loss.backward()
    gradient = 3 * (np.exp(student) - np.exp(teacher)) / 5
    np.testing.assert_allclose(logits.grad.numpy(), gradient, atol=1e-6)
    assert answers.grad is None
    counted = core.to_tensor(np.array([1, 0, 0, 1, 0], "f4"))
    assert float(soft_divergence(logits, answers, 3.0, counted)) == pytest.approx(each[[0, 3]].mean(), rel=1e-4)


def test_a_teacher_learns_nothing() -> None:
    teacher = frozen(nn.Linear(2, 3))
    assert not teacher.training and all(parameter.stop_gradient for parameter in teacher.parameters())

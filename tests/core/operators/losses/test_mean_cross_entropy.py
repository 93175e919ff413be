"""The mean cross entropy, by a custom kernel where there are few scores, against numpy in float64."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
import pytest

import core
import core.nn.functional as F
from core.kernels.dispatch.errors import OperatorIndexError
from core.kernels.dispatch.lowering import GRADIENTS, PROGRAM, SERVING, Call, lowered
from core.kernels.dispatch.operator import REGISTRY
from core.kernels.lowerings.losses import MOST_ELEMENTS

LABELS = np.array([3, -100, 0, 2, 1, -100, 3])
SCORES = (np.random.default_rng(0).standard_normal((7, 4)) * 5).astype(np.float32)


def reference(scores: np.ndarray, labels: np.ndarray, ignored: int = -100) -> tuple[float, np.ndarray]:
    """Return the loss and its gradient."""
    scores, counts = scores.astype(np.float64), labels != ignored
    powers = np.exp(scores - scores.max(1, keepdims=True))
    shares = powers / powers.sum(1, keepdims=True)
    chosen = np.eye(scores.shape[1])[np.where(counts, labels, 0)]
    number = max(counts.sum(), 1)
    loss = -(np.log(shares) * chosen).sum(1)[counts].sum() / number
    return loss, (shares - chosen) * counts[:, None] / number


def mean(scores: Any, labels: Any) -> Any:
    return F.cross_entropy(scores, labels)


def operators_of(run: Any) -> list[str]:
    (program,) = run.programs.values()
    return [operation.operator.name for operation in program[0].operations]


@pytest.mark.parametrize("compiled", [False, True], ids=["eager", "compiled"])
@pytest.mark.parametrize("labels", [LABELS, LABELS[:, None], np.full(7, -100), np.arange(7) % 4])
def test_values_and_gradients(labels: np.ndarray, compiled: bool) -> None:
    x = core.to_tensor(SCORES, stop_gradient=False)
    run: Callable[..., Any] = core.jit.to_static(mean) if compiled else mean
    loss = run(x, core.to_tensor(labels))
    (loss * 3.0).backward()
    if compiled:
        assert "mean_cross_entropy" in operators_of(run) and "log_softmax" not in operators_of(run)
    value, gradient = reference(SCORES, labels.reshape(-1))
    np.testing.assert_allclose(loss.numpy(), value, rtol=1e-6)
    np.testing.assert_allclose(x.grad.numpy(), 3 * gradient, rtol=1e-5, atol=1e-7)


def test_a_class_may_be_the_ignored_one() -> None:
    labels = np.array([3, 1, 0, 2, 1, 1, 3])
    loss = F.cross_entropy(core.to_tensor(SCORES), core.to_tensor(labels), ignore_index=1)
    np.testing.assert_allclose(loss.numpy(), reference(SCORES, labels, 1)[0], rtol=1e-6)


def test_large_scores_do_not_overflow_and_infinite_ones_are_what_the_engine_makes_of_them() -> None:
    scores = np.array([[1e30, 0, -1e30], [-np.inf, 0, 1]], np.float32)
    for labels in ([0, 1], [2, 2]):
        loss = F.cross_entropy(core.to_tensor(scores), core.to_tensor(labels))
        usual = F.cross_entropy(core.to_tensor(scores), core.to_tensor(labels), reduction="none").mean()
        np.testing.assert_allclose(loss.numpy(), usual.numpy(), rtol=1e-5)


@pytest.mark.parametrize("compiled", [False, True], ids=["eager", "compiled"])
def test_second_derivatives(compiled: bool) -> None:
    labels, direction = core.to_tensor(LABELS), np.random.default_rng(1).standard_normal((7, 4))

    def product(x: Any) -> Any:
        (slope,) = core.grad([F.cross_entropy(x, labels)], [x], create_graph=True)
        return (slope * core.to_tensor(direction.astype(np.float32))).sum()

    x = core.to_tensor(SCORES, stop_gradient=False)
    (core.jit.to_static(product) if compiled else product)(x).backward()
    ends = [reference(SCORES + sign * 1e-4 * direction, LABELS)[1] for sign in (1, -1)]
    np.testing.assert_allclose(x.grad.numpy(), (ends[0] - ends[1]) / 2e-4, rtol=1e-3, atol=1e-5)


def test_a_label_that_is_no_class_is_refused(capfd: pytest.CaptureFixture[str]) -> None:
    message = r"cross_entropy: label 4 is no class: labels must be in \[0, 4\) or ignore_index=-100"
    labels = core.to_tensor([0, 4, 1, 1, 1, 1, 1])
    with pytest.raises(OperatorIndexError, match=message):
        F.cross_entropy(core.to_tensor(SCORES), labels)
    with pytest.raises(core.kernels.engine.engine.MXNetError):
        core.jit.to_static(mean)(core.to_tensor(SCORES), labels).numpy()
    assert "label 4 is no class" in capfd.readouterr().out


@pytest.mark.parametrize("compiled", [False, True], ids=["eager", "compiled"])
@pytest.mark.parametrize("ignored", [0, 1, 2])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_many_scores_and_wide_ones_stay_with_the_engine(dtype: str, ignored: int, compiled: bool) -> None:
    classes = MOST_ELEMENTS // 2 + 1 if dtype == "float32" else 5
    array = np.random.default_rng(0).standard_normal((2, classes))
    x, labels = core.to_tensor(array, dtype=dtype, stop_gradient=False), np.array([1, 4])
    labels[:ignored] = -100
    run: Callable[..., Any] = core.jit.to_static(mean) if compiled else mean
    loss = run(x, core.to_tensor(labels))
    (loss * 3.0).backward()
    assert not compiled or "mean_cross_entropy" in operators_of(run)
    value, gradient = reference(x.numpy(), labels)
    np.testing.assert_allclose(loss.numpy(), value, rtol=1e-5)
    np.testing.assert_allclose(x.grad.numpy(), 3 * gradient, rtol=1e-5, atol=1e-6)


def test_which_scores_go_to_our_kernel() -> None:
    def chosen(shape: tuple[int, int], dtype: Any, context: int) -> str:
        metas = [(shape, dtype), ((shape[0], 1), core.int64)]
        call = Call(metas, {"ignore_index": -100}, context, [0, 0])
        return lowered(REGISTRY["mean_cross_entropy"], call).name

    few, many = (2, MOST_ELEMENTS // 2), (2, MOST_ELEMENTS // 2 + 1)
    assert {chosen(few, core.float32, context) for context in (0, GRADIENTS, PROGRAM)} == {"mean_cross_entropy.numba"}
    others = [chosen(many, core.float32, GRADIENTS), chosen(few, core.float64, 0), chosen(few, core.float32, SERVING)]
    assert others == ["_mean_by_parts"] * 3


@pytest.mark.parametrize("classes", [4, MOST_ELEMENTS])
def test_an_ignored_number_beyond_the_exact_ones_of_float64(classes: int) -> None:
    scores = np.random.default_rng(0).standard_normal((2, classes)).astype(np.float32)
    labels = np.array([3, 2**60 + 1])
    loss = F.cross_entropy(core.to_tensor(scores), core.to_tensor(labels), ignore_index=2**60 + 1)
    np.testing.assert_allclose(loss.numpy(), reference(scores, labels, 2**60 + 1)[0], rtol=1e-5)


def test_a_label_among_many_scores_that_is_no_class_is_refused() -> None:
    message = rf"cross_entropy: label -1 is no class: labels must be in \[0, {MOST_ELEMENTS}\) or ignore_index=-100"
    with pytest.raises(OperatorIndexError, match=message):
        F.cross_entropy(core.zeros([2, MOST_ELEMENTS]), core.to_tensor([0, -1]))

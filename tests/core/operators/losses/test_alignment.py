"""CTC, transducer and tree losses against sums over all alignments and leaves, and what they refuse."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import core
import core.nn.functional as F
from tests.core.gradient_check import check_gradients

RNG = np.random.default_rng(5)


def log_softmax(x: np.ndarray) -> np.ndarray:
    return x - np.log(np.exp(x).sum(-1, keepdims=True))


def ctc_by_enumeration(scores: np.ndarray, label: list[int], blank: int) -> float:
    """Sum the probability of every sequence that collapses to the label."""
    likelihoods = log_softmax(scores)
    total = 0.0
    for path in itertools.product(range(scores.shape[1]), repeat=len(scores)):
        collapsed = [symbol for symbol, _ in itertools.groupby(path) if symbol != blank]
        if collapsed == label:
            total += math.exp(sum(likelihoods[step, symbol] for step, symbol in enumerate(path)))
    return -math.log(total)


def transducer_by_enumeration(scores: np.ndarray, label: list[int], blank: int) -> float:
    """Sum the probability of every order of label emissions and time steps."""
    likelihoods = log_softmax(scores)
    steps, count = len(scores), len(label)
    total = 0.0
    for places in itertools.combinations(range(steps - 1 + count), count):
        time = position = 0
        value = 0.0
        for move in range(steps - 1 + count):
            if move in places:
                value += likelihoods[time, position, label[position]]
                position += 1
            else:
                value += likelihoods[time, position, blank]
                time += 1
        total += math.exp(value + likelihoods[time, position, blank])
    return -math.log(total)


@pytest.mark.parametrize("blank", [0, 2])
def test_ctc_sums_all_alignments(blank: int) -> None:
    scores = RNG.standard_normal((5, 4, 3))
    one, two = (1, 2) if blank == 0 else (0, 1)
    labels = [[one, two], [one, one], [two], []]
    lengths = [5, 4, 2, 3]
    padded = np.full((4, 2), -7)
    for row, label in enumerate(labels):
        padded[row, : len(label)] = label
    losses = F.ctc_loss(
        core.to_tensor(scores),
        core.to_tensor(padded),
        core.to_tensor(lengths),
        core.to_tensor([len(label) for label in labels]),
        blank=blank,
        reduction="none",
    )
    expected = [ctc_by_enumeration(scores[:n, i], labels[i], blank) for i, n in enumerate(lengths)]
    np.testing.assert_allclose(losses.numpy(), expected, rtol=1e-10)


def test_ctc_reductions_and_scaled_gradient() -> None:
    scores = RNG.standard_normal((4, 2, 3))
    arguments = (core.to_tensor([[1, 2], [2, 0]]), core.to_tensor([4, 3]), core.to_tensor([2, 1]))
    x = core.to_tensor(scores, stop_gradient=False)
    plain = F.ctc_loss(x, *arguments, reduction="none")
    assert F.ctc_loss(x, *arguments).item() == pytest.approx((plain[0].item() / 2 + plain[1].item()) / 2)
    assert F.ctc_loss(x, *arguments, reduction="sum").item() == pytest.approx(plain.sum().item())
    (full,) = core.grad(plain.sum(), x)
    scaled = F.ctc_loss(x, *arguments, reduction="none", norm_by_times=True)
    np.testing.assert_allclose(scaled.numpy(), plain.numpy())
    (divided,) = core.grad(scaled.sum(), x)
    np.testing.assert_allclose(divided.numpy(), full.numpy() / np.array([4, 3])[None, :, None], rtol=1e-10)


def test_transducer_sums_all_alignments() -> None:
    scores = RNG.standard_normal((3, 4, 3, 5))
    labels, steps = [[1, 2], [3], []], [4, 3, 2]
    padded = np.array([[1, 2], [3, 0], [0, 0]])
    losses = F.rnnt_loss(
        core.to_tensor(scores),
        core.to_tensor(padded),
        core.to_tensor(steps),
        core.to_tensor([2, 1, 0]),
        reduction="none",
    )
    expected = [transducer_by_enumeration(scores[i, :n], labels[i], 0) for i, n in enumerate(steps)]
    np.testing.assert_allclose(losses.numpy(), expected, rtol=1e-10)


def test_second_derivatives() -> None:
    lengths, counts = core.to_tensor([3]), core.to_tensor([1])
    check_gradients(lambda x: F.ctc_loss(x, core.to_tensor([[1]]), lengths, counts), RNG.standard_normal((3, 1, 3)))
    check_gradients(
        lambda x: F.rnnt_loss(x, core.to_tensor([[1]]), core.to_tensor([2]), counts, fastemit_lambda=0.0),
        RNG.standard_normal((1, 2, 2, 3)),
    )
    check_gradients(
        lambda x, w, b: F.hsigmoid_loss(x, core.to_tensor([[2], [0]]), 3, w, b),
        RNG.standard_normal((2, 3)),
        RNG.standard_normal((2, 3)),
        RNG.standard_normal((2, 1)),
    )


@pytest.mark.parametrize("classes", [2, 5, 8])
def test_leaves_of_the_tree_share_all_probability(classes: int) -> None:
    features, weight = RNG.standard_normal((1, 3)), core.to_tensor(RNG.standard_normal((classes - 1, 3)))
    labels = np.arange(classes)[:, None]
    losses = F.hsigmoid_loss(core.to_tensor(features.repeat(classes, 0)), core.to_tensor(labels), classes, weight)
    longest = (2 * classes - 1).bit_length() - 1
    shorter = np.array([longest - ((c + classes).bit_length() - 1) for c in range(classes)])
    probabilities = np.exp(-(losses.numpy()[:, 0] - shorter * math.log(2)))
    assert probabilities.sum() == pytest.approx(1)


def test_custom_tree() -> None:
    x, weight = RNG.standard_normal((2, 3)), RNG.standard_normal((4, 3))
    table, code = np.array([[0, 2], [3, -1]]), np.array([[1, 0], [1, 0]])
    losses = F.hsigmoid_loss(
        core.to_tensor(x),
        core.to_tensor([0, 1]),
        4,
        core.to_tensor(weight),
        None,
        core.to_tensor(table),
        core.to_tensor(code),
    )
    first = np.log1p(np.exp(-x[0] @ weight[0])) + np.log1p(np.exp(x[0] @ weight[2]))
    second = np.log1p(np.exp(-x[1] @ weight[3])) + math.log(2)
    np.testing.assert_allclose(losses.numpy(), [[first], [second]], rtol=1e-10)


def transducer(**changed: object) -> None:
    arguments: dict[str, object] = {
        "input": core.ones([2, 3, 2, 4]),
        "label": core.to_tensor([[1], [2]]),
        "input_lengths": core.to_tensor([3, 3]),
        "label_lengths": core.to_tensor([1, 1]),
    }
    F.rnnt_loss(**{**arguments, **changed})


def tree(classes: int = 4, width: int = 3, **options: object) -> None:
    F.hsigmoid_loss(core.ones([2, 3]), core.to_tensor([[0], [1]]), classes, core.ones([3, width]), **options)


ERRORS = {
    "rnnt_loss: reduction must be one of 'mean', 'sum', 'none', got 'x'": lambda: transducer(reduction="x"),
    "rnnt_loss: input has the shape (N, T, U + 1, C), none of them 0, but got [3, 4]": (
        lambda: transducer(input=core.ones([3, 4]))
    ),
    "rnnt_loss: labels are integers of shape (N, S) with N = 2, but got int64 of shape [1]": (
        lambda: transducer(label=core.to_tensor([1]))
    ),
    "rnnt_loss: input_lengths are integers of shape (N,) with N = 2, but got float32": (
        lambda: transducer(input_lengths=core.ones([2]))
    ),
    "rnnt_loss: blank=-1 is outside the 4 classes": lambda: transducer(blank=-1),
    "rnnt_loss: input has shape [2, 3, 2, 4], so label has 1 columns, not 2": (
        lambda: transducer(label=core.to_tensor([[1, 1], [2, 2]]))
    ),
    "hsigmoid_loss: num_classes must be at least 2, got 1": lambda: tree(classes=1),
    "hsigmoid_loss: input (N, D) and weight (nodes, D) share D, but have shapes [2, 3], [3, 2]": lambda: tree(width=2),
    "hsigmoid_loss: path_table and path_code come together": lambda: tree(path_table=core.to_tensor([[0]])),
    "hsigmoid_loss: path_table and path_code have one row for each of the 2 samples": (
        lambda: tree(path_table=core.to_tensor([[0]]), path_code=core.to_tensor([[0]]))
    ),
}


@pytest.mark.parametrize("message", ERRORS)
def test_messages(message: str) -> None:
    with pytest.raises(ValueError) as caught:
        ERRORS[message]()
    assert message in str(caught.value)

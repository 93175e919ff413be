"""Smoothed counts against a computation by hand, and what must hold of any."""

from __future__ import annotations

import math

import numpy as np
import pytest

from benchmarks.PaddleNLP.sides.kneser_ney import START, KneserNey

SENTENCES = [[0, 1, 2], [0, 1, 2], [1, 0, 2], [0, 3, 2]]


def test_pairs_by_hand() -> None:
    """Of 9 different pairs, S0 is seen 3 times, 01 and 12 twice, and S1, 10, 02, 03, 32 once; discounts 5 / 9."""
    model = KneserNey(SENTENCES, 2, 5, modified=False)
    assert model.counts[1] == {
        (START, 0): 3, (START, 1): 1, (0, 1): 2, (1, 2): 2, (1, 0): 1, (0, 2): 1, (0, 3): 1, (3, 2): 1
    }  # fmt: skip
    assert model.counts[0] == {(0,): 2, (1,): 2, (2,): 3, (3,): 1}  # words that stand before each
    pairs, single = 5 / (5 + 2 * 2), 1 / (1 + 2 * 2)
    for discounts, expected in zip(model.discounts, (single, pairs)):
        assert discounts == pytest.approx((expected,) * 3)
    alone = (2 - single + 4 * single / 5) / 8  # of word 1: two of eight, and a fifth of what four words leave
    assert model.probability([0], 1) == pytest.approx((2 - pairs + 3 * pairs * alone) / 4)
    assert model.probability([0], 4) == pytest.approx(3 * pairs * (4 * single / 5) / 8 / 4)  # never seen
    assert model.probability([4], 1) == pytest.approx(alone)  # behind a word that was never seen


def test_three_discounts_by_hand() -> None:
    """Seen once 4, twice 3, three times 2, four times 1: Y = 4 / 10."""
    times = {(0,): 1, (1,): 1, (2,): 1, (3,): 1, (4,): 2, (5,): 2, (6,): 2, (7,): 3, (8,): 3, (9,): 4}
    model = KneserNey([[gram[0]] for gram, count in times.items() for _ in range(count)], 1, 10)
    assert model.discounts[0] == pytest.approx((1 - 2 * 0.4 * 3 / 4, 2 - 3 * 0.4 * 2 / 3, 3 - 4 * 0.4 * 1 / 2))
    left = 4 * 0.4 + 3 * 1.2 + 3 * 2.2
    assert model.probability([], 9) == pytest.approx((4 - 2.2 + left / 10) / 20)


@pytest.mark.parametrize("order", [1, 2, 3, 5])
def test_probabilities_add_up_and_perplexity_is_theirs(order: int) -> None:
    source = np.random.default_rng(order)
    sentences = [source.integers(0, 8, source.integers(1, 9)).tolist() for _ in range(60)]
    model = KneserNey(sentences, order, 9)
    contexts = [[START] * 5, [1, 2, 3, 4, 5], [8, 8, 8, 8, 8], [*([START] * 4), 3], *(one[:5] for one in sentences[:5])]
    for context in contexts:
        context = ([START] * 5 + context)[-(order - 1) :] if order > 1 else []
        assert sum(model.probability(context, word) for word in range(9)) == pytest.approx(1.0)
    (sentence,) = sentences[:1]
    padded = [START] * (order - 1) + sentence
    logs = [math.log(model.probability(padded[place : place + order - 1], word)) for place, word in enumerate(sentence)]
    assert model.perplexity([sentence]) == pytest.approx(math.exp(-np.mean(logs)))

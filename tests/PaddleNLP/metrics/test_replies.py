"""Measures of replies: by hand, and as DuConv's published evaluation computes them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from PaddleNLP.evaluators.dialogue import SelectionEvaluator
from PaddleNLP.metrics.replies import character_f1, distinct, reply_bleu


def test_bleu_by_hand() -> None:
    replies, right = ["我 很 好", "好"], ["我 很 不 好", "你 好"]
    brevity = math.exp(1 - 6 / 4)
    one, two = 4 / 4, 1 / 2  # "我 很" of two runs of two words
    assert reply_bleu(replies, right) == pytest.approx([brevity * one, brevity * math.sqrt(one * two)])
    assert reply_bleu(["坏"], ["好"]) == [0, 0] and reply_bleu([""], ["好"]) == [0, 0]
    assert reply_bleu(["我 很 好"], ["我 很 好"]) == pytest.approx([1, 1])
    assert reply_bleu(["好 好 好"], ["好 的"])[0] == pytest.approx(1 / 3)  # a word counts as often as it is there


def test_distinct_by_hand() -> None:
    assert distinct(["我 很 好", "我 很 累"], 1) == pytest.approx(4 / 6)
    assert distinct(["我 很 好", "我 很 累"], 2) == pytest.approx(3 / 4)
    assert distinct(["好"], 2) == 0


def test_f1_of_characters_by_hand() -> None:
    assert character_f1(["我 很好"], ["我 好"]) == pytest.approx(2 * 2 / (3 + 2))
    assert character_f1(["坏"], ["好"]) == 0


def test_measures_of_selection_by_hand() -> None:
    evaluator = SelectionEvaluator(["0", "1"], list("aaabbbccc"), [1, 2])
    logits = np.array([2.0, 3.0, 1.0, 3.0, 1.0, 2.0, 1.0, 2.0, 3.0])
    labels = np.array([1, 0, 0, 1, 0, 1, 0, 0, 0])

    class Batch(dict[str, object]):
        """What a loader gives."""

    fields = Batch(label=_Array(labels), index=_Array(np.arange(9)))
    evaluator.update([np.stack([np.zeros(9), logits], 1)], fields)
    found = evaluator.result()  # group c has no right response, and counts in no measure of the order
    assert found["recall_at_1"] == pytest.approx((0 + 0.5) / 2) and found["recall_at_2"] == pytest.approx(1)
    assert found["precision_at_1"] == pytest.approx(1 / 2) and found["mrr"] == pytest.approx((1 / 2 + 1) / 2)
    assert found["map"] == pytest.approx((1 / 2 + 1) / 2)
    assert found["recall_2_at_1"] == pytest.approx((0 + 1) / 2)  # of the first two candidates


class _Array:
    def __init__(self, value: np.ndarray) -> None:
        self.value = value

    def numpy(self) -> np.ndarray:
        return self.value

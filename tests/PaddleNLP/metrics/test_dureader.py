"""DuReader's numbers: cases computed by hand, and what the official script does with odd answers."""

from __future__ import annotations

import math

import numpy as np
import pytest

from PaddleNLP.metrics.dureader import bleu, common_subsequence, dureader_result, rouge_l


def test_common_subsequences_are_those_of_a_table() -> None:
    source = np.random.default_rng(0)
    for _ in range(20):
        one, other = (list(source.integers(0, 4, source.integers(0, 90)).astype(str)) for _ in range(2))
        table = np.zeros((len(one) + 1, len(other) + 1), int)
        for i, letter in enumerate(one):
            for j, second in enumerate(other):
                table[i + 1, j + 1] = table[i, j] + 1 if letter == second else max(table[i, j + 1], table[i + 1, j])
        assert common_subsequence(one, other) == table[-1, -1]


def test_rouge_takes_the_best_precision_and_the_best_recall_of_whichever_references() -> None:
    assert rouge_l("今天下雨", ["今天 下雨"]) == pytest.approx(1)
    precision, recall = 2 / 4, 2 / 3  # of "天下", in the first and in the second
    wanted = (1 + 1.44) * precision * recall / (recall + 1.44 * precision)
    assert rouge_l("今天下雨", ["天x下yz", "天下z"]) == pytest.approx(wanted)
    assert rouge_l("", ["今天"]) == rouge_l("今天", [""]) == 0
    assert rouge_l("", ["今天", ""]) == pytest.approx(1)  # the official script has it so


def test_bleu_is_that_of_all_answers_together() -> None:
    given, right = {"1": "abcd", "2": "xyz"}, {"1": ["abce", "zzzzzzz"], "2": ["xy"]}
    # of one letter: a b c, x y of 4 + 3; of two: ab bc, xy of 3 + 2; of three: abc of 2 + 1; of four: none of 1
    shares = [5 / 7, 3 / 5, 1 / 3, 1e-15]
    found = bleu(given, right)  # 7 letters given, 4 + 2 wanted: not too short
    for size in range(1, 5):
        assert found[size - 1] == pytest.approx(math.prod(shares[:size]) ** (1 / size), rel=1e-6)
    assert bleu({"1": "ab"}, {"1": ["abcd", "a" * 9]})[0] == pytest.approx(math.exp(1 - 4 / 2), rel=1e-6)
    assert bleu({"1": "aaa"}, {"1": ["aab", "aba"]})[0] == pytest.approx(2 / 3)  # as often as one reference has it
    assert bleu({"1": "abc"}, {"1": ["ab", "abcd"]})[0] == pytest.approx(1)  # of two as near, the shorter


def test_questions_without_a_right_answer_are_left_out() -> None:
    result = dureader_result({"1": ["今天"], "2": [], "3": [""]}, {"1": "今天", "2": "雨"})
    assert result["rouge_l"] == pytest.approx(100) and result["bleu_1"] == pytest.approx(100)
    assert list(result) == ["rouge_l", "bleu_1", "bleu_2", "bleu_3", "bleu_4"]
    assert dureader_result({"1": ["今天"]}, {})["rouge_l"] == 0
    with pytest.raises(ValueError, match="there are no questions with an answer to be scored"):
        dureader_result({"1": []}, {"1": "a"})

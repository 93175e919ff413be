"""Answers of windows become answers to questions, and scores of sets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from PaddleNLP.data.encoded import EncodedDataset, Ragged
from PaddleNLP.data.reading.questions import Question
from PaddleNLP.data.reading.windows import ReadingDataset
from PaddleNLP.evaluators.reading import ReadingEvaluator

CONTEXT = "ann met bob and cid"
WORDS = [(0, 3), (4, 7), (8, 11), (12, 15), (16, 19)]


class Column:
    def __init__(self, values: Any) -> None:
        self.values = np.asarray(values)

    def numpy(self) -> np.ndarray:
        return self.values


def dataset(groups: dict[str, list[list[str]]]) -> ReadingDataset:
    """Return questions about one text with the right answers of each set."""
    parts = [
        (
            group,
            [
                Question(f"{group}{number}", "who?", CONTEXT, [(text, None) for text in right], right, not right, "x")
                for number, right in enumerate(answers)
            ],
        )
        for group, answers in groups.items()
    ]
    return ReadingDataset(parts, "x")


def logits(spans: list[tuple[int, int]], null: float = -5.0) -> list[np.ndarray]:
    """Return logits of windows of two special tokens, five words and a padding, each with a best span of words."""
    start, end = np.full((2, len(spans), 8), -2.0, np.float32)
    start[:, 0] = end[:, 0] = null
    start[:, 1] = end[:, 1] = 9.0  # of the question: never an answer
    for row, (first, last) in enumerate(spans):
        start[row, 2 + first], end[row, 2 + last] = 3.0, 3.0
    return [start, end]


SAME_IDS = (("first", "bob"), ("second", "ann"))
OFFSETS = np.array([(-1, -1), (-1, -1), *WORDS])


def evaluator(data: ReadingDataset, windows: list[int], metric: str = "SQuAD", **options: Any) -> ReadingEvaluator:
    """Return one for windows of the questions of these numbers."""
    ids = Ragged.of([[1] * 7] * len(windows))
    offsets = Ragged.of([OFFSETS.reshape(-1).tolist()] * len(windows))
    columns = {"input_ids": ids, "offsets": offsets, "sample": np.array(windows)}
    settings = {"threshold": 0.0, "n_best": 20, "longest": 30, **options}
    return ReadingEvaluator(data, EncodedDataset(columns, ("offsets", "sample")), metric, **settings)


def test_of_two_windows_the_better_span_counts(tmp_path: Path) -> None:
    found = evaluator(dataset({"dev": [["bob"], ["cid", "bob and cid"]]}), [0, 0, 1])
    first, second = logits([(2, 2), (0, 0)]), logits([(2, 3)])
    first[0][1] -= 1
    found.update(second, {"index": Column([2])})
    found.update(first, {"index": Column([0, 1])})
    assert found.result() == {"exact": 50.0, "f1": pytest.approx(100 * (1 + 0.8) / 2)}
    assert found.write(tmp_path) == ["predictions.json", "nbest.json"]
    assert json.loads((tmp_path / "predictions.json").read_text()) == {"dev0": "bob", "dev1": "bob and"}
    best = json.loads((tmp_path / "nbest.json").read_text())["dev0"]
    assert best[0]["text"] == "bob" and (best[0]["start"], best[0]["end"]) == (8, 11) and len(best) == 20
    assert sum(answer["probability"] for answer in best) == pytest.approx(1, abs=1e-4)


def test_no_answer_is_one_where_there_may_be_none(tmp_path: Path) -> None:
    found = evaluator(dataset({"dev": [["bob"], []]}), [0, 1], "SQuAD2")
    for number, null in enumerate((-5.0, 4.0)):
        found.update(logits([(2, 2)], null), {"index": Column([number])})
    result = found.result()
    assert result["exact"] == result["HasAns_f1"] == result["NoAns_f1"] == result["best_exact"] == 100.0
    assert result["best_exact_thresh"] == pytest.approx(-16)
    found.write(tmp_path)
    assert json.loads((tmp_path / "predictions.json").read_text()) == {"dev0": "bob", "dev1": ""}
    assert json.loads((tmp_path / "null_odds.json").read_text()) == pytest.approx({"dev0": -16, "dev1": 2})


def test_sets_count_alike_whatever_their_sizes() -> None:
    data = dataset({"small": [["bob"], ["bob"], ["ann"]], "other": [["bob"]], "far": [["ann"]]})
    found = evaluator(data, list(range(5)), out_of_domain=["far"])
    found.update(logits([(2, 2)] * 5), {"index": Column(range(5))})
    result = found.result()
    assert (result["small_f1"], result["other_f1"], result["far_f1"]) == (pytest.approx(200 / 3), 100, 0)
    assert result["macro_f1"] == pytest.approx((200 / 3 + 100) / 3)
    assert (result["in_domain_f1"], result["out_of_domain_f1"]) == (pytest.approx((200 / 3 + 100) / 2), 0)
    assert result["f1"] == pytest.approx(60)


def test_sets_may_have_the_same_ids(tmp_path: Path) -> None:
    parts = [(name, [Question("1", "who?", CONTEXT, [(text, None)], [text], False, "x")]) for name, text in SAME_IDS]
    found = evaluator(ReadingDataset(parts, "x"), [0, 1], "SQuAD2")
    found.update(logits([(2, 2), (0, 0)]), {"index": Column([0, 1])})
    found.write(tmp_path)
    names = ("predictions", "nbest", "null_odds")
    files = {name: json.loads((tmp_path / f"{name}.json").read_text()) for name in names}
    assert files["predictions"] == {"first": {"1": "bob"}, "second": {"1": "ann"}}
    assert files["null_odds"] == {"first": {"1": -16.0}, "second": {"1": -16.0}}
    assert files["nbest"]["second"]["1"][0]["text"] == "ann"


def test_chinese_answers() -> None:
    found = evaluator(dataset({"dev": [["bob and"]]}), [0], "CMRC")
    found.update(logits([(2, 2)]), {"index": Column([0])})
    assert found.result() == {"exact": 0.0, "f1": pytest.approx(100 * 2 / 3), "average": pytest.approx(100 / 3)}

"""DuReader's lines with all passages: which paragraphs are read, where answers are, and lines that are wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from PaddleNLP.answers.passage_spans import best_span
from PaddleNLP.data.reading.dureader import DuReaderPassages

RECORD: dict[str, Any] = {
    "question_id": 7,
    "segmented_question": ["谁", "在", "北京"],
    "documents": [
        {"segmented_paragraphs": [["雨"], ["李", "雷", "在", "上海"]], "most_related_para": 0},
        {
            "segmented_paragraphs": [["\u3000", "王", "\u3000", "小 明", "在", "北京", "。"], ["在"]],
            "most_related_para": 0,
        },
    ],
    "answer_docs": [1],
    "answer_spans": [[1, 3]],
    "answers": ["王小明"],
}


def samples(*arguments: Any, **options: Any) -> list[dict[str, Any]]:
    dataset = DuReaderPassages(*arguments, **options)
    return [dataset[number] for number in range(len(dataset))]


def written(folder: Path, *changes: dict[str, Any]) -> str:
    rows = [json.dumps({**RECORD, **change}, ensure_ascii=False) for change in changes]
    (folder / "search.json").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return str(folder / "search.json")


def test_words_and_answers_without_white_space(tmp_path: Path) -> None:
    (sample,) = samples(written(tmp_path, {}))
    assert sample["question"] == "谁 在 北京" and sample["passages"] == ["雨", "王 小明 在 北京 。"]
    assert (sample["id"], sample["references"], sample["passage"]) == ("7", ["王小明"], 1)
    assert sample["passages"][1][sample["start"] : sample["end"]] == "王 小明"
    (sample,) = samples(written(tmp_path, {"answer_spans": [[2, 6]]}))
    assert sample["passages"][1][sample["start"] : sample["end"]] == "小明 在 北京 。"


def test_paragraphs_by_the_question_need_no_answer(tmp_path: Path) -> None:
    path = written(tmp_path, {"answer_spans": [], "answers": []})
    (sample,) = samples(path, "recall")
    assert sample["passages"] == ["李 雷 在 上海", "王 小明 在 北京 。"] and sample["passage"] == -1
    with pytest.raises(ValueError, match="there are no samples"):
        DuReaderPassages(path, marked=True)


def test_marked_answers_alone(tmp_path: Path) -> None:
    rows: Any = ({}, {"answer_spans": []}, {"answer_docs": []}, {"answer_docs": [0], "answer_spans": [[0, 0]]})
    path = written(tmp_path, *({**row, "question_id": number} for number, row in enumerate(rows)))
    assert [sample["id"] for sample in samples(path, marked=True)] == ["0", "3"]
    assert [sample["id"] for sample in samples(path, marked=True, longest=3)] == ["3"]
    assert [sample["id"] for sample in samples(path, marked=True, most=1)] == ["3"]
    blank = written(tmp_path, {"answer_spans": [[0, 0]], "documents": [{"segmented_paragraphs": [[" "]]}] * 2})
    assert DuReaderPassages(blank)[0]["passage"] == -1
    assert DuReaderPassages(written(tmp_path, {"documents": [{"segmented_paragraphs": []}] * 2}))[0]["passages"] == [
        "",
        "",
    ]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"documents": []}, r"json:1: 'documents' must be a list of at least one, not \[\]"),
        ({"documents": ["a"]}, "json:1: a document must be an object, not 'a'"),
        ({"documents": [{}, {}]}, "json:1: 'segmented_paragraphs' must be a list, not None"),
        (
            {"documents": [{"segmented_paragraphs": [[1]]}]},
            r"'segmented_paragraphs' must be a list of texts, not \[1\]",
        ),
        (
            {"documents": [{"segmented_paragraphs": [["a"]], "most_related_para": 1}]},
            "json:1: 'most_related_para' is 1 of 1 paragraphs",
        ),
        ({"segmented_question": []}, "json:1: 'segmented_question' is empty"),
        ({"segmented_question": "谁"}, "json:1: 'segmented_question' must be a list of texts, not '谁'"),
        ({"question_id": None}, "json:1: 'question_id' must name the question, not None"),
        ({"answers": [3]}, r"json:1: 'answers' must be a list of texts, not \[3\]"),
        ({"answer_docs": [2]}, "json:1: 'answer_docs' names document 2 of 2"),
        ({"answer_docs": ["a"]}, "json:1: 'answer_docs' names document 'a' of 2"),
        ({"answer_spans": [[1, 7]]}, r"json:1: 'answer_spans' must be two places from 0 to 6, not \[1, 7\]"),
        ({"answer_spans": [3]}, "json:1: 'answer_spans' must be two places from 0 to 6, not 3"),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        DuReaderPassages(written(tmp_path, change))


def test_marked_answers_are_in_marked_paragraphs(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="set paragraphs: related"):
        DuReaderPassages(written(tmp_path, {}), "recall", marked=True)


def test_the_best_span_is_that_of_all_pairs() -> None:
    source = np.random.default_rng(0)
    begins, ends, prior = source.random((3, 7)), source.random((3, 7)), (0.5, 0.3, 0.2)
    lengths = [4, 9, 0]  # of nine words seven were read
    scores = {
        (passage, start, end): begins[passage, start] * ends[passage, end] * prior[passage]
        for passage, length in enumerate(lengths)
        for start in range(min(length, 7))
        for end in range(start, min(start + 3, length, 7))
    }
    found = best_span(begins, ends, lengths, 3, prior)
    assert found[:3] == max(scores, key=lambda place: scores[place])
    assert found.score == pytest.approx(max(scores.values()))
    assert best_span(begins, ends, [0, 0, 0]).passage == -1

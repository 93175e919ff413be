"""Questions with answers to choose from, in C3's layout."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from PaddleNLP.data.encoded import EncodedDataset, Ragged
from PaddleNLP.data.reading.choices import C3Dataset
from PaddleNLP.data.stacked import StackedDataset, stacked

QUESTION = {"question": "谁？", "choice": ["甲", "乙"], "answer": "乙"}


def file_of(folder: Path, content: Any) -> str:
    (folder / "c3.json").write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
    return str(folder / "c3.json")


def test_questions_of_a_document_share_its_text(tmp_path: Path) -> None:
    more = {"question": "几个？", "choice": ["一", "二", "三"], "answer": "一"}
    documents = [[["男：甲。", "女：乙。"], [QUESTION, more], "1"], [["丙"], [QUESTION], "2"]]
    dataset = C3Dataset(file_of(tmp_path, documents))
    context = "男：甲。\n女：乙。"
    assert list(dataset) == [
        {"context": context, "question": "谁？", "choices": ["甲", "乙"], "label": 1},
        {"context": context, "question": "几个？", "choices": ["一", "二", "三"], "label": 0},
        {"context": "丙", "question": "谁？", "choices": ["甲", "乙"], "label": 1},
    ]
    without = {key: value for key, value in QUESTION.items() if key != "answer"}
    assert "label" not in C3Dataset(file_of(tmp_path, [[["丙"], [without], "2"]]))[0]


@pytest.mark.parametrize(
    "content, message",
    [
        ({"a": 1}, "c3.json: the file must hold .*, not"),
        ([["text", []]], r"c3.json, document 1: a document must be \[texts, questions, id\], not"),
        ([[["a"], [{**QUESTION, "choice": ["甲"]}], "1"]], "1: it must have a question and two choices or more"),
        ([[["a"], [{**QUESTION, "answer": "丙"}], "1"]], "question 1: the answer '丙' is none of the choices"),
        (
            [[["a"], [QUESTION, {**QUESTION, "answer": ""}], "1"]],
            "c3.json: 1 questions have no answer, which others have",
        ),
    ],
)
def test_mistakes(content: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        C3Dataset(file_of(tmp_path, content))


def test_rows_of_a_sample_have_an_axis() -> None:
    columns = stacked({"input_ids": Ragged.of([[1, 2], [3], [4, 5, 6], [7], [8]])}, [2, 3], {"input_ids": 9})
    dataset = StackedDataset(EncodedDataset(columns), ["input_ids"])
    assert dataset[0]["input_ids"].tolist() == [[1, 2], [3, 9]]
    assert dataset[1]["input_ids"].tolist() == [[4, 5, 6], [7, 9, 9], [8, 9, 9]]
    assert dataset.lengths.tolist() == [2, 3] and dataset[1]["index"] == 1 and "rows" not in dataset[1]
    assert np.array(dataset[0]["input_ids"]).dtype == np.int64

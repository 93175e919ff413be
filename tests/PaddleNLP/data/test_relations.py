"""Texts with relations between their parts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from PaddleNLP.data.tagging.relations import RelationDataset

ROW = {"text": "甲生于乙", "spo_list": [{"predicate": "出生地", "subject": [0, 1], "object": [3, 4]}]}


def file_of(folder: Path, *rows: Any) -> str:
    path = folder / "train.json"
    path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows), "utf-8")
    return str(path)


def test_relations(tmp_path: Path) -> None:
    second = {"text": "丙", "spo_list": []}
    third = {"text": "丁国", "spo_list": [{"predicate": "国籍", "subject": [0, 1], "object": [1, 2]}] * 2}
    dataset = RelationDataset(file_of(tmp_path, ROW, second, third))
    assert dataset.labels == ["出生地", "国籍"]
    assert list(dataset) == [
        {"text": "甲生于乙", "relations": [{"predicate": "出生地", "subject": (0, 1), "object": (3, 4)}]},
        {"text": "丙", "relations": []},
        {"text": "丁国", "relations": [{"predicate": "国籍", "subject": (0, 1), "object": (1, 2)}] * 2},
    ]
    ordered = RelationDataset(file_of(tmp_path, ROW, third), labels=["国籍", "出生地"])
    assert ordered.labels == ["国籍", "出生地"] and ordered[0]["relations"][0]["predicate"] == "出生地"


def test_a_relation_that_reaches_out_of_its_text(tmp_path: Path) -> None:
    wrong = {"text": "甲生", "spo_list": [{"predicate": "出生地", "subject": [-1, 1], "object": [0, 1]}]}
    path = file_of(tmp_path, ROW, wrong)
    with pytest.raises(ValueError, match=r"train.json:2: 'subject' \[-1, 1\] is no part of the text's 2 characters"):
        RelationDataset(path)
    with pytest.warns(UserWarning, match="1 relations reach out of their texts .*, the first is of line 2"):
        assert [len(sample["relations"]) for sample in RelationDataset(path, bad_spans="skip")] == [1, 0]


@pytest.mark.parametrize(
    "row, message",
    [
        ({"text": "", "spo_list": []}, r"train.json:1: 'text' must be a text that is not empty, not ''"),
        ({"text": "a", "spo_list": 3}, r"train.json:1: 'spo_list' must be a list, not 3"),
        ({"text": "a", "spo_list": [3]}, r"train.json:1: a relation must have a predicate, not be 3"),
        ({"text": "a", "spo_list": [{"predicate": "p", "subject": [0], "object": [0, 1]}]}, r"'subject' must be two"),
        ("[" * 100_000, r"train.json:1: the JSON is nested too deeply"),
    ],
)
def test_mistakes(tmp_path: Path, row: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        RelationDataset(file_of(tmp_path, row))


def test_a_predicate_that_is_none_of_the_labels(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"train.json:1: the label '出生地' is none of labels: '国籍'"):
        RelationDataset(file_of(tmp_path, ROW), labels=["国籍"])

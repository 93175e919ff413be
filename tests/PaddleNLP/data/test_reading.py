"""Questions and answers: each official layout, and one clear line for whatever is wrong."""

from __future__ import annotations

import copy
import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from PaddleNLP.data.reading.windows import DuReaderDataset, MRQADataset, SQuADDataset

SQUAD = {
    "version": "v2.0",
    "data": [
        {
            "title": "T",
            "paragraphs": [
                {
                    "context": "Ann met Bob. Bob met Cid.",
                    "qas": [
                        {"id": "1", "question": "Who met Bob?", "answers": [{"text": "Ann", "answer_start": 0}]},
                        {
                            "id": 2,
                            "question": "Who met Ann?",
                            "answers": [],
                            "plausible_answers": [{"text": "Bob", "answer_start": 8}],
                            "is_impossible": True,
                        },
                    ],
                }
            ],
        }
    ],
}


@pytest.fixture
def file_of(tmp_path: Path) -> Any:
    def write(content: Any, name: str = "dev.json") -> str:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content, ensure_ascii=False).encode())
        return str(path)

    return write


def test_squad(file_of: Any) -> None:
    dataset = SQuADDataset(file_of(SQUAD))
    context = "Ann met Bob. Bob met Cid."
    assert list(dataset) == [
        {
            "id": "1",
            "question": "Who met Bob?",
            "context": context,
            "answers": ["Ann"],
            "answer_starts": [0],
            "references": ["Ann"],
            "is_impossible": False,
            "group": "dev",
        },
        {
            "id": "2",
            "question": "Who met Ann?",
            "context": context,
            "answers": [],
            "answer_starts": [],
            "references": [],
            "is_impossible": True,
            "group": "dev",
        },
    ]
    assert len(dataset.columns["context"].texts) == 1


def test_cmrc_in_its_own_layout(file_of: Any) -> None:
    paragraph = {
        "context_id": "DEV_0",
        "context_text": "北京是首都。",
        "title": "北京",
        "qas": [{"query_id": "DEV_0_QUERY_0", "query_text": "首都是？", "answers": ["北京", "北京", "北京"]}],
    }
    (sample,) = SQuADDataset(file_of([paragraph]))
    assert sample["answers"] == ["北京"] and sample["answer_starts"] == [0] and sample["references"] == ["北京"] * 3


def edited(change: Any) -> Any:
    content = copy.deepcopy(SQUAD)
    change(content["data"][0]["paragraphs"][0])  # type: ignore[index]
    return content


def test_answers_that_are_elsewhere_or_nowhere(file_of: Any) -> None:
    moved = edited(lambda part: part["qas"][0].update(answers=[{"text": "Bob", "answer_start": 12}]))
    with pytest.warns(UserWarning, match=r"1 answers begin elsewhere than is said, .* the first is of .*question '1'"):
        assert SQuADDataset(file_of(moved))[0]["answer_starts"] == [13]
    lost = edited(lambda part: part["qas"][0].update(answers=[{"text": "Dan", "answer_start": 0}]))
    message = r"dev.json: article 1, paragraph 1, question '1': the answer 'Dan' is not in the text; put it right, or"
    with pytest.raises(ValueError, match=message):
        SQuADDataset(file_of(lost))
    with pytest.warns(UserWarning, match=r"1 answers are not in their texts and left out, the first is of .*'1'"):
        sample = SQuADDataset(file_of(lost), bad_answers="skip")[0]
    assert sample["answers"] == [] and sample["references"] == ["Dan"]


MISTAKES = [
    (lambda part: part.update(context=3), r"article 1, paragraph 1: 'context' must be a text, not 3"),
    (lambda part: part.update(context=" "), r"article 1, paragraph 1: 'context' is empty"),
    (lambda part: part.pop("qas"), r"article 1, paragraph 1: 'qas' is missing"),
    (lambda part: part["qas"][0].pop("id"), r"paragraph 1, question 1: 'id' must name the question, not None"),
    (lambda part: part["qas"][1].update(id="1"), r"paragraph 1, question '1': the id '1' is there twice"),
    (lambda part: part["qas"][0].update(question=""), r"question '1': 'question' is empty"),
    (lambda part: part["qas"][0].update(answers="Ann"), r"question '1': 'answers' must be a list, not 'Ann'"),
    (lambda part: part["qas"][0].update(answers=[{"text": "Ann"}]), r"question '1': 'answer_start' is missing"),
    (
        lambda part: part["qas"][0].update(answers=[{"text": "Ann", "answer_start": "0"}]),
        r"question '1': 'answer_start' must be a whole number, not '0'",
    ),
    (lambda part: part["qas"][1].update(is_impossible=1), r"'is_impossible' must be true or false, not 1"),
]


@pytest.mark.parametrize("change, message", MISTAKES)
def test_mistakes_of_squad_files(file_of: Any, change: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        SQuADDataset(file_of(edited(change)))
    assert str(caught.value).count("dev.json") == 1 and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "content, message",
    [
        (b"[" * 100_000, r"dev.json: the JSON is nested too deeply"),
        (b'{"data": ' * 100_000, r"dev.json: the JSON is nested too deeply"),
        (b'{"data": [', r"dev.json: not JSON: "),
        (b'{"data": {}}', r"dev.json: 'data' must be a list, not {}"),
        (b"3", r"dev.json must be an object, not 3"),
        (b'{"data": "\xff"}', r"dev.json: byte 11 is not UTF-8"),
        (b'{"data": []}', r"dev.json: there are no samples"),
    ],
)
def test_files_that_are_no_squad(file_of: Any, content: bytes, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        SQuADDataset(file_of(content))


def mrqa_lines(*records: Any) -> bytes:
    return gzip.compress("\n".join(json.dumps(record) for record in records).encode())


MRQA = {
    "id": "",
    "context": "Ann met Bob. Bob met Cid.",
    "qas": [
        {
            "qid": "q1",
            "question": "Who met Cid?",
            "answers": ["Bob", "Bobby"],
            "detected_answers": [{"text": "Bob", "char_spans": [[8, 10], [13, 15]], "token_spans": [[2, 2], [4, 4]]}],
        }
    ],
}


def test_a_folder_of_mrqa_files(file_of: Any, tmp_path: Path) -> None:
    file_of(mrqa_lines({"header": {"dataset": "HotpotQA"}}, MRQA), "sets/HotpotQA.jsonl.gz")
    file_of(SQUAD, "sets/SQuAD.json")
    dataset = MRQADataset(str(tmp_path / "sets"))
    assert [sample["group"] for sample in dataset] == ["HotpotQA", "SQuAD", "SQuAD"]
    assert dataset.groups == ["HotpotQA", "SQuAD"]
    assert dataset[0]["answers"] == ["Bob", "Bob"] and dataset[0]["answer_starts"] == [8, 13]
    assert dataset[0]["references"] == ["Bob", "Bobby"]
    assert len(MRQADataset(str(tmp_path / "sets" / "HotpotQA.jsonl.gz"))) == 1
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match=r"empty: no file ends with .json, .jsonl, .jsonl.gz"):
        MRQADataset(str(tmp_path / "empty"))
    with pytest.raises(NotADirectoryError, match="no folder"):
        MRQADataset(str(tmp_path / "nowhere"))


def test_mistakes_of_mrqa_files(file_of: Any) -> None:
    wrong = copy.deepcopy(MRQA)
    wrong["qas"][0]["detected_answers"][0]["char_spans"] = [[8, 25]]  # type: ignore[index]
    with pytest.raises(ValueError, match=r"x.jsonl.gz:1: question 'q1': 'char_spans' must be two places from 0 to 24"):
        MRQADataset(file_of(mrqa_lines(wrong), "x.jsonl.gz"))


DUREADER = {
    "question_id": 7,
    "question": "首都？",
    "documents": [
        {"segmented_paragraphs": [["无关"]], "most_related_para": 0},
        {"segmented_paragraphs": [["x"], ["北京", "是", "首都", "。"]], "most_related_para": 1},
    ],
    "answers": ["首都是北京。"],
    "answer_docs": [1],
    "answer_spans": [[0, 1]],
}


def test_dureader(file_of: Any) -> None:
    (sample,) = DuReaderDataset(file_of(DUREADER))
    assert sample["context"] == "北京是首都。" and sample["answers"] == ["北京是"] and sample["answer_starts"] == [0]
    assert sample["id"] == "7" and sample["references"] == ["首都是北京。"]
    (sample,) = DuReaderDataset(file_of({**DUREADER, "answer_spans": []}, "unmarked.json"))
    assert sample["context"] == "无关\n北京是首都。" and sample["answers"] == []
    for change, message in [
        ({"answer_spans": [[0, 4]]}, r"dev.json:1: 'answer_spans' must be two places from 0 to 3, not \[0, 4\]"),
        ({"answer_docs": [2]}, r"dev.json:1: 'answer_docs' names document 2 of 2"),
        ({"documents": [{"segmented_paragraphs": [["a"]]}]}, r"'answer_docs' names document 1 of 1"),
        ({"documents": [], "answer_spans": []}, r"dev.json:1: no document has a paragraph"),
    ]:
        with pytest.raises(ValueError, match=message):
            DuReaderDataset(file_of({**DUREADER, **change}))

"""Delimited files and JSON lines: each official format, and one clear line for whatever is wrong in a file."""

from __future__ import annotations

import gzip
import json
import pickle
import re
import tracemalloc
from pathlib import Path
from typing import Any, Union

import pytest

from core.train import Component
from PaddleNLP.data.dataset import TextDataset, TextLists, Texts
from PaddleNLP.data.lines import text_lines
from PaddleNLP.data.registry import DATASETS
from PaddleNLP.data.tsv import TableDataset


@pytest.fixture
def written(tmp_path: Path) -> Any:
    def write(content: Union[str, bytes], name: str = "part.tsv") -> str:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return str(path)

    return write


def opened(name: str, path: str, **settings: Any) -> TextDataset:
    return DATASETS.build(DATASETS.check(Component(name=name, path=path, **settings)))


FORMATS = [
    ("ChnSentiCorp", "label\ttext_a\n1\t很 好\n", {"text": "很 好", "label": "1"}),
    ("ChnSentiCorp", "qid\tlabel\ttext_a\n0\t0\t不好\n", {"text": "不好", "label": "0"}),
    ("ChnSentiCorp", "不好\t0\n", {"text": "不好", "label": "0"}),
    ("Senta", "text_a\tlabel\n好 用\t1\n", {"text": "好 用", "label": "1"}),
    ("Senta", "1\t好 用\n", {"text": "好 用", "label": "1"}),
    ("EmoTect", "label\ttext_a\n2\t好\n", {"text": "好", "label": "2"}),
    ("LCQMC", "你好\t您好\t1\n", {"text": "你好", "text_pair": "您好", "label": "1"}),
    ("BQ", "text_a\ttext_b\tlabel\n你好\t您好\t0\n", {"text": "你好", "text_pair": "您好", "label": "0"}),
    ("AFQMC.json", '{"sentence1": "a", "sentence2": "b", "label": "1"}', {"text": "a", "text_pair": "b", "label": "1"}),
    ("TNEWS", "房价\tnews_house\n", {"text": "房价", "label": "news_house"}),
    (
        "TNEWS.json",
        '{"label": "106", "label_desc": "news_house", "sentence": "房价", "keywords": ""}\n',
        {"text": "房价", "label": "news_house"},
    ),
    ("TNEWS.json", '{"id": 0, "sentence": "房价", "keywords": ""}\n', {"text": "房价"}),
    (
        "XNLI",
        "language\tgold_label\tsentence1\tsentence2\nar\tneutral\tx\ty\nzh\tcontradiction\t甲\t乙\n",
        {"text": "甲", "text_pair": "乙", "label": "contradiction"},
    ),
    (
        "XNLI",
        "premise\thypo\tlabel\n甲\t乙\tcontradictory\n",
        {"text": "甲", "text_pair": "乙", "label": "contradiction"},
    ),
    (
        "DBQA",
        "qid\tlabel\ttext_a\ttext_b\n7\t1\t谁？\t他。\n",
        {"text": "谁？", "text_pair": "他。", "group": "7", "label": "1"},
    ),
    ("CoLA", "gj04\t0\t*\tThem sleeps.\n", {"text": "Them sleeps.", "label": "0"}),
    ("CoLA", "index\tsentence\n0\tThey sleep.\n", {"text": "They sleep."}),
    ("SST-2", "sentence\tlabel\nfine \t1\n", {"text": "fine ", "label": "1"}),
    (
        "MRPC",
        "\ufeffQuality\t#1 ID\t#2 ID\t#1 String\t#2 String\n1\t2\t3\tHe said \"no.\tNo\n",
        {"text": 'He said "no.', "text_pair": "No", "label": "1"},
    ),
    ("MRPC", "\ufeff1\t2\t3\tYes\tNo\n", {"text": "Yes", "text_pair": "No", "label": "1"}),
    (
        "QQP",
        "id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate\n1\t2\t3\tWhy?\tHow?\t0\n",
        {"text": "Why?", "text_pair": "How?", "label": "0"},
    ),
    (
        "STS-B",
        "index\tgenre\tfilename\tyear\told_index\tsource1\tsource2\tsentence1\tsentence2\tscore\n"
        "0\tn\tf\t2012\t1\ta\tb\tA.\tB.\t3.800\n",
        {"text": "A.", "text_pair": "B.", "label": 3.8},
    ),
    (
        "MNLI",
        "index\tsentence1\tsentence2\tlabel1\tgold_label\n0\tA.\tB.\tneutral\tentailment\n",
        {"text": "A.", "text_pair": "B.", "label": "entailment"},
    ),
    (
        "QNLI",
        "index\tquestion\tsentence\tlabel\n0\tWho?\tHe.\tnot_entailment\n",
        {"text": "Who?", "text_pair": "He.", "label": "not_entailment"},
    ),
    (
        "RTE",
        "index\tsentence1\tsentence2\tlabel\n0\tA.\tB.\tentailment\n",
        {"text": "A.", "text_pair": "B.", "label": "entailment"},
    ),
    ("SICK", "1\tA.\tB.\t4.5\tNEUTRAL\n", {"text": "A.", "text_pair": "B.", "label": "NEUTRAL"}),
    (
        "SICK",
        "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n1\tA.\tB.\t4.5\tENTAILMENT\n",
        {"text": "A.", "text_pair": "B.", "label": "ENTAILMENT"},
    ),
    ("SICKRelatedness", "1\tA.\tB.\t4.5\tNEUTRAL\n", {"text": "A.", "text_pair": "B.", "label": 4.5}),
    (
        "Toxic",
        'id,comment_text,toxic,severe_toxic,obscene,threat,insult,identity_hate\n0,"Oh, ""you""\nthere",1,0,0,0,1,0\n',
        {"text": 'Oh, "you"\nthere', "label": ["toxic", "insult"]},
    ),
    ("Toxic", "id,comment_text\n0,Oh\n", {"text": "Oh"}),
]


@pytest.mark.parametrize("name, content, sample", FORMATS)
def test_official_formats(written: Any, name: str, content: str, sample: dict[str, Any]) -> None:
    name, _, ending = name.partition(".")
    dataset = opened(name, written(content, f"part.{ending or 'tsv'}"))
    assert list(dataset) == [sample]
    assert "label" not in sample or sample["label"] in dataset.labels or not isinstance(sample["label"], str)


MISTAKES = [
    ("A\t2\n", r"part.tsv:1: the label '2' is none of labels: '0', '1'"),
    ("A\t1\nB\n", r"part.tsv:2: the row has 1 columns, not 2 \(text_a, label\); put it right, or pass over such rows"),
    ("A\t1\nB\t0\t1\n", r"part.tsv:2: the row has 3 columns, not 2"),
    ("A\t1\n \t0\n", r"part.tsv:2: the text is empty; put it right"),
    ("A\t1\nB\t\n", r"part.tsv:2: the label is empty"),
    ("A\t1\n\nB\0\t0\n", r"part.tsv:3: character 2 is a NUL; this is no text file"),
    (b"A\t1\n" + "坏".encode("gbk") + b"\t1\n", r"part.tsv:2: byte 1 is not UTF-8; save the file as UTF-8 text"),
    ("A\t1\n".encode("utf-16"), r"part.tsv:1: byte 1 is not UTF-8"),
    ("", r"part.tsv: there are no samples"),
    ("\n\n", r"part.tsv: there are no samples"),
]


@pytest.mark.parametrize("content, message", MISTAKES)
def test_a_mistake_is_one_line_with_file_and_line(written: Any, content: Union[str, bytes], message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        opened("ChnSentiCorp", written(content))
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 600


def test_windows_line_ends_a_mark_and_blank_lines_do_not_matter(written: Any) -> None:
    plain = opened("LCQMC", written("甲\t乙\t1\n丙\t丁\t0\n"))
    other = opened("LCQMC", written("\ufeff甲\t乙\t1\r\n\r\n丙\t丁\t0\r\n\r\n", "windows.tsv"))
    assert list(plain) == list(other)
    assert other.place(1).endswith("windows.tsv:3")


def test_other_separators_of_lines_are_text(written: Any) -> None:
    dataset = opened("LCQMC", written("a\u2028b\x85c\x0b\t乙\t1\n"))
    assert dataset[0]["text"] == "a\u2028b\x85c\x0b"


def test_rows_are_passed_over_on_request(written: Any) -> None:
    path = written("A\t1\nB\nC\t0\n\t1\n")
    message = "part.tsv: 2 rows with missing or extra columns or empty texts are left out, the first is line 2"
    with pytest.warns(UserWarning, match=message):
        dataset = opened("ChnSentiCorp", path, bad_rows="skip")
    assert [sample["text"] for sample in dataset] == ["A", "C"]
    assert dataset.place(1).endswith(":3")


def test_a_header_names_the_columns(written: Any) -> None:
    with pytest.raises(ValueError, match=r"part.tsv:1: the header must name 'sentence', but is \['text', 'label'\]"):
        opened("SST-2", written("text\tlabel\nfine\t1\n"))
    with pytest.raises(ValueError, match=r"of numeric, labels and multi_label only one"):
        TableDataset(written("text\tlabel\nfine\t1\n"), numeric=True, labels=["0"])


def test_labels_come_from_a_file_or_from_what_occurs(written: Any) -> None:
    path = written("a\tx\nb\ty\n")
    names = written("y\nx\nz\n", "labels.txt")
    dataset = TableDataset(path, columns=["text", "label"], labels=names)
    assert dataset.labels == ["y", "x", "z"] and [sample["label"] for sample in dataset] == ["x", "y"]
    assert TableDataset(written("b\ty\na\tx\n", "2.tsv"), columns=["text", "label"]).labels == ["x", "y"]
    with pytest.raises(ValueError, match=r"part.tsv:2: the label 'y' is none of .*short.txt: 'x'"):
        TableDataset(path, columns=["text", "label"], labels=written("x\n", "short.txt"))
    with pytest.raises(ValueError, match=r"twice.txt:3: the label 'x' is in line 1 already"):
        TableDataset(path, columns=["text", "label"], labels=written("x\ny\nx\n", "twice.txt"))
    with pytest.raises(ValueError, match=r"none.txt: there are no labels"):
        TableDataset(path, columns=["text", "label"], labels=written("\n", "none.txt"))


@pytest.mark.parametrize("value", ["x", "", "nan", "inf"])
def test_a_number_that_is_none(written: Any, value: str) -> None:
    with pytest.raises(ValueError, match=rf"part.tsv:1: the label must be a number, not '{value}'"):
        opened("SICKRelatedness", written(f"1\tA.\tB.\t{value}\tNEUTRAL\n"))


def test_marks_of_several_classes_are_0_or_1(written: Any) -> None:
    header = "id,comment_text,toxic,severe_toxic,obscene,threat,insult,identity_hate\n"
    with pytest.raises(ValueError, match=r"part.tsv:2: 'obscene' must be 0 or 1, not '-1'"):
        opened("Toxic", written(header + "0,x,0,0,-1,0,0,0\n"))
    with pytest.raises(ValueError, match=r"part.tsv:3: not a row of a CSV file: unexpected end of data"):
        opened("Toxic", written(header + '0,x,0,0,0,0,0,0\n1,"x,0,0,0\n'))


JSON_MISTAKES = [
    ('{"sentence1": "a", "sentence2": "b"', r"part.json:1: not JSON: Expecting"),
    ("[1]", r"part.json:1: a line must hold a JSON object, not \[1\]"),
    ('{"sentence1": "a"}', r"part.json:1: there is no 'sentence2', but \['sentence1'\]"),
    ('{"sentence1": "a", "sentence2": ["b"]}', r"part.json:1: 'sentence2' must be a text, not \['b'\]"),
    ('{"sentence1": "a", "sentence2": "\\ud800"}', r"part.json:1: '\\ud800' holds half of a character"),
    ('{"sentence1": "a", "sentence2": "\\u0000"}', r"part.json:1: '\\x00' holds a NUL"),
    (
        '{"sentence1": "a", "sentence2": "b", "label": 1}\n{"sentence1": "a", "sentence2": "b"}',
        r"part.json:2: the label 'label' is missing, which others have",
    ),
    ("[" * 100_000, r"part.json:1: the JSON is nested too deeply"),
    ('{"a":' * 100_000, r"part.json:1: the JSON is nested too deeply"),
    ('{"sentence1": ' + "9" * 5000 + "}", r"part.json:1: "),
]


@pytest.mark.parametrize("content, message", JSON_MISTAKES)
def test_mistakes_of_json_lines(written: Any, content: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        opened("AFQMC", written(content, "part.json"))


def test_numbers_are_labels_of_json_lines(written: Any) -> None:
    lines = [json.dumps({"sentence1": "a", "sentence2": "b", "label": label}) for label in (1, 0)]
    assert [sample["label"] for sample in opened("AFQMC", written("\n".join(lines), "part.json"))] == ["1", "0"]


def test_compressed_files_are_read_and_bombs_are_not(written: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(opened("LCQMC", written(gzip.compress("甲\t乙\t1\n".encode() * 3), "part.tsv.gz"))) == 3
    monkeypatch.setattr("PaddleNLP.data.lines.UNPACKED", 1_000_000)
    for content in (b"a" * 30_000_000, (b"a" * 20_000 + b"\n") * 1500):
        bomb = written(gzip.compress(content), "bomb.tsv.gz")
        tracemalloc.start()
        with pytest.raises(ValueError, match=r"bomb.tsv.gz' unpacks to more than [\d,]+ bytes; unpack it yourself if"):
            sum(1 for _ in text_lines(bomb))
        assert tracemalloc.get_traced_memory()[1] < 8_000_000
        tracemalloc.stop()
    with pytest.raises(OSError, match=r"cannot read '.*cut.tsv.gz'"):
        opened("LCQMC", written(gzip.compress(b"a\tb\t1\n" * 100)[:-12], "cut.tsv.gz"))


def test_a_line_without_end_is_refused(written: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("PaddleNLP.data.lines.LONGEST_LINE", 1000)
    with pytest.raises(ValueError, match=r"part.tsv:2: the line is longer than 1,000 bytes"):
        opened("LCQMC", written("a\tb\t1\n" + "a" * 1001))


def test_a_missing_file_is_named() -> None:
    with pytest.raises(FileNotFoundError, match=re.escape("no file 'nowhere/part.tsv'")):
        opened("LCQMC", "nowhere/part.tsv")


def test_texts_are_compact_and_whole() -> None:
    texts = Texts(["", "甲乙", "\U00020000", "a" * 1000])
    assert list(texts) == ["", "甲乙", "\U00020000", "a" * 1000] and texts[-3:-1] == ["甲乙", "\U00020000"]
    assert list(pickle.loads(pickle.dumps(texts))) == list(texts)
    lists = TextLists([["a", "b"], [], ["c"]])
    assert list(lists) == [["a", "b"], [], ["c"]] and lists[1:] == [[], ["c"]]
    with pytest.raises(IndexError, match="there are 4 texts, no number 4"):
        texts[4]
    with pytest.raises(ValueError, match="columns of different lengths"):
        TextDataset({"text": texts, "label": [1]})

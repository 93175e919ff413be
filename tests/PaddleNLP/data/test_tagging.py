"""Sentences with tags: the official layouts, their schemes, and one clear line for whatever is wrong."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest

from PaddleNLP.data.tagging.schemes import breaks, has_suffixes, parsed, written
from PaddleNLP.data.tagging.sentences import CoNLLDataset, CoNLLUDataset, JoinedRows


@pytest.fixture
def file_of(tmp_path: Path) -> Any:
    def write(content: str, name: str = "part.txt") -> str:
        path = tmp_path / name
        path.write_bytes(content.encode())
        return str(path)

    return write


def test_columns_with_marks_in_front(file_of: Any) -> None:
    content = "我 O\n爱 O\n北 B-NS\n京 E-NS\n\n\n沪 S-NS\n"
    dataset = CoNLLDataset(file_of(content))
    assert list(dataset) == [
        {"tokens": ["我", "爱", "北", "京"], "tags": ["O", "O", "B-NS", "E-NS"]},
        {"tokens": ["沪"], "tags": ["S-NS"]},
    ]
    assert dataset.labels == ["O", "B-NS", "E-NS", "S-NS"] and not dataset.suffix
    assert dataset.place(1).endswith("part.txt:7")
    assert list(CoNLLDataset(file_of("\ufeff" + content.replace("\n", "\r\n"), "windows.txt"))) == list(dataset)
    assert list(pickle.loads(pickle.dumps(dataset))) == list(dataset)


def test_four_columns_and_documents_of_conll_2003(file_of: Any) -> None:
    content = "-DOCSTART- -X- -X- O\n\nEU NNP B-NP B-ORG\nrejects VBZ B-VP O\n"
    assert list(CoNLLDataset(file_of(content), columns=4)) == [{"tokens": ["EU", "rejects"], "tags": ["B-ORG", "O"]}]


def test_chunks_are_written_by_another_scheme(file_of: Any) -> None:
    path = file_of("a B-X\nb M-X\nc E-X\nd S-Y\ne O\nf B-Y\ng E-Y\n")
    tags = {scheme: CoNLLDataset(path, convert=scheme)[0]["tags"] for scheme in ("BIO", "BIOES", "BMES", "BMEO", "BIS")}
    assert tags == {
        "BIO": ["B-X", "I-X", "I-X", "B-Y", "O", "B-Y", "I-Y"],
        "BIOES": ["B-X", "I-X", "E-X", "S-Y", "O", "B-Y", "E-Y"],
        "BMES": ["B-X", "M-X", "E-X", "S-Y", "O", "B-Y", "E-Y"],
        "BMEO": ["B-X", "M-X", "E-X", "B-Y", "O", "B-Y", "E-Y"],
        "BIS": ["B-X", "I-X", "I-X", "S-Y", "O", "B-Y", "I-Y"],
    }


def test_rows_joined_by_byte_2(file_of: Any) -> None:
    content = "text_a\tlabel\n你\x02好\x02吗\tv-B\x02v-I\x02u-B\n好\ta-B\n"
    dataset = JoinedRows(file_of(content))
    assert list(dataset) == [
        {"tokens": ["你", "好", "吗"], "tags": ["v-B", "v-I", "u-B"]},
        {"tokens": ["好"], "tags": ["a-B"]},
    ]
    assert dataset.suffix and dataset.labels == ["a-B", "u-B", "v-B", "v-I"]
    without_header = JoinedRows(file_of("海\x02钓\tB-LOC\x02I-LOC\n", "msra.tsv"))
    assert without_header[0]["tags"] == ["B-LOC", "I-LOC"] and not without_header.suffix
    assert JoinedRows(file_of(content), convert="BIOES")[0]["tags"] == ["v-B", "v-E", "u-S"]


CONLLU = (
    "# sent_id = 1\n1-2\tdu\t_\t_\t_\t_\t_\t_\t_\t_\n"
    "1\tde\tde\tADP\tP\t_\t3\tcase\t_\t_\n2\tle\tle\tDET\tD\t_\t3\tdet\t_\t_\n"
)


def test_parts_of_speech(file_of: Any) -> None:
    path = file_of(CONLLU + "2.1\tx\tx\tX\tX\t_\t3\tdet\t_\t_\n\n")
    assert list(CoNLLUDataset(path)) == [{"tokens": ["de", "le"], "tags": ["ADP", "DET"]}]
    assert CoNLLUDataset(path, column="xpos").labels == ["D", "P"]


def test_labels_are_of_a_file_or_a_list(file_of: Any) -> None:
    path = file_of("a B-X\nb O\n")
    assert CoNLLDataset(path, labels=file_of("B-X\nI-X\nO\n", "tags.txt")).labels == ["B-X", "I-X", "O"]
    dataset = CoNLLDataset(path, labels=["O", "B-X"])
    assert dataset.labels == ["O", "B-X"] and dataset[0]["tags"] == ["B-X", "O"]
    with pytest.raises(ValueError, match=r"part.txt:2: the label 'O' is none of labels: 'B-X'"):
        CoNLLDataset(path, labels=["B-X"])


BROKEN = [
    ("a O\nb I-X\n", r"part.txt:2: the tag 'I-X' goes on with a chunk that has not begun"),
    ("a B-X\nb I-Y\n", r"part.txt:2: the tag 'I-Y' goes on with a chunk of another kind"),
    ("a B-X\n\nb I-X\n", r"part.txt:3: the tag 'I-X' goes on with a chunk that has not begun"),
    ("a B-X\nb O\nc B-X\nd E-X\ne S-X\n", r"part.txt:1: the tag 'B-X' is followed by no end of its chunk"),
    ("a B-X\nb M-X\n\nc B-X\nd E-X\n", r"part.txt:2: the tag 'M-X' is followed by no end of its chunk"),
]


@pytest.mark.parametrize("content, message", BROKEN)
def test_tags_that_break_their_scheme(file_of: Any, content: str, message: str) -> None:
    path = file_of(content)
    with pytest.raises(ValueError, match=message):
        CoNLLDataset(path, bad_tags="refuse")
    line = message.split(":")[1]
    with pytest.warns(UserWarning, match=rf"1 tags break their scheme and stay .*, the first is in line {line}: '"):
        assert sum(len(sample["tags"]) for sample in CoNLLDataset(path)) == content.count("-") + content.count(" O")


def test_a_chunk_of_one_token_may_only_begin_where_there_is_no_mark_of_its_own(file_of: Any) -> None:
    assert len(CoNLLDataset(file_of("a B-X\nb O\nc B-X\nd E-X\n"), bad_tags="refuse")) == 1


MISTAKES = [
    (CoNLLDataset, "a O\nb\n", r"part.txt:2: a line must have 2 columns, the token first and the tag last, not 'b'"),
    (CoNLLDataset, "a O\n O\n", r"part.txt:2: a line must have 2 columns"),
    (CoNLLDataset, "a x O\n", r"part.txt:1: a line must have 2 columns"),
    (CoNLLDataset, "a NOUN\n", r"part.txt: the tag 'NOUN' does not say where a chunk begins"),
    (CoNLLDataset, "\n\n", r"part.txt: there are no samples"),
    (CoNLLDataset, "a O\nb\0 O\n", r"part.txt:2: character 2 is a NUL"),
    (JoinedRows, "a\x02b\tO\n", r"part.txt:1: 2 tokens, but 1 tag"),
    (JoinedRows, "a\x02b\n", r"part.txt:1: a row must be tokens, a tab, and tags, but has 1 columns"),
    (JoinedRows, "a\x02\tO\x02O\n", r"part.txt:1: a token or a tag is empty"),
    (CoNLLUDataset, "1\tde\tde\n", r"part.txt:1: a word of CoNLL-U has 10 columns, not 3"),
    (CoNLLUDataset, CONLLU.replace("2\tle", "3\tle"), r"part.txt:4: the word's number must be 2, not '3'"),
    (CoNLLUDataset, CONLLU.replace("DET", "_"), r"part.txt:4: the word 'le' has no upos"),
]


@pytest.mark.parametrize("reader, content, message", MISTAKES)
def test_a_mistake_is_one_line_with_file_and_line(file_of: Any, reader: Any, content: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        reader(file_of(content))


def test_marks_are_found_in_front_or_behind() -> None:
    assert not has_suffixes(["O", "B-PER.NAM", "I-PER.NAM"]) and has_suffixes(["O", "LOC-B", "n-I"])
    assert not has_suffixes(["B", "M", "E", "S"])
    assert list(written("X", 1, "BMEO")) == ["B-X"] and list(written("", 3, "BMES")) == ["B", "M", "E"]
    assert list(breaks([parsed(tag, False) for tag in ("B-A", "M-A", "E-A", "E-A")], True, True)) == [
        (3, "goes on with a chunk that has not begun")
    ]

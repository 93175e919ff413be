"""Sentences with their translations: aligned files, joined pairs, what does not fit, and drawn sequences."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from PaddleNLP.data.drawn.sequences import DrawnSequences
from PaddleNLP.data.parallel import ParallelDataset


def write(file: Path, *lines: str) -> str:
    content = "".join(f"{line}\n" for line in lines).encode()
    file.write_bytes(gzip.compress(content) if file.suffix == ".gz" else content)
    return str(file)


def test_lines_of_two_files_belong_together(tmp_path: Path) -> None:
    source = write(tmp_path / "a.en.gz", "one\u2028still one", "two")
    target = write(tmp_path / "a.de", "eins", "zwei\r")
    found = ParallelDataset(source, target)
    assert list(found) == [
        {"source": "one\u2028still one", "target": "eins"},
        {"source": "two", "target": "zwei"},
    ]
    assert found.place(1) == f"{source}:2"
    assert ParallelDataset(source, target, reverse=True)[1] == {"source": "zwei", "target": "two"}


def test_a_tab_joins_two_sentences(tmp_path: Path) -> None:
    file = write(tmp_path / "pairs.tsv", "on@@ e\teins", "", "two\tzw@@ ei")
    assert list(ParallelDataset(file)) == [
        {"source": "on@@ e", "target": "eins"},
        {"source": "two", "target": "zw@@ ei"},
    ]


@pytest.mark.parametrize(
    ("source", "target", "message"),
    [
        (
            ["a", "b", "c"],
            ["A", "B"],
            r"t:3: there is no such line, but .*s:3 is one: parallel files have as many lines",
        ),
        (["a"], ["A", "B"], r"s:2: there is no such line, but .*t:2 is one"),
        (["a", " ", "c"], ["A", "B", "C"], r"s:2: the sentence is empty; leave out the line in both files"),
        (["a", "b"], ["A", ""], r"t:2: the sentence is empty"),
        ([], [], r"s: there are no samples"),
    ],
)
def test_what_is_no_pair_is_named(source: list[str], target: list[str], message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        ParallelDataset(write(tmp_path / "s", *source), write(tmp_path / "t", *target))


@pytest.mark.parametrize("line", ["one", "one\teins\tun", "\teins", "one\t "])
def test_a_line_that_is_no_pair_is_named(line: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"p:2: .* is no pair: a sentence, a TAB and its translation"):
        ParallelDataset(write(tmp_path / "p", "a\tb", line))


def test_files_that_are_no_text(tmp_path: Path) -> None:
    (tmp_path / "s").write_bytes(b"a\n\xff\n")
    with pytest.raises(ValueError, match=r"s:2: byte 1 is not UTF-8"):
        ParallelDataset(str(tmp_path / "s"), write(tmp_path / "t", "A", "B"))
    with pytest.raises(FileNotFoundError):
        ParallelDataset(str(tmp_path / "none"), str(tmp_path / "t"))


def test_drawn_sequences_are_copied_or_turned_round() -> None:
    for rule, turn in (("copy", 1), ("reverse", -1)):
        found = list(DrawnSequences(rule, "test", 50, words=5, shortest=2, longest=4))  # type: ignore[arg-type]
        assert {len(one["source"].split()) for one in found} == {2, 3, 4}
        assert all(one["target"].split() == one["source"].split()[::turn] for one in found)
        assert {word for one in found for word in one["source"].split()} == {f"w{number}" for number in range(5)}
    parts = [{one["source"] for one in DrawnSequences("copy", part, 200)} for part in ("train", "valid", "test")]  # type: ignore[arg-type]
    assert all(len(a & b) < 5 for a, b in ((parts[0], parts[1]), (parts[0], parts[2]), (parts[1], parts[2])))
    with pytest.raises(ValueError, match="DrawnSequences: count, words and shortest are at least 1"):
        DrawnSequences("copy", "train", 3, shortest=5, longest=4)

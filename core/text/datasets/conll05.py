"""Predicates and their arguments: semantic role labelling.

Paper: X. Carreras, L. Màrquez, "Introduction to the CoNLL-2005 Shared Task: Semantic Role Labeling", 2005,
    https://www.cs.upc.edu/~srlconll.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import NamedTuple, Optional

import numpy as np

from core.io.dataset import Dataset
from core.io.published import Source, local_file
from core.text.datasets.archive import Sequences, TextError, file_lines, members, named, text_lines, unpacked

_URL = "http://paddlemodels.bj.bcebos.com/conll05st"
_PLACE = "conll05st-release/test.wsj/"
_UNKNOWN = 0


class _Columns(NamedTuple):
    """A sentence: its words, the columns behind them, and the line where it ends."""

    words: list[str]
    rows: list[list[str]]
    line: int


class Conll05st(Dataset):
    """The public test part, a sample for each predicate of a sentence.

    Sample i is nine arrays, each int64 of shape (N,) for a sentence of N words: the words; the words two and one before
    the predicate, at it, one and two behind it, each repeated N times; the predicate, repeated; 1 at the predicate and
    the two words on each side, else 0; and the labels. Words that the dictionary lacks are number 0.

    Args:
        data_file: the archive, a gzipped tar file; None: the published one.
        word_dict_file: the words, one in each line; None: the published one.
        verb_dict_file: the predicates; None: the published one.
        target_dict_file: the labels; None: the published one.
        emb_file: vectors of the words, which :meth:`get_embedding` names; None: the published one.
        download: whether published files may be downloaded.
        maximum_bytes: how many bytes may be unpacked; None: 64 MB or 30 times the archive's size, whichever is more.

    Raises:
        FileNotFoundError: a given file is missing.
        ValueError: a file is damaged or holds something else; or an argument is unknown.
        ConnectionError: a file cannot be downloaded.
    """

    sources = {
        "data_file": Source(f"{_URL}/conll05st-tests.tar.gz", "387719152ae52d60422c016e92a742fc"),
        "word_dict_file": Source(f"{_URL}%2FwordDict.txt", "ea7fb7d4c75cc6254716f0177a506baa"),
        "verb_dict_file": Source(f"{_URL}%2FverbDict.txt", "0d2977293bbb6cbefab5b0f97db1e77c"),
        "target_dict_file": Source(f"{_URL}%2FtargetDict.txt", "d8c7f03ceb5fc2e5a0fa7503a4353751"),
        "emb_file": Source(f"{_URL}%2Femb", "bf436eb0faa1f6f9103017f8be57cdb7"),
    }

    def __init__(
        self,
        data_file: Optional[str] = None,
        word_dict_file: Optional[str] = None,
        verb_dict_file: Optional[str] = None,
        target_dict_file: Optional[str] = None,
        emb_file: Optional[str] = None,
        download: bool = True,
        maximum_bytes: Optional[int] = None,
    ) -> None:
        given = {"data_file": data_file, "word_dict_file": word_dict_file, "verb_dict_file": verb_dict_file}
        given.update(target_dict_file=target_dict_file, emb_file=emb_file)
        found = {
            name: local_file("Conll05st", name, path, self.sources[name], download) for name, path in given.items()
        }
        self.data_file, self.emb_file = found["data_file"], found["emb_file"]
        self.word_dict_file, self.verb_dict_file = found["word_dict_file"], found["verb_dict_file"]
        self.target_dict_file = found["target_dict_file"]
        self.word_dict = _numbered(self.word_dict_file)
        self.predicate_dict = _numbered(self.verb_dict_file)
        self.label_dict = _labels(self.target_dict_file)
        self._words, self._tags = Sequences(), Sequences()
        self._predicates: list[tuple[int, int]] = []  # its number and where it is
        with named("Conll05st", self.data_file):
            for sentence in self._sentences(maximum_bytes):
                self._add(sentence)

    def _sentences(self, maximum_bytes: Optional[int]) -> Iterator[_Columns]:
        wanted = {f"{_PLACE}words/test.wsj.words.gz": "words", f"{_PLACE}props/test.wsj.props.gz": "props"}
        found: dict[str, list[str]] = {}
        for member in members(self.data_file, maximum_bytes):
            if member.name in wanted:
                stream = unpacked(member.open(), self.data_file, maximum_bytes)
                found[wanted[member.name]] = list(text_lines(stream, f"{member.name}, "))
        missing = [name for name, kind in wanted.items() if kind not in found]
        if missing:
            raise ValueError(f"it holds no member {missing[0]}; is it another data set's archive?")
        sentence = _Columns([], [], 0)
        lines = itertools.zip_longest(found["words"], found["props"], fillvalue="")
        for number, (word, columns) in enumerate(lines, 1):
            if bool(word) != bool(columns):
                raise TextError(f"{_PLACE}, line {number}: a word without columns, or columns without a word")
            if word:
                sentence.words.append(word)
                sentence.rows.append(columns.split())
            elif sentence.words:
                yield sentence._replace(line=number - 1)
                sentence = _Columns([], [], 0)
        if sentence.words:
            yield sentence._replace(line=len(found["words"]))

    def _add(self, sentence: _Columns) -> None:
        """Keep a sample for each predicate of a sentence."""
        width = len(sentence.rows[0])
        if any(len(row) != width for row in sentence.rows):
            raise TextError(f"{_PLACE}props, line {sentence.line}: the sentence's lines differ in their columns")
        predicates = [row[0] for row in sentence.rows if row[0] != "-"]
        if len(predicates) != width - 1:
            raise TextError(
                f"{_PLACE}props, line {sentence.line}: the sentence has {len(predicates)} predicates but {width - 1} "
                "columns of arguments"
            )
        for column, predicate in enumerate(predicates, 1):
            tags = _tags([row[column] for row in sentence.rows], sentence.line)
            if "B-V" not in tags:
                raise TextError(f"{_PLACE}props, line {sentence.line}: no (V*) in the column of {predicate!r}")
            if predicate not in self.predicate_dict:
                raise ValueError(f"the predicate {predicate!r} is not in {self.verb_dict_file!r}")
            unknown = [tag for tag in tags if tag not in self.label_dict]
            if unknown:
                raise ValueError(f"the label {unknown[0]!r} is not in {self.target_dict_file!r}")
            self._words.append(self.word_dict.get(word, _UNKNOWN) for word in sentence.words)
            self._tags.append(self.label_dict[tag] for tag in tags)
            self._predicates.append((self.predicate_dict[predicate], tags.index("B-V")))

    def __getitem__(self, index: int) -> tuple[np.ndarray, ...]:
        words, tags = self._words[index], self._tags[index]
        predicate, place = self._predicates[index]
        beginning, end = (self.word_dict.get(mark, _UNKNOWN) for mark in ("bos", "eos"))
        around = np.concatenate([[beginning, beginning], words, [end, end]])[place : place + 5]
        mark = np.zeros(len(words), dtype=np.int64)
        mark[max(place - 2, 0) : place + 3] = 1
        return (
            words,
            *(np.full(len(words), number, dtype=np.int64) for number in (*around, predicate)),
            mark,
            tags,
        )

    def __len__(self) -> int:
        return len(self._predicates)

    def get_dict(self) -> tuple[dict[str, int], dict[str, int], dict[str, int]]:
        """Return the numbers of words, of predicates and of labels."""
        return self.word_dict, self.predicate_dict, self.label_dict

    def get_embedding(self) -> str:
        """Return the path of the words' vectors."""
        return self.emb_file


def _numbered(path: str) -> dict[str, int]:
    return {word: number for number, word in enumerate(file_lines("Conll05st", path))}


def _labels(path: str) -> dict[str, int]:
    """Return the number of each label: of each kind its beginning and its inside, then "O"."""
    kinds = dict.fromkeys(line[2:] for line in file_lines("Conll05st", path) if line.startswith(("B-", "I-")))
    names = [f"{mark}-{kind}" for kind in kinds for mark in "BI"]
    return {name: number for number, name in enumerate([*names, "O"])}


def _tags(column: list[str], line: int) -> list[str]:
    """Return the labels of a column of brackets such as ``(A0*``, ``*`` and ``*)``."""
    tags = []
    kind, is_open = "O", False
    for bracket in column:
        if bracket == "*":
            tags.append(f"I-{kind}" if is_open else "O")
        elif bracket == "*)":
            tags.append(f"I-{kind}")
            is_open = False
        elif bracket.startswith("(") and "*" in bracket:
            kind, is_open = bracket[1 : bracket.index("*")], ")" not in bracket
            tags.append(f"B-{kind}")
        else:
            raise TextError(f"{_PLACE}props, line {line}: {bracket[:40]!r} is none of (KIND*, (KIND*), *, *)")
    return tags

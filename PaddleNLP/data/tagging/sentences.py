"""Sentences whose tokens have tags: CoNLL's columns, CoNLL-U, and the rows of LAC and MSRA-NER with byte 0x02."""

from __future__ import annotations

import re
import warnings
from array import array
from collections.abc import Iterator, Sequence
from typing import Literal, Optional, Union

from core.weights.messages import counted, shown
from PaddleNLP.data.dataset import NameLists, TextDataset, TextLists, Transform
from PaddleNLP.data.labels import ClassLabels
from PaddleNLP.data.lines import text_lines
from PaddleNLP.data.tagging.schemes import OUTSIDE, Tag, breaks, chunks, has_suffixes, parsed, written
from PaddleNLP.lexical.tags import TAGS

Scheme = Literal["BIO", "BIOES", "BMES", "BMEO", "BIS"]
TagNames = Union[str, list[str], None]
"""Tags as a config gives them: a file with one in each line, or the names; None: those that occur."""

class TaggingDataset(TextDataset):
    """Sample i has "tokens" and "tags", lists of texts of one length.

    Args:
        sentences: the tokens of a sentence, their tags, and their lines.
        path: the file, for messages.
        labels: the tags in the order of their numbers; None: those that occur, in alphabetical order, "O" first.
        chunked: whether tags say where chunks begin and end; then it is checked that they do.
        convert: write the chunks by this scheme; None: tags stay as they are.
        bad_tags: what to do with tags that break their scheme: "warn" of how many there are, and keep them; or
            "refuse".
        transform: what to do with a sample.

    Attributes:
        suffix: whether marks stand behind, as in "n-B".

    Raises:
        ValueError: a tag is none of the labels, or breaks the scheme; names file and line.
    """

    def __init__(
        self,
        sentences: Iterator[tuple[Sequence[str], Sequence[str], Sequence[int]]],
        path: str,
        labels: TagNames = None,
        chunked: bool = True,
        convert: Optional[Scheme] = None,
        bad_tags: Literal["warn", "refuse"] = "warn",
        transform: Optional[Transform] = None,
    ) -> None:
        tokens, lines = TextLists(), array("q")
        token_lines = array("q")
        words: dict[str, int] = {}
        found = NameLists([])
        for texts, tags, places in sentences:
            tokens.append(texts)
            lines.append(places[0])
            token_lines.extend(places)
            found.append([words.setdefault(tag, len(words)) for tag in tags])
        found.names = list(words)
        self.suffix = False
        if chunked and words:
            try:
                self.suffix = has_suffixes(found.names)
            except ValueError as error:
                raise ValueError(f"{path}: {error}") from None
            _check(found, token_lines, path, bad_tags == "refuse", self.suffix)
            if convert is not None:
                found = _converted(found, convert, self.suffix)
        tags_of = _numbered(found, labels, token_lines, path)
        super().__init__({"tokens": tokens, "tags": tags_of}, tags_of.names, path, lines, transform)


def _check(found: NameLists, lines: Sequence[int], path: str, refuse: bool, suffix: bool) -> None:
    marks = [parsed(name, suffix) for name in found.names]
    letters = {name[-1] if suffix else name[0] for name in found.names if name != OUTSIDE}
    wrong = []
    start = 0
    for tags in _numbers(found):
        for place, problem in breaks([marks[number] for number in tags], bool(letters & set("EM")), "S" in letters):
            wrong.append((lines[start + place], found.names[tags[place]], problem))
        start += len(tags)
    if not wrong:
        return
    line, tag, problem = wrong[0]
    if refuse:
        raise ValueError(f"{path}:{line}: the tag {shown(tag)} {problem}")
    many = f"{len(wrong)} tags break their scheme and stay as they are"
    warnings.warn(f"{path}: {many}, the first is in line {line}: {shown(tag)} {problem}", stacklevel=4)


def _numbers(found: NameLists) -> Iterator[Sequence[int]]:
    for start, end in zip(found.ends, found.ends[1:]):
        yield found.numbers[start:end]


def _converted(found: NameLists, scheme: Scheme, suffix: bool) -> NameLists:
    marks = [parsed(name, suffix) for name in found.names]
    words: dict[str, int] = {}
    new = NameLists([])
    for numbers in _numbers(found):
        tags: list[Optional[Tag]] = [marks[number] for number in numbers]
        names = [OUTSIDE] * len(tags)
        for kind, start, end in chunks(tags):
            names[start:end] = written(kind, end - start, scheme, suffix)
        new.append([words.setdefault(name, len(words)) for name in names])
    new.names = list(words)
    return new


def _numbered(found: NameLists, labels: TagNames, lines: Sequence[int], path: str) -> NameLists:
    """Return the same tags with the numbers that the labels give them."""
    if labels is None:
        names = sorted(found.names, key=lambda name: (name != OUTSIDE, name))
        places = {name: place for place, name in enumerate(names)}
        order = [places[name] for name in found.names]
    else:
        known = ClassLabels(labels)
        first = {number: place for place, number in reversed(list(enumerate(found.numbers)))}
        order = [known.number(name, f"{path}:{lines[first[number]]}") for number, name in enumerate(found.names)]
        names = known.names
    return NameLists(names, (order[number] for number in found.numbers), found.ends)


class CoNLLDataset(TaggingDataset):
    """Sentences of lines "token tag", separated by blank lines, as MSRA-NER's, Weibo-NER's and CoNLL-2003's.

    Args:
        path: the file: columns are separated by one space or tab, or by several.
        labels: a file of tags, one in each line, or the tags; None: those that occur.
        columns: how many columns a line has; the first is the token, the last the tag.
        convert: write the chunks by this scheme.
        bad_tags: "warn" of tags that break their scheme, or "refuse" them.
        transform: what to do with a sample.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: a line or a tag is wrong; names file and line.
    """

    def __init__(
        self,
        path: str,
        labels: TagNames = None,
        columns: int = 2,
        convert: Optional[Scheme] = None,
        bad_tags: Literal["warn", "refuse"] = "warn",
        transform: Optional[Transform] = None,
    ) -> None:
        super().__init__(_conll(path, columns), path, labels, True, convert, bad_tags, transform)


def _conll(path: str, columns: int) -> Iterator[tuple[list[str], list[str], list[int]]]:
    tokens: list[str] = []
    tags: list[str] = []
    lines: list[int] = []
    for number, line in text_lines(path, blank=True):
        if not line.strip(" \t"):
            if tokens:
                yield tokens, tags, lines
            tokens, tags, lines = [], [], []
            continue
        fields = re.split(r"[ \t]+", line.rstrip(" \t"))
        if fields[0] == "-DOCSTART-":
            continue
        if len(fields) != columns or not fields[0]:
            wanted = f"{columns} columns, the token first and the tag last"
            raise ValueError(f"{path}:{number}: a line must have {wanted}, not {shown(line)}")
        tokens.append(fields[0])
        tags.append(fields[-1])
        lines.append(number)
    if tokens:
        yield tokens, tags, lines


class JoinedRows(TaggingDataset):
    """Rows of tokens, a tab, and tags, each joined by byte 0x02, as LAC's and paddlenlp's MSRA-NER; perhaps a header.

    Args:
        path: the file.
        labels: a file of tags, one in each line, or the tags; None: those that occur.
        joint: what is between two tokens, and two tags; a space in the rows of ATIS' slots.
        convert: write the chunks by this scheme.
        bad_tags: "warn" of tags that break their scheme, or "refuse" them.
        transform: what to do with a sample.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: a row has another number of tags than of tokens; names file and line.
    """

    def __init__(
        self,
        path: str,
        labels: TagNames = None,
        joint: str = "\x02",
        convert: Optional[Scheme] = None,
        bad_tags: Literal["warn", "refuse"] = "warn",
        transform: Optional[Transform] = None,
    ) -> None:
        super().__init__(_joined_rows(path, joint), path, labels, True, convert, bad_tags, transform)


class LacRows(JoinedRows):
    """Rows of LAC's files, whose tags are its 57 in the order of ``tag.dic``.

    Args:
        path: the file.
        labels: other tags, or a file of them.
        bad_tags: "warn" of tags that break their scheme, or "refuse" them.
        transform: what to do with a sample.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: a row or a tag is wrong; names file and line.
    """

    def __init__(
        self,
        path: str,
        labels: TagNames = None,
        bad_tags: Literal["warn", "refuse"] = "warn",
        transform: Optional[Transform] = None,
    ) -> None:
        super().__init__(path, TAGS if labels is None else labels, bad_tags=bad_tags, transform=transform)


def _joined_rows(path: str, joint: str) -> Iterator[tuple[list[str], list[str], list[int]]]:
    begun = False
    for number, line in text_lines(path):
        parts = line.split("\t")
        if not begun and parts == ["text_a", "label"]:
            begun = True
            continue
        begun = True
        if len(parts) != 2:
            raise ValueError(f"{path}:{number}: a row must be tokens, a tab, and tags, but has {len(parts)} columns")
        tokens, tags = (part.split(joint) for part in parts)
        if len(tokens) != len(tags):
            raise ValueError(f"{path}:{number}: {counted(len(tokens), 'token')}, but {counted(len(tags), 'tag')}")
        if "" in tokens or "" in tags:
            raise ValueError(f"{path}:{number}: a token or a tag is empty")
        yield tokens, tags, [number] * len(tokens)


class CoNLLUDataset(TaggingDataset):
    """Words with their parts of speech from a CoNLL-U file of Universal Dependencies.

    Ranges such as ``1-2`` and empty words such as ``1.1`` are no words.

    Args:
        path: the file.
        labels: a file of tags, one in each line, or the tags; None: those that occur.
        column: "upos", the universal tags, or "xpos", the language's own.
        transform: what to do with a sample.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: a line is wrong, or has no tag; names file and line.
    """

    def __init__(
        self,
        path: str,
        labels: TagNames = None,
        column: Literal["upos", "xpos"] = "upos",
        transform: Optional[Transform] = None,
    ) -> None:
        super().__init__(_conllu(path, column), path, labels, chunked=False, transform=transform)


def _conllu(path: str, column: str) -> Iterator[tuple[list[str], list[str], list[int]]]:
    tokens: list[str] = []
    tags: list[str] = []
    lines: list[int] = []
    for number, line in text_lines(path, blank=True):
        if not line.strip():
            if tokens:
                yield tokens, tags, lines
            tokens, tags, lines = [], [], []
            continue
        if line.startswith("#"):
            continue
        fields = line.split("\t")
        if len(fields) != 10:
            raise ValueError(f"{path}:{number}: a word of CoNLL-U has 10 columns, not {len(fields)}")
        if re.fullmatch(r"[0-9]+[-.][0-9]+", fields[0]):
            continue
        if fields[0] != str(len(tokens) + 1):
            raise ValueError(f"{path}:{number}: the word's number must be {len(tokens) + 1}, not {shown(fields[0])}")
        tag = fields[3 if column == "upos" else 4]
        if not fields[1] or tag in ("", "_"):
            raise ValueError(f"{path}:{number}: the word {shown(fields[1])} has no {column}")
        tokens.append(fields[1])
        tags.append(tag)
        lines.append(number)
    if tokens:
        yield tokens, tags, lines

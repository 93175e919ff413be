"""Questions with several passages each: DuReader 2.0's lines as its baselines read them."""

from __future__ import annotations

import collections
from array import array
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, Optional

from core.weights.messages import shown
from PaddleNLP.data.dataset import TextDataset, TextLists, Texts, Transform
from PaddleNLP.data.lines import json_lines

Paragraphs = Literal["related", "recall"]
"""Of each document the paragraph that is most related to the answers; or to the question, by the words they share."""


class Passage(NamedTuple):
    """A paragraph as words.

    Attributes:
        words: without white space.
        places: of each token of the file the number of its word, or of the next one.
    """

    words: list[str]
    places: list[int]


class DuReaderPassages(TextDataset):
    """Sample i is a question: "id", "question", "passages", "references", and where the marked answer is.

    He et al. 2017, https://arxiv.org/abs/1711.05073. Words are parted by spaces. "passages" has a paragraph of each
    document; "passage", "start" and "end" are the number of the one with the answer, and the answer's first character
    in it and the one behind its last; -1 where none is marked.

    Args:
        path: the file with a JSON object in each line.
        paragraphs: "related": as the file marks them, for training; "recall": those with most of the question's words,
            the shortest of equal ones, which needs no answer.
        marked: leave out questions without a marked answer, for training; needs paragraphs: related.
        longest: with ``marked``, leave out questions whose answer ends at this word of its paragraph or later.
        most: paragraphs of a question at most.
        transform: what to do with a sample.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: a line is wrong; names file and line.
    """

    def __init__(
        self,
        path: str,
        paragraphs: Paragraphs = "related",
        marked: bool = False,
        longest: int = 500,
        most: int = 5,
        transform: Optional[Transform] = None,
    ) -> None:
        if marked and paragraphs != "related":
            raise ValueError("marked answers are in the paragraphs that the file marks: set paragraphs: related")
        texts: dict[str, Any] = {"id": Texts(), "question": Texts(), "passages": TextLists(), "references": TextLists()}
        places = {name: array("q") for name in ("passage", "start", "end")}
        lines = array("q")
        for number, record in json_lines(path):
            where = f"{path}:{number}"
            documents = _objects(record, "documents", where)
            question = _words(record, "segmented_question", where)
            chosen = [_paragraph(document, paragraphs, question, where) for document in documents[:most]]
            spot = (-1, -1, -1)
            if paragraphs == "related":
                spot = _marked(record, chosen, len(documents), longest if marked else None, where)
            if marked and spot[0] < 0:
                continue
            name = record.get("question_id")
            if not isinstance(name, (str, int)) or name == "" or isinstance(name, bool):
                raise ValueError(f"{where}: 'question_id' must name the question, not {shown(name)}")
            row = (str(name), " ".join(question), [" ".join(one.words) for one in chosen])
            answers = _strings(record.get("answers", []), f"{where}: 'answers'")
            for column, value in zip(texts.values(), (*row, answers)):
                column.append(value)
            for place, at in zip(places.values(), spot):
                place.append(at)
            lines.append(number)
        super().__init__({**texts, **places}, path=path, lines=lines, transform=transform)


def _marked(
    record: Mapping[str, Any], chosen: Sequence[Passage], documents: int, longest: Optional[int], where: str
) -> tuple[int, int, int]:
    """Return the passage of the marked answer, its first character and the one behind its last; -1: there is none."""
    spans, numbers = record.get("answer_spans") or [], record.get("answer_docs") or []
    if not spans or not numbers:
        return -1, -1, -1
    number = numbers[0] if isinstance(numbers, list) else numbers
    if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number < documents:
        raise ValueError(f"{where}: 'answer_docs' names document {shown(number)} of {documents}")
    if number >= len(chosen) or not chosen[number].words:
        return -1, -1, -1
    passage = chosen[number]
    span = spans[0] if isinstance(spans, list) else spans
    count = len(passage.places)
    whole = isinstance(span, list) and len(span) == 2 and all(type(place) is int for place in span)
    if not whole or not 0 <= span[0] <= span[1] < count:
        raise ValueError(f"{where}: 'answer_spans' must be two places from 0 to {count - 1}, not {shown(span)}")
    if longest is not None and span[1] >= longest:
        return -1, -1, -1
    first, last = passage.places[span[0]], passage.places[span[1]]
    last = min(last, len(passage.words) - 1)
    if first > last:
        return -1, -1, -1
    start = sum(map(len, passage.words[:first])) + first
    return number, start, start + sum(map(len, passage.words[first : last + 1])) + last - first


def _paragraph(document: Any, kind: Paragraphs, question: Sequence[str], where: str) -> Passage:
    """Return the paragraph of a document that is read; an empty one where it has none."""
    if not isinstance(document, dict):
        raise ValueError(f"{where}: a document must be an object, not {shown(document)}")
    paragraphs = document.get("segmented_paragraphs")
    if not isinstance(paragraphs, list):
        raise ValueError(f"{where}: 'segmented_paragraphs' must be a list, not {shown(paragraphs)}")
    rows = [_strings(one, f"{where}: 'segmented_paragraphs'") for one in paragraphs]
    if not rows:
        return Passage([], [])
    if kind == "related":
        number = document.get("most_related_para", 0)
        if type(number) is not int or not -1 <= number < len(rows):
            raise ValueError(f"{where}: 'most_related_para' is {shown(number)} of {len(rows)} paragraphs")
        return _passage(rows[number])  # -1, no paragraph, is the last one to the official reader, too
    wanted = collections.Counter(question)
    shared = [sum((collections.Counter(row) & wanted).values()) for row in rows]
    return _passage(min(zip(rows, shared), key=lambda one: (-one[1], len(one[0])))[0])


def _passage(tokens: Sequence[str]) -> Passage:
    words: list[str] = []
    places = []
    for token in tokens:
        places.append(len(words))
        word = "".join(token.split())
        if word:
            words.append(word)
    return Passage(words, places)


def _objects(record: Mapping[str, Any], name: str, where: str) -> list[Any]:
    value = record.get(name)
    if not isinstance(value, list) or not value:
        raise ValueError(f"{where}: {name!r} must be a list of at least one, not {shown(value)}")
    return value


def _words(record: Mapping[str, Any], name: str, where: str) -> list[str]:
    words = _passage(_strings(record.get(name), f"{where}: {name!r}")).words
    if not words:
        raise ValueError(f"{where}: {name!r} is empty")
    return words


def _strings(value: Any, where: str) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise ValueError(f"{where} must be a list of texts, not {shown(value)}")
    return value

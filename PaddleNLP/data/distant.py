"""Pairs of entities in sentences, whose relations a knowledge base says: the lines of ARNOR's release, and CoType's."""

from __future__ import annotations

import re
import warnings
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Optional, Union

from core.weights.messages import shown
from PaddleNLP.data.dataset import Column, Names, TextDataset, Texts, Transform
from PaddleNLP.data.labels import ClassLabels
from PaddleNLP.data.lines import json_lines

WORD = re.compile(r"\w+|[^\w\s]")
"""Words of a sentence: letters and digits in a row, or a sign."""

Span = tuple[int, int]


class DistantRelations(TextDataset):
    """Sample i is a pair of entities in a sentence, and its relation.

    "text" is the sentence with a space between words; "first" and "second" are the first character of each entity and
    the one behind its last, "first_type" and "second_type" what they are, such as PERSON, or "". Where an entity occurs
    several times, the pair that is nearest to each other counts. A mention that a file of test data says to be noise
    (``is_noise``) has the label of no relation.

    Args:
        path: the file, in each line a JSON object with "sentText", "relationMentions" and "entityMentions".
        labels: a file of relations, one in each line, or the relations; None: those that occur.
        none: the name of no relation.
        bad_entities: what to do with an entity that is not in its sentence: "refuse"; or "skip", which leaves the pair
            out and warns of how many there are.
        transform: what to do with a sample.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: a line is wrong; names file and line.
    """

    def __init__(
        self,
        path: str,
        labels: Union[str, list[str], None] = None,
        none: str = "None",
        bad_entities: Literal["refuse", "skip"] = "refuse",
        transform: Optional[Transform] = None,
    ) -> None:
        texts, lines = Texts(), array("q")
        spans = {name: _Spans() for name in ("first", "second")}
        types: dict[str, list[str]] = {name: [] for name in spans}
        classes = ClassLabels(labels)
        left_out: list[int] = []
        for number, record in json_lines(path):
            where = f"{path}:{number}"
            sentence = _text(record, "sentText", where)
            words = WORD.findall(sentence)
            if not words:
                raise ValueError(f"{where}: 'sentText' has no words")
            kinds = _types(record, where)
            for mention in _objects(record, "relationMentions", where):
                names = [_text(mention, key, where) for key in ("em1Text", "em2Text")]
                label = _text(mention, "label", where)
                found = nearest(words, *(WORD.findall(name) for name in names))
                if found is None:
                    problem = f"{shown(names[0])} and {shown(names[1])} are not both in the sentence"
                    if bad_entities == "refuse":
                        message = "put it right, or pass over such pairs (bad_entities: skip)"
                        raise ValueError(f"{where}: {problem}; {message}")
                    left_out.append(number)
                    continue
                texts.append(" ".join(words))
                for (side, column), span, name in zip(spans.items(), found, names):
                    column.append(characters(words, span))
                    types[side].append(kinds.get(name, ""))
                classes.append(none if mention.get("is_noise") is True else label, where)
                lines.append(number)
        if left_out:
            message = f"{len(left_out)} pairs of entities are not in their sentences and are left out"
            warnings.warn(f"{path}: {message}, the first is of line {left_out[0]}", stacklevel=2)
        every = sorted({"", *types["first"], *types["second"]})
        self.types = every
        known = {name: place for place, name in enumerate(every)}
        columns: dict[str, Any] = {"text": texts, **spans}
        for side, own in types.items():
            columns[f"{side}_type"] = Names(every, [known[name] for name in own])
        columns["label"] = classes.values()
        super().__init__(columns, columns["label"].names, path, lines, transform)


class _Spans(Column[Span]):
    """Two whole numbers of each sample."""

    what = "spans"

    def __init__(self) -> None:
        self._values = array("i")

    def append(self, span: Span) -> None:
        self._values.extend(span)

    def __len__(self) -> int:
        return len(self._values) // 2

    def _at(self, number: int) -> Span:
        return self._values[2 * number], self._values[2 * number + 1]


def nearest(words: Sequence[str], first: Sequence[str], second: Sequence[str]) -> Optional[tuple[Span, Span]]:
    """Return the first word of each of two entities and the one behind its last, where they are nearest to each other.

    Args:
        words: of the sentence.
        first: those of the first entity.
        second: those of the second one.

    Returns:
        Both; None: one is not in the sentence, or only within the other.
    """
    best: Optional[tuple[int, tuple[Span, Span]]] = None
    others = _occurrences(words, second)
    starts, ends = [start for start, _ in others], [end for _, end in others]
    for one in _occurrences(words, first):
        before, behind = bisect_right(ends, one[0]) - 1, bisect_left(starts, one[1])
        for other in others[max(before, 0) : before + 1] + others[behind : behind + 1]:
            gap = max(other[0] - one[1], one[0] - other[1])
            if best is None or gap < best[0]:
                best = gap, (one, other)
    return None if best is None else best[1]


def _occurrences(words: Sequence[str], name: Sequence[str]) -> list[Span]:
    size, wanted = len(name), list(name)
    ends = range(size, len(words) + 1) if size else ()
    return [(end - size, end) for end in ends if list(words[end - size : end]) == wanted]


def characters(words: Sequence[str], span: Span) -> Span:
    """Return the first character of some words, and the one behind the last, in a text with a space between words.

    Args:
        words: all of them.
        span: the first one and the one behind the last.
    """
    start = sum(map(len, words[: span[0]])) + span[0]
    return start, start + sum(map(len, words[span[0] : span[1]])) + span[1] - span[0] - 1


def _types(record: Mapping[str, Any], where: str) -> dict[str, str]:
    mentions = _objects(record, "entityMentions", where) if "entityMentions" in record else []
    found: dict[str, str] = {}
    for mention in mentions:
        found.setdefault(_text(mention, "text", where), _text(mention, "label", where))
    return found


def _objects(record: Mapping[str, Any], name: str, where: str) -> list[Any]:
    value = record.get(name)
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise ValueError(f"{where}: {name!r} must be a list of objects, not {shown(value)}")
    return value


def _text(record: Mapping[str, Any], name: str, where: str) -> str:
    value = record.get(name)
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"{where}: {name!r} must be a text that is not empty, not {shown(value)}")
    return value

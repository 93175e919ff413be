"""Texts with relations between their parts, in the lines of DuIE's kind that ERNIE's examples read."""

from __future__ import annotations

import warnings
from array import array
from collections.abc import Sequence
from typing import Any, Literal, Optional, Union

from core.weights.messages import shown
from PaddleNLP.data.dataset import Column, TextDataset, Texts, Transform
from PaddleNLP.data.labels import ClassLabels
from PaddleNLP.data.lines import json_lines

_SIDES = ("subject", "object")


class _Relations(Column[list[dict[str, Any]]]):
    """Of each text its relations, five numbers each."""

    what = "texts"

    def __init__(self) -> None:
        self.names: list[str] = []
        self.values, self.ends = array("i"), array("q", [0])

    def append(self, rows: Sequence[Sequence[int]]) -> None:
        for row in rows:
            self.values.extend(row)
        self.ends.append(len(self.values) // 5)

    def __len__(self) -> int:
        return len(self.ends) - 1

    def _at(self, number: int) -> list[dict[str, Any]]:
        found = []
        for place in range(self.ends[number], self.ends[number + 1]):
            kind, *ends = self.values[5 * place : 5 * place + 5]
            found.append({"predicate": self.names[kind], "subject": tuple(ends[:2]), "object": tuple(ends[2:])})
        return found


class RelationDataset(TextDataset):
    """Sample i has "text" and "relations": mappings of "predicate", and of "subject" and "object".

    Subject and object are the numbers of their first character and of the one behind their last. "labels" are the
    predicates.

    Args:
        path: the file, in each line a JSON object with "text" and "spo_list".
        labels: a file of predicates, one in each line, or the predicates; None: those that occur.
        bad_spans: what to do with a relation that reaches out of its text: "refuse"; or "skip", which warns of how many
            there are.
        transform: what to do with a sample.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: a line is wrong; names file and line.
    """

    def __init__(
        self,
        path: str,
        labels: Union[str, list[str], None] = None,
        bad_spans: Literal["refuse", "skip"] = "refuse",
        transform: Optional[Transform] = None,
    ) -> None:
        texts, relations, lines = Texts(), _Relations(), array("q")
        predicates = ClassLabels(labels)
        left_out: list[int] = []
        for number, record in json_lines(path):
            where = f"{path}:{number}"
            text = record.get("text")
            if not isinstance(text, str) or not text.strip():
                raise ValueError(f"{where}: 'text' must be a text that is not empty, not {shown(text)}")
            entries = record.get("spo_list", [])
            if not isinstance(entries, list):
                raise ValueError(f"{where}: 'spo_list' must be a list, not {shown(entries)}")
            rows = []
            for entry in entries:
                kind, problem = _row(entry, len(text), predicates, where)
                if not problem:
                    rows.append(kind)
                elif bad_spans == "refuse":
                    raise ValueError(f"{where}: {problem}; put it right, or pass over such relations (bad_spans: skip)")
                else:
                    left_out.append(number)
            texts.append(text)
            relations.append(rows)
            lines.append(number)
        if left_out:
            description = f"{len(left_out)} relations reach out of their texts and are left out"
            warnings.warn(f"{path}: {description}, the first is of line {left_out[0]}", stacklevel=2)
        names = predicates.values().names
        places = {name: place for place, name in enumerate(names)}
        for place in range(0, len(relations.values), 5):
            relations.values[place] = places[predicates.names[relations.values[place]]]
        relations.names = names
        super().__init__({"text": texts, "relations": relations}, names, path, lines, transform)


def _row(entry: Any, length: int, predicates: ClassLabels, where: str) -> tuple[list[int], str]:
    """Return a relation's numbers, and what is wrong with its places."""
    if not isinstance(entry, dict) or not isinstance(entry.get("predicate"), str):
        raise ValueError(f"{where}: a relation must have a predicate, not be {shown(entry)}")
    row = [predicates.number(entry["predicate"], where)]
    for side in _SIDES:
        span = entry.get(side)
        if not isinstance(span, list) or len(span) != 2 or any(type(value) is not int for value in span):
            raise ValueError(f"{where}: {side!r} must be two whole numbers, not {shown(span)}")
        if not 0 <= span[0] < span[1] <= length:
            return row, f"{side!r} {span} is no part of the text's {length} characters"
        row += span
    return row, ""

"""Marks of characters that say where subjects and objects of relations are, and the relations that marks mean.

As in the baseline of DuIE 2.0 (PaddlePaddle/PaddleNLP, examples/information_extraction/DuIE): a character is outside of
everything, inside of something, or the first of a subject or of an object of a predicate; several may hold at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from PaddleNLP.metrics.triples import Triple

OUTSIDE, INSIDE = 0, 1
FIRST = 2
"""The mark of the first predicate's subjects; those of its objects follow, then those of the next predicate."""


def tag_count(predicates: int) -> int:
    """Return how many marks there are.

    Args:
        predicates: how many predicates.
    """
    return FIRST + 2 * predicates


def relation_tags(relations: Iterable[Mapping[str, Any]], numbers: Mapping[str, int], length: int) -> np.ndarray:
    """Return which marks the characters of a text have, bool (length, marks).

    Args:
        relations: {"predicate", "subject", "object"}, as data sets have them.
        numbers: of each predicate its number.
        length: characters of the text.
    """
    marks = np.zeros((length, tag_count(len(numbers))), bool)
    for relation in relations:
        for side, name in enumerate(("subject", "object")):
            start, end = relation[name]
            marks[start, FIRST + 2 * numbers[relation["predicate"]] + side] = True
            marks[start + 1 : end, INSIDE] = True
    marks[~marks.any(axis=1), OUTSIDE] = True
    return marks


def found_relations(marks: np.ndarray, characters: Sequence[int], predicates: Sequence[str]) -> list[Triple]:
    """Return the relations that marks mean: of each predicate every subject with every object.

    Args:
        marks: which hold of each token, bool (L, marks).
        characters: of each token its character in the text; -1: it is of no text.
        predicates: the predicates, in the order of their numbers.
    """
    tokens = [place for place, character in enumerate(characters) if character >= 0]
    rows, places = marks[tokens], [int(characters[token]) for token in tokens]
    found = []
    for number, predicate in enumerate(predicates):
        sides = [_spans(rows, places, FIRST + 2 * number + side) for side in (0, 1)]
        found += [Triple(predicate, subject, other) for subject in sides[0] for other in sides[1]]
    return found


def _spans(marks: np.ndarray, places: Sequence[int], mark: int) -> list[tuple[int, int]]:
    spans = []
    for start in np.flatnonzero(marks[:, mark]).tolist():
        end = start + 1
        while end < len(places) and marks[end, INSIDE]:
            end += 1
        spans.append((places[start], places[end - 1] + 1))
    return spans

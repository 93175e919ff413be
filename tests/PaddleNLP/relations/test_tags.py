"""Relations become marks of characters, and marks relations."""

from __future__ import annotations

import numpy as np

from PaddleNLP.metrics.triples import Triple, triple
from PaddleNLP.relations.tags import found_relations, relation_tags

NUMBERS = {"born": 0, "home": 1}


def test_marks_of_a_text_by_hand() -> None:
    relations = [
        {"predicate": "home", "subject": (0, 2), "object": (3, 4)},
        {"predicate": "born", "subject": (0, 1), "object": (3, 5)},
    ]
    marks = relation_tags(relations, NUMBERS, 6)
    # outside, inside, subject and object of born, subject and object of home
    assert [np.flatnonzero(row).tolist() for row in marks] == [[2, 4], [1], [0], [3, 5], [1], [0]]


def test_every_subject_goes_with_every_object() -> None:
    marks = np.zeros((7, 6), bool)
    for place, mark in ((1, 2), (2, 1), (4, 2), (5, 3), (6, 1), (3, 4)):
        marks[place, mark] = True
    found = found_relations(marks, [-1, 0, 1, 2, 3, 5, 6], list(NUMBERS))
    # characters 0 to 1 and 3 are subjects, 5 to 6 is an object; "home" has a subject alone
    assert found == [Triple("born", (0, 2), (5, 7)), Triple("born", (3, 4), (5, 7))]


def test_relations_that_share_no_predicate_come_back() -> None:
    relations = [
        {"predicate": "born", "subject": (0, 3), "object": (5, 9)},
        {"predicate": "home", "subject": (0, 3), "object": (10, 11)},
    ]
    found = found_relations(relation_tags(relations, NUMBERS, 12), range(12), list(NUMBERS))
    assert found == [triple(relation) for relation in relations]

"""Precision, recall and F1 of relations between parts of a text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from PaddleNLP.metrics.chunks import scores


class Triple(NamedTuple):
    """A relation: its predicate, and the first and last character of its two ends, the last not within."""

    predicate: str
    subject: tuple[int, int]
    object: tuple[int, int]


def triple(record: Mapping[str, Any]) -> Triple:
    """Return a relation of a sample as data sets have it, {"predicate", "subject", "object"}."""
    return Triple(record["predicate"], tuple(record["subject"]), tuple(record["object"]))


class TripleMetric:
    """Counts relations that are found, that there are, and that are both: predicate and both ends must be right."""

    def __init__(self) -> None:
        self.of_predicates: dict[str, list[int]] = {}

    def add(self, predicted: Iterable[Triple], truth: Iterable[Triple]) -> None:
        """Take in the relations of a text; what is there twice counts once."""
        found, true = set(predicted), set(truth)
        for place, among in enumerate((found & true, found, true)):
            for one in among:
                self.of_predicates.setdefault(one.predicate, [0, 0, 0])[place] += 1

    def result(self) -> dict[str, float]:
        """Return "precision", "recall" and "f1" of all relations together, between 0 and 1."""
        return scores(*(sum(counts) for counts in zip([0, 0, 0], *self.of_predicates.values())))

    def of_kinds(self) -> dict[str, dict[str, float]]:
        """Return the same of each predicate, and "support", how many relations of it there are."""
        return {
            name: {**scores(*counts), "support": counts[2]} for name, counts in sorted(self.of_predicates.items())
        }

"""What an evaluation gathers of a network that finds relations."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from core.train.logs.result_file import ResultFile
from core.train.task import Evaluator
from PaddleNLP.metrics.triples import Triple, TripleMetric, triple


class RelationEvaluator(Evaluator):
    """Precision, recall and F1 of relations, of which predicate and both ends must be right.

    Args:
        dataset: the texts.
    """

    def __init__(self, dataset: Any) -> None:
        self.dataset = dataset
        self.found: dict[int, list[Triple]] = {}
        self._metric = TripleMetric()

    def update(self, outputs: Sequence[list[Triple]], batch: Any) -> None:
        """Take in the relations of a batch's texts; the batch's "index" says which these are."""
        for relations, index in zip(outputs, batch["index"].numpy().tolist()):
            self.found[index] = relations
            self._metric.add(relations, map(triple, self.dataset[index]["relations"]))

    def result(self) -> dict[str, float]:
        """Return "precision", "recall" and "f1"."""
        return self._metric.result()

    def details(self) -> dict[str, Any]:
        """Return the same of each predicate, and how many relations of it there are."""
        return {"relations_of_predicates": self._metric.of_kinds()}

    def lines(self) -> list[str]:
        """Say of each predicate how well its relations are found."""
        return [
            f"{name}: precision {one['precision']:.4f}, recall {one['recall']:.4f}, f1 {one['f1']:.4f} of "
            f"{one['support']}"
            for name, one in self._metric.of_kinds().items()
        ]

    def write(self, folder: Path) -> list[str]:
        """Write predictions.jsonl in the form of the data: a text in each line, and its relations in "spo_list"."""
        file = ResultFile("predictions.jsonl")
        for index, relations in sorted(self.found.items()):
            file.append({"text": self.dataset[index]["text"], "spo_list": [one._asdict() for one in relations]})
        return [file.write(folder)]

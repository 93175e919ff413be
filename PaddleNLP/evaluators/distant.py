"""What an evaluation gathers of a network that predicts the relations of pairs of entities."""

from __future__ import annotations

from collections.abc import Sequence

from PaddleNLP.evaluators.classification import ClassificationEvaluator


class RelationLabelEvaluator(ClassificationEvaluator):
    """Precision, recall and F1 of relations: those of no relation count only where one is predicted.

    Args:
        class_names: the relations, in the order of their numbers.
        none: the name of no relation.
    """

    def __init__(self, class_names: Sequence[str], none: str) -> None:
        super().__init__(class_names)
        self.none = self.class_names.index(none)

    def result(self) -> dict[str, float]:
        """Return "precision", "recall" and "f1", besides what :class:`ClassificationEvaluator` returns."""
        found = super().result()
        if not found:
            return {}
        predicted, true = self.probabilities.argmax(axis=1), self.labels
        right = int(((predicted == true) & (true != self.none)).sum())
        given, wanted = int((predicted != self.none).sum()), int((true != self.none).sum())
        own = {"precision": right / max(given, 1), "recall": right / max(wanted, 1)}
        return {**found, **own, "f1": 2 * right / max(given + wanted, 1)}

"""What an evaluation gathers of a network that ranks candidates."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from core.train.logs.result_file import ResultFile
from PaddleNLP.evaluators.classification import ClassificationEvaluator
from PaddleNLP.metrics.ranking import mean_average_precision, mean_reciprocal_rank, ranks, recall_at


class RankingEvaluator(ClassificationEvaluator):
    """How high the right candidates of each group are ranked, besides what is said of their classes.

    Args:
        class_names: of wrong and of right candidates.
        groups: of each sample of the data set the group that it belongs to.
        recall_at: for each number k "recall_at_k" is given.
    """

    def __init__(self, class_names: Sequence[str], groups: Sequence[str], recall_at: Sequence[int] = ()) -> None:
        super().__init__(class_names)
        self._all_groups = groups
        self.recall_at = list(recall_at)

    @property
    def groups(self) -> list[str]:
        """The group of each sample."""
        return [self._all_groups[number] for number in self.numbers.tolist()]

    def result(self) -> dict[str, float]:
        """Return "mrr" and "map", "recall_at_k", and the numbers of :class:`ClassificationEvaluator`."""
        found = super().result()
        if not found:
            return {}
        scores, labels, groups = self.probabilities[:, 1], self.labels, self.groups
        found["mrr"] = mean_reciprocal_rank(scores, labels, groups)
        found["map"] = mean_average_precision(scores, labels, groups)
        found.update({f"recall_at_{count}": recall_at(scores, labels, groups, count) for count in self.recall_at})
        return found

    def write(self, folder: Path) -> list[str]:
        """Write predictions.jsonl: of each candidate its number, group, label, score, and rank in the group from 1."""
        file = ResultFile("predictions.jsonl")
        scores = self.probabilities[:, 1]
        places = ranks(scores, self.groups)
        rows = zip(self.numbers.tolist(), self.groups, self.labels.tolist(), scores.tolist(), places.tolist())
        for number, group, label, score, rank in rows:
            names = {"group": group, "label": self.class_names[label]}
            file.append({"index": number, **names, "score": round(score, 6), "rank": rank})
        return [file.write(folder)]

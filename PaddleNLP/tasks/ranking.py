"""Which of several candidates answers a question, or goes on with a conversation: pairs that are scored and ranked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PaddleNLP.config import LanguageConfig
from PaddleNLP.evaluators.ranking import RankingEvaluator
from PaddleNLP.tasks.classification import Classification


class Ranking(Classification):
    """Trains a network to score candidates: it learns whether a pair fits, and is judged by the order in each group.

    Evaluated data must say which candidates belong together, as the column "qid" of NLPCC-DBQA does.

    Args:
        config: the experiment.
        monitor: the number by which the best checkpoint is chosen.
        recall_at: for each number k, the share of right candidates among the k best of their group is given, too.
    """

    reader = "ranking"

    def __init__(self, config: LanguageConfig, monitor: str = "mrr", recall_at: Sequence[int] = ()) -> None:
        super().__init__(config, monitor)
        if any(count < 1 for count in recall_at):
            raise ValueError(f"task.recall_at must hold numbers from 1 on, not {min(recall_at)}")
        self.recall_at = list(recall_at)
        self.numbers = [*self.numbers, "mrr", "map", *(f"recall_at_{count}" for count in self.recall_at)]

    def check_dataset(self, split: str, dataset: Any) -> None:
        """Refuse data without pairs that fit or do not, and splits to be evaluated that have no groups."""
        super().check_dataset(split, dataset)
        if len(self.class_names) != 2:
            text = ", ".join(self.class_names) or "none"
            raise ValueError(f"data.{split} must have two classes, of wrong and of right candidates, not {text}")
        if split != "train":
            self.groups(split, dataset)

    def groups(self, split: str, dataset: Any) -> Any:
        """Return which candidates belong together, as the column of the data says.

        Raises:
            ValueError: it has none.
        """
        if "group" not in dataset.columns:
            raise ValueError(
                f"data.{split} does not say which candidates belong together: give dataset.group, the column that "
                "does, or dataset.candidates, how many rows in a row"
            )
        return dataset.columns["group"]

    def evaluator(self, split: str) -> RankingEvaluator:
        """Return an empty evaluator."""
        return RankingEvaluator(self.class_names, self.groups(split, self.dataset(split)), self.recall_at)

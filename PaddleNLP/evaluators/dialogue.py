"""What evaluations of dialogue systems gather."""

from __future__ import annotations

import numpy as np

from PaddleNLP.evaluators.ranking import RankingEvaluator
from PaddleNLP.metrics.ranking import mean_average_precision, mean_reciprocal_rank, ranks, recall_at


class SelectionEvaluator(RankingEvaluator):
    """How high fitting responses are ranked, by the measures of the Ubuntu and Douban corpora.

    Arguments are those of :class:`RankingEvaluator`.
    """

    def result(self) -> dict[str, float]:
        """Return "recall_at_k", "recall_2_at_1", "precision_at_1", "mrr", "map", and the numbers of classifiers.

        Groups of which all candidates fit, or none, count in none of the measures of the order, as in the official
        evaluation of the Douban corpus. "recall_2_at_1" takes the first two candidates of each group, the right one
        and another, as that of the Ubuntu corpus does.
        """
        found = super().result()
        if not found:
            return {}
        scores, labels = self.probabilities[:, 1], self.labels
        _, groups = np.unique(np.asarray(self.groups), return_inverse=True)
        right, size = np.bincount(groups, labels > 0), np.bincount(groups)
        counted = ((right > 0) & (right < size))[groups]
        scores, labels, groups = scores[counted], labels[counted], groups[counted]
        if not len(scores):
            return found
        found["mrr"] = mean_reciprocal_rank(scores, labels, groups)
        found["map"] = mean_average_precision(scores, labels, groups)
        found.update({f"recall_at_{count}": recall_at(scores, labels, groups, count) for count in self.recall_at})
        first = ranks(scores, groups) == 1
        found["precision_at_1"] = float((labels[first] > 0).mean())
        places = ranks(-np.arange(len(groups)), groups) <= 2
        found["recall_2_at_1"] = recall_at(scores[places], labels[places], groups[places], 1)
        return found

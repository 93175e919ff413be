"""Pairs of texts with a class, for the tasks of ERNIE 2.0 that documents alone do not teach."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.text.tokenizers.windows import kept
from PaddleNLP.data.encoded import Ragged

SPECIAL_TOKENS = 3


class LabelledPairs:
    """The pairs of a task, as ids.

    Args:
        first: the first texts.
        second: the second ones.
        labels: the number of the class of each, int64.
    """

    def __init__(self, first: Ragged, second: Ragged, labels: np.ndarray) -> None:
        self.first, self.second, self.labels = first, second, labels
        lengths = first.lengths + second.lengths + SPECIAL_TOKENS
        self._order = np.argsort(lengths, kind="stable")
        self._lengths = lengths[self._order]

    @classmethod
    def of(cls, dataset: Any, classes: Sequence[str], tokenizer: Any) -> LabelledPairs:
        """Return the pairs of a data set.

        Args:
            dataset: its samples have "text", "text_pair" and "label".
            classes: in the order of their numbers.
            tokenizer: makes ids of texts.
        """
        samples = [dataset[number] for number in range(len(dataset))]
        sides = [
            tokenizer.batch([sample[name] for sample in samples], add_special_tokens=False)["input_ids"]
            for name in ("text", "text_pair")
        ]
        numbers = {name: number for number, name in enumerate(classes)}
        labels = np.array([numbers[sample["label"]] for sample in samples], np.int64)
        return cls(Ragged.of(sides[0]), Ragged.of(sides[1]), labels)

    def drawn(self, room: int, source: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.int64]:
        """Return the ids of both texts of a pair, and its class.

        Args:
            room: tokens of a sample at most, special ones included; where no pair has as few, the shortest is cut.
            source: draws one of those that fit.
        """
        fitting = int(np.searchsorted(self._lengths, room, side="right"))
        row = int(self._order[int(source.integers(fitting)) if fitting else 0])
        first, second = self.first[row], self.second[row]
        counts = kept(len(first), len(second), max(room - SPECIAL_TOKENS, 0), "longest_first")
        return first[: counts[0]], second[: counts[1]], np.int64(self.labels[row])

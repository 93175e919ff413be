"""What an evaluation gathers of lexical analysis: words with their tags, and where words begin and end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from PaddleNLP.data.tagging.schemes import BEGIN, OUTSIDE, SINGLE, has_suffixes, parsed
from PaddleNLP.evaluators.tagging import TaggingEvaluator
from PaddleNLP.metrics.chunks import ChunkMetric


class LexicalEvaluator(TaggingEvaluator):
    """Precision, recall and F1 of chunks, and, where all words are chunks, of words whatever their tags.

    Args:
        dataset: the data set whose sentences are tagged.
        class_names: the tags, in the order of their numbers.
        segmentation: whether words are judged, too; a token outside of chunks is then a word.
    """

    def __init__(self, dataset: Any, class_names: Sequence[str], segmentation: bool) -> None:
        super().__init__(dataset, class_names, True)
        suffix = has_suffixes(class_names)
        marks = [None if name == OUTSIDE else parsed(name, suffix) for name in class_names]
        letters = ["S" if mark is None or mark.mark == SINGLE else "B" if mark.mark == BEGIN else "I" for mark in marks]
        self._words = ChunkMetric([f"{letter}-word" for letter in letters], False) if segmentation else None

    def update(self, outputs: Sequence[np.ndarray], batch: Any) -> None:
        """Take in the numbers of the tags of a batch's sentences; those of words behind the cut are missing."""
        super().update(outputs, batch)
        if self._words is None:
            return
        for index in batch["index"].numpy().tolist():
            true = np.array([self._numbers[tag] for tag in self.dataset[index]["tags"]], np.int64)
            self._words.add(self.found[index][None], true[None], np.array([len(true)]))

    def result(self) -> dict[str, float]:
        """Return "precision", "recall" and "f1" of chunks, "accuracy" of tags, and the same of words as "words_f1"."""
        found = super().result()
        if self._words is None:
            return found
        return {**found, **{f"words_{name}": value for name, value in self._words.result().items()}}

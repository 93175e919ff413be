"""What an evaluation gathers of a tagger: chunks that are found, or single tags."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from core.train.logs.result_file import ResultFile
from core.train.task import Evaluator
from PaddleNLP.data.tagging.schemes import OUTSIDE
from PaddleNLP.metrics.chunks import ChunkMetric


class TaggingEvaluator(Evaluator):
    """Precision, recall and F1 of chunks by kind, or the accuracy of tags.

    Args:
        dataset: the data set whose sentences are tagged.
        class_names: the tags, in the order of their numbers.
        chunked: whether they say where chunks begin and end.
    """

    def __init__(self, dataset: Any, class_names: Sequence[str], chunked: bool) -> None:
        self.dataset = dataset
        self.class_names = list(class_names)
        self.found: dict[int, np.ndarray] = {}
        self._numbers = {name: number for number, name in enumerate(class_names)}
        self._right = self._count = 0
        self._chunks = ChunkMetric(class_names) if chunked else None

    def update(self, outputs: Sequence[np.ndarray], batch: Any) -> None:
        """Take in the numbers of the tags of a batch's sentences; those of words behind the cut are missing."""
        for tags, index in zip(outputs, batch["index"].numpy().tolist()):
            true = np.array([self._numbers[tag] for tag in self.dataset[index]["tags"]], np.int64)
            found = np.full(len(true), self._numbers.get(OUTSIDE, -1), np.int64)
            found[: len(tags)] = tags
            self.found[index] = found
            self._right += int((found == true).sum())
            self._count += len(true)
            if self._chunks is not None:
                self._chunks.add(found[None], true[None], np.array([len(true)]))

    def result(self) -> dict[str, float]:
        """Return "accuracy" of the tags; of chunks also "precision", "recall" and "f1"."""
        accuracy = {"accuracy": self._right / max(self._count, 1)}
        return accuracy if self._chunks is None else {**self._chunks.result(), **accuracy}

    def details(self) -> dict[str, Any]:
        """Return precision, recall, F1 and number of the chunks of each kind."""
        return {} if self._chunks is None else {"chunks_of_kinds": self._chunks.of_kinds()}

    def lines(self) -> list[str]:
        """Say of each kind of chunk how well it is found."""
        return [
            f"{kind}: " + ", ".join(f"{name} {value:.4f}" for name, value in one.items() if name != "support")
            + f" of {one['support']}"
            for kind, one in ({} if self._chunks is None else self._chunks.of_kinds()).items()
        ]

    def write(self, folder: Path) -> list[str]:
        """Write predictions.jsonl: of each sentence its number, words, true tags and predicted ones."""
        file = ResultFile("predictions.jsonl")
        for index, found in self.found.items():
            sample = self.dataset[index]
            names = [self.class_names[number] if number >= 0 else "" for number in found.tolist()]
            file.append({"index": index, "tokens": sample["tokens"], "tags": sample["tags"], "predicted": names})
        return [file.write(folder)]

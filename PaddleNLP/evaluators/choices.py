"""What an evaluation gathers of a network that chooses answers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from core.train.logs.result_file import ResultFile
from core.train.task import Evaluator


class ChoiceEvaluator(Evaluator):
    """Accuracy of choices.

    Args:
        dataset: the questions.
    """

    def __init__(self, dataset: Any) -> None:
        self.dataset = dataset
        self._found: dict[int, int] = {}

    def update(self, outputs: Sequence[np.ndarray], batch: Any) -> None:
        """Take in the logits of a batch's choices, (N, choices); the batch's "index" says which questions these are."""
        self._found.update(zip(batch["index"].numpy().tolist(), outputs[0].argmax(axis=-1).tolist()))

    def result(self) -> dict[str, float]:
        """Return "accuracy"."""
        hits = [self.dataset[index]["label"] == choice for index, choice in self._found.items()]
        return {"accuracy": float(np.mean(hits))} if hits else {}

    def write(self, folder: Path) -> list[str]:
        """Write predictions.jsonl: of each question its number, the right choice and the predicted one."""
        file = ResultFile("predictions.jsonl")
        for index, choice in sorted(self._found.items()):
            sample = self.dataset[index]
            names = {"label": sample["choices"][sample["label"]], "predicted": sample["choices"][choice]}
            file.append({"index": index, "question": sample["question"], **names})
        return [file.write(folder)]

"""What an evaluation of a language model gathers: how surely it predicted each word of a text."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

from core.train.task import Evaluator
from PaddleNLP.data.windows import NONE


class LanguageModelEvaluator(Evaluator):
    """The perplexity of a text.

    Args:
        entropy: of the next word at best, in nats, where it is known.
    """

    def __init__(self, entropy: Optional[float] = None) -> None:
        self.entropy = entropy
        self._loss, self._count = 0.0, 0

    def update(self, outputs: Sequence[np.ndarray], batch: Any) -> None:
        """Take in the losses of a batch's words."""
        self.add(outputs[0], batch["labels"].numpy() != NONE)

    def add(self, losses: np.ndarray, there: np.ndarray) -> None:
        """Take in losses of words.

        Args:
            losses: float32.
            there: bool of the same shape, where words are.
        """
        self._loss += float(losses[there].sum(dtype=np.float64))
        self._count += int(there.sum())

    def result(self) -> dict[str, float]:
        """Return "perplexity" and "cross_entropy", nats a word; "above_best": the perplexity's surplus, a share."""
        if not self._count:
            return {}
        loss = self._loss / self._count
        found = {"perplexity": math.exp(min(loss, 700.0)), "cross_entropy": loss}
        if self.entropy is not None:
            found["above_best"] = math.exp(min(loss - self.entropy, 700.0)) - 1
        return found

    def details(self) -> dict[str, Any]:
        """Return how many words were predicted, and the best perplexity where it is known."""
        best = {} if self.entropy is None else {"best_perplexity": math.exp(self.entropy)}
        return {"words": self._count, **best}

"""A reader that says how alike two texts are."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from PaddleNLP.readers.base import Text
from PaddleNLP.readers.choices import StackedReader, both_texts


@dataclasses.dataclass
class Alike:
    """How alike two texts are.

    Attributes:
        score: the cosine of their vectors' angle, from -1 to 1.
        alike: whether it reaches the threshold.
    """

    score: float
    alike: bool

    def record(self) -> dict[str, Any]:
        """Return what is written of it."""
        return {"score": round(self.score, 6), "alike": self.alike}

    def describe(self) -> str:
        """Return it in a line."""
        return f"{'alike' if self.alike else 'not alike'} {self.score:.4f}"


class SimilarityReader(StackedReader):
    """Pairs of texts to how alike they are."""

    def rows(self, texts: Sequence[Text]) -> tuple[list[str], Any, list[int]]:
        """Return both texts of each pair; see :func:`both_texts`."""
        return both_texts(texts)

    def decode(self, text: Text, columns: dict[str, Any], outputs: Sequence[np.ndarray]) -> Alike:
        """Return how alike a pair is; see :meth:`WholeTextReader.decode`."""
        score = float(outputs[0].reshape(-1)[0])
        return Alike(score, score >= self.settings["threshold"])

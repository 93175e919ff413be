"""A reader that translates."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from PaddleNLP.readers.base import Text, WholeTextReader


@dataclasses.dataclass
class Translated:
    """A translation.

    Attributes:
        text: the translation.
        score: the logarithm of its probability, divided by the penalty of its length.
        ended: False where it was cut off, as no end had come by the most tokens.
        tokens: how many tokens it has.
    """

    text: str
    score: float
    ended: bool
    tokens: int

    def record(self) -> dict[str, Any]:
        """Return what is written of it."""
        return {"translation": self.text, "score": round(self.score, 6), "ended": self.ended}

    def describe(self) -> str:
        """Return it in a line."""
        return self.text if self.ended else f"{self.text} [no end within {self.tokens} tokens]"


def translated(tokenizer: Any, tokens: np.ndarray, score: float, length: int, ended: bool) -> Translated:
    """Return the translation that a network's tokens are.

    Args:
        tokenizer: makes texts of ids.
        tokens: int64 (max_length,).
        score: of the whole.
        length: how many tokens there are.
        ended: whether the last one is the end token.
    """
    return Translated(tokenizer.text_of(tokens[:length].tolist()), float(score), bool(ended), int(length))


class TranslationReader(WholeTextReader):
    """Texts to their translations."""

    def encode(self, texts: Sequence[Text]) -> dict[str, list[Any]]:
        """Return the tokeniser's columns of texts.

        Raises:
            ValueError: one is a pair.
        """
        pair = next((text for text in texts if isinstance(text, tuple)), None)
        if pair is not None:
            raise ValueError(f"a sentence to translate holds no TAB: {pair[0][:60]!r} and {pair[1][:60]!r}")
        return super().encode(texts)

    def decode(self, text: Text, columns: dict[str, Any], outputs: Sequence[np.ndarray]) -> Translated:
        """Return the best translation of a text; see :meth:`WholeTextReader.decode`."""
        tokens, scores, lengths, ended = outputs
        return translated(self.tokenizer, tokens[0], scores[0], lengths[0], ended[0])

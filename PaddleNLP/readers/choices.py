"""Readers of several texts at once: choices of an answer, and pairs that are encoded one by one."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.special import softmax

from PaddleNLP.readers.base import Text, WholeTextReader
from PaddleNLP.readers.classification import ClassificationReader


class StackedReader(WholeTextReader):
    """Reads several texts of each sample, an axis for them."""

    def rows(self, texts: Sequence[Text]) -> tuple[list[str], Any, list[int]]:
        """Return the texts of some samples, the second ones of pairs or None, and how many each sample has."""
        raise NotImplementedError

    def _read(self, texts: list[Text], batch_size: int) -> list[Any]:
        """Return the results of samples, those with as many texts together."""
        first, second, counts = self.rows(texts)
        columns = self.tokens(first, second) if texts else {}
        ends = np.cumsum([0, *counts])
        found: dict[int, Any] = {}
        for count in sorted(set(counts)):
            alike = [number for number, own in enumerate(counts) if own == count]
            alike.sort(key=lambda number: max(map(len, columns["input_ids"][ends[number] : ends[number + 1]])))
            for start in range(0, len(alike), batch_size):
                part = alike[start : start + batch_size]
                rows = [row for number in part for row in range(ends[number], ends[number + 1])]
                arrays = self.batch({name: [column[row] for row in rows] for name, column in columns.items()})
                stacked = {name: array.reshape(len(part), count, -1) for name, array in arrays.items()}
                outputs = self.run(stacked)
                for place, number in enumerate(part):
                    found[number] = self.decode(texts[number], {}, [output[place] for output in outputs])
        return [found[number] for number in range(len(texts))]


class PairReader(StackedReader, ClassificationReader):
    """Pairs of texts to classes."""

    def rows(self, texts: Sequence[Text]) -> tuple[list[str], Any, list[int]]:
        """Return both texts of each pair; see :func:`both_texts`."""
        return both_texts(texts)


def both_texts(texts: Sequence[Text]) -> tuple[list[str], Any, list[int]]:
    """Return both texts of each pair, no second ones, and how many texts each has.

    Raises:
        TypeError: a text is no pair.
    """
    if any(not isinstance(text, tuple) or len(text) != 2 for text in texts):
        raise TypeError("what is to be compared is a tuple of two texts")
    return [part for text in texts for part in text], None, [2] * len(texts)


@dataclasses.dataclass
class Chosen:
    """The choice of an answer.

    Attributes:
        text: the choice.
        place: its place among the choices.
        probabilities: of each choice, in order.
    """

    text: str
    place: int
    probabilities: list[float]

    def record(self) -> dict[str, Any]:
        """Return what is written of it."""
        return {
            "answer": self.text,
            "place": self.place,
            "probabilities": [round(share, 6) for share in self.probabilities],
        }

    def describe(self) -> str:
        """Return it in a line."""
        return f"{self.text} {self.probabilities[self.place]:.1%}"


class ChoiceReader(StackedReader):
    """Tuples of a text, a question and its choices to the answer; instead of several texts, one may hold tabs."""

    def rows(self, texts: Sequence[Text]) -> tuple[list[str], Any, list[int]]:
        """Return of each choice the text, and the question with the choice behind it.

        Raises:
            TypeError: there are no two choices.
        """
        parts = [_parts(text) for text in texts]
        pairs = [(context, question + choice) for context, question, *choices in parts for choice in choices]
        return [pair[0] for pair in pairs], [pair[1] for pair in pairs], [len(one) - 2 for one in parts]

    def decode(self, text: Text, columns: dict[str, Any], outputs: Sequence[np.ndarray]) -> Chosen:
        """Return the choice; see :meth:`WholeTextReader.decode`."""
        shares = softmax(np.asarray(outputs[0], np.float64))
        best = int(shares.argmax())
        return Chosen(_parts(text)[2 + best], best, shares.tolist())


def _parts(text: Any) -> list[str]:
    given = [text] if isinstance(text, str) else text
    if not isinstance(given, (tuple, list)) or not all(isinstance(part, str) for part in given):
        raise TypeError("what is to be answered is a tuple of a text, a question and at least two choices")
    parts = [own for part in given for own in part.split("\t")]
    if len(parts) < 4:
        raise TypeError("what is to be answered is a tuple of a text, a question and at least two choices")
    return parts

"""Readers that give a class, several labels, or a number for a text."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.special import softmax

from PaddleNLP.evaluators.numbers import sigmoid
from PaddleNLP.readers.base import Text, WholeTextReader


@dataclasses.dataclass
class Classified:
    """What a classifier says of a text.

    Attributes:
        label: the best class.
        score: its probability.
        probabilities: of each class by name.
    """

    label: str
    score: float
    probabilities: dict[str, float]

    def record(self) -> dict[str, Any]:
        """Return what is written of it."""
        shares = {name: round(share, 6) for name, share in self.probabilities.items()}
        return {"label": self.label, "score": round(self.score, 6), "probabilities": shares}

    def describe(self) -> str:
        """Return it in a line."""
        return f"{self.label} {self.score:.1%}"


class ClassificationReader(WholeTextReader):
    """Texts to classes."""

    def decode(self, text: Text, columns: dict[str, Any], outputs: Sequence[np.ndarray]) -> Classified:
        """Return the class of a text; see :meth:`WholeTextReader.decode`."""
        shares = softmax(np.asarray(outputs[0], np.float64), axis=-1)
        best = int(shares.argmax())
        return Classified(self.class_names[best], float(shares[best]), dict(zip(self.class_names, shares.tolist())))


class MultiPerspectiveReader(ClassificationReader):
    """Texts to the classes that several classifiers find likeliest together."""

    def decode(self, text: Text, columns: dict[str, Any], outputs: Sequence[np.ndarray]) -> Classified:
        """Return the class by the mean of the probabilities; see :meth:`WholeTextReader.decode`."""
        shares = softmax(np.asarray(outputs[0], np.float64), axis=-1).mean(axis=0)
        return super().decode(text, columns, [np.log(np.maximum(shares, 1e-300))])


@dataclasses.dataclass
class Ranked:
    """A candidate among others.

    Attributes:
        text: the candidate.
        place: its place in the list that was given.
        score: the probability that it is right.
    """

    text: str
    place: int
    score: float


class RankingReader(ClassificationReader):
    """Pairs of a question and a candidate to the class of wrong or of right candidates."""

    def rank(self, question: str, candidates: Sequence[str], batch_size: int = 32) -> list[Ranked]:
        """Return candidates for the answer to a question, the best first.

        Args:
            question: the question, or the conversation so far.
            candidates: the texts that may answer it.
            batch_size: so many go through the network at once.
        """
        found = self.predict([(question, text) for text in candidates], batch_size)
        right = self.class_names[1]
        ranked = [Ranked(text, place, found[place].probabilities[right]) for place, text in enumerate(candidates)]
        return sorted(ranked, key=lambda one: -one.score)


@dataclasses.dataclass
class Labelled:
    """Which labels hold of a text.

    Attributes:
        labels: those that hold.
        probabilities: of each label by name.
    """

    labels: list[str]
    probabilities: dict[str, float]

    def record(self) -> dict[str, Any]:
        """Return what is written of it."""
        shares = {name: round(share, 6) for name, share in self.probabilities.items()}
        return {"labels": self.labels, "probabilities": shares}

    def describe(self) -> str:
        """Return it in a line."""
        return ", ".join(f"{name} {self.probabilities[name]:.1%}" for name in self.labels) or "no label"


class MultiLabelReader(WholeTextReader):
    """Texts to all labels that hold of them."""

    def decode(self, text: Text, columns: dict[str, Any], outputs: Sequence[np.ndarray]) -> Labelled:
        """Return the labels of a text; see :meth:`WholeTextReader.decode`."""
        shares = dict(zip(self.class_names, sigmoid(outputs[0]).tolist()))
        thresholds = self.settings["thresholds"]
        return Labelled([name for name, least in zip(shares, thresholds) if shares[name] >= least], shares)


@dataclasses.dataclass
class Valued:
    """The number of a text.

    Attributes:
        value: the number.
    """

    value: float

    def record(self) -> dict[str, Any]:
        """Return what is written of it."""
        return {"value": round(self.value, 6)}

    def describe(self) -> str:
        """Return it in a line."""
        return f"{self.value:.4f}"


class RegressionReader(WholeTextReader):
    """Texts to numbers."""

    def decode(self, text: Text, columns: dict[str, Any], outputs: Sequence[np.ndarray]) -> Valued:
        """Return the number of a text; see :meth:`WholeTextReader.decode`."""
        return Valued(float(outputs[0].reshape(-1)[0]))

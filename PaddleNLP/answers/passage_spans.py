"""From the probabilities of begins and ends in several passages to an answer, as the baseline of DuReader finds it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

PRIOR = (0.44, 0.23, 0.15, 0.09, 0.07)
"""How often the first, second, ... passage has the answer, as the official program has it."""


class PassageSpan(NamedTuple):
    """A part of a passage.

    Attributes:
        passage: its number; -1: there is no answer, as there are no words.
        start: its first word.
        end: its last word.
        score: the product of the probabilities of both, and of the passage.
    """

    passage: int
    start: int
    end: int
    score: float


def best_span(
    begins: np.ndarray, ends: np.ndarray, lengths: Sequence[int], longest: int = 200, prior: Sequence[float] = PRIOR
) -> PassageSpan:
    """Return the likeliest span of a question's passages.

    Args:
        begins: the probability that the answer begins at each word, float (P, T).
        ends: that it ends there, likewise.
        lengths: words of each passage.
        longest: the most words of a span.
        prior: the probability of each passage before it is read.
    """
    best = PassageSpan(-1, -1, -1, 0.0)
    for passage, length in enumerate(lengths):
        count = min(length, begins.shape[1])
        products = np.triu(np.outer(begins[passage, :count], ends[passage, :count]))
        products = np.tril(products, longest - 1) * prior[passage]
        if products.size and products.max() > best.score:
            start, end = np.unravel_index(int(products.argmax()), products.shape)
            best = PassageSpan(passage, int(start), int(end), float(products.max()))
    return best

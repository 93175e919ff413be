"""Counts of n-grams, smoothed as Kneser and Ney do: what a language model is to be better than.

Chen and Goodman 1999 (https://doi.org/10.1006/csla.1999.0128), interpolated, with a discount for n-grams that were seen
once, twice and more often ("modified"), or one for all of them.
"""

from __future__ import annotations

import collections
import math
from collections.abc import Iterable, Sequence

Gram = tuple[int, ...]
START = -1
"""What comes before a sentence."""


class KneserNey:
    """Probabilities of the next word, given up to ``order - 1`` words of the sentence before it.

    Args:
        sentences: numbers of words, each sentence with its end.
        order: words of the longest n-grams.
        words: how many words there are; those that were never seen share what the lowest order leaves.
        modified: whether there are three discounts of each order.
    """

    def __init__(self, sentences: Iterable[Sequence[int]], order: int, words: int, modified: bool = True) -> None:
        self.order, self.words = order, words
        highest: collections.Counter[Gram] = collections.Counter()
        for sentence in sentences:
            padded = [START] * (order - 1) + list(sentence)
            highest.update(tuple(padded[place : place + order]) for place in range(len(sentence)))
        counts = [highest]
        for _ in range(order - 1):  # of a shorter n-gram: how many different words stand before it
            counts.append(collections.Counter(gram[1:] for gram in counts[-1]))
        self.counts = counts[::-1]
        self.discounts = [_discounts(one.values(), modified) for one in self.counts]
        self.totals: list[dict[Gram, int]] = []
        self.left: list[dict[Gram, float]] = []
        for one, discounts in zip(self.counts, self.discounts):
            totals: dict[Gram, int] = collections.defaultdict(int)
            left: dict[Gram, float] = collections.defaultdict(float)
            for gram, count in one.items():
                totals[gram[:-1]] += count
                left[gram[:-1]] += discounts[min(count, 3) - 1]
            self.totals.append(totals)
            self.left.append(left)

    def probability(self, context: Sequence[int], word: int) -> float:
        """Return the probability of a word behind others of its sentence.

        Args:
            context: the words before it, START among them where there are fewer than ``order - 1``.
            word: its number.
        """
        found = 1.0 / self.words
        for length in range(self.order):
            before = tuple(context[len(context) - length :])
            total = self.totals[length].get(before, 0)
            if not total:
                break
            count = self.counts[length].get((*before, word), 0)
            own = max(count - self.discounts[length][min(count, 3) - 1], 0.0) if count else 0.0
            found = (own + self.left[length][before] * found) / total
        return found

    def perplexity(self, sentences: Iterable[Sequence[int]]) -> float:
        """Return the perplexity of sentences, their ends included."""
        total, count = 0.0, 0
        for sentence in sentences:
            padded = [START] * (self.order - 1) + list(sentence)
            for place in range(len(sentence)):
                context, word = padded[place : place + self.order - 1], padded[place + self.order - 1]
                total -= math.log(self.probability(context, word))
                count += 1
        return math.exp(total / count)


def _discounts(counts: Iterable[int], modified: bool) -> tuple[float, float, float]:
    """Return what is taken from n-grams that were seen once, twice and more often."""
    times = collections.Counter(counts)
    n1, n2, n3, n4 = (times[number] for number in (1, 2, 3, 4))
    share = n1 / (n1 + 2 * n2) if n1 else 0.5
    if not modified or not (n1 and n2 and n3):
        return share, share, share
    found = (1 - 2 * share * n2 / n1, 2 - 3 * share * n3 / n2, 3 - 4 * share * n4 / n3)
    return (max(found[0], 0.0), max(found[1], 0.0), max(found[2], 0.0))

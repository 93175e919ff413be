"""Learning the merges of byte pair encoding, the same ones as subword-nmt 0.3.8 learns.

Paper: R. Sennrich et al., "Neural Machine Translation of Rare Words with Subword Units", 2016, arXiv:1508.07909.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable

from core.text.tokenizers.subword_nmt import END, Codes

Pair = tuple[str, str]
Word = tuple[str, ...]


def count_words(lines: Iterable[str]) -> Counter[str]:
    """Return how often each word, between spaces, occurs in lines."""
    counts: Counter[str] = Counter()
    for line in lines:
        counts.update(word for word in line.strip("\r\n ").split(" ") if word)
    return counts


def learn_bpe(
    lines: Iterable[str], num_symbols: int, min_frequency: int = 2, total_symbols: bool = False
) -> Codes:
    """Return merges, in their order.

    Args:
        lines: the text; or a counter of words, as of :func:`count_words`.
        num_symbols: how many merges, or fewer where pairs become rare.
        min_frequency: how often a pair must occur.
        total_symbols: characters count among ``num_symbols``.

    Raises:
        ValueError: the text has no word of two characters.
    """
    counts = lines if isinstance(lines, Counter) else count_words(lines)
    words = [((*word[:-1], word[-1] + END), count) for word, count in counts.items()]
    words.sort(key=lambda item: -item[1])
    if total_symbols:
        inner = {symbol for word, _ in words for symbol in word[:-1]}
        num_symbols -= len(inner) + len({word[-1] for word, _ in words})
    return _Learner(words).learn(num_symbols, min_frequency)


class _Learner:
    """Pairs of symbols with their counts.

    Only the frequent pairs are looked through for each merge: those below a threshold wait in ``rare``. That order of
    events is kept as in subword-nmt, as counts of pairs that wait are not brought up to date.

    Args:
        words: the symbols of each word, and its count.
    """

    def __init__(self, words: list[tuple[Word, int]]) -> None:
        self.words = words
        self.counts: dict[Pair, int] = defaultdict(int)
        self.where: dict[Pair, dict[int, int]] = defaultdict(lambda: defaultdict(int))
        for number, (word, count) in enumerate(words):
            for pair in zip(word, word[1:]):
                self.counts[pair] += count
                self.where[pair][number] += 1
        self.rare = dict(self.counts)
        if not self.counts:
            raise ValueError("learn_bpe: the text has no word of two characters")

    def learn(self, merges: int, min_frequency: int) -> Codes:
        """Return the merges."""
        codes: Codes = []
        threshold = max(self.counts.values()) / 10
        for number in range(merges):
            best = self._best()
            if best is None or (number and self.counts[best] < threshold):
                self._set_aside(threshold)
                self.counts = defaultdict(int, self.rare)
                best = self._best()
                assert best is not None
                threshold = self.counts[best] * number / (number + 10000.0)
                self._set_aside(threshold)
            if self.counts[best] < min_frequency:
                break
            codes.append(best)
            self._merge(best)
            if number % 100 == 0:
                self._set_aside(threshold)
        return codes

    def _best(self) -> Pair | None:
        if not self.counts:
            return None
        most = max(self.counts.values())
        return max(pair for pair, count in self.counts.items() if count == most)

    def _set_aside(self, threshold: float) -> None:
        for pair, count in list(self.counts.items()):
            if count < threshold:
                del self.counts[pair]
                self.rare[pair] = self.rare.get(pair, 0) + count if count < 0 else count

    def _merge(self, pair: Pair) -> None:
        """Merge a pair in all words and bring the counts of its neighbours up to date."""
        first, second = pair
        pattern = re.compile(rf"(?<!\S){re.escape(first)}\ {re.escape(second)}(?!\S)")
        symbol = first + second
        numbers = [number for number, times in self.where[pair].items() if times > 0]
        self.where[pair] = defaultdict(int)
        for number in numbers:
            old, count = self.words[number]
            new = tuple(pattern.sub(symbol.replace("\\", r"\\"), " ".join(old)).split(" "))
            self.words[number] = (new, count)
            self._forget(old, pair, number, count)
            self._learn(new, symbol, number, count)
        self.counts[pair] = 0

    def _forget(self, word: Word, pair: Pair, number: int, count: int) -> None:
        """Take away the pairs around each place of a pair, those between two places once."""
        place, last = 0, len(word) - 1
        while place < last:
            if word[place : place + 2] != pair:
                place += 1
                continue
            if place:
                self._add(word[place - 1 : place + 1], number, -count)
            behind = place + 2
            if behind <= last and (word[behind : behind + 2] != pair or behind >= last):
                self._add(word[place + 1 : place + 3], number, -count)
            place += 2

    def _learn(self, word: Word, symbol: str, number: int, count: int) -> None:
        """Add the pairs around each place of a new symbol, those between two places once."""
        for place, found in enumerate(word):
            if found != symbol:
                continue
            if place:
                self._add(word[place - 1 : place + 1], number, count)
            if place < len(word) - 1 and word[place + 1] != symbol:
                self._add(word[place : place + 2], number, count)

    def _add(self, pair: Word, number: int, count: int) -> None:
        key = (pair[0], pair[1])
        self.counts[key] += count
        self.where[key][number] += 1 if count > 0 else -1

"""Text that is drawn from a known chain: the next word depends on the two before it, and nothing else.

The best possible prediction is known: the entropy of the chain, which no model goes below on a long text. Words that
follow a pair are few and different for each pair, so what tells words apart are pairs, not single words.
"""

from __future__ import annotations

from typing import Optional

import numpy as np

from PaddleNLP.data.dataset import TextDataset, Texts, Transform

SPLITS = {"train": 20000, "valid": 1000, "test": 2000}
"""The parts, and how many sentences they have."""

SYLLABLES = ("ba", "de", "fi", "go", "ku", "la", "me", "ni", "po", "ru")
FOLLOWERS = 4
"""Words that may follow a pair."""

END = 0
"""The state that ends a sentence, and begins one."""


class Chain:
    """A chain of second order over words and the end of a sentence.

    Args:
        words: how many words there are.
        seed: of what follows which pair.

    Attributes:
        names: the words; the first is the end's.
        follows: probabilities of what follows a pair, float64 (words + 1, words + 1, words + 1).
        entropy: of the next word, given the text before, in nats.
    """

    def __init__(self, words: int, seed: int) -> None:
        source = np.random.default_rng([seed, 14])
        count = words + 1
        names = [first + second for first in SYLLABLES for second in SYLLABLES]
        self.names = ["", *(names[place] for place in source.permutation(len(names))[:words])]
        self.follows = np.zeros((count, count, count))
        for one in range(count):
            for two in range(count):
                among = source.permutation(np.arange(1, count))[:FOLLOWERS]
                shares = source.dirichlet(np.ones(FOLLOWERS))
                self.follows[one, two, among] = shares
                if two != END:
                    self.follows[one, two] *= 0.9
                    self.follows[one, two, END] = 0.1
        self.follows[:, END] = self.follows[END, END]  # a sentence knows nothing of the one before
        self.entropy = self._entropy()

    def _entropy(self) -> float:
        pairs = np.full(self.follows.shape[:2], 1 / self.follows.shape[0] ** 2)
        for _ in range(1000):
            pairs, before = np.einsum("ab,abc->bc", pairs, self.follows), pairs
            if np.abs(pairs - before).max() < 1e-15:
                break
        logarithms = np.log(np.where(self.follows > 0, self.follows, 1.0))
        return float(-(pairs * (self.follows * logarithms).sum(axis=2)).sum())

    def sentence(self, source: np.random.Generator) -> list[int]:
        """Return the states of a drawn sentence, without its end."""
        found: list[int] = []
        pair = (END, END)
        while True:
            state = int(np.searchsorted(self._sums[pair], source.random(), side="right"))
            if state == END:
                return found
            found.append(state)
            pair = (pair[1], state)

    @property
    def _sums(self) -> np.ndarray:
        if "_cumulated" not in self.__dict__:
            sums = np.cumsum(self.follows, axis=2)
            self._cumulated = sums / sums[..., -1:]
        return self._cumulated


class DrawnMarkovText(TextDataset):
    """Sentences of a drawn chain; the same part, count, words and seed are the same sentences always.

    Args:
        split: "train", "valid" or "test".
        count: how many sentences; None: 20,000, 1,000 and 2,000.
        words: how many words the chain has, from 4 to 100.
        seed: of the chain and of the draws.
        transform: what to do with a sample.

    Raises:
        ValueError: the split is unknown, or a number is out of range.

    Attributes:
        entropy: of the next word at best, in nats.
    """

    def __init__(
        self,
        split: str = "train",
        count: Optional[int] = None,
        words: int = 12,
        seed: int = 0,
        transform: Optional[Transform] = None,
    ) -> None:
        if split not in SPLITS:
            raise ValueError(f"DrawnMarkovText: split must be one of {', '.join(SPLITS)}, not {split!r}")
        count = SPLITS[split] if count is None else count
        for name, value, least, most in (("count", count, 1, 1_000_000), ("words", words, 4, 100)):
            if not least <= value <= most:
                raise ValueError(f"DrawnMarkovText: {name} must be from {least} to {most:,}, not {value}")
        chain = Chain(words, seed)
        source = np.random.default_rng([seed, list(SPLITS).index(split)])
        texts = Texts(" ".join(chain.names[state] for state in chain.sentence(source)) for _ in range(count))
        super().__init__({"text": texts}, transform=transform)
        self.entropy = chain.entropy

"""Vectors of words: learning them by word2vec's skip-gram with negative sampling, and reading files of them.

Mikolov et al. 2013, https://arxiv.org/abs/1310.4546. The descent is the one that graphs' nodes are embedded by:
:func:`core.optimizer.skip_gram.skip_gram_descent`.
"""

from __future__ import annotations

import collections
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Callable, NamedTuple, Optional

import numpy as np

from core.weights.messages import shown
from PaddleNLP.data.lines import text_lines

Report = Callable[[int, float], None]


class Settings(NamedTuple):
    """How vectors are learned.

    Attributes:
        size: length of a vector.
        window: words on either side that may count; how many do is drawn for each word, from 1 on.
        negatives: words that are drawn for each word, by their number's power of 3/4.
        least: how often a word must occur.
        frequent: share of the text from which on a word is left out now and then; 0: none is.
        epochs: times that the text is gone through.
        learning_rate: at the start; it falls to a ten-thousandth of that on a line.
        seed: of all that is drawn.
    """

    size: int = 100
    window: int = 5
    negatives: int = 5
    least: int = 5
    frequent: float = 1e-3
    epochs: int = 5
    learning_rate: float = 0.025
    seed: int = 0


class WordVectors(NamedTuple):
    """Words and their vectors.

    Attributes:
        words: the most frequent ones first.
        vectors: float32 (words, size).
    """

    words: list[str]
    vectors: np.ndarray

    def nearest(self, word: str, count: int) -> list[tuple[str, float]]:
        """Return the words whose vectors have the smallest angles to a word's, with the cosines.

        Args:
            word: the word.
            count: how many.

        Raises:
            ValueError: it has no vector.
        """
        if word not in self.words:
            raise ValueError(f"the word {word!r} has no vector: it is too rare, or not in the text")
        norms = np.linalg.norm(self.vectors, axis=1)
        place = self.words.index(word)
        cosines = self.vectors @ self.vectors[place] / np.maximum(norms * norms[place], 1e-12)
        cosines[place] = -2.0
        best = np.argsort(-cosines, kind="stable")[: min(count, len(self.words) - 1)]
        return [(self.words[row], float(cosines[row])) for row in best]

    def lines(self) -> Iterator[str]:
        """Return the lines of word2vec's text format: counts, then a word and its numbers in each."""
        yield f"{len(self.words)} {self.vectors.shape[1]}"
        for word, row in zip(self.words, self.vectors):
            yield f"{word} {' '.join(f'{number:.6g}' for number in row)}"


def read_vectors(path: str, numbers: Mapping[str, int], size: int) -> tuple[np.ndarray, np.ndarray]:
    """Read the vectors of some words from a file in the text format of word2vec, fastText or GloVe.

    Args:
        path: the file, a local path or a URL, perhaps compressed: a word and its numbers in each line; the first line
            may hold the counts of words and of a vector's numbers instead.
        numbers: the number of each word that is wanted.
        size: how many numbers a vector has to have.

    Returns:
        The numbers of the words that the file has, int64 (K,), and their vectors, float32 (K, size). Of a word that
        is there twice the first one counts.

    Raises:
        OSError: the file cannot be read.
        ValueError: vectors have another length, or a line is no word with numbers, which the message names.
    """
    found: dict[int, np.ndarray] = {}
    for line, text in text_lines(path):
        parts = text.rstrip(" ").rsplit(" ", size)
        if line == 1:
            fields = text.split()
            given = int(fields[1]) if len(fields) == 2 and fields[1].isdecimal() else len(fields) - 1
            if given != size:
                raise ValueError(f"{path}: its vectors have {given} numbers, but those of the network have {size}")
            if len(fields) == 2 and size != 1:
                continue
        number = numbers.get(parts[0])
        if number is None or number in found:
            continue
        try:
            vector = np.array(parts[1:], np.float32)
        except ValueError:
            vector = np.array([np.nan], np.float32)
        if len(vector) != size or not np.isfinite(vector).all():
            raise ValueError(f"{path}:{line}: {shown(text)} is not a word with {size} finite numbers")
        found[number] = vector
    return np.array([*found], np.int64), np.array([*found.values()], np.float32).reshape(-1, size)


def word_vectors(
    sentences: Iterable[Sequence[str]], settings: Settings, report: Optional[Report] = None
) -> WordVectors:
    """Learn vectors of words.

    Args:
        sentences: the words of each.
        settings: how.
        report: called after each epoch with its number, from 1, and the mean loss of a pair.

    Raises:
        ValueError: fewer than two words occur often enough.
    """
    import core  # loads the engine
    from core.optimizer.skip_gram import skip_gram_descent

    texts = list(sentences)
    counts = collections.Counter(word for text in texts for word in text)
    words = sorted((word for word in counts if counts[word] >= settings.least), key=lambda word: (-counts[word], word))
    if len(words) < 2:
        raise ValueError(f"{len(words)} words occur {settings.least} times or more: give more text, or lower --least")
    numbers = {word: number for number, word in enumerate(words)}
    ids = [np.array([numbers[word] for word in text if word in numbers], np.int64) for text in texts]
    often = np.array([counts[word] for word in words], np.float64)
    kept = np.ones(len(words))
    if settings.frequent:
        kept = np.minimum(np.sqrt(settings.frequent * often.sum() / often), 1.0)
    shares = np.cumsum(often**0.75)
    source = np.random.default_rng(settings.seed)
    bound = 0.5 / settings.size
    tables = [
        core.to_tensor(source.uniform(-bound, bound, (len(words), settings.size)).astype(np.float32)),
        core.zeros([len(words), settings.size]),
    ]
    for epoch in range(settings.epochs):
        total, pairs = 0.0, 0
        batches = [ids[start : start + 1000] for start in range(0, len(ids), 1000)]
        for number, batch in enumerate(batches):
            done = (epoch + number / len(batches)) / settings.epochs
            centers, starts, contexts = windows([row[source.random(len(row)) < kept[row]] for row in batch],
                                                settings.window, source)  # fmt: skip
            drawn = np.searchsorted(shares, source.random((len(centers), settings.negatives)) * shares[-1], "right")
            rate = settings.learning_rate * max(1 - done, 1e-4)
            loss = skip_gram_descent(tables[0], tables[1], centers, starts, contexts, drawn, rate)
            total, pairs = total + loss * len(contexts), pairs + len(contexts)
        if report is not None:
            report(epoch + 1, total / max(pairs, 1))
    return WordVectors(words, tables[0].numpy())


def windows(
    sentences: Sequence[np.ndarray], most: int, source: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the words of sentences, where the words near each begin, and these; how near is drawn for each word.

    Args:
        sentences: numbers of words, int64.
        most: words on either side at most.
        source: what is drawn from.

    Returns:
        int64 [words], int64 [words + 1] and int64 [pairs].
    """
    gap = np.full(most, -1, np.int64)  # no window reaches from one sentence into the next
    row = np.concatenate([gap, *(part for sentence in sentences for part in (sentence, gap))])
    places = np.flatnonzero(row >= 0)
    offsets = np.array([offset for offset in range(-most, most + 1) if offset])
    near = row[places[:, None] + offsets]
    there = (near >= 0) & (np.abs(offsets) <= source.integers(1, most + 1, len(places))[:, None])
    starts = np.concatenate([[0], np.cumsum(there.sum(axis=1))])
    return row[places], starts, near[there]

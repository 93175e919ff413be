"""Precision, recall and F1 of chunks, such as names in a sentence: conlleval's and seqeval's measure.

Tjong Kim Sang and Buchholz, Introduction to the CoNLL-2000 Shared Task: Chunking, https://aclanthology.org/W00-0726.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

import numpy as np

from PaddleNLP.data.tagging.schemes import BEGIN, END, OUTSIDE, SINGLE, has_suffixes, parsed


class ChunkScheme:
    """Finds the chunks that rows of tag numbers stand for.

    Args:
        labels: the tags in the order of their numbers; "O", and tags of any scheme that marks where chunks begin.
        suffix: whether the marks stand behind, as in "n-B"; None: as the tags say.

    Attributes:
        kinds: the kinds of chunks, in alphabetical order.

    Raises:
        ValueError: a tag does not say where a chunk begins.
    """

    def __init__(self, labels: Sequence[str], suffix: Optional[bool] = None) -> None:
        self.suffix = has_suffixes(labels) if suffix is None else suffix
        tags = [None if label == OUTSIDE else parsed(label, self.suffix) for label in labels]
        self.kinds = sorted({tag.kind for tag in tags if tag is not None})
        numbers = {kind: number for number, kind in enumerate(self.kinds)}
        self._kinds = np.array([-1 if tag is None else numbers[tag.kind] for tag in tags] + [-1], np.int64)
        self._starts = np.array([tag is not None and tag.mark in (BEGIN, SINGLE) for tag in tags] + [False])
        self._ends = np.array([tag is not None and tag.mark in (END, SINGLE) for tag in tags] + [False])

    def chunks(self, tags: np.ndarray) -> np.ndarray:
        """Return the chunks of rows of tags, whether or not the tags keep a scheme.

        A chunk begins where a tag says so, where the token before is in no chunk or ends one, and where the kind
        changes.

        Args:
            tags: integers (N, L), numbers of labels; -1 behind the end of a row, and wherever there is no chunk.

        Returns:
            int64 (chunks, 4): row, kind, first token, and the token behind the last.
        """
        ids = np.full((len(tags), np.shape(tags)[1] + 2), -1, np.int64)
        ids[:, 1:-1] = tags
        kinds = self._kinds[ids]
        inside, before, now = kinds >= 0, kinds[:, :-1], kinds[:, 1:]
        new = inside[:, 1:] & (self._starts[ids[:, 1:]] | self._ends[ids[:, :-1]] | (before != now))
        over = inside[:, :-1] & (new | ~inside[:, 1:])
        rows, starts = np.nonzero(new)
        ends = np.nonzero(over)[1]
        return np.stack([rows, kinds[:, 1:][rows, starts], starts, ends], axis=1).astype(np.int64)


class ChunkMetric:
    """Counts chunks that are found, that there are, and that are both.

    Args:
        labels: the tags in the order of their numbers.
        suffix: whether the marks stand behind; None: as the tags say.

    Attributes:
        found: of each kind how many chunks are predicted, int64 (kinds,).
        true: of each kind how many there are.
        right: of each kind how many are both.
    """

    def __init__(self, labels: Sequence[str], suffix: Optional[bool] = None) -> None:
        self.scheme = ChunkScheme(labels, suffix)
        self.found, self.true, self.right = np.zeros((3, len(self.scheme.kinds)), np.int64)

    def add(self, predicted: np.ndarray, truth: np.ndarray, lengths: np.ndarray) -> None:
        """Take in the tags of some sentences.

        Args:
            predicted: integers (N, L).
            truth: likewise.
            lengths: how many tokens each sentence has, integers (N,).
        """
        inside = np.arange(np.shape(truth)[1]) < np.reshape(lengths, (-1, 1))
        rows = [self.scheme.chunks(np.where(inside, tags, -1)) for tags in (predicted, truth)]
        size = len(self.found)
        for total, chunks in zip((self.found, self.true), rows):
            total += np.bincount(chunks[:, 1], minlength=size)
        both = np.concatenate(rows)
        _, first, times = np.unique(both, axis=0, return_index=True, return_counts=True)
        self.right += np.bincount(both[first[times > 1], 1], minlength=size)

    def result(self) -> dict[str, float]:
        """Return "precision", "recall" and "f1" of all chunks together, between 0 and 1."""
        return scores(int(self.right.sum()), int(self.found.sum()), int(self.true.sum()))

    def of_kinds(self) -> dict[str, dict[str, float]]:
        """Return the same of each kind of chunk that is found or there, and "support", how many there are."""
        return {
            kind: {**scores(int(right), int(found), int(true)), "support": int(true)}
            for kind, right, found, true in zip(self.scheme.kinds, self.right, self.found, self.true)
            if found or true
        }


def scores(right: int, found: int, true: int) -> dict[str, float]:
    """Return precision, recall and F1; each is 0 where there is nothing to divide by.

    Args:
        right: how many of those found are right.
        found: how many are found.
        true: how many there are.
    """
    return {
        "precision": right / found if found else 0.0,
        "recall": right / true if true else 0.0,
        "f1": 2 * right / (found + true) if found + true else 0.0,
    }

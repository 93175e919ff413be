"""ERNIE 2.0's pretraining tasks: what a sample of each is.

Sun et al., ERNIE 2.0: A Continual Pre-training Framework for Language Understanding, https://arxiv.org/abs/1907.12412.
Five need nothing but documents, two pairs of texts with a class, which were not published with it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Optional

import numpy as np

from core.io import Dataset
from core.io.randomness import current_epoch, integer
from PaddleNLP.data.encoded import Ragged
from PaddleNLP.data.pretraining.masked_words import NONE, SPECIAL, masked_sample
from PaddleNLP.data.pretraining.pairs import LabelledPairs
from PaddleNLP.data.pretraining.schedule import TASKS, Schedule


class Piece(NamedTuple):
    """Tokens of a document.

    Attributes:
        ids: int64 (L,).
        segments: 0 where a word begins, 1 inside of one, (L,).
        capitals: 1 where the word begins with a capital, 0 where not, -100 where it has none, (L,).
    """

    ids: np.ndarray
    segments: np.ndarray
    capitals: np.ndarray

    def cut(self, start: int, end: int) -> Piece:
        """Return some of the tokens."""
        return Piece(*(one[start:end] for one in self))


def reordering_classes(parts: int) -> int:
    """Return how many orders paragraphs of 1 to so many parts have together."""
    return sum(math.factorial(count) for count in range(1, parts + 1))


def order_class(order: Sequence[int]) -> int:
    """Return the class of an order: those of fewer parts precede, and those of as many are in lexicographic order.

    Args:
        order: which part is at each place.
    """
    rank, left = 0, sorted(order)
    for place, part in enumerate(order):
        rank += left.index(part) * math.factorial(len(order) - place - 1)
        left.remove(part)
    return reordering_classes(len(order) - 1) + rank


def packs(lengths: Sequence[int], room: int) -> list[tuple[int, int]]:
    """Return ranges of consecutive sentences that fit together, each as long as possible.

    Args:
        lengths: tokens of each sentence.
        room: tokens of a pack at most; a longer sentence is a pack of its own.
    """
    found: list[tuple[int, int]] = []
    start, filled = 0, 0
    for number, length in enumerate(lengths):
        if number > start and filled + length > room:
            found.append((start, number))
            start, filled = number, 0
        filled += length
    return [*found, (start, len(lengths))] if len(lengths) else found


class SpecialTokens(NamedTuple):
    """Ids of tokens that stand for no text."""

    first: int
    separator: int
    mask: int


class ContinualDataset(Dataset):
    """Parts of documents, each a sample of one task; the labels of all others are -100.

    Sample i has "input_ids", "token_type_ids", "task_type_ids", "capital_labels", "document_labels", (L,), "places" and
    "labels" of masked tokens, and the numbers "order_label", "distance_label" and one for each task of pairs.

    Args:
        documents: the columns "input_ids", "segments", "capitals" of whole documents, and "sentence_ends".
        schedule: which tasks are drawn in which epoch.
        special: ids of special tokens.
        vocab_size: ids are below.
        max_length: tokens of a sample at most, special ones included.
        share: of the words that are masked.
        room: for how many masked tokens a sample has places.
        parts: into how many parts a paragraph is cut at most that is to be put in order.
        drawn: whether each epoch draws tasks and examples anew; otherwise the sample's number says them.
        pairs: of the tasks of pairs; a sample of them is no longer than the part of a document in whose place it is.
    """

    def __init__(
        self,
        documents: Mapping[str, Ragged],
        schedule: Schedule,
        special: SpecialTokens,
        vocab_size: int,
        max_length: int,
        share: float,
        room: int,
        parts: int,
        drawn: bool,
        pairs: Optional[Mapping[str, LabelledPairs]] = None,
    ) -> None:
        self.pairs = dict(pairs or {})
        self.documents, self.schedule, self.special = documents, schedule, special
        self.vocab_size, self.share, self.room, self.parts, self.drawn = vocab_size, share, room, parts, drawn
        self.most = max_length - 1 - max(parts, 2)
        rows = []
        for number in range(len(documents["input_ids"])):
            ends = documents["sentence_ends"][number]
            rows += [(number, *pack) for pack in packs(np.diff(ends, prepend=0).tolist(), self.most)]
        self._packs = np.array(rows, np.int64)
        self.lengths = np.array([min(self._length(row), self.most) for row in self._packs]) + 1 + max(parts, 2)

    def __len__(self) -> int:
        return len(self._packs)

    def _length(self, pack: np.ndarray) -> int:
        document, start, end = pack.tolist()
        ends = self.documents["sentence_ends"][document]
        return int(ends[end - 1] - (ends[start - 1] if start else 0))

    def sentences(self, document: int, start: int, end: int) -> list[Piece]:
        """Return sentences of a document, cut where they are too long."""
        whole = Piece(*(self.documents[name][document] for name in ("input_ids", "segments", "capitals")))
        ends = [0, *self.documents["sentence_ends"][document].tolist()]
        return [
            whole.cut(ends[number], min(ends[number + 1], ends[number] + self.most)) for number in range(start, end)
        ]

    def __getitem__(self, index: int) -> dict[str, Any]:
        epoch = current_epoch()
        source = np.random.default_rng(integer(0, 2**62) if self.drawn else index)
        if self.drawn:
            shares = self.schedule.shares(epoch or 0)
            name = list(shares)[int(source.choice(len(shares), p=list(shares.values())))]
        else:
            name = self.schedule.names[index % len(self.schedule.names)]
        found = self._pair(name, index, source) if name in self.pairs else getattr(self, f"_{name}")(index, source)
        ids = found.pop("input_ids")
        empty = np.full(len(ids), NONE, np.int64)
        blank = np.full(self.room, NONE, np.int64)
        sample = {
            "input_ids": ids,
            "token_type_ids": np.zeros(len(ids), np.int64),
            "task_type_ids": np.full(len(ids), TASKS.index(name), np.int64),
            "capital_labels": empty,
            "document_labels": empty,
            "places": np.zeros(self.room, np.int64),
            "labels": blank,
            "order_label": np.int64(NONE),
            "distance_label": np.int64(NONE),
            **{f"{pair}_label": np.int64(NONE) for pair in self.pairs},
        }
        return {**sample, **found, "index": index}

    # the tasks

    def _text(self, pieces: Sequence[np.ndarray]) -> np.ndarray:
        """Return [CLS], and each part with [SEP] behind it."""
        parts = [np.append(part, self.special.separator) for part in pieces]
        return np.concatenate([[self.special.first], *parts]).astype(np.int64)

    def _paragraph(self, index: int) -> Piece:
        sentences = self.sentences(*self._packs[index].tolist())
        return Piece(*(np.concatenate(columns) for columns in zip(*sentences)))

    def _around(self, labels: np.ndarray) -> np.ndarray:
        """Return labels of the tokens of a text with one part."""
        return np.pad(labels, 1, constant_values=NONE)

    def _knowledge_masking(self, index: int, source: np.random.Generator) -> dict[str, Any]:
        """Words are masked, and the network predicts them."""
        piece = self._paragraph(index)
        ids, segments = self._text([piece.ids]), np.pad(piece.segments, 1, constant_values=SPECIAL)
        special = (self.special.mask, self.vocab_size)
        return masked_sample(ids, segments, 1.0, *special, source, self.share, self.room)

    def _capitalisation(self, index: int, source: np.random.Generator) -> dict[str, Any]:
        """Whether each word began with a capital, before the tokeniser made it lower."""
        piece = self._paragraph(index)
        return {"input_ids": self._text([piece.ids]), "capital_labels": self._around(piece.capitals)}

    def _token_document_relation(self, index: int, source: np.random.Generator) -> dict[str, Any]:
        """Whether each token occurs in another paragraph of its document."""
        document, start, end = self._packs[index].tolist()
        piece = self._paragraph(index)
        count = len(self.documents["sentence_ends"][document])
        others = [*self.sentences(document, 0, start), *self.sentences(document, end, count)]
        elsewhere = np.concatenate([one.ids for one in others]) if others else np.empty(0, np.int64)
        labels = np.isin(piece.ids, elsewhere).astype(np.int64)
        return {"input_ids": self._text([piece.ids]), "document_labels": self._around(labels)}

    def _sentence_reordering(self, index: int, source: np.random.Generator) -> dict[str, Any]:
        """Which order the shuffled parts of a paragraph are in; parts are of whole sentences."""
        sentences = self.sentences(*self._packs[index].tolist())
        count = int(source.integers(1, min(self.parts, len(sentences)) + 1))
        cuts = np.sort(source.choice(len(sentences) - 1, count - 1, replace=False)) + 1
        order = source.permutation(count).tolist()
        ends = [0, *cuts.tolist(), len(sentences)]
        parts = [np.concatenate([one.ids for one in sentences[ends[n] : ends[n + 1]]]) for n in range(count)]
        return {
            "input_ids": self._text([parts[number] for number in order]),
            "order_label": np.int64(order_class(order)),
        }

    def _sentence_distance(self, index: int, source: np.random.Generator) -> dict[str, Any]:
        """Whether two sentences are neighbours (0), only of one document (1), or of two (2)."""
        document, start, end = self._packs[index].tolist()
        ends, documents = self.documents["sentence_ends"], len(self.documents["input_ids"])
        count, first = len(ends[document]), int(source.integers(start, end))
        far = [number for number in range(count) if abs(number - first) > 1]
        labels = [label for label, there in enumerate((count > 1, far, documents > 1)) if there]
        if not labels:
            return {"input_ids": self._text([self.sentences(document, first, first + 1)[0].ids])}
        label = labels[int(source.integers(len(labels)))]
        if label == 0:
            first = min(first, count - 2)
            second = (document, first + 1)
        elif label == 1:
            second = (document, far[int(source.integers(len(far)))])
        else:
            other = int(source.integers(documents - 1))
            other += other >= document
            second = (other, int(source.integers(len(ends[other]))))
        pair = [self.sentences(one, number, number + 1)[0] for one, number in ((document, first), second)]
        room = self.most // 2
        return {**self._two(*(one.ids[:room] for one in pair)), "distance_label": np.int64(label)}

    def _pair(self, name: str, index: int, source: np.random.Generator) -> dict[str, Any]:
        """The class of a pair of texts."""
        first, second, label = self.pairs[name].drawn(int(self.lengths[index]), source)
        return {**self._two(first, second), f"{name}_label": label}

    def _two(self, first: np.ndarray, second: np.ndarray) -> dict[str, Any]:
        """Return the ids of two texts, and which token is of which."""
        ids = self._text([first, second])
        types = np.zeros(len(ids), np.int64)
        types[2 + len(first) :] = 1
        return {"input_ids": ids, "token_type_ids": types}

"""ERNIE's pretraining rows, and which of their words are masked.

A row is ``token_ids;sent_ids;pos_ids;seg_labels;next_sentence``, the first four as numbers between spaces; a segment
label is 0 where a word begins, 1 inside of a word, and -1 of special tokens. A list names the files, and of each how
often whole words are masked instead of single tokens: ``path<TAB>probability``.

Sun et al., ERNIE: Enhanced Representation through Knowledge Integration, https://arxiv.org/abs/1904.09223; Cui et al.,
Pre-Training with Whole Word Masking for Chinese BERT, https://arxiv.org/abs/1906.08101.
"""

from __future__ import annotations

import math
import os
from array import array
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Optional

import numpy as np

from core.io.files import is_url, join_path
from core.text.tokenizers.segmentation import Segmenter
from core.weights.messages import shown
from PaddleNLP.data.dataset import Sample, TextDataset, Transform
from PaddleNLP.data.lines import text_lines

BEGINS, INSIDE, SPECIAL = 0, 1, -1
"""What segment labels say of a token."""

NONE = -100
"""The label of what a task says nothing of."""

_FIELDS = ("token_ids", "sent_ids", "pos_ids", "seg_labels")


class _Rows(Sequence[np.ndarray]):
    """A row of whole numbers of each sample, in one block of memory."""

    def __init__(self, kind: str, ends: array[int]) -> None:
        self.values, self.ends = array(kind), ends

    def __len__(self) -> int:
        return len(self.ends) - 1

    def __getitem__(self, index: int) -> np.ndarray:  # type: ignore[override]  # no slices
        return np.array(self.values[self.ends[index] : self.ends[index + 1]], np.int64)


class PretrainingRows(TextDataset):
    """Sample i has "input_ids", "token_type_ids", "position_ids", "segments", each int64 (L,), and two numbers.

    "next_sentence" is 1 where the second sentence follows the first. "whole_words" is the probability, between 0 and 1,
    with which whole words of the sample are masked.

    Args:
        path: the list of files, whose paths are relative to its folder; or one file of rows, perhaps compressed.
        vocab_size: ids must be below; None: it is not checked.
        max_length: the most tokens of a row.
        whole_words: that probability where ``path`` is a file of rows.
        transform: what to do with a sample.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: a row is wrong; names file and line.
    """

    def __init__(
        self,
        path: str,
        vocab_size: Optional[int] = None,
        max_length: int = 512,
        whole_words: float = 1.0,
        transform: Optional[Transform] = None,
    ) -> None:
        ends = array("q", [0])
        columns = [_Rows(kind, ends) for kind in "ibhb"]
        following, shares = array("b"), array("f")
        for file, share in _files(path, whole_words):
            for line, text in text_lines(file):
                where = f"{file}:{line}"
                *rows, label = _numbers(text, where, vocab_size, max_length)
                for column, row in zip(columns, rows):
                    column.values.extend(row)
                ends.append(len(columns[0].values))
                following.append(label[0])
                shares.append(share)
        names = ("input_ids", "token_type_ids", "position_ids", "segments")
        numbers: dict[str, Any] = {"next_sentence": following, "whole_words": shares}
        super().__init__({**dict(zip(names, columns)), **numbers}, path=path, transform=transform)

    @property
    def lengths(self) -> np.ndarray:
        """Tokens of each sample, int64 (samples,)."""
        return np.diff(np.array(self.columns["input_ids"].ends, np.int64))  # type: ignore[attr-defined]  # _Rows

    def sample(self, index: int) -> Sample:
        """Return a sample before the transform."""
        return super().sample(index % len(self) if -len(self) <= index < 0 else index)


def _files(path: str, whole_words: float) -> Iterator[tuple[str, float]]:
    lines = text_lines(path)
    first = next(lines, None)
    if first is None:
        raise ValueError(f"{path}: there are no rows")
    if ";" in first[1] and "\t" not in first[1]:
        yield path, whole_words
        return
    folder = os.path.dirname(path) if not is_url(path) else path.rsplit("/", 1)[0]
    for number, line in (first, *lines):
        name, _, share = line.partition("\t")
        try:
            probability = float(share)
        except ValueError:
            probability = math.nan
        if not name.strip() or not 0 <= probability <= 1:
            raise ValueError(
                f"{path}:{number}: a line must be a file, a tab, and a probability between 0 and 1, not {shown(line)}"
            )
        yield join_path(folder, name.strip()), probability


def _numbers(text: str, where: str, vocab_size: Optional[int], max_length: int) -> list[list[int]]:
    """Return the numbers of the parts of a row."""
    parts = text.split(";")
    if len(parts) != 5:
        raise ValueError(f"{where}: a row has 5 parts between semicolons, not {len(parts)}")
    rows = []
    for name, part in zip((*_FIELDS, "next_sentence"), parts):
        try:
            rows.append([int(word) for word in part.split()])
        except ValueError:
            raise ValueError(f"{where}: {name} must be whole numbers between spaces, not {shown(part)}") from None
    length = len(rows[0])
    if not 1 <= length <= max_length:
        raise ValueError(f"{where}: a row has from 1 to {max_length} tokens (max_length), not {length}")
    for name, row, low, high in (
        ("token_ids", rows[0], 0, 2**31 if vocab_size is None else vocab_size),
        ("sent_ids", rows[1], 0, 128),
        ("pos_ids", rows[2], 0, 2**15),
        ("seg_labels", rows[3], -1, 2),
    ):
        if len(row) != length:
            raise ValueError(f"{where}: {length} token_ids, but {len(row)} {name}")
        if not low <= min(row) <= max(row) < high:
            odd = next(number for number in row if not low <= number < high)
            raise ValueError(f"{where}: {name} must be from {low} to {high - 1}, not {odd}")
    if len(rows[4]) != 1 or rows[4][0] not in (0, 1):
        raise ValueError(f"{where}: next_sentence must be 0 or 1, not {shown(parts[4])}")
    return rows


def pretraining_row(
    token_ids: Sequence[int], sent_ids: Sequence[int], seg_labels: Sequence[int], next_sentence: int
) -> str:
    """Return a row as files have it, without a line end.

    Args:
        token_ids: of the tokens, special ones included.
        sent_ids: of which sentence each is.
        seg_labels: whether it begins a word, is inside of one, or special.
        next_sentence: 1 where the second sentence follows the first.
    """
    rows = (token_ids, sent_ids, range(len(token_ids)), seg_labels)
    return ";".join([*(" ".join(map(str, row)) for row in rows), str(next_sentence)])


def join_words(
    segments: np.ndarray,
    offsets: Sequence[tuple[int, int]],
    token_type_ids: Sequence[int],
    texts: Sequence[str],
    segmenter: Segmenter,
) -> None:
    """Mark the tokens that continue a word of a dictionary as inside of it.

    Args:
        segments: of the tokens of a sample, (L,), which is changed.
        offsets: the characters of each token, of its text.
        token_type_ids: of which text each token is.
        texts: the texts.
        segmenter: cuts them into words.
    """
    words = []
    for text in texts:
        lengths = [end - start for start, end in segmenter.place(text)[1]]
        words.append(np.repeat(np.arange(len(lengths)), lengths))
    before = None
    for place, (segment, (start, _), number) in enumerate(zip(segments, offsets, token_type_ids)):
        word = None if segment == SPECIAL else (number, words[number][start])
        if word is not None and word == before:
            segments[place] = INSIDE
        before = word


class Masked(NamedTuple):
    """A batch whose words are masked.

    Attributes:
        ids: what the network reads, int64 (N, L).
        chosen: which tokens it is to predict, bool (N, L).
    """

    ids: np.ndarray
    chosen: np.ndarray


def mask_words(
    ids: np.ndarray,
    segments: np.ndarray,
    whole_words: np.ndarray,
    mask_id: int,
    vocab_size: int,
    source: np.random.Generator,
    share: float = 0.15,
    first_id: int = 0,
) -> Masked:
    """Choose words of a batch, and replace them: 8 of 10 by the mask, 1 of 10 by other tokens; 1 of 10 stay.

    What becomes of a word becomes of all its tokens. At least one word of the batch is chosen, if there is one.

    Args:
        ids: integers (N, L).
        segments: 0 where a word begins, 1 inside of a word, -1 elsewhere, also of padding, (N, L).
        whole_words: of each row the probability that its words are masked as wholes; else each token is one, (N,).
        mask_id: the id of the mask.
        vocab_size: other tokens have ids below it.
        source: of the draws.
        share: of the words that are chosen.
        first_id: other tokens have ids from it on.
    """
    words = np.asarray(segments) >= 0
    whole = source.random(len(ids)) < whole_words
    begins = words & ((segments == BEGINS) | ~whole[:, None] | ~np.pad(words, ((0, 0), (1, 0)))[:, :-1])
    numbers = np.cumsum(begins.reshape(-1)).reshape(begins.shape) - 1
    count = int(begins.sum())
    draws = source.random(count)
    if count and not (draws < share).any():
        draws[source.integers(count)] *= share
    drawn = np.where(words, draws[numbers] if count else 1.0, 1.0)
    chosen = drawn < share
    other = chosen & (drawn >= 0.8 * share) & (drawn < 0.9 * share)
    found = np.where(chosen & (drawn < 0.8 * share), mask_id, ids)
    found[other] = source.integers(first_id, vocab_size, int(other.sum()))
    return Masked(found.astype(np.int64), chosen)


def places(length: int, share: float) -> int:
    """Return how many tokens of a text are masked at most: more would be drawn of few texts, and all have room for it.

    Args:
        length: of the text in tokens.
        share: of the words that are masked.
    """
    return math.ceil(length * share * 1.5) + 1


def masked_sample(
    ids: np.ndarray,
    segments: np.ndarray,
    whole_words: float,
    mask_id: int,
    vocab_size: int,
    source: np.random.Generator,
    share: float,
    room: int,
) -> dict[str, np.ndarray]:
    """Return a text with words masked, "input_ids" (L,), and "places" and "labels" of what is to be predicted, (room,).

    Behind the last masked token places are 0 and labels -100.

    Args:
        ids: integers (L,).
        segments: see :func:`mask_words`, as for the rest.
        whole_words: the probability that words are masked as wholes.
        mask_id: the id of the mask.
        vocab_size: other tokens have ids below it.
        source: of the draws.
        share: of the words that are chosen.
        room: for how many tokens there are places.
    """
    found = mask_words(ids[None], segments[None], np.array([whole_words]), mask_id, vocab_size, source, share)
    chosen = np.flatnonzero(found.chosen[0])
    most = places(len(ids), share)
    if len(chosen) > most:
        chosen = np.sort(source.choice(chosen, most, replace=False))
    where, labels = np.zeros(room, np.int64), np.full(room, NONE, np.int64)
    where[: len(chosen)], labels[: len(chosen)] = chosen, ids[chosen]
    masked = np.array(ids, np.int64)
    masked[chosen] = found.ids[0][chosen]
    return {"input_ids": masked, "places": where, "labels": labels}

"""Texts as ids, once and for all: samples in a few large arrays, which worker processes share without copying."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Callable, Optional, Union

import numpy as np
from tqdm import tqdm

from core.io import Dataset

CHUNK = 512
"""Samples that are cut into tokens at a time."""


class Ragged:
    """Arrays of different lengths, one after the other in one array.

    Args:
        values: all of them.
        ends: where each ends, int64.
    """

    def __init__(self, values: np.ndarray, ends: np.ndarray) -> None:
        self.values = values
        self.starts = np.concatenate([[0], ends[:-1]]).astype(np.int64)
        self.ends = ends

    @classmethod
    def of(cls, rows: Union[Sequence[Sequence[int]], Sequence[np.ndarray]], dtype: Any = np.int32) -> Ragged:
        """Return the arrays of rows of numbers."""
        lengths = np.fromiter(map(len, rows), np.int64, len(rows))
        values = np.fromiter((number for row in rows for number in row), dtype, int(lengths.sum()))
        return cls(values, np.cumsum(lengths))

    @classmethod
    def joined(cls, parts: Sequence[Ragged]) -> Ragged:
        """Return the arrays of several, in order."""
        offsets = np.cumsum([0, *(len(part.values) for part in parts)])
        ends = np.concatenate([part.ends + offset for part, offset in zip(parts, offsets)])
        return cls(np.concatenate([part.values for part in parts]), ends)

    @property
    def lengths(self) -> np.ndarray:
        """How long each is, int64."""
        return self.ends - self.starts

    def __len__(self) -> int:
        return len(self.ends)

    def __getitem__(self, index: int) -> np.ndarray:
        row = self.values[self.starts[index] : self.ends[index]]
        return row.astype(np.int64) if row.dtype.kind in "iu" else row


Column = Union[Ragged, np.ndarray]


class EncodedDataset(Dataset):
    """Sample i is a dict of row i of each column, and "index", its number.

    Args:
        columns: by name; "input_ids" is one of them.
        beside: names of columns that samples do not have: what only evaluators look at.

    Attributes:
        lengths: tokens of each sample, by which samples of alike length become batches.
    """

    def __init__(self, columns: Mapping[str, Column], beside: Sequence[str] = ()) -> None:
        self.columns = {name: column for name, column in columns.items() if name not in beside}
        self.beside = {name: columns[name] for name in beside}
        ids = columns["input_ids"]
        assert isinstance(ids, Ragged)
        self.lengths = ids.lengths

    def __len__(self) -> int:
        return len(self.lengths)

    def __getitem__(self, index: int) -> dict[str, Any]:
        sample: dict[str, Any] = {name: column[index] for name, column in self.columns.items()}
        return {**sample, "index": index}


def encoded(
    count: int, encode: Callable[[range], Mapping[str, Column]], text: Optional[str] = None
) -> dict[str, Column]:
    """Return the columns of all samples, some hundred at a time.

    Args:
        count: how many samples there are.
        encode: returns the columns of a range of samples.
        text: what the progress bar says, which appears where this takes long; None: there is none.
    """
    ranges = [range(start, min(start + CHUNK, count)) for start in range(0, count, CHUNK)]
    quiet = text is None or not sys.stderr.isatty()
    parts = [dict(encode(part)) for part in tqdm(ranges, text, delay=1, leave=False, disable=quiet)]
    return {name: _joined([part[name] for part in parts]) for name in parts[0]}


def _joined(columns: Sequence[Column]) -> Column:
    if isinstance(columns[0], Ragged):
        return Ragged.joined(columns)  # type: ignore[arg-type]  # all columns of a name are of one kind
    return np.concatenate(columns)  # type: ignore[arg-type]  # as above


FIELDS = ("text", "text_pair", "question", "context", "positive", "negative", "source", "target", "knowledge")
"""Fields of samples that are texts."""


def texts_of(dataset: Any, fields: Iterable[str] = FIELDS) -> Iterable[str]:
    """Go through all texts of a data set, to learn a vocabulary from them.

    Args:
        dataset: its samples are mappings.
        fields: which fields of a sample are texts; "tokens" are joined, and "sentences",
            "choices" and "passages" are texts each.
    """
    named = list(fields)
    for number in range(len(dataset)):
        sample = dataset[number]
        if "tokens" in sample:
            yield "".join(sample["tokens"])
        for listed in ("sentences", "choices", "passages"):
            yield from sample.get(listed, ())
        for field in named:
            if sample.get(field):
                yield sample[field]

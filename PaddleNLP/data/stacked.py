"""Samples of several texts each, as rows of ids: candidates to choose from, or two texts that are read one by one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from core.io import Dataset
from PaddleNLP.data.encoded import Column, EncodedDataset, Ragged


def stacked(columns: Mapping[str, Ragged], counts: Sequence[int], fills: Mapping[str, int]) -> dict[str, Column]:
    """Return columns of rows of ids as columns of samples of several rows.

    Args:
        columns: "input_ids" and what else has their lengths, a row for each text.
        counts: how many rows each sample has, in order.
        fills: of each column what shorter rows of a sample are filled with.

    Returns:
        The columns, all rows of a sample in one; and "rows", how many these are.
    """
    ends = np.cumsum(counts)
    found: dict[str, Column] = {"rows": np.array(counts, np.int64)}
    for name, column in columns.items():
        samples = []
        for start, end in zip(ends - counts, ends):
            rows = [column[row] for row in range(start, end)]
            padded = np.full((len(rows), max(map(len, rows))), fills[name], np.int64)
            for own, row in zip(padded, rows):
                own[: len(row)] = row
            samples.append(padded.reshape(-1))
        found[name] = Ragged.of(samples)
    return found


class StackedDataset(Dataset):
    """Samples whose ids have an axis more, that of their texts.

    Args:
        encoded: of :func:`stacked` columns.
        ragged: those of their names that have rows.

    Attributes:
        lengths: tokens of the longest text of each sample.
    """

    def __init__(self, encoded: EncodedDataset, ragged: Sequence[str]) -> None:
        self.encoded, self.ragged = encoded, list(ragged)
        self.columns = encoded.columns
        self.lengths = encoded.lengths // encoded.columns["rows"]

    def __len__(self) -> int:
        return len(self.encoded)

    def __getitem__(self, index: int) -> dict[str, Any]:
        sample = self.encoded[index]
        rows = int(sample.pop("rows"))
        return {name: value.reshape(rows, -1) if name in self.ragged else value for name, value in sample.items()}

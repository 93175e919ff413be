"""Prices of houses in Boston.

Paper: D. Harrison, D. L. Rubinfeld, "Hedonic housing prices and the demand for clean air", 1978,
    https://archive.ics.uci.edu/ml/datasets/Housing.
"""

from __future__ import annotations

import math
from array import array
from typing import Optional

import numpy as np

from core.io.dataset import Dataset
from core.io.published import Source, choose_mode, local_file
from core.text.datasets.archive import file_lines

_COLUMNS = 14


class UCIHousing(Dataset):
    """506 districts: the first 404 to train, the others to test.

    Sample i is (features, price): shapes (13,) and (1,), of the default type at the time when the data set is made. A
    feature is less its mean, divided by its range, over both parts; one that is the same everywhere is 0.

    Args:
        data_file: the file, 14 numbers for each district; None: the published one.
        mode: "train" or "test".
        download: whether the published file may be downloaded.

    Raises:
        FileNotFoundError: the given file is missing.
        ValueError: it is not such a file; or an argument is unknown.
        ConnectionError: the file cannot be downloaded.
    """

    source = Source(
        "http://paddlemodels.bj.bcebos.com/uci_housing/housing.data", "d4accdce7a25600298819f8e28e8d593"
    )

    def __init__(self, data_file: Optional[str] = None, mode: str = "train", download: bool = True) -> None:
        from core.kernels.data import get_default_dtype  # loads the engine, which a process that reads does not need

        self.mode = choose_mode("UCIHousing", mode, ("train", "test"))
        self.data_file = local_file("UCIHousing", "data_file", data_file, self.source, download)
        self.dtype = get_default_dtype()
        rows = _numbers(self.data_file)
        features = rows[:, :-1]
        extents = features.max(axis=0) - features.min(axis=0)
        features -= features.sum(axis=0) / len(rows)
        features[:, extents == 0] = 0
        features /= np.where(extents == 0, 1, extents)
        cut = int(len(rows) * 0.8)
        self.data = rows[:cut] if self.mode == "train" else rows[cut:]

    def __getitem__(self, index: int) -> tuple[np.ndarray, np.ndarray]:
        row = self.data[index].astype(self.dtype)
        return row[:-1], row[-1:]

    def __len__(self) -> int:
        return len(self.data)


def _numbers(path: str) -> np.ndarray:
    """Return the file's numbers, float64 of shape (N, 14)."""
    found = array("d")
    for number, line in enumerate(file_lines("UCIHousing", path), 1):
        for word in line.split():
            try:
                value = float(word)
            except ValueError:
                value = math.nan
            if not math.isfinite(value):
                raise ValueError(f"UCIHousing: {path!r}, line {number}: {word[:40]!r} is no number")
            found.append(value)
    if not found or len(found) % _COLUMNS:
        raise ValueError(f"UCIHousing: {path!r} holds {len(found)} numbers, not {_COLUMNS} for each district")
    return np.array(found).reshape(-1, _COLUMNS)

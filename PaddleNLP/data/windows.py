"""A text in windows: rows are long pieces of it side by side, and each batch is the next window of all rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.io import Dataset

NONE = -100
"""The label where there is nothing to predict."""


class WindowDataset(Dataset):
    """The windows of a text for a batch of rows: sample i is the window i // rows of row i % rows.

    In training the text is cut into rows of equal length, and what does not fill rows and windows is left out, as the
    recipes of the Penn Treebank do. Otherwise all words but the first are predicted; places without a word have the
    label -100.

    Args:
        ids: the numbers of the words, int64 (N,).
        rows: samples of a batch.
        steps: words of a window.
        training: whether what does not fill rows and windows is left out.

    Raises:
        ValueError: the text is too short.
    """

    def __init__(self, ids: np.ndarray, rows: int, steps: int, training: bool) -> None:
        length = len(ids) // rows
        if len(ids) < 2 or (training and length <= steps):
            message = f"{len(ids)} words do not fill {rows} rows with windows of {steps} words"
            raise ValueError(f"{message}; lower batch_size, or tokenizer.max_length")
        if training:
            windows = (length - 1) // steps
            table = ids[: rows * length].reshape(rows, length)
            self.ids, self.labels = table[:, : windows * steps], table[:, 1 : windows * steps + 1]
        else:
            length = -(-(len(ids) - 1) // rows)
            windows = -(-length // steps)
            self.ids, self.labels = (
                np.pad(
                    np.pad(part, (0, rows * length - len(part)), constant_values=fill).reshape(rows, length),
                    ((0, 0), (0, windows * steps - length)),
                    constant_values=fill,
                )
                for part, fill in ((ids[:-1], 0), (ids[1:], NONE))
            )
        self.rows, self.steps, self.windows = rows, steps, windows

    def __len__(self) -> int:
        return self.rows * self.windows

    def __getitem__(self, index: int) -> dict[str, Any]:
        if not 0 <= index < len(self):
            raise IndexError(f"there are {len(self)} windows, no number {index}")
        window, row = divmod(index, self.rows)
        part = slice(window * self.steps, (window + 1) * self.steps)
        carried = np.float32(window > 0)
        return {"input_ids": self.ids[row, part], "labels": self.labels[row, part], "carried": carried}

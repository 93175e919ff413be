"""Sheets of pictures: from a generator's numbers to one picture in a file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

from core.metric.metric import as_array

GAP = 2
"""Pixels between the pictures of a sheet."""


def as_bytes(images: Any) -> np.ndarray:
    """Return a generator's images as bytes in color; what is no number becomes grey.

    Args:
        images: floating point, shape (N, C, H, W), -1 to 1, an array or a Tensor; C is 1 or 3.

    Returns:
        uint8, shape (N, H, W, 3).
    """
    array = as_array(images).astype(np.float32).transpose(0, 2, 3, 1)
    scaled = (np.nan_to_num(array, nan=0.0, posinf=1.0, neginf=-1.0).clip(-1, 1) + 1) * np.float32(127.5)
    whole = np.rint(scaled).astype(np.uint8)
    return np.repeat(whole, 3, axis=3) if whole.shape[3] == 1 else whole


def sheet(rows: Sequence[Sequence[np.ndarray]], background: int = 255) -> np.ndarray:
    """Return pictures of one size side by side and one below the other, with gaps.

    Args:
        rows: for each row its pictures, uint8 (H, W, 3); rows may be of different lengths.
        background: grey value of gaps and empty places.

    Returns:
        uint8, shape (height, width, 3).
    """
    height, width = rows[0][0].shape[:2]
    columns = max(map(len, rows))
    whole = np.full((len(rows) * (height + GAP) + GAP, columns * (width + GAP) + GAP, 3), background, dtype=np.uint8)
    for row, pictures in enumerate(rows):
        for column, picture in enumerate(pictures):
            top, left = GAP + row * (height + GAP), GAP + column * (width + GAP)
            whole[top : top + height, left : left + width] = picture
    return whole


def grid(pictures: np.ndarray, columns: Optional[int] = None) -> np.ndarray:
    """Return pictures as a sheet.

    Args:
        pictures: uint8 (N, H, W, 3).
        columns: how many stand in a row; None: as many as there are rows.
    """
    across = columns or int(np.ceil(np.sqrt(len(pictures))))
    return sheet([list(pictures[start : start + across]) for start in range(0, len(pictures), across)])

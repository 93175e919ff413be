"""Features of nodes and edges in few bytes: a table of small integers with a scale for each column."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np


class ScaledArray:
    """A table of int8 that is read as float32: an element is its integer times the scale of its column.

    Rows are computed when they are asked for, so a memory-mapped table stays on disk.

    Args:
        values: int8 of shape [rows, ...].
        scale: float32 of shape values.shape[1:].

    Raises:
        ValueError: the shapes or types do not fit.
    """

    dtype = np.dtype(np.float32)

    def __init__(self, values: np.ndarray, scale: np.ndarray) -> None:
        if values.dtype != np.int8 or scale.dtype != np.float32 or not values.ndim or scale.shape != values.shape[1:]:
            raise ValueError(
                f"ScaledArray: values must be int8 and scale float32 of its rows' shape, not {values.dtype} of shape"
                f" {list(values.shape)} and {scale.dtype} of shape {list(scale.shape)}"
            )
        self.values = values
        self.scale = scale
        self.shape = values.shape
        self.ndim = values.ndim

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, rows: Any) -> np.ndarray:
        """Return rows as float32."""
        return np.asarray(self.values[rows] * self.scale)

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> np.ndarray:
        return self[:] if dtype is None else self[:].astype(dtype)


def scale_to_int8(features: np.ndarray) -> ScaledArray:
    """Return features in a quarter of float32's bytes; an element is off by at most half of its column's scale.

    Args:
        features: finite floating-point numbers of shape [rows, ...].

    Returns:
        The table; a column's scale is its largest absolute value / 127.

    Raises:
        ValueError: there is NaN or infinity.
    """
    largest = np.abs(features).max(axis=0, initial=0).astype(np.float32)
    if not np.isfinite(largest).all():
        raise ValueError("scale_to_int8: features with NaN or infinity have no scale; replace them first")
    scale = np.where(largest > 0, largest / np.float32(127), np.float32(1))
    return ScaledArray(np.rint(features / scale).astype(np.int8), scale)

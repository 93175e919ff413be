"""Vectors of positions that start as sinusoids: Vaswani et al., Attention Is All You Need, 2017, arXiv:1706.03762."""

from __future__ import annotations

import numpy as np

from core.nn.initializer import Initializer


class Sinusoids(Initializer):
    """Sines and cosines of the row's number, the faster ones first.

    A step to the next row turns every pair of columns by an angle of its own, so one matrix finds the neighbour of each
    position: attention need not learn that for every position alone.

    Args:
        std: root mean square of the numbers.
    """

    def __init__(self, std: float) -> None:
        self.std = std

    def sample(self, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
        """Return a table: sines in the columns with even numbers, cosines in the others.

        Raises:
            ValueError: the parameter is no table with an even number of columns.
        """
        if len(shape) != 2 or shape[1] % 2:
            raise ValueError(
                f"Sinusoids: a parameter of shape {list(shape)} is no table with an even number of columns: choose an"
                " even hidden_size"
            )
        rows, columns = shape
        angles = np.arange(rows)[:, None] * 10000.0 ** (-np.arange(0, columns, 2) / columns)
        table = np.stack([np.sin(angles), np.cos(angles)], axis=2).reshape(shape)
        return (self.std * np.sqrt(2) * table).astype(dtype)

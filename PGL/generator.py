"""Features of a small graph that is tiled and rewired to any size, see :class:`core.graphs.TiledGraph`."""

from __future__ import annotations

from typing import Optional

import numpy as np

from core.graphs import TiledGraph as TiledGraph
from core.graphs import random_key, tile_rows
from PGL.storage.graphs import Feature


class TiledFeatures:
    """Features of the large graph's nodes: those of the small node, and noise.

    Args:
        table: float32 [small nodes, width].
        noise: Largest deviation; it is distributed evenly.
        dtype: "int8", "float16" or "float32".
        seed: What the noise follows from.
    """

    def __init__(self, table: np.ndarray, noise: float, dtype: str = "int8", seed: int = 0) -> None:
        self.table, self.noise, self.dtype = table.astype(np.float32), float(noise), np.dtype(dtype)
        largest = np.abs(self.table).max(0) + np.float32(noise)
        self.scale: Optional[np.ndarray] = None
        if self.dtype == np.int8:
            self.scale = np.where(largest > 0, largest / 127, 1).astype(np.float32)
        self._key = random_key(seed, 1)

    @property
    def feature(self) -> Feature:
        """What :func:`PGL.storage.graphs.create` needs to know."""
        return Feature(self.table.shape[1:], self.dtype.name, self.scale)

    def rows(self, first: int, last: int) -> np.ndarray:
        """Return the rows of the nodes from ``first`` to below ``last``, as they are stored."""
        rows = tile_rows(self.table, self.noise, self._key, first, last - first)
        if self.scale is not None:
            np.rint(np.divide(rows, self.scale, out=rows), out=rows)
        return rows.astype(self.dtype)

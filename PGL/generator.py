"""A small graph tiled and rewired to any size; any part of it can be made again at any time from its seed.

The large graph has the small one's degrees, in proportion, and its neighbourhoods: a node is a copy of a small node,
and its neighbours are copies of the small node's neighbours, mostly in other tiles. So what holds in the small graph of
a node and its neighbours (their labels are alike, say) holds in the large one, and neighbours lie anywhere in memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Optional

import numpy as np

from PGL.adjacency import Adjacency, index_type
from PGL.storage import Feature

_EDGES_AT_ONCE = 1 << 21


class TiledGraph:
    """Edges of the large graph, in the order of their sources.

    Args:
        outgoing: The small graph's edges by source; the same nodes at both ends.
        num_nodes: How many nodes the large graph has, as many as the small one or more.
        num_edges: How many edges it has.
        rewired: Part of the edges that would stay within their tile that leave it nevertheless.
        seed: What the graph follows from.

    Raises:
        ValueError: the small graph has no edges, the sizes do not fit, or ``rewired`` is no fraction.
    """

    def __init__(
        self, outgoing: Adjacency, num_nodes: int, num_edges: int, rewired: float = 0.5, seed: int = 0
    ) -> None:
        if outgoing.rows != outgoing.columns or not outgoing.num_edges:
            raise ValueError("TiledGraph: the small graph must have edges, and the same nodes at both of their ends")
        if num_nodes < outgoing.rows or num_edges < 0:
            raise ValueError(
                f"TiledGraph: {num_nodes} nodes and {num_edges} edges cannot be had by tiling {outgoing.rows} nodes"
            )
        if num_edges * (-(-num_nodes // outgoing.rows) * outgoing.num_edges) >= 2**63:
            raise ValueError(f"TiledGraph: {num_edges} edges on {num_nodes} nodes are too many to count with 64 bits")
        if not 0 <= rewired <= 1:
            raise ValueError(f"TiledGraph: rewired must be from 0 to 1, not {rewired!r}")
        from core.kernels.draws import key_of

        self.num_nodes, self.num_edges, self.rewired = num_nodes, num_edges, float(rewired)
        self._small = outgoing
        self._indptr = outgoing.indptr.astype(np.int64)
        self._indices = outgoing.indices.astype(np.int64)
        self._key = key_of(seed)

    def origins(self, nodes: np.ndarray) -> np.ndarray:
        """Return the small nodes that nodes are copies of."""
        return nodes % self._small.rows

    def edges_before(self, node: int) -> int:
        """Return how many edges begin at nodes before ``node``."""
        small, edges = self._small, self._small.num_edges
        before = node // small.rows * edges + int(self._indptr[node % small.rows])
        whole = self.num_nodes // small.rows * edges + int(self._indptr[self.num_nodes % small.rows])
        return self.num_edges * before // whole

    def edges_of(self, first: int, last: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the sources and targets of the edges that begin at nodes from ``first`` to below ``last``."""
        from core.kernels.rewiring import tile_edges

        count = self.edges_before(last) - self.edges_before(first)
        sources, targets = (np.empty(count, index_type(self.num_nodes)) for _ in range(2))
        tile_edges(
            *(self._indptr, self._indices, self.num_nodes, self.num_edges, self.rewired, self._key),
            *(first, last, sources, targets),
        )
        return sources, targets

    def chunks(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Go through all edges, some million at a time: (sources, targets)."""
        step = max(1, _EDGES_AT_ONCE * self.num_nodes // max(self.num_edges, 1))
        for first in range(0, self.num_nodes, step):
            yield self.edges_of(first, min(first + step, self.num_nodes))


class TiledFeatures:
    """Features of the large graph's nodes: those of the small node, and noise.

    Args:
        table: float32 [small nodes, width].
        noise: Largest deviation; it is distributed evenly.
        dtype: "int8", "float16" or "float32".
        seed: What the noise follows from.
    """

    def __init__(self, table: np.ndarray, noise: float, dtype: str = "int8", seed: int = 0) -> None:
        from core.kernels.draws import key_of

        self.table, self.noise, self.dtype = table.astype(np.float32), float(noise), np.dtype(dtype)
        largest = np.abs(self.table).max(0) + np.float32(noise)
        self.scale: Optional[np.ndarray] = None
        if self.dtype == np.int8:
            self.scale = np.where(largest > 0, largest / 127, 1).astype(np.float32)
        self._key = key_of(seed, 1)

    @property
    def feature(self) -> Feature:
        """What :func:`PGL.storage.create` needs to know."""
        return Feature(self.table.shape[1:], self.dtype.name, self.scale)

    def rows(self, first: int, last: int) -> np.ndarray:
        """Return the rows of the nodes from ``first`` to below ``last``, as they are stored."""
        from core.kernels.rewiring import tile_rows

        rows = np.empty((last - first, self.table.shape[1]), np.float32)
        tile_rows(self.table, self.noise, self._key, first, rows)
        if self.scale is not None:
            np.rint(np.divide(rows, self.scale, out=rows), out=rows)
        return rows.astype(self.dtype)

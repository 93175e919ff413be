"""A small graph tiled and rewired to any size; any part of it can be made again at any time from its seed.

The large graph has the small one's degrees, in proportion, and its neighbourhoods: a node is a copy of a small node,
and its neighbours are copies of the small node's neighbours, mostly in other tiles. So what holds in the small graph of
a node and its neighbours (their labels are alike, say) holds in the large one, and neighbours lie anywhere in memory.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from core.graphs.adjacency import Adjacency, index_type
from core.graphs.checks import FLOAT32, check_array, checked_integer, checked_key
from core.graphs.draws import random_key

_EDGES_AT_ONCE = 1 << 21


class TiledGraph:
    """Edges of the large graph, in the order of their sources.

    Args:
        outgoing: the small graph's edges by source; the same nodes at both ends.
        num_nodes: how many nodes the large graph has, as many as the small one or more.
        num_edges: how many edges it has.
        rewired: the part of the edges that would stay within their tile that leave it nevertheless.
        seed: what the graph follows from.

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
        self.num_nodes, self.num_edges, self.rewired = num_nodes, num_edges, float(rewired)
        self._small = outgoing
        self._indptr = outgoing.indptr.astype(np.int64)
        self._indices = outgoing.indices.astype(np.int64)
        self._key = random_key(seed)

    def origins(self, nodes: np.ndarray) -> np.ndarray:
        """Return the small nodes that nodes are copies of.

        Args:
            nodes: integers of any shape.
        """
        return nodes % self._small.rows

    def edges_before(self, node: int) -> int:
        """Return how many edges begin at nodes before ``node``."""
        from core.kernels.graphs.rewiring import edges_before  # numba loads with the first use

        return int(edges_before(node, self._indptr, self.num_nodes, self.num_edges))

    def edges_of(self, first: int, last: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the edges that begin at nodes from ``first`` to below ``last``.

        Args:
            first: a node.
            last: a node, or the number of nodes.

        Returns:
            Sources and targets, int32 (edges,) while ids fit, otherwise int64.

        Raises:
            ValueError: there are no such nodes.
        """
        from core.kernels.graphs.rewiring import tile_edges  # numba loads with the first use

        if not 0 <= first <= last <= self.num_nodes:
            raise ValueError(f"TiledGraph: nodes {first} to {last} are not of the {self.num_nodes}")
        count = self.edges_before(last) - self.edges_before(first)
        dtype = index_type(self.num_nodes)
        sources: np.ndarray = np.empty(count, dtype)
        targets: np.ndarray = np.empty(count, dtype)
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


def tile_rows(table: np.ndarray, noise: float, key: np.uint64, first: int, count: int) -> np.ndarray:
    """Return features of the large graph's nodes: those of the small node, and noise that is distributed evenly.

    Args:
        table: float32 (small nodes, width).
        noise: the largest deviation.
        key: what the noise follows from, see :func:`random_key`.
        first: the first node.
        count: how many nodes.

    Returns:
        float32 (count, width).

    Raises:
        TypeError: ``table`` is no array.
        ValueError: it has no rows or is of another type or shape, or another argument is out of range.
    """
    owner = "tile_rows"
    check_array(table, owner, "table", FLOAT32, [None, None])
    if not len(table):
        raise ValueError(f"{owner}: table must have a row for each small node, not none")
    begin, size = checked_integer(first, 0, owner, "first"), checked_integer(count, 0, owner, "count")
    from core.kernels.graphs.rewiring import tile_rows as write  # numba loads with the first use

    rows = np.empty((size, table.shape[1]), np.float32)
    write(table, float(noise), checked_key(key, owner), begin, rows)
    return rows

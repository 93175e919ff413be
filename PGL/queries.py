"""What a graph answers about its structure: degrees, neighbours, sorted edges, batches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Optional

import numpy as np

from core.graphs import Adjacency, sample_neighbors
from PGL.checks import is_tensor, node_ids
from PGL.structure import Structure, to_tensor


class Queries(Structure):
    """What is asked of a graph's edges; the edges themselves are those of :class:`PGL.structure.Structure`."""

    def _degrees(self, direction: str, nodes: Any) -> Any:
        if not self._is_tensor:
            adjacency: Adjacency = getattr(self, direction)
            owner = f"{type(self).__name__}: node"
            return adjacency.degrees(None if nodes is None else node_ids(nodes, adjacency.rows, owner))
        indptr = getattr(self.connections(), direction).indptr
        degrees = indptr[1:] - indptr[:-1]
        return degrees if nodes is None else degrees.gather(nodes if is_tensor(nodes) else to_tensor(np.asarray(nodes)))

    def indegree(self, nodes: Any = None) -> Any:
        """Return how many edges end at nodes.

        Args:
            nodes: ids of shape [n]; None: all targets.

        Returns:
            int64 of shape [n], an array or a Tensor.

        Raises:
            ValueError: there is no such node.
        """
        return self._degrees("incoming", nodes)

    def outdegree(self, nodes: Any = None) -> Any:
        """Return how many edges begin at nodes.

        Args:
            nodes: ids of shape [n]; None: all sources.

        Returns:
            int64 of shape [n], an array or a Tensor.

        Raises:
            ValueError: there is no such node.
        """
        return self._degrees("outgoing", nodes)

    def successor(self, nodes: Any = None, return_eids: bool = False) -> Any:
        """Return the targets of the edges that begin at nodes, in the order of the edges' ids.

        Args:
            nodes: ids of shape [n]; None: all sources.
            return_eids: whether the edges' ids are returned too.

        Returns:
            A list of arrays, one for each node; with ``return_eids`` two such lists, nodes and edge ids.

        Raises:
            ValueError: there is no such node, or the graph was stored without edge ids.
        """
        return self._split(self.outgoing, nodes, return_eids)

    def predecessor(self, nodes: Any = None, return_eids: bool = False) -> Any:
        """Return the sources of the edges that end at nodes, in the order of the edges' ids.

        Args:
            nodes: ids of shape [n]; None: all targets.
            return_eids: whether the edges' ids are returned too.

        Returns:
            A list of arrays, one for each node; with ``return_eids`` two such lists, nodes and edge ids.

        Raises:
            ValueError: there is no such node, or the graph was stored without edge ids.
        """
        return self._split(self.incoming, nodes, return_eids)

    def _split(self, adjacency: Adjacency, nodes: Any, return_eids: bool) -> Any:
        rows = None if nodes is None else node_ids(nodes, adjacency.rows, f"{type(self).__name__}: node")
        places, counts = adjacency.places(rows)
        ends = np.cumsum(counts)[:-1]
        found = [np.split(adjacency.indices[places], ends) if len(counts) else []]
        if return_eids:
            found.append(np.split(adjacency.ids(places), ends) if len(counts) else [])
        return tuple(found) if return_eids else found[0]

    def sample_successor(
        self, nodes: Any, max_degree: int, return_eids: bool = False, shuffle: bool = False, seed: Optional[int] = None
    ) -> Any:
        """Return some targets of the edges that begin at nodes; see :meth:`successor`.

        Args:
            nodes: ids of shape [n]; None: all sources.
            max_degree: at most so many of each node's edges are drawn, each at most once.
            return_eids: whether the edges' ids are returned too.
            shuffle: whether nodes with fewer edges get theirs in a random order too.
            seed: what the draws follow from; None: numpy's global generator.

        Returns:
            A list of arrays, one for each node; with ``return_eids`` two such lists, nodes and edge ids.

        Raises:
            ValueError: there is no such node.
        """
        return self._drawn(self.outgoing, nodes, max_degree, return_eids, shuffle, seed)

    def sample_predecessor(
        self, nodes: Any, max_degree: int, return_eids: bool = False, shuffle: bool = False, seed: Optional[int] = None
    ) -> Any:
        """Return some sources of the edges that end at nodes; see :meth:`predecessor`.

        Args:
            nodes: ids of shape [n]; None: all targets.
            max_degree: at most so many of each node's edges are drawn, each at most once.
            return_eids: whether the edges' ids are returned too.
            shuffle: whether nodes with fewer edges get theirs in a random order too.
            seed: what the draws follow from; None: numpy's global generator.

        Returns:
            A list of arrays, one for each node; with ``return_eids`` two such lists, nodes and edge ids.

        Raises:
            ValueError: there is no such node.
        """
        return self._drawn(self.incoming, nodes, max_degree, return_eids, shuffle, seed)

    def _drawn(
        self, adjacency: Adjacency, nodes: Any, most: int, return_eids: bool, shuffle: bool, seed: Optional[int]
    ) -> Any:
        from PGL.sampling.arguments import draw_seed, whole_number

        owner = type(self).__name__
        rows = np.arange(adjacency.rows) if nodes is None else node_ids(nodes, adjacency.rows, f"{owner}: node")
        limit, key = whole_number(most, 0, owner, "max_degree"), draw_seed(seed, owner)
        drawn = sample_neighbors(adjacency, rows, limit, np.uint64(key))
        places = drawn.places
        if shuffle:
            order = np.lexsort((np.random.default_rng(key).random(len(places)), np.repeat(rows, np.diff(drawn.indptr))))
            places = places[order]
        ends = drawn.indptr[1:-1]
        found = np.split(adjacency.indices[places], ends) if len(rows) else []
        return (found, np.split(adjacency.ids(places), ends) if len(rows) else []) if return_eids else found

    def sorted_edges(self, sort_by: str = "src") -> tuple[Any, Any, Any]:
        """Return the edges grouped by one of their ends; those of one node are in the order of their ids.

        Args:
            sort_by: "src": by source; "dst": by target.

        Returns:
            Sources, targets and edge ids of shape [num_edges], integer arrays or Tensors.

        Raises:
            ValueError: ``sort_by`` is neither.
        """
        if sort_by not in ("src", "dst"):
            raise ValueError(f"{type(self).__name__}.sorted_edges: sort_by must be 'src' or 'dst', not {sort_by!r}")
        if self.is_tensor():
            rows = self.connections().outgoing if sort_by == "src" else self.connections().incoming
            return self.edges[:, 0].gather(rows.edge_ids), self.edges[:, 1].gather(rows.edge_ids), rows.edge_ids
        adjacency = self.outgoing if sort_by == "src" else self.incoming
        row_ids = np.repeat(np.arange(adjacency.rows), adjacency.degrees())
        ends = (row_ids, adjacency.indices) if sort_by == "src" else (adjacency.indices, row_ids)
        return (*ends, adjacency.ids())

    def get_segment_ids(self, src: Any, dst: Any, segment_by: str = "dst") -> tuple[Any, Any]:
        """Number the nodes at one end of edges from 0 on, without gaps.

        Args:
            src: the source of each edge, a Tensor of shape [edges].
            dst: the target of each edge.
            segment_by: "dst" or "src": the end.

        Returns:
            The different nodes in ascending order, and for each edge its node's number among them.

        Raises:
            ValueError: ``segment_by`` is neither.
        """
        if segment_by not in ("src", "dst"):
            owner = type(self).__name__
            raise ValueError(f"{owner}.get_segment_ids: segment_by must be 'src' or 'dst', not {segment_by!r}")
        from core.operators.indexing.distinct import unique

        return unique(src if segment_by == "src" else dst, return_inverse=True)

    def edge_batch_iter(self, batch_size: int, shuffle: bool = True, seed: Optional[int] = None) -> Iterator[Any]:
        """Iterate over the ids of all edges by batches; their ends are given by :meth:`edges_at`.

        Args:
            batch_size: how many ids a batch has; the last may have fewer.
            shuffle: whether they come in a random order.
            seed: what the order follows from; None: numpy's global generator.

        Returns:
            Arrays, or Tensors, of ids, int64.

        Raises:
            ValueError: ``batch_size`` is not positive.
        """
        batches = id_batches(np.arange(self.num_edges), batch_size, shuffle, seed, type(self).__name__)
        return map(to_tensor, batches) if self.is_tensor() else batches


def id_batches(
    ids: np.ndarray, batch_size: int, shuffle: bool, seed: Optional[int], owner: str
) -> Iterator[np.ndarray]:
    """Return ids by batches.

    Args:
        ids: the ids, of shape [n].
        batch_size: how many a batch has; the last may have fewer.
        shuffle: whether they come in a random order.
        seed: what the order follows from; None: numpy's global generator.
        owner: whose ids they are, for messages.

    Raises:
        ValueError: ``batch_size`` is not positive.
    """
    from PGL.sampling.arguments import draw_seed, whole_number

    size = whole_number(batch_size, 1, owner, "batch_size")
    if shuffle:
        ids = np.random.default_rng(draw_seed(seed, owner)).permutation(ids)
    return (ids[start : start + size] for start in range(0, len(ids), size))

"""Edges from one set of nodes to another: what graphs and bipartite graphs have in common."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from PGL.adjacency import SMALLEST_WIDE, Adjacency
from PGL.checks import check_ends, check_features, edge_array, is_tensor


class Relation:
    """Edges that lead from sources to targets, in numpy's arrays or in Tensors.

    The edges are numbered in the order in which they are given. Self loops and edges that occur several times are kept.
    Everything that answers questions about the structure lies in numpy's arrays in either form; in the Tensors' form
    ``edges``, degrees and features are Tensors.

    Args:
        edges: pairs (source, target): a list, an array or a Tensor of shape [edges, 2].
        num_sources: how many nodes edges may begin at.
        num_targets: how many nodes edges may end at.
        edge_feat: arrays or Tensors by name, a row for each edge.

    Raises:
        ValueError: an edge is no pair of ids of existing nodes, or a feature has another number of rows.
    """

    def __init__(self, edges: Any, num_sources: int, num_targets: int, edge_feat: Any) -> None:
        owner = type(self).__name__
        array = edge_array(edges, owner)
        check_ends(array, num_sources, num_targets, owner)
        self._num_sources, self._num_targets, self._num_edges = num_sources, num_targets, len(array)
        self._edges: Optional[np.ndarray] = array
        self._edge_tensor = edges if is_tensor(edges) else None
        self._outgoing: Optional[Adjacency] = None
        self._incoming: Optional[Adjacency] = None
        self._connections: Any = None
        self._edge_feat = check_features(edge_feat, len(array), owner, "edge")
        self._is_tensor = is_tensor(edges)

    @property
    def num_edges(self) -> int:
        """The number of edges."""
        return self._num_edges

    @property
    def edge_feat(self) -> dict[str, Any]:
        """Features of edges by name."""
        return self._edge_feat

    @property
    def edges(self) -> Any:
        """The edges (source, target): int64 of shape [edges, 2], an array or a Tensor."""
        if not self._is_tensor:
            return self._edge_array()
        if self._edge_tensor is None:
            self._edge_tensor = _to_tensor(self._edge_array())
        return self._edge_tensor

    def _edge_array(self) -> np.ndarray:
        if self._edges is None:
            self._edges = _edges_of(self._outgoing, self._incoming)
        return self._edges

    @property
    def outgoing(self) -> Adjacency:
        """The edges by source: its targets are ``outgoing.neighbors(source)``. Built on first use and kept."""
        if self._outgoing is None:
            source, target = self._edge_array().T
            self._outgoing = Adjacency.from_edges(source, target, self._num_sources, self._num_targets)
        return self._outgoing

    @property
    def incoming(self) -> Adjacency:
        """The edges by target: its sources are ``incoming.neighbors(target)``. Built on first use and kept."""
        if self._incoming is None:
            source, target = self._edge_array().T
            self._incoming = Adjacency.from_edges(target, source, self._num_targets, self._num_sources)
        return self._incoming

    @property
    def adj_src_index(self) -> Adjacency:
        """pgl's name of :attr:`outgoing`."""
        return self.outgoing

    @property
    def adj_dst_index(self) -> Adjacency:
        """pgl's name of :attr:`incoming`."""
        return self.incoming

    def connections(self) -> Any:
        """Return the edges as the operators of message passing take them, built on first use and kept.

        Returns:
            :class:`core.operators.message_passing.Edges`.

        Raises:
            ValueError: there are 2^31 nodes or edges, or more.
        """
        if self._connections is None:
            from core.operators.message_passing import Edges

            if max(self._num_sources, self._num_targets, self._num_edges) >= SMALLEST_WIDE:
                raise ValueError(
                    f"{type(self).__name__}: messages pass along fewer than 2^31 edges, not {self._num_edges}; sample"
                    " neighbourhoods and pass messages there"
                )
            self._connections = Edges(
                _tensors(self.incoming), _tensors(self.outgoing), self._num_sources, self._num_targets, self._num_edges
            )
        return self._connections

    def is_tensor(self) -> bool:
        """Return whether edges and features are Tensors."""
        return self._is_tensor

    def _degrees(self, adjacency: Adjacency, nodes: Any) -> Any:
        chosen = None if nodes is None else np.asarray(nodes)
        degrees = adjacency.degrees(chosen)
        return _to_tensor(degrees) if self._is_tensor else degrees

    def indegree(self, nodes: Any = None) -> Any:
        """Return how many edges end at nodes.

        Args:
            nodes: ids, a list, an array or a Tensor; None: all nodes.

        Returns:
            int64 of shape [nodes], an array or a Tensor.
        """
        return self._degrees(self.incoming, nodes)

    def outdegree(self, nodes: Any = None) -> Any:
        """Return how many edges begin at nodes.

        Args:
            nodes: ids, a list, an array or a Tensor; None: all nodes.

        Returns:
            int64 of shape [nodes], an array or a Tensor.
        """
        return self._degrees(self.outgoing, nodes)

    def successor(self, nodes: Any = None, return_eids: bool = False) -> Any:
        """Return the targets of the edges that begin at nodes.

        Args:
            nodes: ids; None: all nodes.
            return_eids: whether the edges' ids are returned too.

        Returns:
            A list of arrays, one for each node; with ``return_eids`` two such lists, ends and edge ids.
        """
        return _lists(self.outgoing, nodes, return_eids)

    def predecessor(self, nodes: Any = None, return_eids: bool = False) -> Any:
        """Return the sources of the edges that end at nodes.

        Args:
            nodes: ids; None: all nodes.
            return_eids: whether the edges' ids are returned too.

        Returns:
            A list of arrays, one for each node; with ``return_eids`` two such lists, ends and edge ids.
        """
        return _lists(self.incoming, nodes, return_eids)


def _to_tensor(array: Any) -> Any:
    from core.operators.creation import to_tensor

    return to_tensor(array)


def _tensors(adjacency: Adjacency) -> tuple[Any, Any, Any]:
    ids = adjacency.all_ids().astype(np.int32, copy=False)
    return _to_tensor(adjacency.indptr), _to_tensor(adjacency.indices.astype(np.int32, copy=False)), _to_tensor(ids)


def _lists(adjacency: Adjacency, nodes: Any, return_eids: bool) -> Any:
    rows = range(adjacency.rows) if nodes is None else np.asarray(nodes, np.int64).ravel().tolist()
    ends = [adjacency.neighbors(row) for row in rows]
    return (ends, [adjacency.ids(row) for row in rows]) if return_eids else ends


def _edges_of(outgoing: Optional[Adjacency], incoming: Optional[Adjacency]) -> np.ndarray:
    """Return the edges in the order of their ids."""
    adjacency, row_column = (outgoing, 0) if outgoing is not None else (incoming, 1)
    if adjacency is None:
        raise AssertionError("a graph has edges or compressed rows")
    edges = np.empty((adjacency.num_edges, 2), np.int64)
    places = slice(None) if adjacency.edge_ids is None else adjacency.edge_ids
    edges[places, row_column] = adjacency.row_ids()
    edges[places, 1 - row_column] = adjacency.indices
    return edges

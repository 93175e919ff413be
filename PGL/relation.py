"""Edges from one set of nodes to another: what graphs and bipartite graphs have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Optional

import numpy as np

from core.graphs.adjacency import SMALLEST_WIDE, Adjacency
from PGL.batching import Joined
from PGL.checks import check_ends, check_features, edge_array, is_tensor, node_ids
from PGL.forms import Forms, to_tensor
from PGL.messaging import Messaging
from PGL.queries import Queries


class Relation(Queries, Messaging, Joined, Forms):
    """Edges that lead from sources to targets, in numpy's arrays or in Tensors.

    Args:
        edges: pairs (source, target): a list, an array or a Tensor of shape [edges, 2].
        num_sources: how many nodes edges may begin at.
        num_targets: how many nodes edges may end at.
        features: features by kind, each arrays or Tensors by name, or None.

    Raises:
        TypeError: features are no dictionary.
        ValueError: an edge is no pair of ids of existing nodes, or a feature has another number of rows.

    Attributes:
        kept: what layers compute from the edges alone, by name, so that it is computed once.
    """

    def __init__(self, edges: Any, num_sources: int, num_targets: int, features: Mapping[str, Any]) -> None:
        owner = type(self).__name__
        array = edge_array(edges, owner)
        check_ends(array, num_sources, num_targets, owner)
        self._begin(num_sources, num_targets, len(array))
        self._edges = array
        self._edge_tensor = edges if is_tensor(edges) else None
        for kind, given in features.items():
            self._features[kind] = check_features(given, self._rows(kind), owner, kind)
        given_tensors = [value for tables in self._features.values() for value in tables.values()]
        if any(is_tensor(value) for value in (edges, *given_tensors)):
            self.tensor()

    def _begin(self, num_sources: int, num_targets: int, num_edges: int) -> None:
        """Set everything that is not given when the graph is made."""
        self._num_sources, self._num_targets, self._num_edges = num_sources, num_targets, num_edges
        self._edges: Optional[np.ndarray] = None
        self._edge_tensor: Any = None
        self._outgoing: Optional[Adjacency] = None
        self._incoming: Optional[Adjacency] = None
        self._connections: Any = None
        self.kept: dict[str, Any] = {}
        self._features: dict[str, dict[str, Any]] = {kind: {} for kind in self.KINDS}
        self._parts: dict[str, Any] = {}
        self._is_tensor = False

    def _rows(self, kind: str) -> int:
        """Return how many rows features of a kind have."""
        return {"edge_feat": self._num_edges, "dst_node_feat": self._num_targets}.get(kind, self._num_sources)

    @property
    def num_edges(self) -> int:
        """The number of edges."""
        return self._num_edges

    @property
    def edge_feat(self) -> dict[str, Any]:
        """Features of edges by name."""
        return self._features["edge_feat"]

    @property
    def edges(self) -> Any:
        """The edges (source, target): int64 of shape [edges, 2], an array or a Tensor."""
        if not self._is_tensor:
            return self._edge_array()
        if self._edge_tensor is None:
            self._edge_tensor = to_tensor(self._edge_array())
        return self._edge_tensor

    def _edge_array(self) -> np.ndarray:
        if self._edges is None:
            if self._edge_tensor is not None:
                self._edges = self._edge_tensor.numpy()
            else:
                adjacency, row = (self._outgoing, 0) if self._outgoing is not None else (self._incoming, 1)
                self._edges = adjacency.edges(row)
        return self._edges

    def edges_at(self, edge_ids: Any) -> np.ndarray:
        """Return some edges (source, target); of a stored graph only these are read.

        Args:
            edge_ids: ids of shape [n].

        Returns:
            int64 of shape [n, 2].

        Raises:
            ValueError: there is no such edge.
        """
        ids = node_ids(edge_ids, self._num_edges, f"{type(self).__name__}: edge id")
        if self._edges is None and self._edge_tensor is None:
            adjacency, row = (self._outgoing, 0) if self._outgoing is not None else (self._incoming, 1)
            if adjacency.edge_ids is None:
                return adjacency.edges(row, ids)
        return self._edge_array()[ids]

    @property
    def outgoing(self) -> Adjacency:
        """The edges by source: a source's targets are ``outgoing.neighbors(source)``. Built on first use and kept."""
        if self._outgoing is None:
            self._outgoing = self._grouped(0, self._num_sources, self._num_targets, self._incoming)
        return self._outgoing

    @property
    def incoming(self) -> Adjacency:
        """The edges by target: a target's sources are ``incoming.neighbors(target)``. Built on first use and kept."""
        if self._incoming is None:
            self._incoming = self._grouped(1, self._num_targets, self._num_sources, self._outgoing)
        return self._incoming

    def _grouped(self, column: int, rows: int, columns: int, other: Optional[Adjacency]) -> Adjacency:
        """Return the edges grouped by one end; of a stored graph without making the list of edges where that can be."""
        if self._edges is None and other is not None and other.edge_ids is None:
            return other.transposed()
        edges = self._edge_array()
        return Adjacency.from_edges(edges[:, column], edges[:, 1 - column], rows, columns)

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
            :class:`core.operators.graphs.message_passing.Edges`.

        Raises:
            ValueError: there are 2^31 nodes or edges, or more.
        """
        if self._connections is None:
            from core.operators.graphs._edges import Edges, Rows

            most = max(self._num_sources, self._num_targets, self._num_edges)
            if most >= SMALLEST_WIDE:
                raise ValueError(
                    f"{type(self).__name__}: messages pass among fewer than 2^31 nodes and edges, not {most}; sample"
                    " neighbourhoods and pass messages there"
                )
            self._connections = Edges(*(Rows(*_row_tensors(rows)) for rows in (self.incoming, self.outgoing)))
        return self._connections

    def __repr__(self) -> str:
        sizes = [f"{name}={getattr(self, name)}" for name in dict.fromkeys(self.PARTS.values())]
        features = [
            f"{kind}={{{', '.join(f'{name!r}: {value.dtype} {list(value.shape)}' for name, value in tables.items())}}}"
            for kind, tables in self._features.items()
            if tables
        ]
        return f"{type(self).__name__}({', '.join([*sizes, *features])})"


def _row_tensors(adjacency: Adjacency) -> list[Any]:
    """Return compressed rows as the operators take them."""
    arrays = (
        adjacency.indptr,
        adjacency.indices.astype(np.int32, copy=False),
        adjacency.ids().astype(np.int32, copy=False),
    )
    return [to_tensor(array) for array in arrays]

"""Edges and features of a graph, in numpy's arrays or in Tensors: what all that a graph can do is built on."""

from __future__ import annotations

from typing import Any, Optional, TypeVar

import numpy as np

from core.graphs.adjacency import SMALLEST_WIDE, Adjacency
from PGL.checks import is_tensor, node_ids

Self = TypeVar("Self", bound="Structure")


class Structure:
    """The edges of a graph or bipartite graph, and its features.

    Attributes:
        kept: what layers compute from the edges alone, by name, so that it is computed once.
    """

    KINDS: tuple[str, ...] = ()
    """The kinds of features that it has."""
    PARTS: dict[str, str] = {}
    """Of a batch of graphs: the kinds of things that are counted for each graph, and what gives their number."""

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
                adjacency, row = self._built()
                self._edges = adjacency.edges(row)
        return self._edges

    def _built(self) -> tuple[Adjacency, int]:
        """Return the edges of a stored graph grouped by one end, and which end that is."""
        if self._outgoing is not None:
            return self._outgoing, 0
        assert self._incoming is not None
        return self._incoming, 1

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
            adjacency, row = self._built()
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

    def is_tensor(self) -> bool:
        """Return whether edges and features are Tensors."""
        return self._is_tensor

    def tensor(self: Self, inplace: bool = True) -> Self:
        """Turn edges and features into Tensors.

        Args:
            inplace: whether this graph is changed; False: it stays, and a new one shares its structure.

        Returns:
            The graph.
        """
        return self._converted(True, as_tensor, inplace)

    def numpy(self: Self, inplace: bool = True) -> Self:
        """Turn edges and features into numpy's arrays.

        Args:
            inplace: whether this graph is changed; False: it stays, and a new one shares its structure.

        Returns:
            The graph.
        """
        return self._converted(False, lambda value: value.numpy(), inplace)

    def _converted(self: Self, to_tensors: bool, convert: Any, inplace: bool) -> Self:
        graph = self if inplace else self.copy()
        if graph._is_tensor != to_tensors:
            for tables in graph._features.values():
                tables.update({name: convert(value) for name, value in tables.items()})
            graph._is_tensor = to_tensors
        return graph

    def copy(self: Self) -> Self:
        """Return a graph of its own form that shares the edges and the arrays or Tensors of the features."""
        graph = object.__new__(type(self))
        graph.__dict__.update(self.__dict__)
        graph._features = {kind: dict(tables) for kind, tables in self._features.items()}
        return graph


def _row_tensors(adjacency: Adjacency) -> list[Any]:
    """Return compressed rows as the operators take them."""
    arrays = (
        adjacency.indptr,
        adjacency.indices.astype(np.int32, copy=False),
        adjacency.ids().astype(np.int32, copy=False),
    )
    return [to_tensor(array) for array in arrays]


def to_tensor(value: Any) -> Any:
    """Return an array as a new Tensor."""
    from core.operators.creation.creation import to_tensor as made

    return made(value)


def as_tensor(value: Any) -> Any:
    """Return a Tensor as it is, and an array as a new Tensor."""
    return value if is_tensor(value) else to_tensor(np.asarray(value))

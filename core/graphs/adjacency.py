"""Compressed rows: the edges of a graph grouped by the node at one of their ends."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from core.graphs.checks import IDS, INT64, check_array

SMALLEST_WIDE = 2**31
"""The first number that needs int64."""


def index_type(count: int) -> type:
    """Return the integer type of ids below ``count``: int32 while they fit, otherwise int64."""
    return np.int32 if count <= SMALLEST_WIDE else np.int64


class Adjacency:
    """Edges grouped by row, a node at one end: the other ends of row r are ``indices[indptr[r] : indptr[r + 1]]``.

    Within a row the edges are in the order of their ids. Self loops and edges that occur several times are kept, each
    an edge of its own. The arrays may be memory-mapped. Their types and shapes are checked, but not their numbers, for
    all would have to be read; call :meth:`check` for arrays that come from elsewhere.

    Args:
        indptr: int64 of shape [rows + 1], from 0 to the number of edges: where each row begins.
        indices: int32 or int64 of shape [edges]: the other end of each edge.
        edge_ids: int32 or int64 of shape [edges]: the id of each edge; None: an edge's place is its id.
        columns: how many nodes there are at the other ends.

    Raises:
        TypeError: an argument is no array of numpy's.
        ValueError: an array is of another type or shape.
    """

    __slots__ = ("columns", "edge_ids", "indices", "indptr")

    def __init__(self, indptr: np.ndarray, indices: np.ndarray, edge_ids: Optional[np.ndarray], columns: int) -> None:
        owner = type(self).__name__
        check_array(indptr, owner, "indptr", INT64, [None])
        check_array(indices, owner, "indices", IDS, [None])
        if not len(indptr):
            raise ValueError(f"{owner}: indptr must begin with 0: it has one number more than there are rows, not none")
        if edge_ids is not None:
            check_array(edge_ids, owner, "edge_ids", IDS, indices.shape)
        self.indptr = indptr
        self.indices = indices
        self.columns = columns
        self.edge_ids = edge_ids

    @classmethod
    def from_edges(
        cls,
        row_ids: np.ndarray,
        column_ids: np.ndarray,
        rows: int,
        columns: int,
        keep_edge_ids: bool = True,
        verify: bool = True,
    ) -> Adjacency:
        """Group edges by row in time proportional to their number.

        Args:
            row_ids: integers of shape [edges]: the end by which edges are grouped.
            column_ids: integers of shape [edges]: the other end.
            rows: how many nodes there are at the first end.
            columns: how many nodes there are at the other end.
            keep_edge_ids: whether the edges' ids, their places in ``row_ids``, are kept.
            verify: whether every id is checked; False only for ids that the caller made or checked itself, as others
                crash the process.

        Returns:
            The grouped edges; ids are int32 while they fit.

        Raises:
            ValueError: the two do not fit each other, or an id is not from 0 to below the number of nodes.
        """
        if verify:
            check_ids(row_ids, rows, "row_ids")
            check_ids(column_ids, columns, "column_ids")
        if row_ids.shape != column_ids.shape:
            raise ValueError(f"Adjacency: {row_ids.shape} row_ids and {column_ids.shape} column_ids do not fit")
        from core.kernels.graphs.adjacency import compress  # numba loads with the first use

        first = np.ascontiguousarray(row_ids, _signed(row_ids))
        second = np.ascontiguousarray(column_ids, _signed(column_ids))
        return cls(*compress(first, second, rows, keep_edge_ids, index_type(columns)), columns)

    def check(self) -> None:
        """Check every number, in time proportional to the edges and nodes.

        Raises:
            ValueError: rows do not lie one behind another, or an id is no node's.
        """
        owner, edges = type(self).__name__, len(self.indices)
        if self.indptr[0] != 0 or self.indptr[-1] != edges or (np.diff(self.indptr) < 0).any():
            raise ValueError(f"{owner}: indptr must rise from 0 to {edges}, the number of edges")
        check_ids(self.indices, self.columns, f"{owner}: indices")
        if self.edge_ids is not None and edges:
            least, most = int(self.edge_ids.min()), int(self.edge_ids.max())
            if least < 0 or most >= edges:
                raise ValueError(f"{owner}: edge_ids holds {least if least < 0 else most}, but there are {edges} edges")

    @property
    def rows(self) -> int:
        """The number of nodes by which edges are grouped."""
        return len(self.indptr) - 1

    @property
    def num_edges(self) -> int:
        """The number of edges."""
        return len(self.indices)

    def degrees(self, rows: Optional[np.ndarray] = None) -> np.ndarray:
        """Return how many edges rows have.

        Args:
            rows: row numbers; None: all rows.

        Returns:
            int64, of the shape of ``rows``.
        """
        if rows is None:
            return np.diff(self.indptr)
        return self.indptr[rows + 1] - self.indptr[rows]

    def neighbors(self, row: int) -> np.ndarray:
        """Return the other ends of a row's edges, a view."""
        return self.indices[self.indptr[row] : self.indptr[row + 1]]

    def ids(self, places: Any = slice(None)) -> np.ndarray:
        """Return the ids of edges.

        Args:
            places: where they are in ``indices``: integers of shape [n] or a slice.
        """
        if self.edge_ids is not None:
            return self.edge_ids[places]
        return np.arange(self.num_edges)[places] if isinstance(places, slice) else places

    def places(self, rows: Optional[np.ndarray] = None) -> tuple[Any, np.ndarray]:
        """Return where the edges of rows are in ``indices``.

        Args:
            rows: row numbers of shape [n]; None: all rows.

        Returns:
            The places of the first row's edges, then the second's and so on, int64 or, for all rows, a slice; and how
            many edges each row has, int64 of shape [n].
        """
        counts = self.degrees(rows)
        if rows is None:
            return slice(None), counts
        before = np.cumsum(counts) - counts
        return np.arange(counts.sum()) + np.repeat(self.indptr[rows] - before, counts), counts

    def transposed(self) -> Adjacency:
        """Return the edges grouped by their other ends, for edges whose place is their id."""
        row_ids: np.ndarray = np.repeat(np.arange(self.rows, dtype=index_type(self.rows)), self.degrees())
        return Adjacency.from_edges(self.indices, row_ids, self.columns, self.rows)

    def sorted(self) -> Adjacency:
        """Return the same rows with the other ends ascending in each, in new memory and without edge ids."""
        from core.kernels.graphs.walks import sort_rows  # numba loads with the first use

        return type(self)(self.indptr, sort_rows(self.indptr, self.indices), None, self.columns)

    def edges(self, row_column: int, edge_ids: Optional[np.ndarray] = None) -> np.ndarray:
        """Return edges as pairs, in the order of their ids.

        Args:
            row_column: 0: rows are sources; 1: rows are targets.
            edge_ids: ids of shape [n], where an edge's place is its id; None: all edges.

        Returns:
            int64 of shape [n, 2].

        Raises:
            ValueError: two edges have one id, as in a damaged file.
        """
        if edge_ids is not None:
            edges = np.empty((len(edge_ids), 2), np.int64)
            edges[:, row_column] = np.searchsorted(self.indptr, edge_ids, side="right") - 1
            edges[:, 1 - row_column] = self.indices[edge_ids]
            return edges
        edges = np.full((self.num_edges, 2), -1, np.int64)
        places = slice(None) if self.edge_ids is None else self.edge_ids
        edges[places, row_column] = np.repeat(np.arange(self.rows), self.degrees())
        edges[places, 1 - row_column] = self.indices
        if (edges[:, 0] < 0).any():
            raise ValueError(f"no edge has the id {np.flatnonzero(edges[:, 0] < 0)[0]}, and another id occurs twice")
        return edges


def _signed(ids: np.ndarray) -> Any:
    return np.int32 if ids.dtype == np.int32 else np.int64


def check_ids(ids: np.ndarray, count: int, name: str) -> None:
    """Check that ids are whole numbers from 0 to below ``count``.

    Args:
        ids: the array.
        count: how many nodes there are.
        name: what it is, for the message.

    Raises:
        ValueError: it is not one-dimensional, holds no integers, or an id outside.
    """
    if ids.ndim != 1 or ids.dtype.kind not in "iu":
        raise ValueError(f"{name} must be integers of one axis, not {ids.dtype} of shape {ids.shape}")
    if ids.size:
        least, most = int(ids.min()), int(ids.max())
        if least < 0 or most >= count:
            wrong = least if least < 0 else most
            raise ValueError(f"{name} holds {wrong}, but there are {count} nodes, numbered from 0")

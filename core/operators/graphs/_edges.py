"""The edges of a graph as message passing reads them: compressed by their targets, and by their sources."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional, Union

import numpy as np

from core.kernels.dispatch.errors import OperatorError, OperatorIndexError, OperatorTypeError
from core.kernels.dispatch.operator import HostOperator
from core.kernels.dtypes import int32, int64
from core.kernels.engine import engine
from core.kernels.graphs.repeated_edges import met_before
from core.kernels.sizes.dimension import agree, is_known
from core.tensor import Tensor, apply, readable

MAXIMUM = 2**31


class Rows(NamedTuple):
    """Edges grouped by one of their ends; those of one node are in the order of their ids.

    Attributes:
        indptr: int64 [nodes + 1]: where each node's edges begin in the two others.
        neighbors: int32 [edges]: the other end of each edge.
        edge_ids: int32 [edges]: the edge's number in the order in which the edges were given.
    """

    indptr: Tensor
    neighbors: Tensor
    edge_ids: Tensor


class Edges(NamedTuple):
    """The edges of a graph, made once by :meth:`from_index` and used in every layer, forward and backward.

    It is a tuple of tuples of tensors, so it can be an argument of a compiled function.

    Attributes:
        incoming: Edges grouped by target; the neighbors are the sources.
        outgoing: Edges grouped by source; the neighbors are the targets.
    """

    incoming: Rows
    outgoing: Rows

    @property
    def num_sources(self) -> int:
        """Number of nodes from which edges may come."""
        return self.outgoing.indptr.shape[0] - 1

    @property
    def num_targets(self) -> int:
        """Number of nodes to which edges may lead."""
        return self.incoming.indptr.shape[0] - 1

    @property
    def num_edges(self) -> int:
        """Number of edges."""
        return self.incoming.neighbors.shape[0]

    @property
    def transposed(self) -> Edges:
        """The same edges, led backwards."""
        return Edges(self.outgoing, self.incoming)

    @staticmethod
    def from_index(
        source: Union[Tensor, np.ndarray], target: Union[Tensor, np.ndarray], num_sources: int, num_targets: int
    ) -> Edges:
        """Group edges, given in any order, by their ends: two counting sorts.

        Args:
            source: Integers [edges]: where each edge begins, in [0, num_sources).
            target: Integers [edges]: where it ends, in [0, num_targets).
            num_sources: Number of nodes where edges may begin.
            num_targets: Number of nodes where they may end.

        Returns:
            The edges. Two that are alike, and those from a node to itself, are kept.

        Raises:
            OperatorTypeError: an index holds no integers.
            OperatorIndexError: an edge begins or ends at a node that does not exist.
            OperatorError: the indices are not equally long, or there are 2^31 edges or nodes.
        """
        from core.kernels.graphs.adjacency import compress  # numba loads with the first use

        ends = _index(source, num_sources, "source"), _index(target, num_targets, "target")
        if ends[0].shape != ends[1].shape:
            raise OperatorError(
                f"Edges: source and target must be equally long, got {ends[0].size} and {ends[1].size} ends of edges"
            )
        narrow = [end.astype(np.int32, copy=False) for end in ends]
        incoming = compress(narrow[1], narrow[0], num_targets)
        outgoing = compress(narrow[0], narrow[1], num_sources)
        return Edges(*(Rows(*[Tensor(array) for array in rows]) for rows in (incoming, outgoing)))


def _index(given: Union[Tensor, np.ndarray], size: int, name: str) -> np.ndarray:
    """Return checked ends of edges as an array of integers."""
    if isinstance(given, Tensor):
        array = engine.view(readable(given).array, *given._value.meta)
    else:
        array = np.asarray(given)
    if array.dtype.kind not in "iu" and array.size:
        raise OperatorTypeError(f"Edges: {name} must hold integers, got {array.dtype}: cast it to int64")
    if array.ndim != 1:
        raise OperatorError(f"Edges: {name} must have one axis, one number for each edge, got {list(array.shape)}")
    if max(array.size, size) >= MAXIMUM:
        raise OperatorError(f"Edges: {max(array.size, size)} edges or nodes, the most is 2^31 - 1: use parts")
    if array.size:
        low, high = int(array.min()), int(array.max())
        if low < 0 or high >= size:
            wrong = low if low < 0 else high
            raise OperatorIndexError(f"Edges: {name} {wrong} is no node: there are {size}, numbered from 0")
    return array


def _grouped(source: np.ndarray, target: np.ndarray, sources: int, targets: int, out: tuple[np.ndarray, ...]) -> None:
    from core.kernels.graphs.adjacency import compress  # numba loads with the first use

    for ends, size in ((source, sources), (target, targets)):
        if ends.size and (ends.min() < 0 or ends.max() >= size):
            raise OperatorIndexError(f"an edge leads to a node that does not exist: there are {size}")
    incoming = compress(target, source, targets, dtype=np.int32)
    for made, array in zip(out, (*incoming, *compress(source, target, sources, dtype=np.int32))):
        made[:] = array


group_edges = HostOperator(
    "group_edges",
    _grouped,
    infer=lambda metas, options: [
        ((options["targets"] + 1,), int64), (metas[0][0], int32), (metas[0][0], int32),
        ((options["sources"] + 1,), int64), (metas[0][0], int32), (metas[0][0], int32),
    ],
    fills=True,
    differentiable=False,
)  # fmt: skip


def grouped_edges(source: Tensor, target: Tensor, sources: int, targets: int) -> Edges:
    """Do what :meth:`Edges.from_index` does for int64 tensors, also inside a program that is being compiled."""
    rows = apply(group_edges, source, target, sources=sources, targets=targets)
    return Edges(Rows(*rows[:3]), Rows(*rows[3:]))


def edges_again(source: Tensor, target: Tensor, sources: int, targets: int) -> Optional[Edges]:
    """Do what :func:`grouped_edges` does, once, for tensors that come again; else None, and nothing is checked."""
    return met_before(
        source._value, target._value, (sources, targets), lambda: grouped_edges(source, target, sources, targets)
    )


def check_edges(edges: Any, caller: str) -> Edges:
    """Return edges that can be handed to an operator.

    Raises:
        OperatorTypeError: what is given is not :class:`Edges`, or its tensors have other types.
    """
    if not isinstance(edges, Edges):
        raise OperatorTypeError(f"{caller}: edges must be Edges, got {type(edges).__name__}: use Edges.from_index()")
    for rows in edges:
        for tensor, dtype in zip(rows, (int64, int32, int32)):
            if not isinstance(tensor, Tensor) or tensor.dtype is not dtype or tensor.ndim != 1:
                raise OperatorTypeError(f"{caller}: these edges are not as Edges.from_index() makes them")
    counts = [tensor.shape for rows in edges for tensor in rows[1:]]
    if not all(agree(counts[0], count) for count in counts) or any(is_known(r.indptr.shape[0], 0) for r in edges):
        raise OperatorError(f"{caller}: these edges are not as Edges.from_index() makes them: their tensors do not fit")
    return edges

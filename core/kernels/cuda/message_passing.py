"""Messages along the edges of a graph on a GPU: the kernels of the CPU once more, with the same arguments.

Each function is that of the same name in :mod:`core.kernels.graphs.message_passing`,
:mod:`core.kernels.graphs.message_extremes`, :mod:`core.kernels.graphs.edge_softmax` or
:mod:`core.kernels.graphs.edge_rows`, where its arguments are described; before those comes a
:class:`~core.kernels.cuda.launcher.Launcher`. Arrays are flat and live on the GPU; as there, indices are not checked.
"""

from __future__ import annotations

from typing import Any

from core.kernels.cuda.launcher import Launcher

Array = Any


def gather_sum(
    launch: Launcher, table: Array, indptr: Array, neighbors: Array, mean: bool, width: int, out: Array
) -> None:
    """Add up (or average) the neighbours' rows."""
    rows = indptr.size - 1
    launch("gather_sum", rows * width, table, indptr, neighbors, rows, width, mean, out)


def gather_multiply_sum(
    launch: Launcher,
    table: Array,
    weight: Array,
    indptr: Array,
    neighbors: Array,
    edge_ids: Array,
    heads: int,
    size: int,
    out: Array,
) -> None:
    """Add up the neighbours' rows, each head of them times the edge's weight of that head."""
    rows = indptr.size - 1
    given = (table, weight, indptr, neighbors, edge_ids, rows, heads, size, out)
    launch("gather_multiply_sum", rows * heads * size, *given)


def gather_multiply_gradients(
    launch: Launcher,
    gradient: Array,
    table: Array,
    weight: Array,
    indptr: Array,
    neighbors: Array,
    edge_ids: Array,
    heads: int,
    size: int,
    out: tuple[Array, Array],
) -> None:
    """Write the gradients of (table, weight) of :func:`gather_multiply_sum`; the rows are those of the table."""
    gather_multiply_sum(launch, gradient, weight, indptr, neighbors, edge_ids, heads, size, out[0])
    dot_ends(launch, gradient, table, indptr, neighbors, edge_ids, heads, size, out[1])


def dot_ends(
    launch: Launcher,
    sources: Array,
    targets: Array,
    indptr: Array,
    neighbors: Array,
    edge_ids: Array,
    heads: int,
    size: int,
    out: Array,
) -> None:
    """Multiply, for each edge and head, the rows of its two ends."""
    given = (sources, targets, indptr, neighbors, edge_ids, indptr.size - 1, heads, size, out)
    launch("dot_ends", neighbors.size * heads, *given)


def add_ends(
    launch: Launcher,
    sources: Array,
    targets: Array,
    indptr: Array,
    neighbors: Array,
    edge_ids: Array,
    width: int,
    out: Array,
) -> None:
    """Add, for each edge, the rows of its two ends."""
    given = (sources, targets, indptr, neighbors, edge_ids, indptr.size - 1, width, out)
    launch("add_ends", neighbors.size * width, *given)


def edge_expand(launch: Launcher, table: Array, indptr: Array, edge_ids: Array, width: int, out: Array) -> None:
    """Copy each row to its edges."""
    launch("edge_expand", edge_ids.size * width, table, indptr, edge_ids, indptr.size - 1, width, out)


def edge_softmax(launch: Launcher, logits: Array, indptr: Array, edge_ids: Array, heads: int, out: Array) -> None:
    """Divide exp of each edge's number by the sum of those of the edges in its row."""
    rows = indptr.size - 1
    launch("edge_softmax", rows * heads, logits, indptr, edge_ids, rows, heads, out)


def edge_softmax_gradient(
    launch: Launcher, gradient: Array, result: Array, indptr: Array, edge_ids: Array, heads: int, out: Array
) -> None:
    """Write the gradient of the logits of :func:`edge_softmax`."""
    rows = indptr.size - 1
    launch("edge_softmax_gradient", rows * heads, gradient, result, indptr, edge_ids, rows, heads, out)


def gather_extreme(
    launch: Launcher,
    table: Array,
    indptr: Array,
    neighbors: Array,
    edge_ids: Array,
    largest: bool,
    width: int,
    out: tuple[Array, Array],
) -> None:
    """Find the largest (or smallest) element among the neighbours' rows; NaN wins, 0 where there is no neighbour."""
    rows = indptr.size - 1
    launch("gather_extreme", rows * width, table, indptr, neighbors, edge_ids, rows, largest, width, *out)


def sum_of_winners(
    launch: Launcher,
    table: Array,
    winners: Array,
    indptr: Array,
    neighbors: Array,
    edge_ids: Array,
    forward: bool,
    width: int,
    out: Array,
) -> None:
    """Add up those elements of the neighbours' rows whose edges won."""
    rows = indptr.size - 1
    launch("sum_of_winners", rows * width, table, winners, indptr, neighbors, edge_ids, rows, forward, width, out)

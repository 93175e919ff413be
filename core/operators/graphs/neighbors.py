"""Drawing neighbours of nodes from a graph and renumbering the nodes (paddle.geometric).

A graph is given by columns: the neighbours of node n are ``row[colptr[n]:colptr[n + 1]]``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

from core.kernels.dispatch.errors import OperatorError
from core.kernels.dispatch.operator import HostOperator
from core.kernels.dtypes import float64, int64
from core.operators._arguments import need_tensor
from core.operators.creation.creation import cast, zeros
from core.operators.creation.random import randint
from core.operators.indexing.gathering import check_range, index_argument
from core.operators.shape.joining import concat
from core.tensor import Tensor, apply

_SEED_BOUND = 2**31 - 1


def _drawn(
    row: np.ndarray, starts: np.ndarray, nodes: np.ndarray, weights: np.ndarray, words: np.ndarray, most: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return neighbours, how many each node has, and the places of their edges."""
    generator = np.random.Generator(np.random.PCG64([int(word) for word in words]))
    if (np.diff(starts) < 0).any() or (starts.size and (starts[0] < 0 or starts[-1] > row.size)):
        raise OperatorError(f"sample_neighbors: colptr must rise from 0 to at most {row.size}, the length of row")
    places = [np.empty(0, np.int64)]
    for node in nodes:
        edges = np.arange(starts[node], starts[node + 1])
        if 0 <= most < edges.size:
            if weights.size:
                with np.errstate(divide="ignore"):
                    waiting = generator.exponential(size=edges.size) / weights[edges]
                edges = edges[np.sort(np.argsort(waiting, kind="stable")[:most])]
            else:
                edges = np.sort(generator.choice(edges, most, replace=False))
        places.append(edges)
    counts = np.array([edges.size for edges in places[1:]], np.int32)
    chosen = np.concatenate(places)
    return row[chosen], counts, chosen


_draw = HostOperator("draw_neighbors", _drawn, differentiable=False)


def _sampled(
    caller: str,
    row: Tensor,
    colptr: Tensor,
    weights: Optional[Tensor],
    input_nodes: Tensor,
    sample_size: int,
    eids: Optional[Tensor],
    return_eids: bool,
) -> Any:
    if return_eids and eids is None:
        raise OperatorError(f"{caller}: return_eids needs eids")
    row, starts = index_argument(row, caller, "row"), index_argument(colptr, caller, "colptr")
    nodes = index_argument(input_nodes, caller, "input_nodes")
    if row.ndim != 1 or starts.ndim != 1 or not starts.size or nodes.ndim != 1:
        raise OperatorError(
            f"{caller}: row, colptr and input_nodes are 1-D, colptr not empty, got {row.shape}, {starts.shape} and"
            f" {nodes.shape}"
        )
    check_range(nodes, starts.shape[0] - 1, caller, name="input_nodes")
    for name, given in (("edge_weight", weights), ("eids", eids)):
        if given is not None and need_tensor(given, caller, name).shape != row.shape:
            raise OperatorError(f"{caller}: {name} has one number for each of {row.shape[0]} edges, got {given.shape}")
    chances = zeros([0], float64) if weights is None else cast(weights.detach(), float64)
    words = randint(0, _SEED_BOUND, [4])
    found, counts, places = apply(_draw, row, starts, nodes, chances, words, most=int(sample_size))
    return (found, counts, eids[places]) if return_eids and eids is not None else (found, counts)


def sample_neighbors(
    row: Tensor,
    colptr: Tensor,
    input_nodes: Tensor,
    sample_size: int = -1,
    eids: Optional[Tensor] = None,
    return_eids: bool = False,
    perm_buffer: Optional[Tensor] = None,
    name: Optional[str] = None,
) -> Any:
    """Draw neighbours of nodes, each at most once.

    Args:
        row: Neighbours of all nodes, one node after another: integers (edges,).
        colptr: Where each node's neighbours begin in row, and the end: integers (nodes + 1,).
        input_nodes: The nodes whose neighbours are drawn, integers (n,).
        sample_size: At most so many of each; all when negative.
        eids: A number for each edge, (edges,).
        return_eids: Return those of the drawn edges too.
        perm_buffer: Taken for Paddle's sake and not used.
        name: Unused, as in Paddle.

    Returns:
        The neighbours, int32 counts (n,), and with return_eids the numbers of the edges. How many depends on the data,
        so it is computed outside compiled programs.

    Raises:
        OperatorIndexError: there is no such node.
        OperatorError: shapes do not fit each other.
    """
    return _sampled("sample_neighbors", row, colptr, None, input_nodes, sample_size, eids, return_eids)


def weighted_sample_neighbors(
    row: Tensor,
    colptr: Tensor,
    edge_weight: Tensor,
    input_nodes: Tensor,
    sample_size: int = -1,
    eids: Optional[Tensor] = None,
    return_eids: bool = False,
    name: Optional[str] = None,
) -> Any:
    """Draw neighbours of nodes, each at most once, with chances in proportion to weights; see :func:`sample_neighbors`.

    Args:
        row: Neighbours of all nodes, one node after another: integers (edges,).
        colptr: Where each node's neighbours begin in row, and the end: integers (nodes + 1,).
        edge_weight: A weight for each edge, (edges,).
        input_nodes: The nodes whose neighbours are drawn, integers (n,).
        sample_size: At most so many of each; all when negative.
        eids: A number for each edge, (edges,).
        return_eids: Return those of the drawn edges too.
        name: Unused, as in Paddle.

    Returns:
        The neighbours, int32 counts (n,), and with return_eids the numbers of the edges.

    Raises:
        OperatorIndexError: there is no such node.
        OperatorError: shapes do not fit each other.
    """
    caller = "weighted_sample_neighbors"
    need_tensor(edge_weight, caller, "edge_weight")
    return _sampled(caller, row, colptr, edge_weight, input_nodes, sample_size, eids, return_eids)


def _renumbered(nodes: np.ndarray, neighbors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the neighbours' new numbers, and all nodes in the new order: given ones first, then as they appear."""
    everything = np.concatenate([nodes, neighbors])
    unique, first, inverse = np.unique(everything, return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    numbers = np.empty(order.size, np.int64)
    numbers[order] = np.arange(order.size)
    return numbers[inverse.ravel()][nodes.size :].astype(nodes.dtype), unique[order]


_renumber = HostOperator("renumber_nodes", _renumbered, differentiable=False)


def _repeated(counts: np.ndarray, dtype: Any) -> np.ndarray:
    return np.repeat(np.arange(counts.size), counts).astype(dtype.numpy)


_repeat = HostOperator("repeat_positions", _repeated, differentiable=False)


def reindex_graph(
    x: Tensor,
    neighbors: Tensor,
    count: Tensor,
    value_buffer: Optional[Tensor] = None,
    index_buffer: Optional[Tensor] = None,
    name: Optional[str] = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Number the nodes of a sampled graph from 0 on: the given ones first, then their neighbours as they appear.

    Args:
        x: The given nodes, all different, integers (n,).
        neighbors: Their neighbours, one node after another, integers (edges,).
        count: How many each has, int32 (n,).
        value_buffer: Taken for Paddle's sake and not used.
        index_buffer: Taken for Paddle's sake and not used.
        name: Unused, as in Paddle.

    Returns:
        New numbers of the neighbours (edges,), new numbers of the nodes that they belong to (edges,), and the old
        numbers of all nodes in their new order.

    Raises:
        OperatorError: shapes do not fit each other.
    """
    return reindex_heter_graph(x, [neighbors], [count])


def reindex_heter_graph(
    x: Tensor,
    neighbors: Sequence[Tensor],
    count: Sequence[Tensor],
    value_buffer: Optional[Tensor] = None,
    index_buffer: Optional[Tensor] = None,
    name: Optional[str] = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Number the nodes of a graph with several kinds of edges from 0 on; see :func:`reindex_graph`.

    Args:
        x: The given nodes, all different, integers (n,).
        neighbors: For each kind of edge their neighbours, one node after another, integers (edges,).
        count: For each kind of edge how many each has, int32 (n,).
        value_buffer: Taken for Paddle's sake and not used.
        index_buffer: Taken for Paddle's sake and not used.
        name: Unused, as in Paddle.

    Returns:
        New numbers of the neighbours of all kinds, new numbers of the nodes that they belong to, and the old numbers of
        all nodes in their new order.

    Raises:
        OperatorError: shapes do not fit each other.
    """
    nodes = index_argument(x, "reindex_graph")
    if len(neighbors) != len(count) or not neighbors:
        raise OperatorError(f"reindex_graph: {len(neighbors)} lists of neighbors and {len(count)} of counts do not fit")
    lists, targets = [], []
    for i, (some, numbers) in enumerate(zip(neighbors, count)):
        found = index_argument(some, "reindex_graph", f"neighbors[{i}]")
        many = index_argument(numbers, "reindex_graph", f"count[{i}]")
        if found.ndim != 1 or many.shape != nodes.shape or int(many.sum()) != found.shape[0]:
            raise OperatorError(
                f"reindex_graph: count[{i}] of shape {many.shape} must hold a number for each of {nodes.shape} nodes"
                f" and add up to {found.shape}, the neighbors"
            )
        lists.append(cast(found, nodes.dtype))
        targets.append(apply(_repeat, cast(many, int64), dtype=nodes.dtype))
    sources, order = apply(_renumber, nodes, concat(lists, 0))
    return sources, concat(targets, 0), order

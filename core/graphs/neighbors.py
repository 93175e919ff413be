"""Neighbours of many nodes at once: drawn ones, those that walks visit most, and new numbers for what was found."""

from __future__ import annotations

from typing import Any, Optional, Union

import numpy as np

from core.graphs.adjacency import Adjacency
from core.graphs.checks import FLOAT32, IDS, check_array, checked_ids, checked_integer, checked_key, checked_number
from core.graphs.draws import check_tables
from core.graphs.walks import check_same_nodes
from core.kernels.graphs.graph_results import AliasTables, SampledNeighbors, VisitedNeighbors

_MOST_IDS = 2**30


def sample_neighbors(
    adjacency: Adjacency,
    nodes: Any,
    fanout: int,
    key: np.uint64,
    replace: bool = False,
    weights: Optional[Union[np.ndarray, AliasTables]] = None,
) -> SampledNeighbors:
    """Draw up to ``fanout`` neighbours of each node.

    Args:
        adjacency: the edges, grouped by the nodes whose neighbours are drawn.
        nodes: integers (n,): rows; one may occur several times.
        fanout: how many neighbours of each; -1: all.
        key: what the draws follow from, see :func:`random_key`.
        replace: draw each time among all neighbours; a node without any has none drawn. Otherwise each edge is drawn at
            most once, all of them where there are no more than ``fanout``.
        weights: chances of the edges; those of weight 0 are never drawn; None: all alike. Without replacement float32
            (edges,), ≥ 0: one edge after another is drawn in proportion to its weight among those left (Efraimidis and
            Spirakis, "Weighted random sampling with a reservoir", 2006). With replacement the tables that
            :func:`alias_tables` returns for such weights and ``adjacency.indptr``.

    Returns:
        Where the neighbours of each node begin, the neighbours, and the places of their edges in ``adjacency``.

    Raises:
        TypeError: an argument is of another kind.
        ValueError: a node does not exist, or an argument is out of range or does not fit the edges.
    """
    owner = "sample_neighbors"
    rows, most = checked_ids(nodes, adjacency.rows, owner, "nodes"), checked_integer(fanout, -1, owner, "fanout")
    bits = checked_key(key, owner)
    if weights is not None and replace:
        check_tables(weights, adjacency.num_edges, owner, "weights")
    elif weights is not None:
        check_array(weights, owner, "weights", FLOAT32, [adjacency.num_edges])
    from core.kernels.graphs.neighbor_sampling import sample_neighbors as draw  # numba loads with the first use

    return draw(adjacency.indptr, adjacency.indices, rows, most, bits, replace, weights)


def visited_neighbors(
    adjacency: Adjacency, nodes: Any, steps: int, restart: float, most: int, key: np.uint64
) -> VisitedNeighbors:
    """Walk from each node, again and again, and return the nodes that the walks come to most often.

    (Ying et al., "Graph convolutional neural networks for web-scale recommender systems", 2018)

    Args:
        adjacency: the edges that are walked along, from rows; the same nodes at both ends.
        nodes: integers (n,): where walks begin.
        steps: how many steps are taken from each node in all, 0 or more.
        restart: the probability of going back to the first node before a step, from 0 to 1. A walk that comes to a node
            without edges goes back, too.
        most: how many nodes are returned for each at most, 1 or more.
        key: what the walks follow from, see :func:`random_key`.

    Returns:
        For each node where the nodes that were visited begin, these nodes, and their numbers of visits, the largest
        first; of equal ones the smaller node first.

    Raises:
        ValueError: a node does not exist, or another argument is out of range.
    """
    owner = "visited_neighbors"
    check_same_nodes(adjacency, owner)
    starts, number = checked_ids(nodes, adjacency.rows, owner, "nodes"), checked_integer(steps, 0, owner, "steps")
    chance, size = checked_number(restart, 0, 1, owner, "restart"), checked_integer(most, 1, owner, "most")
    bits = checked_key(key, owner)
    from core.kernels.graphs.visits import visit  # numba loads with the first use

    return visit(adjacency.indptr, adjacency.indices, starts, number, chance, min(size, max(number, 1)), bits)


def renumber(ids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Number ids 0, 1, 2, ... as they first appear: from the ids of a large graph to those of a small part of it.

    Time and memory depend on how many ids are given, not on how large they are.

    Args:
        ids: int32 or int64 (n,), fewer than 2^30.

    Returns:
        The distinct ids in that order, int64 (m,), and the number of each id given, int32 (n,).

    Raises:
        TypeError: ``ids`` is no array.
        ValueError: it is of another type or shape, or too long.
    """
    check_array(ids, "renumber", "ids", IDS, [None])
    if len(ids) >= _MOST_IDS:
        raise ValueError(f"renumber: ids must be fewer than 2^30, not {len(ids)}")
    from core.kernels.graphs.numbering import number  # numba loads with the first use

    return number(np.ascontiguousarray(ids))

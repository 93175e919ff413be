"""Walks along the edges of a graph, one from each of many nodes, and the windows that skip-grams make of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.graphs.adjacency import SMALLEST_WIDE, Adjacency
from core.graphs.checks import IDS, check_array, checked_ids, checked_integer, checked_key, checked_number


def check_same_nodes(adjacency: Adjacency, owner: str) -> None:
    """Check that what edges lead to are rows, so that a walk can go on from there.

    Raises:
        ValueError: there may be nodes that are no rows.
    """
    if adjacency.columns > adjacency.rows:
        raise ValueError(
            f"{owner}: walks need the same nodes at both ends of edges, not {adjacency.rows} rows and"
            f" {adjacency.columns} columns"
        )


def random_walks(adjacency: Adjacency, starts: Any, length: int, key: np.uint64, stop: float = 0.0) -> np.ndarray:
    """Walk from node to node, each time along one of the node's edges, all with the same chance.

    Args:
        adjacency: the edges that are walked along, from rows; the same nodes at both ends.
        starts: integers (n,): where walks begin; a node may occur several times.
        length: how many nodes a walk has at most, the first one included.
        key: what the steps follow from, see :func:`random_key`.
        stop: the probability with which a walk ends before each of its steps.

    Returns:
        int64 (n, length). A walk that comes to a node without edges ends there; behind its last node is -1.

    Raises:
        ValueError: a node does not exist, or another argument is out of range.
    """
    owner = "random_walks"
    check_same_nodes(adjacency, owner)
    nodes, most = checked_ids(starts, adjacency.rows, owner, "starts"), checked_integer(length, 1, owner, "length")
    bits, chance = checked_key(key, owner), checked_number(stop, 0, 1, owner, "stop")
    from core.kernels.graphs.walks import random_walks as walk  # numba loads with the first use

    return walk(adjacency.indptr, adjacency.indices, nodes, most, bits, chance)


def node2vec_walks(
    adjacency: Adjacency, starts: Any, length: int, key: np.uint64, p: float = 1.0, q: float = 1.0
) -> np.ndarray:
    """Walk as node2vec does: the weight of a step depends on the node before.

    It is 1 / p back to the node before, 1 to its neighbours and 1 / q to all other nodes; the probabilities are exact.
    (Grover and Leskovec, "node2vec: Scalable feature learning for networks", 2016, https://arxiv.org/abs/1607.00653)

    Args:
        adjacency: the edges that are walked along, from rows, as :meth:`Adjacency.sorted` returns them; the same nodes
            at both ends. Rows that are not sorted give other probabilities.
        starts: integers (n,): where walks begin; a node may occur several times.
        length: how many nodes a walk has at most, the first one included.
        key: what the steps follow from, see :func:`random_key`.
        p: from 1e-9 to 1e9; a small one leads back.
        q: from 1e-9 to 1e9; a small one leads away.

    Returns:
        int64 (n, length). A walk that comes to a node without edges ends there; behind its last node is -1.

    Raises:
        ValueError: a node does not exist, or another argument is out of range.
    """
    owner = "node2vec_walks"
    check_same_nodes(adjacency, owner)
    nodes, most = checked_ids(starts, adjacency.rows, owner, "starts"), checked_integer(length, 1, owner, "length")
    back, away = (checked_number(value, 1e-9, 1e9, owner, name) for name, value in (("p", p), ("q", q)))
    bits = checked_key(key, owner)
    from core.kernels.graphs.walks import node2vec_walks as walk  # numba loads with the first use

    return walk(adjacency.indptr, adjacency.indices, nodes, most, bits, back, away)


def walk_step(adjacency: Adjacency, nodes: Any, key: np.uint64) -> np.ndarray:
    """Take one step from each node, along one of its edges, all with the same chance.

    Args:
        adjacency: the edges, grouped by where they begin.
        nodes: integers (n,): rows, or -1 for a walk that has ended.
        key: what the steps follow from, see :func:`random_key`.

    Returns:
        int64 (n,): where each step leads; -1 from -1, and from a node without edges.

    Raises:
        ValueError: a node does not exist, or the key is none.
    """
    found, bits = checked_ids(nodes, adjacency.rows, "walk_step", "nodes", least=-1), checked_key(key, "walk_step")
    from core.kernels.graphs.walks import take_steps  # numba loads with the first use

    return take_steps(adjacency.indptr, adjacency.indices, found, bits)


def walk_windows(walks: np.ndarray, radius: int, key: np.uint64) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the windows of walks: for each node of a walk, the nodes near it.

    Each window reaches 1 to ``radius`` places to both sides, drawn evenly, as word2vec's do.

    Args:
        walks: int32 or int64 (n, length): the nodes of each, below 2^31, then negative numbers where it ended early.
        radius: the farthest place that is near, 1 or more.
        key: what the draws follow from, see :func:`random_key`.

    Returns:
        The nodes int32 (windows,), where the nodes near each begin int64 (windows + 1,), and those nodes int32. A node
        that is alone in its walk has no window.

    Raises:
        TypeError: ``walks`` is no array.
        ValueError: it is of another type or shape, or a node or another argument is out of range.
    """
    owner = "walk_windows"
    check_array(walks, owner, "walks", IDS, [None, None])
    if walks.size and int(walks.max()) >= SMALLEST_WIDE:
        raise ValueError(f"{owner}: walks holds the node {int(walks.max())}, and windows hold nodes below 2^31")
    reach, bits = checked_integer(radius, 1, owner, "radius"), checked_key(key, owner)
    from core.kernels.graphs.skip_gram_windows import windows  # numba loads with the first use

    return windows(np.ascontiguousarray(walks), reach, bits)

"""Random walks from given nodes, as arrays: :func:`random_walk`, :func:`node2vec_walk`, :func:`metapath_walk`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

from core.graphs import Adjacency, node2vec_walks, random_key, random_walks, walk_step
from core.graphs.adjacency import check_ids
from PGL.checks import node_ids
from PGL.graph import Graph
from PGL.sampling.arguments import draw_seed, whole_number


def random_walk(graph: Graph, nodes: Any, max_depth: int, *, seed: Optional[int] = None) -> np.ndarray:
    """Walk from each node along outgoing edges, all with the same chance.

    These are the walks of DeepWalk (Perozzi, Al-Rfou and Skiena, 2014, https://arxiv.org/abs/1403.6652).

    Args:
        graph: The graph.
        nodes: Where walks begin; a node may occur several times.
        max_depth: How many nodes a walk has, the first one included.
        seed: What the steps follow from; None: see :func:`PGL.sampling.arguments.draw_seed`.

    Returns:
        int64 of shape [nodes, max_depth]. A walk that comes to a node without outgoing edges ends there; behind its
        last node is -1.

    Raises:
        ValueError: a node does not exist, or ``max_depth`` is below 1.
    """
    owner = "random_walk"
    starts = node_ids(nodes, graph.num_nodes, f"{owner}: node")
    length = whole_number(max_depth, 1, owner, "max_depth")
    return random_walks(graph.outgoing, starts, length, random_key(draw_seed(seed, owner)))


def node2vec_walk(
    graph: Graph,
    nodes: Any,
    max_depth: int,
    p: float = 1.0,
    q: float = 1.0,
    *,
    seed: Optional[int] = None,
    neighbors: Optional[np.ndarray] = None,
) -> np.ndarray:
    """Walk from each node as node2vec does: the weight of a step depends on the node before.

    It is 1 / p back to the node before, 1 to its successors and 1 / q to all other nodes. (Grover and Leskovec,
    "node2vec: Scalable feature learning for networks", 2016, https://arxiv.org/abs/1607.00653)

    Args:
        graph: The graph.
        nodes: Where walks begin; a node may occur several times.
        max_depth: How many nodes a walk has, the first one included.
        p: Positive: a small one leads back.
        q: Positive: a small one leads away.
        seed: What the steps follow from; None: see :func:`PGL.sampling.arguments.draw_seed`.
        neighbors: What :func:`sorted_neighbors` returned for this graph, where there are many calls; None: it is made.

    Returns:
        int64 of shape [nodes, max_depth]. A walk that comes to a node without outgoing edges ends there; behind its
        last node is -1.

    Raises:
        ValueError: a node does not exist, or an argument is out of range.
    """
    owner = "node2vec_walk"
    for name, value in (("p", p), ("q", q)):
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 1e-9 <= value <= 1e9:
            raise ValueError(f"{owner}: {name} must be a number from 1e-9 to 1e9, not {value!r}")
    if p == 1 and q == 1:
        return random_walk(graph, nodes, max_depth, seed=seed)
    starts = node_ids(nodes, graph.num_nodes, f"{owner}: node")
    length = whole_number(max_depth, 1, owner, "max_depth")
    found = sorted_neighbors(graph) if neighbors is None else neighbors
    if found.shape != graph.outgoing.indices.shape:
        raise ValueError(f"{owner}: neighbors has {found.size} ids, and the graph has {graph.num_edges} edges")
    check_ids(found, graph.num_nodes, f"{owner}: neighbors")
    outgoing = Adjacency(graph.outgoing.indptr, found, None, graph.num_nodes)
    return node2vec_walks(outgoing, starts, length, random_key(draw_seed(seed, owner)), p, q)


def sorted_neighbors(graph: Graph) -> np.ndarray:
    """Return the targets of outgoing edges, sorted for each source, as :func:`node2vec_walk` looks them up.

    Args:
        graph: The graph.

    Returns:
        int32 or int64 of shape [edges].
    """
    return graph.outgoing.sorted().indices


def metapath_walk(
    graph: Any, nodes: Any, metapath: Sequence[str], max_depth: int, *, seed: Optional[int] = None
) -> np.ndarray:
    """Walk from each node along edges of given types. (Dong, Chawla and Swami, "metapath2vec", KDD 2017)

    Args:
        graph: A :class:`PGL.HeterGraph`.
        nodes: Where walks begin; a node may occur several times.
        metapath: The edge types of the first step, the second one …, again and again from the first.
        max_depth: How many nodes a walk has, the first one included.
        seed: What the steps follow from; None: see :func:`PGL.sampling.arguments.draw_seed`.

    Returns:
        int64 of shape [nodes, max_depth]. A walk that comes to a node without an edge of the type that is due ends
        there; behind its last node is -1.

    Raises:
        ValueError: a node or an edge type does not exist, or an argument is out of range.
    """
    owner = "metapath_walk"
    starts = node_ids(nodes, graph.num_nodes, f"{owner}: node")
    length = whole_number(max_depth, 1, owner, "max_depth")
    if isinstance(metapath, str) or not len(metapath):
        raise ValueError(f"{owner}: metapath must be a list of edge types, not {metapath!r}")
    types = list(graph.edge_types)
    for kind in metapath:
        if kind not in types:
            raise ValueError(f"{owner}: the graph has no edges of type {kind!r}; it has {', '.join(map(repr, types))}")
    rows: dict[str, Adjacency] = {kind: graph[kind].outgoing for kind in set(metapath)}
    start = draw_seed(seed, owner)
    walks = np.empty((len(starts), length), np.int64)
    walks[:, 0] = starts
    for step in range(1, length):
        outgoing = rows[metapath[(step - 1) % len(metapath)]]
        walks[:, step] = walk_step(outgoing, walks[:, step - 1], random_key(start, step))
    return walks

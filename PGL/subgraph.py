"""A part of a graph, its nodes renumbered."""

from __future__ import annotations

from typing import Any

import numpy as np

from PGL.checks import check_ends, edge_array, node_ids
from PGL.graph import Graph


def subgraph(
    graph: Graph,
    nodes: Any,
    eid: Any = None,
    edges: Any = None,
    with_node_feat: bool = True,
    with_edge_feat: bool = True,
) -> Graph:
    """Return the graph of some nodes; node i of the result is ``nodes[i]``.

    Args:
        graph: the graph, in numpy's arrays.
        nodes: different ids of shape [n].
        eid: the ids of the edges that it has, of shape [m], in their order.
        edges: edges (source, target) of the graph's ids, of shape [m, 2]; with edge features ``eid`` must be given too.
            Without ``eid`` and ``edges`` the result has every edge between two of the nodes, in the order of their ids.
        with_node_feat: whether the features of nodes are taken over.
        with_edge_feat: whether the features of edges are taken over.

    Returns:
        The graph, in numpy's arrays.

    Raises:
        ValueError: the graph is one of Tensors, a node or edge does not exist, a node occurs twice, or an edge leads to
            or from a node that is not in ``nodes``.
    """
    owner = "subgraph"
    if graph.is_tensor():
        raise ValueError(f"{owner}: turn the graph into numpy's arrays with .numpy() first")
    chosen = node_ids(nodes, graph.num_nodes, f"{owner}: node")
    order = np.argsort(chosen, kind="stable")
    ascending = chosen[order]
    twice = np.flatnonzero(ascending[1:] == ascending[:-1])
    if len(twice):
        raise ValueError(f"{owner}: node {ascending[twice[0]]} is given twice")
    ids = None if eid is None else node_ids(eid, graph.num_edges, f"{owner}: edge id")
    if edges is not None:
        ends = edge_array(edges, owner)
        check_ends(ends, graph.num_nodes, graph.num_nodes, owner)
    elif ids is not None:
        ends = graph.edges_at(ids)
    else:
        ids, ends = _inner_edges(graph, chosen, ascending)
    if with_edge_feat and graph.edge_feat and ids is None:
        raise ValueError(f"{owner}: the graph has edge features; give eid, or with_edge_feat=False")
    if ids is not None and len(ids) != len(ends):
        raise ValueError(f"{owner}: {len(ids)} edge ids and {len(ends)} edges do not fit")
    node_feat = {name: value[chosen] for name, value in graph.node_feat.items()} if with_node_feat else None
    edge_feat = {name: value[ids] for name, value in graph.edge_feat.items()} if with_edge_feat else None
    return Graph(_renumbered(ends, ascending, order, owner), len(chosen), node_feat, edge_feat)


def _inner_edges(graph: Graph, chosen: np.ndarray, ascending: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the ids of the edges between nodes, ascending, and the edges."""
    places, counts = graph.outgoing.places(chosen)
    targets = graph.outgoing.indices[places]
    inner = _positions(targets, ascending)[1]
    ids = graph.outgoing.ids(places)[inner]
    ends = np.stack([np.repeat(chosen, counts)[inner], targets[inner]], axis=1)
    order = np.argsort(ids)
    return ids[order], ends[order]


def _positions(ids: np.ndarray, ascending: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return where ids stand among ascending ones, and whether they do."""
    positions = np.searchsorted(ascending, ids)
    if not len(ascending):
        return positions, np.zeros(ids.shape, bool)
    positions = np.minimum(positions, len(ascending) - 1)
    return positions, ascending[positions] == ids


def _renumbered(ends: np.ndarray, ascending: np.ndarray, order: np.ndarray, owner: str) -> np.ndarray:
    """Return edges with the new numbers of their ends."""
    positions, found = _positions(ends, ascending)
    if not found.all():
        place, column = (int(index) for index in np.argwhere(~found)[0])
        raise ValueError(
            f"{owner}: the edge {ends[place].tolist()} has the end {ends[place, column]}, which is not in nodes"
        )
    return order[positions]

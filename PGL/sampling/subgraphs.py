"""Samplers that hand on one smaller graph: GraphSAINT's random walks and PinSAGE's most visited nodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

from core.graphs import random_key, renumber, visited_neighbors
from PGL.checks import node_ids
from PGL.graph import Graph
from PGL.sampling.arguments import draw_seed, fan_outs, whole_number
from PGL.sampling.walk import random_walk
from PGL.subgraph import subgraph


def graph_saint_random_walk_sample(
    graph: Graph, nodes: Any, max_depth: int, *, seed: Optional[int] = None
) -> tuple[Graph, np.ndarray]:
    """Return the graph of all nodes that walks from some nodes visit, with every edge between them.

    (Zeng et al., "GraphSAINT: Graph sampling based inductive learning method", 2020, https://arxiv.org/abs/1907.04931)

    Args:
        graph: The graph.
        nodes: Where walks begin.
        max_depth: How many nodes a walk has, the first one included.
        seed: What the walks follow from; None: see :func:`PGL.sampling.arguments.draw_seed`.

    Returns:
        The graph with its features, and the ids of its nodes in the large one, ascending, int64.

    Raises:
        ValueError: a node does not exist, or ``max_depth`` is below 1.
    """
    walks = random_walk(graph, nodes, max_depth, seed=draw_seed(seed, "graph_saint_random_walk_sample"))
    visited = np.unique(walks[walks >= 0])
    return subgraph(graph, visited), visited


def pinsage_sample(
    graph: Graph,
    nodes: Any,
    samples: Sequence[int],
    top_k: int = 10,
    proba: float = 0.5,
    *,
    seed: Optional[int] = None,
) -> list[tuple[Graph, np.ndarray, np.ndarray]]:
    """Draw the neighbourhood of some nodes, as one graph for each layer: of each node, the nodes it reaches most often.

    A walk against the edges, from targets to sources, returns to its node before each step with the probability
    ``proba``. (Ying et al., "Graph convolutional neural networks for web-scale recommender systems", 2018,
    https://arxiv.org/abs/1806.01973)

    Args:
        graph: The graph.
        nodes: The nodes whose result is wanted.
        samples: How many steps a walk takes for each layer of the network, so the last of them from ``nodes``.
        top_k: How many of the nodes visited become neighbours: those visited most often.
        proba: Probability of returning.
        seed: What the walks follow from; None: see :func:`PGL.sampling.arguments.draw_seed`.

    Returns:
        For each layer: the graph, with its nodes' features and ``edge_feat["weight"]``, float32, the visits that an
        edge stands for as a part of those to all neighbours; the ids of its nodes in the large graph; and the numbers
        of ``nodes`` among them. All graphs have the same nodes.

    Raises:
        ValueError: a node does not exist, or another argument is out of range.
    """
    owner = "pinsage_sample"
    wanted = node_ids(nodes, graph.num_nodes, f"{owner}: node")
    most = whole_number(top_k, 1, owner, "top_k")
    if not 0 <= proba < 1:
        raise ValueError(f"{owner}: proba must be from 0 to below 1, not {proba!r}")
    steps = [whole_number(size, 1, owner, f"samples[{hop}]") for hop, size in enumerate(fan_outs(samples, owner))]
    start = draw_seed(seed, owner)
    incoming = graph.incoming
    known, places = renumber(wanted)
    layers: list[tuple[np.ndarray, np.ndarray]] = []
    for hop, count in enumerate(reversed(steps)):
        found = visited_neighbors(incoming, known, count, proba, most, random_key(start, hop))
        counts = np.diff(found.indptr)
        targets = np.repeat(np.arange(len(known)), counts)
        totals = np.bincount(targets, found.visits, minlength=len(known))
        before = len(known)
        known, numbers = renumber(np.concatenate([known, found.neighbors]))
        layers.insert(0, (np.stack([numbers[before:], targets], axis=1), found.visits / totals[targets]))
    node_feat = {name: np.asarray(values[known]) for name, values in graph.node_feat.items()}
    return [
        (Graph(edges, len(known), node_feat, {"weight": weights.astype(np.float32)}), known, places.astype(np.int64))
        for edges, weights in layers
    ]

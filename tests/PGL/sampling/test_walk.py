"""Walks, negatives and subgraph samplers under pgl's names: values by hand, exact chances, one line for each error."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy

import PGL as pgl
from PGL.sampling import (
    NegativeSampler,
    graph_saint_random_walk_sample,
    metapath_walk,
    node2vec_walk,
    pinsage_sample,
    random_walk,
    sorted_neighbors,
)

GENERATOR = np.random.default_rng(0)
RING = [(n, (n + 1) % 5) for n in range(5)]


def ring() -> pgl.Graph:
    """Nodes 0 to 4 in a ring, 5 that leads into it, and 6 without edges."""
    return pgl.Graph([*RING, (5, 0)], 7, {"x": np.arange(7)}, {"w": np.arange(6)})


def test_a_walk_follows_the_edges_and_ends_where_there_is_none() -> None:
    found = random_walk(ring(), [5, 2, 6, 2], 4, seed=0)
    assert found.tolist() == [[5, 0, 1, 2], [2, 3, 4, 0], [6, -1, -1, -1], [2, 3, 4, 0]]
    assert random_walk(ring(), [], 4).shape == (0, 4)
    assert random_walk(ring(), [3], 1).tolist() == [[3]]


def test_node2vec_walks_have_as_many_nodes_as_others() -> None:
    graph = ring()
    assert node2vec_walk(graph, [5, 6], 4, 0.5, 2.0, seed=0).tolist() == [[5, 0, 1, 2], [6, -1, -1, -1]]
    assert node2vec_walk(graph, [5], 4, seed=3).tolist() == random_walk(graph, [5], 4, seed=3).tolist()


def test_node2vec_steps_back_as_often_as_it_should() -> None:
    graph = pgl.Graph([(0, 1), (1, 0), (1, 2), (1, 3), (0, 2)], 4)
    found = node2vec_walk(graph, np.zeros(20000, int), 3, 0.5, 4.0, seed=0, neighbors=sorted_neighbors(graph))
    third = np.bincount(found[found[:, 1] == 1, 2], minlength=4)
    expected = np.array([2, 0, 1, 0.25]) / 3.25 * third.sum()
    assert third[1] == 0 and scipy.stats.chisquare(third[[0, 2, 3]], expected[[0, 2, 3]]).pvalue > 1e-3


def test_walks_repeat_with_their_seed() -> None:
    graph = pgl.Graph(GENERATOR.integers(0, 50, (600, 2)), 50)
    one, other, third = (random_walk(graph, np.arange(50), 8, seed=seed).tolist() for seed in (1, 1, 2))
    assert one == other != third


def test_metapath_walks_change_between_the_types_of_edges() -> None:
    edges = {"writes": [(0, 3), (1, 3), (2, 4)], "is_written_by": [(3, 0), (4, 2)]}
    graph = pgl.HeterGraph(edges, 6)
    found = metapath_walk(graph, [1, 2, 5, 3], ["writes", "is_written_by"], 4, seed=0)
    assert found.tolist() == [[1, 3, 0, 3], [2, 4, 2, 4], [5, -1, -1, -1], [3, -1, -1, -1]]


def test_saint_keeps_every_edge_between_the_nodes_of_its_walks() -> None:
    graph = pgl.Graph([*RING, (2, 0), (4, 4)], 5, {"x": np.arange(5) * 10}, {"w": np.arange(7)})
    part, nodes = graph_saint_random_walk_sample(pgl.Graph(RING, 5), [0], 3, seed=0)
    assert nodes.tolist() == [0, 1, 2] and part.edges.tolist() == [[0, 1], [1, 2]]
    part, nodes = graph_saint_random_walk_sample(graph, [0, 3], 2, seed=0)
    assert nodes.tolist() == [0, 1, 3, 4]
    assert nodes[part.edges].tolist() == [[0, 1], [3, 4], [4, 0], [4, 4]]
    assert part.edge_feat["w"].tolist() == [0, 3, 4, 6] and part.node_feat["x"].tolist() == [0, 10, 30, 40]


def test_pinsage_weighs_neighbours_by_visits() -> None:
    star = [(0, 1), (2, 1), (1, 0), (1, 2), (3, 2), (2, 3)]  # a chain 0 – 1 – 2 – 3 in both directions
    graph = pgl.Graph(star, 5, {"x": np.arange(5)})
    ((part, nodes, places),) = pinsage_sample(graph, [0, 4], [4000], top_k=2, proba=0.5, seed=0)
    assert nodes[places].tolist() == [0, 4] and nodes.tolist() == [0, 4, 1, 2]
    assert nodes[part.edges].tolist() == [[1, 0], [2, 0]]
    weights = part.edge_feat["weight"]
    # From 1 a step leads to 0 or 2, or after a return to 1; from 2 to 1 or 3, or to 1; from 3 to 2, or to 1. So in the
    # long run visits are v1 = v0 + v1 / 2 + 3 / 4 v2 + v3 / 2, v2 = v1 / 4 + v3 / 2, v3 = v2 / 4: v1 = 3.5 v2.
    np.testing.assert_allclose(weights, [3.5 / 4.5, 1 / 4.5], atol=0.02)
    assert weights.sum() == pytest.approx(1) and part.node_feat["x"].tolist() == nodes.tolist()


def test_negatives_are_even_or_by_degree() -> None:
    found = NegativeSampler(6).sample(np.zeros(3000), 4, seed=0)
    assert found.shape == (3000, 4) and scipy.stats.chisquare(np.bincount(found.ravel(), minlength=6)).pvalue > 1e-3
    degrees = np.array([1, 16, 0, 81])
    counts = np.bincount(NegativeSampler(degrees).sample(range(9000), 4, seed=0).ravel(), minlength=4)
    assert counts[2] == 0
    assert scipy.stats.chisquare(counts[[0, 1, 3]], np.array([1, 8, 27]) * 1000.0).pvalue > 1e-3


def test_negatives_are_no_neighbours() -> None:
    graph = pgl.Graph(GENERATOR.integers(0, 40, (500, 2)), 40)
    sources = np.arange(40)
    found = NegativeSampler(graph.outdegree(), excluded=graph.outgoing).sample(sources, 30, seed=0)
    pairs = set(map(tuple, graph.edges.tolist()))
    assert not any((source, target) in pairs for source in sources.tolist() for target in found[source].tolist())


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: random_walk(ring(), [7], 3), "random_walk: node 7 does not exist: there are 7, numbered from 0"),
        (lambda: random_walk(ring(), [1], 0), "random_walk: max_depth must be a whole number, 1 or more, not 0"),
        (lambda: random_walk(ring(), [1], 2.0), "random_walk: max_depth must be a whole number, 1 or more, not 2.0"),
        (lambda: node2vec_walk(ring(), [1], 3, 0.0), "node2vec_walk: p must be a number from 1e-9 to 1e9, not 0.0"),
        (lambda: node2vec_walk(ring(), [1], 3, 1, float("nan")), "node2vec_walk: q must be a number from 1e-9 to 1e9"),
        (lambda: node2vec_walk(ring(), [1], 3, 2, neighbors=np.arange(3)), "neighbors has 3 ids, and the graph has 6"),
        (lambda: node2vec_walk(ring(), [1], 3, 2, neighbors=np.full(6, 7)), "neighbors holds 7, but there are 7 nodes"),
        (lambda: metapath_walk(pgl.HeterGraph({"a": RING}, 5), [1], ["b"], 3), "has no edges of type 'b'; it has 'a'"),
        (lambda: metapath_walk(pgl.HeterGraph({"a": RING}, 5), [1], "a", 3), "metapath must be a list of edge types"),
        (lambda: pinsage_sample(ring(), [1], [5], proba=1), "pinsage_sample: proba must be from 0 to below 1, not 1"),
        (lambda: pinsage_sample(ring(), [1], [5], top_k=0), "pinsage_sample: top_k must be a whole number, 1 or more"),
        (lambda: pinsage_sample(ring(), [1], [-1]), "pinsage_sample: samples[0] must be a whole number, 1 or more"),
        (lambda: NegativeSampler([1, -1]), "weights must be finite numbers ≥ 0, one for each node, and not all 0"),
        (lambda: NegativeSampler([0, 0]), "weights must be finite numbers ≥ 0, one for each node, and not all 0"),
        (lambda: NegativeSampler(3, excluded=ring().outgoing), "3 weights, but excluded has 7 nodes"),
        (lambda: NegativeSampler(7).sample([1], 0), "NegativeSampler: count must be a whole number, 1 or more, not 0"),
        (
            lambda: NegativeSampler(2, excluded=pgl.Graph([(0, 0), (0, 1)], 2).outgoing).sample([1, 0], 1),
            "every node that could be drawn for source 0 is excluded for it",
        ),
    ],
)
def test_errors(call: Any, message: str) -> None:
    with pytest.raises(ValueError) as caught:
        call()
    assert message in str(caught.value) and "\n" not in str(caught.value)

"""Random walks: the plain definition's own steps, node2vec's exact probabilities, and any number of threads."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest
import scipy

from core.kernels.graphs import adjacency, alias, negatives, visits, walks
from core.kernels.numeric import draws

GENERATOR = np.random.default_rng(0)
KEY = draws.key_of(11)
LIKELY = 1e-3


def graph(nodes: int = 300, edges: int = 2000) -> tuple[np.ndarray, np.ndarray]:
    rows = GENERATOR.integers(0, nodes - 40, edges)  # the last ones have no edges
    indptr, indices, _ = adjacency.compress(rows, GENERATOR.integers(0, nodes, edges).astype(np.int32), nodes)
    return indptr, walks.sort_rows(indptr, indices)


def on_all_threads(function: Any) -> list[Any]:
    before = numba.get_num_threads()
    found = []
    for count in range(1, before + 1):
        numba.set_num_threads(count)
        found.append(function())
    numba.set_num_threads(before)
    return found


def test_steps_follow_the_plain_definition() -> None:
    indptr, indices = graph()
    starts = GENERATOR.integers(0, 300, 900)
    expected = walks.random_walks_reference(indptr, indices, starts, 12, KEY)
    for found in on_all_threads(lambda: walks.random_walks(indptr, indices, starts, 12, KEY)):
        for walk, nodes in zip(found.tolist(), expected):
            assert walk == nodes + [walks.ENDED] * (12 - len(nodes))


def test_every_edge_is_walked_with_the_same_chance() -> None:
    indptr, indices = np.array([0, 5, 5, 5, 5, 5]), np.arange(5)
    found = walks.random_walks(indptr, indices, np.zeros(10000, np.int64), 2, KEY)[:, 1]
    assert scipy.stats.chisquare(np.bincount(found, minlength=5)).pvalue > LIKELY


def test_walks_that_may_stop_have_a_geometric_length() -> None:
    indptr, indices = np.array([0, 2, 4]), np.array([0, 1, 0, 1])
    found = walks.random_walks(indptr, indices, np.zeros(20000, np.int64), 4, KEY, stop=0.25)
    lengths = np.bincount((found >= 0).sum(1), minlength=5)[1:]
    assert scipy.stats.chisquare(lengths, np.array([1 / 4, 3 / 16, 9 / 64, 27 / 64]) * 20000).pvalue > LIKELY


def biased_graph() -> tuple[np.ndarray, np.ndarray]:
    """A directed graph in which node 0 leads to node 1, and that to 0, to common neighbours and to others."""
    edges = [(0, n) for n in (1, 2, 3, 4)] + [(1, n) for n in (0, 2, 3, 3, 5, 6, 7, 8, 9)]
    rows, columns = np.array(edges).T
    indptr, indices, _ = adjacency.compress(rows, columns.astype(np.int32), 10)
    return indptr, walks.sort_rows(indptr, indices)


@pytest.mark.parametrize(
    "p, q", [(0.25, 0.25), (1, 2), (4, 0.25), (0.01, 1), (0.02, 50), (100, 0.01), (1e-6, 1e6), (1e6, 1e-6), (1e6, 1e6)]
)
def test_node2vec_steps_have_the_exact_probabilities(p: float, q: float) -> None:
    indptr, indices = biased_graph()
    found = walks.node2vec_walks(indptr, indices, np.zeros(120000, np.int64), 3, KEY, p, q)
    second = found[found[:, 1] == 1, 2]
    row = indices[indptr[1] : indptr[2]]
    chances = np.bincount(row, walks.node2vec_probabilities(indptr, indices, 0, 1, p, q), minlength=10)
    expected = chances * len(second)
    counts = np.bincount(second, minlength=10)
    often = expected > 5
    np.testing.assert_allclose(counts[~often], expected[~often], atol=16)
    if often.sum() > 1:
        assert (
            scipy.stats.chisquare(counts[often], expected[often] * counts[often].sum() / expected[often].sum()).pvalue
            > LIKELY
        )


def test_node2vec_on_a_random_graph_has_the_exact_probabilities() -> None:
    edges = GENERATOR.integers(0, 12, (60, 2))
    both = np.concatenate([edges, edges[:, ::-1]])
    indptr, indices, _ = adjacency.compress(both[:, 0], both[:, 1], 12)
    indices = walks.sort_rows(indptr, indices)
    found = walks.node2vec_walks(indptr, indices, np.arange(60000) % 12, 6, KEY, 0.5, 3)
    triples = np.concatenate([found[:, i : i + 3] for i in range(4)])
    statistic = freedom = 0.0
    for before, node in np.unique(triples[:, :2], axis=0).tolist():
        third = triples[(triples[:, 0] == before) & (triples[:, 1] == node), 2]
        row = indices[indptr[node] : indptr[node + 1]]
        chances = np.bincount(row, walks.node2vec_probabilities(indptr, indices, before, node, 0.5, 3), minlength=12)
        counts, expected = np.bincount(third, minlength=12), chances * len(third)
        assert not counts[expected == 0].any()
        seen = expected > 0
        statistic += ((counts[seen] - expected[seen]) ** 2 / expected[seen]).sum()
        freedom += seen.sum() - 1
    assert scipy.stats.chi2.sf(statistic, freedom) > LIKELY


def test_node2vec_does_not_depend_on_threads_and_ends_where_there_is_no_edge() -> None:
    indptr, indices = graph()
    starts = GENERATOR.integers(0, 300, 900)
    first, *others = on_all_threads(lambda: walks.node2vec_walks(indptr, indices, starts, 12, KEY, 0.3, 2.0))
    for other in others:
        np.testing.assert_array_equal(first, other)
    degrees = np.diff(indptr)
    for before, after in zip(first[:, :-1].ravel().tolist(), first[:, 1:].ravel().tolist()):
        if before == walks.ENDED or not degrees[before]:
            assert after == walks.ENDED
        else:
            assert after in indices[indptr[before] : indptr[before + 1]]


def test_rows_are_sorted_in_new_memory() -> None:
    indices = np.array([5, 1, 3, 2, 9], np.int32)
    assert walks.sort_rows(np.array([0, 3, 3, 5]), indices).tolist() == [1, 3, 5, 2, 9]
    assert indices.tolist() == [5, 1, 3, 2, 9]


def test_visits_follow_the_plain_definition() -> None:
    indptr, indices = graph(nodes=60, edges=200)
    nodes = np.arange(60)
    for found in on_all_threads(lambda: visits.visit(indptr, indices, nodes, 50, 0.5, 4, KEY)):
        for i in range(60):
            expected = visits.visit_reference(indptr, indices, i, i, 50, 0.5, 4, int(KEY))
            part = slice(found.indptr[i], found.indptr[i + 1])
            assert list(zip(found.neighbors[part].tolist(), found.visits[part].tolist())) == expected


@pytest.mark.parametrize("excluded", [[1], [0, 1, 2, 3, 5]])
def test_negatives_have_their_chances_among_those_not_excluded(excluded: list[int]) -> None:
    weights = np.array([1000, 2000, 500, 800, 1, 700, 0, 2.0])
    tables = alias.alias_tables(weights)
    indptr, indices = np.array([0, len(excluded)]), np.array(excluded)
    sources = np.zeros(3000, np.int64)
    first, *others = on_all_threads(lambda: negatives.draw_negatives(indptr, indices, sources, 5, weights, tables, KEY))
    for other in others:
        np.testing.assert_array_equal(first, other)
    chances = weights.copy()
    chances[excluded] = 0
    counts, expected = np.bincount(first.ravel(), minlength=8), chances / chances.sum() * 15000
    assert not counts[expected == 0].any()
    often = expected > 5
    scaled = expected[often] / expected[often].sum() * counts[often].sum()
    assert scipy.stats.chisquare(counts[often], scaled).pvalue > LIKELY


def test_negatives_say_where_there_is_none() -> None:
    weights = np.array([1.0, 0, 1])
    found = negatives.draw_negatives(
        np.array([0, 2]), np.array([0, 2]), np.zeros(1, np.int64), 2, weights, alias.alias_tables(weights), KEY
    )
    assert found.tolist() == [[negatives.NONE, negatives.NONE]]

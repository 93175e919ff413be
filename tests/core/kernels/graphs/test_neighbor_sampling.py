"""Drawing neighbours: the plain definition's own draws, exact distributions, and any number of threads."""

from __future__ import annotations

import itertools
from typing import Any

import numba
import numpy as np
import pytest
import scipy

from core.kernels.graphs import adjacency, alias, neighbor_sampling, numbering
from core.kernels.numeric import draws

GENERATOR = np.random.default_rng(0)
KEY = draws.key_of(7, 1)
LIKELY = 1e-3
"""A right sampler fails a test on fixed seeds with this chance once, when the seed is chosen."""


def graph(nodes: int = 400, edges: int = 9000) -> tuple[np.ndarray, np.ndarray]:
    rows = np.minimum(GENERATOR.geometric(0.01, edges) - 1, nodes - 2)  # some have many, many have none
    indptr, indices, _ = adjacency.compress(rows, GENERATOR.integers(0, nodes, edges).astype(np.int32), nodes)
    return indptr, indices


def on_threads(count: int, function: Any) -> Any:
    before = numba.get_num_threads()
    if count > before:
        pytest.skip("one thread only")
    numba.set_num_threads(count)
    try:
        return function()
    finally:
        numba.set_num_threads(before)


def test_draws_are_the_definition() -> None:
    places = [0, 1, 5, 2**31, 2**40]
    keys = [0, 1, 2**64 - 1, int(draws.key_of(3, 4, 5))]
    for key, place in itertools.product(keys, places):
        assert int(draws.mixed(np.uint64(key), place)) == draws.mixed_reference(key, place)
        bits = draws.mixed_reference(key, place)
        assert draws.below(np.uint64(bits), 10**6) == draws.below_reference(bits, 10**6)


def test_splitmix_gives_the_published_numbers() -> None:
    state = 1234567  # the first numbers of the generator's reference implementation with this seed
    published = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431]
    assert [draws.mixed_reference(state, place) for place in range(4)] == published


def test_units_are_even() -> None:
    numbers = np.array([draws.unit(np.uint64(draws.mixed(KEY, place))) for place in range(20000)])
    assert scipy.stats.kstest(numbers, "uniform").pvalue > LIKELY


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("replace", [False, True])
@pytest.mark.parametrize("fanout", [-1, 0, 1, 25])
def test_draws_follow_the_plain_definition(fanout: int, replace: bool, count: int) -> None:
    indptr, indices = graph()
    nodes = GENERATOR.integers(0, 400, 1500 if replace else 300)  # many, on all threads, and few
    found = on_threads(count, lambda: neighbor_sampling.sample_neighbors(indptr, indices, nodes, fanout, KEY, replace))
    expected = neighbor_sampling.sample_neighbors_reference(indptr, nodes, fanout, KEY, replace)
    assert np.diff(found.indptr).tolist() == [len(places) for places in expected]
    assert found.places.tolist() == [place for places in expected for place in places]
    np.testing.assert_array_equal(found.neighbors, indices[found.places])


def test_every_set_is_drawn_with_the_same_chance_without_replacement() -> None:
    indptr, indices = np.array([0, 6]), np.arange(6)
    nodes = np.zeros(30000, np.int64)
    found = neighbor_sampling.sample_neighbors(indptr, indices, nodes, 3, KEY).places.reshape(-1, 3)
    sets = list(itertools.combinations(range(6), 3))
    places = {some: number for number, some in enumerate(sets)}
    counts = np.bincount([places[tuple(sorted(some))] for some in found.tolist()], minlength=20)
    assert scipy.stats.chisquare(counts).pvalue > LIKELY


def test_every_edge_is_drawn_with_the_same_chance_with_replacement() -> None:
    indptr, indices = np.array([0, 7]), np.arange(7)
    found = neighbor_sampling.sample_neighbors(indptr, indices, np.zeros(5000, np.int64), 5, KEY, True)
    assert scipy.stats.chisquare(np.bincount(found.places, minlength=7)).pvalue > LIKELY


def test_weights_without_replacement_draw_one_after_another() -> None:
    weights = np.array([1, 0, 4, 2, 3], np.float32)
    indptr, indices = np.array([0, 5]), np.arange(5)
    nodes = np.zeros(40000, np.int64)
    found = neighbor_sampling.sample_neighbors(indptr, indices, nodes, 2, KEY, weights=weights).places.reshape(-1, 2)
    pairs = [(i, j) for i in (0, 2, 3, 4) for j in (0, 2, 3, 4) if i != j]
    total = float(weights.sum())
    chances = np.array([float(weights[i]) / total * float(weights[j]) / (total - float(weights[i])) for i, j in pairs])
    places = {pair: number for number, pair in enumerate(pairs)}
    counts = np.bincount([places[tuple(some)] for some in found.tolist()], minlength=len(pairs))
    assert scipy.stats.chisquare(counts, chances / chances.sum() * float(len(found))).pvalue > LIKELY


def test_edges_without_weight_are_never_drawn() -> None:
    weights = np.array([0, 2, 0, 0, 0, 1], np.float32)
    indptr, indices, nodes = np.array([0, 3, 5, 6, 6]), np.arange(6), np.array([0, 1, 2, 3])
    found = neighbor_sampling.sample_neighbors(indptr, indices, nodes, 2, KEY, weights=weights)
    assert (found.indptr.tolist(), found.places.tolist()) == ([0, 1, 1, 2, 2], [1, 5])
    tables = alias.alias_tables(weights, indptr)
    again = neighbor_sampling.sample_neighbors(indptr, indices, nodes, 2, KEY, True, tables)
    assert (again.indptr.tolist(), again.places.tolist()) == ([0, 2, 2, 4, 4], [1, 1, 5, 5])


def test_weights_with_replacement() -> None:
    weights = np.array([5, 1, 0, 4, 2, 3], np.float32)
    indptr, indices = np.array([0, 1, 6]), np.arange(6)
    tables = alias.alias_tables(weights, indptr)
    nodes = np.ones(6000, np.int64)
    found = neighbor_sampling.sample_neighbors(indptr, indices, nodes, 4, KEY, True, tables)
    counts = np.bincount(found.places, minlength=6)
    assert counts[0] == counts[2] == 0
    kept = [1, 3, 4, 5]
    assert scipy.stats.chisquare(counts[kept], weights[kept] * 2400.0).pvalue > LIKELY


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_alias_tables_hold_the_probabilities(size: int) -> None:
    weights = GENERATOR.random(size) ** 4 + (np.arange(size) == 0)
    found = alias.alias_probabilities(alias.alias_tables(weights))
    np.testing.assert_allclose(found, weights / weights.sum(), atol=1e-7)


def test_draws_from_an_alias_table() -> None:
    weights = np.array([3, 0, 1, 6.0])
    found = np.bincount(alias.draw_alias(alias.alias_tables(weights), 20000, KEY), minlength=4)
    assert found[1] == 0
    assert scipy.stats.chisquare(found[[0, 2, 3]], np.array([0.3, 0.1, 0.6]) * 20000).pvalue > LIKELY


@pytest.mark.parametrize("dtype", ["int32", "int64"])
@pytest.mark.parametrize("count, most", [(0, 1), (1, 1), (500, 40), (500, 2**31 - 1)])
def test_ids_are_numbered_as_they_appear(dtype: str, count: int, most: int) -> None:
    ids = GENERATOR.integers(0, most, count).astype(dtype)
    for found, expected in zip(numbering.number(ids), numbering.number_reference(ids)):
        np.testing.assert_array_equal(found, expected)
        assert found.dtype == expected.dtype

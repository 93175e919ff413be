"""Graphs tiled to any size: copies of a small one's edges, any part made again, one line for each wrong argument."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from core.graphs import Adjacency, TiledGraph, random_key, tile_rows
from tests.core.graphs import plain
from tests.core.graphs.samples import SMALL, edges_of, small_graph


@pytest.mark.parametrize("nodes, edges", [(50, 200), (503, 7001), (1000, 100), (1000, 0)])
def test_edges_are_copies_of_the_small_graphs(nodes: int, edges: int) -> None:
    small = small_graph()
    stream = TiledGraph(small, nodes, edges, seed=3)
    pairs = edges_of(stream)
    assert pairs.shape == (edges, 2) and (pairs >= 0).all() and (pairs < nodes).all()
    assert (np.diff(pairs[:, 0]) >= 0).all()
    known = set(map(tuple, small.edges(0).tolist()))
    assert all(tuple(pair) in known for pair in stream.origins(pairs).tolist())
    wanted = np.tile(small.degrees(), -(-nodes // SMALL))[:nodes]
    degrees = np.bincount(pairs[:, 0], minlength=nodes)
    assert np.abs(degrees - wanted * edges / wanted.sum()).max() < 1 + 1e-9
    np.testing.assert_array_equal(edges_of(TiledGraph(small, nodes, edges, seed=3)), pairs)


def test_any_part_can_be_made_again() -> None:
    stream = TiledGraph(small_graph(), 503, 7001)
    pairs = edges_of(stream)
    for first, last in ((0, 503), (17, 18), (100, 260), (9, 9)):
        part = np.stack(stream.edges_of(first, last), axis=1)
        np.testing.assert_array_equal(part, pairs[(pairs[:, 0] >= first) & (pairs[:, 0] < last)])


def test_a_graph_of_its_own_size_that_is_not_rewired_is_itself() -> None:
    small = small_graph()
    np.testing.assert_array_equal(edges_of(TiledGraph(small, SMALL, 200, rewired=0)), small.edges(0))
    rewired = edges_of(TiledGraph(small, 10 * SMALL, 2000, rewired=1))
    assert abs((rewired[:, 0] // SMALL == rewired[:, 1] // SMALL).mean() - 0.1) < 0.03
    half = edges_of(TiledGraph(small, 10 * SMALL, 2000, rewired=0.5))
    assert abs((half[:, 0] // SMALL == half[:, 1] // SMALL).mean() - 0.55) < 0.04


@pytest.mark.parametrize(
    "arguments, message",
    [
        ((40, 100), "40 nodes and 100 edges cannot be had by tiling 50 nodes"),
        ((100, -1), "100 nodes and -1 edges cannot be had by tiling 50 nodes"),
        ((2**40, 2**40), "edges on 1099511627776 nodes are too many to count with 64 bits"),
        ((100, 100, 1.5), "rewired must be from 0 to 1, not 1.5"),
    ],
)
def test_errors_of_the_generator(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(ValueError, match="^TiledGraph: ") as caught:
        TiledGraph(small_graph(), *arguments)
    assert message in str(caught.value)


def test_the_small_graph_must_have_edges() -> None:
    none = Adjacency.from_edges(np.empty(0, int), np.empty(0, int), 3, 3)
    with pytest.raises(ValueError, match="the small graph must have edges, and the same nodes at both of their ends"):
        TiledGraph(none, 10, 10)


@pytest.mark.parametrize("nodes", [(-1, 3), (3, 2), (0, 101), (101, 101)])
def test_only_nodes_of_the_graph_have_edges(nodes: tuple[int, int]) -> None:
    stream = TiledGraph(small_graph(), 100, 300)
    with pytest.raises(ValueError, match=f"^TiledGraph: nodes {nodes[0]} to {nodes[1]} are not of the 100$"):
        stream.edges_of(*nodes)


def test_features_are_the_small_nodes_and_noise() -> None:
    table, key = np.array([[1.0, 2.0], [-4.0, 0.5], [0.0, 8.0]], np.float32), random_key(9)
    found = tile_rows(table, 0.25, key, 5, 7)
    noise = [[plain.unit(plain.bits(plain.bits(int(key), node), k)) for k in range(2)] for node in range(5, 12)]
    expected = table[np.arange(5, 12) % 3] + 0.25 * (2 * np.array(noise) - 1)
    np.testing.assert_allclose(found, expected, atol=1e-6)
    assert found.dtype == np.float32 and tile_rows(table, 0, key, 0, 3).tolist() == table.tolist()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((np.ones((2, 2)), 0, 0, 0, 1), "table must be float32 of shape [any, any], not float64 of shape [2, 2]"),
        ((np.ones((0, 2), np.float32), 0, 0, 0, 1), "table must have a row for each small node, not none"),
        ((np.ones((1, 2), np.float32), 0, 0, -1, 1), "first must be an integer from 0 to below 2^63, not -1"),
        ((np.ones((1, 2), np.float32), 0, 0, 0, 0.5), "count must be an integer from 0 to below 2^63, not 0.5"),
    ],
)
def test_wrong_features_are_one_line(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(ValueError) as caught:
        tile_rows(*arguments)
    assert str(caught.value) == f"tile_rows: {message}"

"""Drawn and visited neighbours and new numbers against plain Python, and one line for each wrong argument."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from core.graphs import Adjacency, alias_tables, random_key, renumber, sample_neighbors, visited_neighbors
from tests.core.graphs import plain
from tests.core.graphs.samples import ROWS, graph

KEY = random_key(11)
NODES = [2, 0, 3, 0, 4]


def lists(found: Any) -> list[list[int]]:
    return [part.tolist() for part in np.split(found.neighbors, found.indptr[1:-1])]


def test_all_neighbours_are_those_of_the_rows() -> None:
    found = sample_neighbors(graph(ROWS), NODES, -1, KEY)
    assert lists(found) == [ROWS[node] for node in NODES]
    assert found.indptr.dtype == found.places.dtype == np.int64 and found.neighbors.dtype == np.int32
    assert found.places.tolist() == [6, 7, 8, 0, 1, 2, 3, 0, 1, 2, 3, 9]


@pytest.mark.parametrize("dtype", [np.int8, np.uint32, np.int64, np.uint64])
def test_drawing_again_follows_the_key(dtype: Any) -> None:
    expected = []
    for place, node in enumerate(NODES):
        row = plain.bits(int(KEY), place)
        draws = 3 if ROWS[node] else 0
        expected.append([ROWS[node][plain.below(plain.bits(row, j), len(ROWS[node]))] for j in range(draws)])
    assert lists(sample_neighbors(graph(ROWS), np.array(NODES, dtype), 3, KEY, replace=True)) == expected


def test_each_edge_is_drawn_once_and_none_of_weight_0() -> None:
    adjacency = graph(ROWS)
    plainly = sample_neighbors(adjacency, NODES, 2, KEY)
    for node, places in zip(NODES, np.split(plainly.places, plainly.indptr[1:-1])):
        assert len(set(places)) == len(places) == min(2, len(ROWS[node]))
        assert (adjacency.indptr[node] <= places).all() and (places < adjacency.indptr[node + 1]).all()
    weights = np.array([0, 2, 0, 1, 1, 1, 0, 0, 3, 0], np.float32)
    assert [sorted(row) for row in lists(sample_neighbors(adjacency, range(5), 3, KEY, weights=weights))] == [
        [2, 4], [0, 2], [4], [], [],
    ]  # fmt: skip
    tables = alias_tables(weights, adjacency.indptr)
    rows = lists(sample_neighbors(adjacency, range(5), 30, KEY, replace=True, weights=tables))
    assert [sorted(set(row)) for row in rows] == [[2, 4], [0, 2], [4], [], []] and len(rows[0]) == 30


@pytest.mark.parametrize(("restart", "steps", "most"), [(0.0, 6, 2), (0.4, 40, 3), (1.0, 9, 1), (0.5, 0, 4)])
def test_the_most_visited_are_counted(restart: float, steps: int, most: int) -> None:
    found = visited_neighbors(graph(ROWS), NODES, steps, restart, most, KEY)
    expected, times = [], []
    for place, start in enumerate(NODES):
        counts: dict[int, int] = {}
        key, node = plain.bits(int(KEY), place), start
        for step in range(steps):
            drawn = plain.bits(key, step)
            if plain.unit(plain.bits(drawn, 0)) < restart or not ROWS[node]:
                node = start
            if not ROWS[node]:
                break
            node = ROWS[node][plain.below(drawn, len(ROWS[node]))]
            if node != start:
                counts[node] = counts.get(node, 0) + 1
        order = sorted(counts, key=lambda node: (-counts[node], node))[:most]
        expected.append(order)
        times += [counts[node] for node in order]
    assert lists(found) == expected and found.visits.tolist() == times


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_ids_are_numbered_as_they_appear(dtype: Any) -> None:
    distinct, numbers = renumber(np.array([7, -3, 7, 2**31 - 1, -3, 0], dtype))
    assert distinct.tolist() == [7, -3, 2**31 - 1, 0] and distinct.dtype == np.int64
    assert numbers.tolist() == [0, 1, 0, 2, 1, 3] and numbers.dtype == np.int32
    assert renumber(np.arange(8, dtype=dtype)[::2])[0].tolist() == [0, 2, 4, 6]
    assert [part.shape for part in renumber(np.empty(0, dtype))] == [(0,), (0,)]


GRAPH, EDGES = graph(ROWS), 10


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: sample_neighbors(GRAPH, [5], 1, KEY),
            "sample_neighbors: nodes holds 5, which is not from 0 to below 5",
        ),
        (
            lambda: sample_neighbors(GRAPH, np.array([2**63], np.uint64), 1, KEY),
            f"sample_neighbors: nodes holds {2**63}, which is not from 0 to below 5",
        ),
        (
            lambda: sample_neighbors(GRAPH, [0.0], 1, KEY),
            "sample_neighbors: nodes must be integers of one axis, not float64 of shape [1]",
        ),
        (
            lambda: sample_neighbors(GRAPH, [[0]], 1, KEY),
            "sample_neighbors: nodes must be integers of one axis, not int64 of shape [1, 1]",
        ),
        (
            lambda: sample_neighbors(GRAPH, [0], -2, KEY),
            "sample_neighbors: fanout must be an integer from -1 to below 2^63, not -2",
        ),
        (
            lambda: sample_neighbors(GRAPH, [0], 1, 0.5),
            "sample_neighbors: key must be an integer from 0 to 2^64 - 1, as random_key returns it, not 0.5",
        ),
        (
            lambda: sample_neighbors(GRAPH, [0], 1, KEY, weights=np.ones(9, np.float32)),
            "sample_neighbors: weights must be float32 of shape [10], not float32 of shape [9]",
        ),
        (
            lambda: sample_neighbors(GRAPH, [0], 1, KEY, weights=np.ones(EDGES)),
            "sample_neighbors: weights must be float32 of shape [10], not float64 of shape [10]",
        ),
        (
            lambda: sample_neighbors(GRAPH, [0], 1, KEY, True, np.ones(EDGES, np.float32)),
            "sample_neighbors: weights must be what alias_tables returns, not ndarray",
        ),
        (
            lambda: visited_neighbors(graph([[0, 1]], 2), [0], 1, 0.5, 1, KEY),
            "visited_neighbors: walks need the same nodes at both ends of edges, not 1 rows and 2 columns",
        ),
        (
            lambda: visited_neighbors(GRAPH, [0], 1, float("nan"), 1, KEY),
            "visited_neighbors: restart must be a number from 0 to 1, not nan",
        ),
        (
            lambda: visited_neighbors(GRAPH, [0], 1, 0.5, 0, KEY),
            "visited_neighbors: most must be an integer from 1 to below 2^63, not 0",
        ),
        (lambda: renumber([1]), "renumber: ids must be a NumPy array, not list"),
        (
            lambda: renumber(np.array([1.0])),
            "renumber: ids must be int32 or int64 of shape [any], not float64 of shape [1]",
        ),
    ],
)
def test_wrong_arguments_are_one_line(call: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError)) as caught:
        call()
    assert str(caught.value) == message


def test_too_many_ids_to_number_are_refused() -> None:
    many = np.lib.stride_tricks.as_strided(np.zeros(1, np.int64), (2**30,), (0,))
    with pytest.raises(ValueError, match="renumber: ids must be fewer than 2\\^30, not 1073741824"):
        renumber(many)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        (([0, 1], [0], None), "Adjacency: indptr must be a NumPy array, not list"),
        (
            (np.array([0, 1], np.int32), np.array([0]), None),
            "Adjacency: indptr must be int64 of shape [any], not int32 of shape [2]",
        ),
        (
            (np.empty(0, np.int64), np.array([0]), None),
            "Adjacency: indptr must begin with 0: it has one number more than there are rows, not none",
        ),
        (
            (np.array([0, 1]), np.array([0.0]), None),
            "Adjacency: indices must be int32 or int64 of shape [any], not float64 of shape [1]",
        ),
        (
            (np.array([0, 1]), np.array([0]), np.array([0, 1])),
            "Adjacency: edge_ids must be int32 or int64 of shape [1], not int64 of shape [2]",
        ),
    ],
)
def test_arrays_of_other_types_are_no_adjacency(arrays: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError)) as caught:
        Adjacency(*arrays, 1)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("indptr", "indices", "edge_ids", "message"),
    [
        ([0, 2], [0], None, "Adjacency: indptr must rise from 0 to 1, the number of edges"),
        ([0, 2, 1], [0], None, "Adjacency: indptr must rise from 0 to 1, the number of edges"),
        ([0, 1], [3], None, "Adjacency: indices holds 3, but there are 3 nodes, numbered from 0"),
        ([0, 1], [0], [1], "Adjacency: edge_ids holds 1, but there are 1 edges"),
    ],
)
def test_a_check_reads_every_number(indptr: Any, indices: Any, edge_ids: Any, message: str) -> None:
    ids = None if edge_ids is None else np.array(edge_ids)
    with pytest.raises(ValueError) as caught:
        Adjacency(np.array(indptr), np.array(indices), ids, 3).check()
    assert str(caught.value) == message
    graph(ROWS).check()

"""Compressed rows against plain Python."""

from __future__ import annotations

import numpy as np
import pytest

from core.graphs import Adjacency

ROWS, COLUMNS = np.array([3, 0, 3, 1, 0, 3]), np.array([2, 2, 0, 1, 2, 2])


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int32, np.int64, np.uint64])
def test_edges_are_grouped_and_keep_their_order(dtype):
    adjacency = Adjacency.from_edges(ROWS.astype(dtype), COLUMNS.astype(dtype), 5, 3)
    assert adjacency.indptr.tolist() == [0, 2, 3, 3, 6, 6] and adjacency.indptr.dtype == np.int64
    assert adjacency.indices.tolist() == [2, 2, 1, 2, 0, 2] and adjacency.indices.dtype == np.int32
    assert adjacency.edge_ids.tolist() == [1, 4, 3, 0, 2, 5] and adjacency.edge_ids.dtype == np.int32
    assert (adjacency.rows, adjacency.columns, adjacency.num_edges) == (5, 3, 6)
    assert adjacency.degrees().tolist() == [2, 1, 0, 3, 0]
    assert adjacency.degrees(np.array([3, 3, 2])).tolist() == [3, 3, 0]
    assert adjacency.neighbors(3).tolist() == [2, 0, 2]


def test_places_and_ids_of_rows():
    adjacency = Adjacency.from_edges(ROWS, COLUMNS, 5, 3)
    places, counts = adjacency.places(np.array([3, 2, 0]))
    assert places.tolist() == [3, 4, 5, 0, 1] and counts.tolist() == [3, 0, 2]
    assert adjacency.ids(places).tolist() == [0, 2, 5, 1, 4]
    everything, counts = adjacency.places()
    assert adjacency.indices[everything].tolist() == [2, 2, 1, 2, 0, 2] and counts.tolist() == [2, 1, 0, 3, 0]


def test_without_edge_ids_an_edges_place_is_its_id():
    adjacency = Adjacency.from_edges(ROWS, COLUMNS, 5, 3, keep_edge_ids=False)
    assert adjacency.edge_ids is None
    assert adjacency.ids().tolist() == [0, 1, 2, 3, 4, 5] and adjacency.ids(np.array([4, 2])).tolist() == [4, 2]
    assert adjacency.edges(0).tolist() == [[0, 2], [0, 2], [1, 1], [3, 2], [3, 0], [3, 2]]
    assert adjacency.edges(1, np.array([5, 2, 0])).tolist() == [[2, 3], [1, 1], [2, 0]]


def test_transposed_edges_keep_their_ids():
    adjacency = Adjacency.from_edges(ROWS, COLUMNS, 5, 3, keep_edge_ids=False).transposed()
    assert adjacency.indptr.tolist() == [0, 1, 2, 6] and (adjacency.rows, adjacency.columns) == (3, 5)
    assert adjacency.indices.tolist() == [3, 1, 0, 0, 3, 3] and adjacency.edge_ids.tolist() == [4, 2, 0, 1, 3, 5]


def test_edges_come_back_in_the_order_of_their_ids():
    adjacency = Adjacency.from_edges(ROWS, COLUMNS, 5, 3)
    assert adjacency.edges(0).tolist() == np.stack([ROWS, COLUMNS], 1).tolist()
    assert adjacency.edges(1).tolist() == np.stack([COLUMNS, ROWS], 1).tolist()


def test_many_edges_against_a_stable_sort():
    draw = np.random.default_rng(1)
    rows, columns = draw.integers(0, 1000, 200_000), draw.integers(0, 700, 200_000)
    adjacency = Adjacency.from_edges(rows, columns, 1000, 700)
    order = np.argsort(rows, kind="stable")
    np.testing.assert_array_equal(adjacency.edge_ids, order)
    np.testing.assert_array_equal(adjacency.indices, columns[order])
    np.testing.assert_array_equal(adjacency.degrees(), np.bincount(rows, minlength=1000))


def test_no_edges_and_no_nodes():
    nothing = np.empty(0, np.int64)
    assert Adjacency.from_edges(nothing, nothing, 3, 2).indptr.tolist() == [0, 0, 0, 0]
    empty = Adjacency.from_edges(nothing, nothing, 0, 0)
    assert empty.indptr.tolist() == [0] and empty.edges(0).shape == (0, 2)
    assert empty.places(nothing)[0].tolist() == []


def test_ids_beyond_32_bits_are_int64():
    far = 2**31 + 5
    adjacency = Adjacency.from_edges(np.array([1, 0]), np.array([far, 3]), 2, far + 1)
    assert adjacency.indices.dtype == np.int64 and adjacency.indices.tolist() == [3, far]
    assert Adjacency.from_edges(np.array([0]), np.array([2**31 - 1]), 1, 2**31).indices.dtype == np.int32


def test_an_id_that_occurs_twice_is_reported():
    adjacency = Adjacency(np.array([0, 2]), np.array([0, 0]), np.array([1, 1]), 1)
    with pytest.raises(ValueError, match="no edge has the id 0, and another id occurs twice"):
        adjacency.edges(0)


@pytest.mark.parametrize(
    ("rows", "columns", "message"),
    [
        ([0, 5], [0, 0], "row_ids holds 5, but there are 5 nodes, numbered from 0"),
        ([0, 1], [0, -1], "column_ids holds -1, but there are 3 nodes, numbered from 0"),
        ([0.0], [0], r"row_ids must be integers of one axis, not float64 of shape \(1,\)"),
        ([[0]], [0], r"row_ids must be integers of one axis, not int64 of shape \(1, 1\)"),
        ([0], [0, 1], r"\(1,\) row_ids and \(2,\) column_ids do not fit"),
    ],
)
def test_wrong_ids_are_refused(rows, columns, message):
    with pytest.raises(ValueError, match=message):
        Adjacency.from_edges(np.array(rows), np.array(columns), 5, 3)

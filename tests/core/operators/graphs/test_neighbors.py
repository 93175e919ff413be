"""Sampling neighbours and numbering nodes anew, against hand computation."""

from __future__ import annotations

import numpy as np
import pytest

import core
from core import geometric
from core.kernels.dispatch.errors import OperatorError, OperatorIndexError, OperatorTypeError

ROW = core.to_tensor([3, 7, 0, 9, 1, 4, 2, 9, 3, 9, 1, 9, 7])
STARTS = core.to_tensor([0, 2, 4, 5, 6, 7, 9, 11, 11, 13, 13])
NODES = core.to_tensor([0, 8, 1, 2])
NUMBERS = core.arange(100, 113)


def test_all_neighbors_come_in_order() -> None:
    for size in (-1, 2):
        found, counts, edges = geometric.sample_neighbors(ROW, STARTS, NODES, size, NUMBERS, True)
        assert found.tolist() == [3, 7, 9, 7, 0, 9, 1] and counts.tolist() == [2, 2, 2, 1]
        assert edges.tolist() == [100, 101, 111, 112, 102, 103, 104]
        assert found.dtype == core.int64 and counts.dtype == core.int32
    assert len(geometric.sample_neighbors(ROW, STARTS, NODES)) == 2
    found, counts = geometric.sample_neighbors(ROW, STARTS, core.to_tensor([7, 9]), 3)
    assert found.shape == [0] and counts.tolist() == [0, 0]


def test_draws_are_even_without_repetition_and_follow_the_seed() -> None:
    row, starts, node = core.arange(6), core.to_tensor([0, 6]), core.to_tensor([0])
    core.seed(2)
    draws = [geometric.sample_neighbors(row, starts, node, 3)[0].numpy() for _ in range(600)]
    assert all(len(set(draw)) == 3 for draw in draws)
    np.testing.assert_allclose(np.bincount(np.concatenate(draws)) / 600, 0.5, atol=0.08)
    core.seed(2)
    np.testing.assert_array_equal(geometric.sample_neighbors(row, starts, node, 3)[0].numpy(), draws[0])


def test_weights_are_chances() -> None:
    row, starts, node = core.arange(3), core.to_tensor([0, 3]), core.to_tensor([0])
    weights = core.to_tensor([0.0, 1.0, 3.0])
    core.seed(2)
    draws = [geometric.weighted_sample_neighbors(row, starts, weights, node, 1)[0].item() for _ in range(600)]
    np.testing.assert_allclose(np.bincount(draws, minlength=3) / 600, [0, 0.25, 0.75], atol=0.06)
    found, _, edges = geometric.weighted_sample_neighbors(row, starts, weights, node, -1, row + 5, True)
    assert found.tolist() == [0, 1, 2] and edges.tolist() == [5, 6, 7]


def test_nodes_are_numbered_as_they_appear() -> None:
    x, neighbors = core.to_tensor([0, 1, 2]), core.to_tensor([8, 9, 0, 4, 7, 6, 7])
    counts = core.to_tensor([2, 3, 2], dtype="int32")
    source, target, order = geometric.reindex_graph(x, neighbors, counts)
    assert source.tolist() == [3, 4, 0, 5, 6, 7, 6] and target.tolist() == [0, 0, 1, 1, 1, 2, 2]
    assert order.tolist() == [0, 1, 2, 8, 9, 4, 7, 6] and source.dtype == target.dtype == order.dtype == core.int64
    others, numbers = core.to_tensor([0, 2, 3, 5, 1]), core.to_tensor([1, 3, 1], dtype="int32")
    source, target, order = geometric.reindex_heter_graph(x, [neighbors, others], [counts, numbers])
    assert source.tolist() == [3, 4, 0, 5, 6, 7, 6, 0, 2, 8, 9, 1]
    assert target.tolist() == [0, 0, 1, 1, 1, 2, 2, 0, 1, 1, 1, 2]
    assert order.tolist() == [0, 1, 2, 8, 9, 4, 7, 6, 3, 5]


def test_messages() -> None:
    with pytest.raises(OperatorIndexError, match=r"sample_neighbors: input_nodes 10 is outside an axis of size 10"):
        geometric.sample_neighbors(ROW, STARTS, core.to_tensor([10]))
    with pytest.raises(OperatorError, match="return_eids needs eids"):
        geometric.sample_neighbors(ROW, STARTS, NODES, return_eids=True)
    with pytest.raises(OperatorError, match=r"eids has one number for each of 13 edges, got \[2\]"):
        geometric.sample_neighbors(ROW, STARTS, NODES, eids=NUMBERS[:2])
    with pytest.raises(OperatorError, match="are 1-D, colptr not empty"):
        geometric.sample_neighbors(ROW.unsqueeze(0), STARTS, NODES)
    with pytest.raises(OperatorError, match="colptr must rise from 0 to at most 13, the length of row"):
        geometric.sample_neighbors(ROW, STARTS * 2, NODES)
    with pytest.raises(OperatorTypeError, match="weighted_sample_neighbors: edge_weight must be a Tensor"):
        geometric.weighted_sample_neighbors(ROW, STARTS, None, NODES)
    with pytest.raises(OperatorError, match=r"count\[0\] of shape \[1\] must hold a number for each of \[4\] nodes"):
        geometric.reindex_graph(NODES, ROW, core.to_tensor([13]))
    with pytest.raises(OperatorError, match="0 lists of neighbors and 1 of counts do not fit"):
        geometric.reindex_heter_graph(NODES, [], [ROW])

"""A step with the normalised adjacency matrix against that matrix in numpy, and what a graph keeps of it."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import core
import PGL
from PGL.nn.functional import propagation

EDGES = np.array([(0, 1), (1, 0), (2, 0), (2, 0), (3, 3), (1, 2)])
X = np.random.default_rng(0).normal(size=(5, 3))


def graph() -> Any:
    return PGL.Graph(EDGES, 5).tensor()


def expected() -> np.ndarray:
    adjacency = np.zeros((5, 5))
    np.add.at(adjacency, (EDGES[:, 1], EDGES[:, 0]), 1)
    norm = np.maximum(adjacency.sum(1), 1) ** -0.5
    return np.asarray(norm[:, None] * (adjacency @ (norm[:, None] * X)))


@pytest.mark.parametrize(("dtype", "tolerance"), [("float32", 1e-6), ("float64", 1e-13)])
def test_a_step_equals_the_product_with_the_normalised_matrix(dtype: str, tolerance: float) -> None:
    of = graph()
    core.set_default_dtype(dtype)
    try:
        for _ in range(2):
            step = propagation(of)(core.to_tensor(X, dtype=dtype))
            np.testing.assert_allclose(step.numpy(), expected(), rtol=tolerance, atol=tolerance)
    finally:
        core.set_default_dtype("float32")


def test_a_graph_keeps_the_weights_and_sends_none_to_other_processes() -> None:
    of, x = graph(), core.to_tensor(X, dtype="float32")
    propagation(of)(x)
    (first,) = of.kept.values()
    propagation(of)(x)
    assert [first is weights for weights in of.kept.values()] == [True]
    assert pickle.loads(pickle.dumps(PGL.Graph(EDGES, 5))).kept == {}
    sent = of.numpy(inplace=False)
    assert sent.kept and pickle.loads(pickle.dumps(sent)).kept == {}


def test_sampled_parts_of_a_graph_compute_their_own() -> None:
    connections = graph().connections()

    class Part:
        def connections(self) -> Any:
            return connections

    np.testing.assert_allclose(
        propagation(Part())(core.to_tensor(X, dtype="float32")).numpy(), expected(), rtol=1e-6, atol=1e-6
    )

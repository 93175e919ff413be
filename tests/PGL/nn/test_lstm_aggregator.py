"""Neighbours through an LSTM: bucketed by degree, the same as node by node."""

from __future__ import annotations

import numpy as np
import pytest

import core
import PGL
from core.jit import to_static
from PGL.nn.lstm_aggregator import LSTMAggregator, degree_buckets
from tests.parity.PGL.layer_cases import NODES, features, plain_edges, plain_graph


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def node_by_node(layer: LSTMAggregator, x: np.ndarray) -> np.ndarray:
    """Return the last states, computed in NumPy for one node after another."""
    state = {name: tensor.numpy().astype(np.float64) for name, tensor in layer.lstm.state_dict().items()}
    weight_ih, weight_hh, bias_ih, bias_hh = [
        state[f"{name}_l0"] for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    ]
    edges, output = plain_edges(), np.zeros((NODES, layer.hidden_size))
    for node in range(NODES):
        hidden = memory = np.zeros(layer.hidden_size)
        for source in edges[edges[:, 1] == node, 0]:
            gates = weight_ih @ x[source] + bias_ih + weight_hh @ hidden + bias_hh
            entry, keep, candidate, exit_ = np.split(gates, 4)
            memory = sigmoid(keep) * memory + sigmoid(entry) * np.tanh(candidate)
            hidden = sigmoid(exit_) * np.tanh(memory)
        output[node] = hidden
    return output


def test_the_same_as_node_by_node() -> None:
    core.seed(1)
    layer = LSTMAggregator(12, 8)
    x = features("lstm", NODES, 12)
    output = layer(plain_graph(PGL), core.to_tensor(x)).numpy()
    np.testing.assert_allclose(output, node_by_node(layer, x), rtol=0, atol=1e-5)
    assert not output[-1].any()  # an isolated node
    assert output[:-6].any()


def test_gradients_reach_features_and_weights() -> None:
    core.seed(1)
    layer, graph, direction = LSTMAggregator(12, 8), plain_graph(PGL), features("direction", NODES, 8)
    x = core.to_tensor(features("lstm", NODES, 12), stop_gradient=False)
    (layer(graph, x) * core.to_tensor(direction)).sum().backward()
    towards, step = features("towards", NODES, 12), 1e-3
    sums = [(node_by_node(layer, x.numpy() + sign * step * towards) * direction).sum() for sign in (1.0, -1.0)]
    assert abs((x.grad.numpy() * towards).sum() - (sums[0] - sums[1]) / (2 * step)) < 1e-3
    for parameter in layer.parameters():
        assert np.isfinite(parameter.grad.numpy()).all() and parameter.grad.numpy().any()


def test_buckets_hold_every_edge_once_in_order() -> None:
    starts, neighbors = np.array([0, 2, 2, 3, 5]), np.array([7, 1, 5, 5, 0], np.int32)
    one, two = degree_buckets(starts, neighbors)
    assert (one.degree, one.nodes.tolist(), one.neighbors.tolist()) == (1, [2], [5])
    assert (two.degree, two.nodes.tolist(), two.neighbors.tolist()) == (2, [0, 3], [7, 5, 1, 0])


def test_a_graph_without_edges_gives_zeros() -> None:
    graph = PGL.Graph(edges=[], num_nodes=3).tensor()
    assert LSTMAggregator(4, 2)(graph, core.ones([3, 4])).numpy().tolist() == [[0.0, 0.0]] * 3


def test_compiled_over_a_graph_that_is_there() -> None:
    core.seed(1)
    layer, graph = LSTMAggregator(12, 8), plain_graph(PGL)
    x = core.to_tensor(features("lstm", NODES, 12))
    compiled = to_static(lambda x: layer(graph, x))
    np.testing.assert_allclose(compiled(x).numpy(), layer(graph, x).numpy(), rtol=0, atol=1e-6)


def test_a_graph_that_compiled_code_receives_is_refused() -> None:
    layer, flat = LSTMAggregator(12, 8), plain_graph(PGL).flat()
    compiled = to_static(lambda x, *flat: layer(PGL.Graph.from_flat(flat), x))
    with pytest.raises(ValueError, match="cannot be read while a program is being compiled.*lstm_aggregator"):
        compiled(core.to_tensor(features("lstm", NODES, 12)), *flat)

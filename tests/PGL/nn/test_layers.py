"""What graph layers do beyond what pgl's answers show: aggregations, dropout, second order, batches, messages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
import PGL
from core.weights import load_weights, write_pdparams
from tests.core.gradient_check import check_gradients
from tests.parity.PGL.layer_cases import CASES, NODES, batched_graph, features, plain_edges, plain_graph, weight

X = features("x", NODES, 12)
EDGES = plain_edges()
WITHOUT_PARAMETERS = ("APPNP", "GraphNorm", "GraphPool", "LightGCN")


def seeded(layer: Any) -> Any:
    for name, tensor in layer.state_dict().items():
        tensor.set_value(weight(name, tuple(tensor.shape)))
    layer.eval()
    return layer


def arrays(layer: Any) -> dict[str, np.ndarray]:
    return {name: tensor.numpy().astype(np.float64) for name, tensor in layer.state_dict().items()}


def received(x: np.ndarray) -> list[np.ndarray]:
    """Return the rows that arrive at each node."""
    return [x[EDGES[EDGES[:, 1] == node, 0]] for node in range(NODES)]


def reduced(x: np.ndarray, reduce: Any) -> np.ndarray:
    return np.stack([reduce(rows, axis=0) if len(rows) else np.zeros(x.shape[1]) for rows in received(x)])


@pytest.mark.parametrize("aggregation, reduce", [("meanpool", np.mean), ("maxpool", np.max)])
def test_graph_sage_with_a_layer_before_the_aggregation(aggregation: str, reduce: Any) -> None:
    layer = seeded(PGL.nn.GraphSageConv(12, 5, aggregation, concat=True, inner_size=7))
    w = arrays(layer)
    inner = np.maximum(X @ w["pool_linear.weight"] + w["pool_linear.bias"], 0)
    own = X @ w["self_linear.weight"] + w["self_linear.bias"]
    neighbors = reduced(inner, reduce) @ w["neigh_linear.weight"] + w["neigh_linear.bias"]
    expected = np.maximum(np.concatenate([own, neighbors], axis=1), 0)
    expected /= np.maximum(np.linalg.norm(expected, axis=1, keepdims=True), 1e-12)
    output = layer(plain_graph(PGL), core.to_tensor(X), act="relu").numpy()
    np.testing.assert_allclose(output, expected, rtol=0, atol=1e-5)


def test_graph_sage_lstm_joins_its_aggregator() -> None:
    layer, graph = seeded(PGL.nn.GraphSageConv(12, 5, "lstm", normalize=False, inner_size=6)), plain_graph(PGL)
    w = arrays(layer)
    inner = np.maximum(X @ w["pool_linear.weight"] + w["pool_linear.bias"], 0).astype(np.float32)
    states = layer.aggregator(graph, core.to_tensor(inner)).numpy()
    expected = X @ w["self_linear.weight"] + w["self_linear.bias"]
    expected = expected + states @ w["neigh_linear.weight"] + w["neigh_linear.bias"]
    np.testing.assert_allclose(layer(graph, core.to_tensor(X)).numpy(), expected, rtol=0, atol=1e-5)


def test_inner_sizes_are_those_of_pgl_1() -> None:
    with core.LazyGuard():
        sizes = {name: PGL.nn.GraphSageConv(4, 2, name).neigh_linear.weight.shape[0] for name in ("maxpool", "lstm")}
    assert sizes == {"maxpool": 512, "lstm": 128}


def test_transformer_with_edge_values_follows_the_paper() -> None:
    layer = seeded(PGL.nn.TransformerConv(12, 4, 3, skip_feat=False, layer_norm=False, edge_values=True))
    edge = features("edge", len(EDGES), 12)
    w = arrays(layer)
    query, key, value = ((X @ w[f"{name}.weight"] + w[f"{name}.bias"]).reshape(NODES, 3, 4) for name in ("q", "k", "v"))
    expected = np.zeros((NODES, 3, 4))
    for node in range(NODES):
        ids = np.flatnonzero(EDGES[:, 1] == node)
        if len(ids):
            extra = edge[ids].reshape(-1, 3, 4)
            logits = (query[node] * (key[EDGES[ids, 0]] + extra)).sum(axis=-1) / 2.0
            attention = np.exp(logits - logits.max(axis=0))
            attention /= attention.sum(axis=0)
            expected[node] = (attention[:, :, None] * (value[EDGES[ids, 0]] + extra)).sum(axis=0)
    output = layer(plain_graph(PGL), core.to_tensor(X), core.to_tensor(edge)).numpy()
    np.testing.assert_allclose(output, np.maximum(expected.reshape(NODES, 12), 0), rtol=0, atol=1e-5)


def test_set2set_with_feedback_sees_what_it_saw() -> None:
    x, graph = features("set", 40, 3), batched_graph(PGL)
    layer = seeded(PGL.nn.Set2Set(3, 2, feedback=True))
    w = arrays(layer)
    owners = graph.graph_node_id.numpy()
    hidden = memory = np.zeros((4, 3))
    given = np.zeros((4, 6))
    for _ in range(2):
        gates = given @ w["lstm.weight_ih_l0"].T + hidden @ w["lstm.weight_hh_l0"].T
        entry, keep, candidate, exit_ = np.split(gates + w["lstm.bias_ih_l0"] + w["lstm.bias_hh_l0"], 4, axis=1)
        memory = memory / (1 + np.exp(-keep)) + np.tanh(candidate) / (1 + np.exp(-entry))
        hidden = np.tanh(memory) / (1 + np.exp(-exit_))
        seen = np.zeros((4, 3))
        for number in range(4):
            rows = x[owners == number]
            attention = np.exp(rows @ hidden[number])
            seen[number] = attention @ rows / attention.sum()
        given = np.concatenate([hidden, seen], axis=1)
    np.testing.assert_allclose(layer(graph, core.to_tensor(x)).numpy(), given, rtol=0, atol=1e-5)


@pytest.mark.parametrize(
    "build",
    [
        lambda: PGL.nn.GCNConv(3, 2),
        lambda: PGL.nn.GraphSageConv(3, 2, "mean"),
        pytest.param(lambda: PGL.nn.GATConv(3, 2, num_heads=2), marks=pytest.mark.exhaustive),
        pytest.param(lambda: PGL.nn.GATv2Conv(3, 2, num_heads=2), marks=pytest.mark.exhaustive),
        pytest.param(
            lambda: PGL.nn.TransformerConv(3, 2, num_heads=2, activation="tanh"), marks=pytest.mark.exhaustive
        ),
    ],
)
def test_second_order(build: Any) -> None:
    core.set_default_dtype("float64")
    try:
        layer = seeded(build())
        graph = PGL.Graph(edges=[(0, 1), (2, 1), (1, 0), (1, 1), (2, 1)], num_nodes=4).tensor()
        check_gradients(lambda x: layer(graph, x), X[:4, :3].astype(np.float64))
    finally:
        core.set_default_dtype("float32")


def test_dropout_of_attention_and_features_in_training_alone() -> None:
    core.seed(3)
    layer, graph, x = PGL.nn.GATConv(12, 4, 0.0, 0.5, num_heads=2), plain_graph(PGL), core.to_tensor(X)
    first, second = layer(graph, x).numpy(), layer(graph, x).numpy()
    assert np.abs(first - second).max() > 0.01
    layer.eval()
    assert (layer(graph, x).numpy() == layer(graph, x).numpy()).all()
    layer = PGL.nn.GATConv(12, 4, 1.0, 0.0, num_heads=2)  # without features, the bias is left where edges end
    ends = np.isin(np.arange(NODES), EDGES[:, 1])
    np.testing.assert_allclose(
        layer(graph, x).numpy(), np.where(ends[:, None], layer.linear.bias.numpy(), 0), atol=1e-6
    )


def test_a_batch_is_its_graphs() -> None:
    graphs = [PGL.Graph(edges=EDGES, num_nodes=NODES), PGL.Graph(edges=EDGES[:40], num_nodes=NODES)]
    joined, x = PGL.Graph.batch(graphs).tensor(), features("batch", 2 * NODES, 12)
    layer = seeded(PGL.nn.GATConv(12, 4, num_heads=3))
    parts = [layer(graph.tensor(), core.to_tensor(rows)).numpy() for graph, rows in zip(graphs, np.split(x, 2))]
    np.testing.assert_allclose(layer(joined, core.to_tensor(x)).numpy(), np.concatenate(parts), rtol=0, atol=1e-6)


@pytest.mark.parametrize("name", [name for name in sorted(CASES) if not name.startswith(WITHOUT_PARAMETERS)])
def test_weights_round_trip(name: str, tmp_path: Path) -> None:
    layer, other = seeded(CASES[name].build(PGL, core)), CASES[name].build(PGL, core)
    state = {key: tensor.numpy() for key, tensor in layer.state_dict().items()}
    write_pdparams(state, tmp_path / "layer.pdparams")
    load_weights(other, tmp_path / "layer.pdparams")
    assert all((tensor.numpy() == state[key]).all() for key, tensor in other.state_dict().items())


@pytest.mark.parametrize("cached", [True, False])
def test_sgc_follows_its_graph_and_features(cached: bool) -> None:
    layer = seeded(PGL.nn.SGCConv(12, 5, cached=cached))
    graphs = [plain_graph(PGL), PGL.Graph(edges=EDGES[:40], num_nodes=NODES).tensor()]
    inputs = [core.to_tensor(X), core.to_tensor(X[::-1].copy())]
    fresh = [seeded(PGL.nn.SGCConv(12, 5, cached=False))(graph, x).numpy() for graph in graphs for x in inputs]
    for _ in range(2):
        again = [layer(graph, x).numpy() for graph in graphs for x in inputs for _ in range(2)]
        assert all((output == expected).all() for output, expected in zip(again, np.repeat(fresh, 2, axis=0)))


@pytest.mark.parametrize(
    "method, expected",
    [
        ("PPR", [0.5, 0.25, 0.25]),
        ("NPPR", [4 / 7, 2 / 7, 1 / 7]),
        ("WS", [1.0, -2.0, 3.0]),
    ],
)
def test_gpr_starts(method: str, expected: list[float]) -> None:
    layer = PGL.nn.GPRConv(4, 3, 2, alpha=0.5, k_hop=2, init_method=method, gamma=[1.0, -2.0, 3.0])
    np.testing.assert_allclose(layer.temp.numpy(), expected, rtol=1e-6)


def test_gpr_starts_with_one_step_or_at_random() -> None:
    assert PGL.nn.GPRConv(4, 3, 2, alpha=1, k_hop=2, init_method="SGC").temp.numpy().tolist() == [0.0, 1.0, 0.0]
    core.seed(2)
    drawn = PGL.nn.GPRConv(4, 3, 2, k_hop=20, init_method="Random").temp.numpy()
    assert abs(np.abs(drawn).sum() - 1) < 1e-6 and drawn.min() < 0 < drawn.max()


def test_edge_softmax_by_source() -> None:
    graph = PGL.Graph(edges=[(0, 1), (0, 2), (1, 2)], num_nodes=3).tensor()
    logits = core.to_tensor([[0.0], [np.log(3.0)], [5.0]], dtype="float32")
    by_source = PGL.nn.functional.edge_softmax(graph, logits, "src").numpy().ravel()
    np.testing.assert_allclose(by_source, [0.25, 0.75, 1.0], rtol=1e-6)
    by_target = PGL.nn.functional.edge_softmax(graph, core.zeros([3, 1])).numpy().ravel()
    np.testing.assert_allclose(by_target, [1.0, 0.5, 0.5], rtol=1e-6)


def test_degree_norm_of_both_directions() -> None:
    graph = PGL.Graph(edges=[(0, 1), (0, 2), (0, 0), (1, 0), (2, 0), (0, 0)], num_nodes=4).tensor()
    norms = [PGL.nn.functional.degree_norm(graph, mode).numpy().ravel() for mode in ("indegree", "outdegree")]
    np.testing.assert_allclose(norms, [[0.5, 1, 1, 1], [0.5, 1, 1, 1]], rtol=1e-6)


def call(name: str, *arguments: Any, **named: Any) -> Any:
    return lambda: getattr(PGL.nn, name)(*arguments, **named)


@pytest.mark.parametrize(
    "build, message",
    [
        (call("GCNConv", 3, 2, activation="rulu"), "GCNConv: there is no activation 'rulu' in nn.functional"),
        (call("GATConv", 3, 2, activation="rulu"), "GATConv: there is no activation 'rulu'"),
        (call("GraphSageConv", 3, 2, "median"), "GraphSageConv: the aggregation must be one of sum, mean, max, min, "),
        (call("PinSageConv", 3, 2, "maxpool"), "PinSageConv: the aggregation must be one of sum, mean, max, min, not"),
        (call("GPRConv", 3, 2, 2, init_method="ppr"), "GPRConv: init_method must be SGC, PPR, NPPR, Random or WS"),
        (
            call("GPRConv", 3, 2, 2, init_method="SGC"),
            "for SGC alpha is the step that counts, 0 to k_hop = 10,",
        ),
        (call("GPRConv", 3, 2, 2, init_method="WS", gamma=[1.0]), r"gamma must be k_hop \+ 1 = 11 numbers"),
        (
            call("GraphMultisetTransformer", 3, 2, 2, pool_sequences=["GMPool"]),
            "a block is one of GMPool_G, GMPool_I, SelfAtt, not 'GMPool'",
        ),
    ],
)
def test_arguments_that_no_layer_knows(build: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        build()


def test_further_messages() -> None:
    graph = plain_graph(PGL)
    with pytest.raises(ValueError, match="degree_norm: mode must be indegree or outdegree, not 'both'"):
        PGL.nn.functional.degree_norm(graph, "both")
    with pytest.raises(ValueError, match="edge_softmax: norm_by must be dst or src, not 'both'"):
        PGL.nn.functional.edge_softmax(graph, core.ones([len(EDGES), 1]), "both")
    with pytest.raises(ValueError, match="graph_pool: the aggregation must be one of sum, mean, max, min, not None"):
        PGL.nn.GraphPool()(graph, core.to_tensor(X))
    with pytest.warns(DeprecationWarning, match="give pool_type to the constructor"):
        PGL.nn.GraphPool()(graph, core.to_tensor(X), "sum")
    with pytest.raises(ValueError, match="RGCNConv: the graph has no edges of kind 'reads'"):
        PGL.nn.RGCNConv(12, 5, ["cites", "reads"])({"cites": graph}, core.to_tensor(X))
    with pytest.raises(AttributeError, match="has no attribute 'GCNConf'"):
        _ = PGL.nn.GCNConf
    with pytest.raises(ValueError, match="x must have one row for each of 60 sources"):
        PGL.nn.GCNConv(12, 5)(graph, core.to_tensor(X[:50]), core.ones([50, 1]))


WITHOUT_EDGES = [
    name for name, case in CASES.items() if set(case.inputs) == {"x"} and case.graph in (plain_graph, batched_graph)
]


@pytest.mark.parametrize("name", WITHOUT_EDGES)
def test_a_graph_without_edges(name: str) -> None:
    layer, graph = seeded(CASES[name].build(PGL, core)), PGL.Graph(edges=[], num_nodes=3).tensor()
    x = core.to_tensor(features("few", 3, CASES[name].inputs["x"].shape[1]), stop_gradient=False)
    layer.train() if CASES[name].training else layer.eval()
    results = layer(graph, x)
    output = results[0] if isinstance(results, tuple) else results
    output.sum().backward()
    assert np.isfinite(output.numpy()).all()
    assert np.isfinite(x.grad.numpy()).all()

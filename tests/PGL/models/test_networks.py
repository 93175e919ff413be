"""The networks: published sizes, outputs against the layers' formulas, compiled steps with finite gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import core
import PGL
from core.jit import to_static
from core.nn import functional as F
from PGL.models.unimp import shown_labels
from tests.parity.PGL.layer_cases import GRAPH_SIZES, NODES, batched_graph, features, plain_graph, typed_graphs, weight

CORA = {"input_size": 1433, "num_class": 7}
KINDS = ["cites", "writes", "reads"]

COUNTS = {
    "GCN": 1433 * 16 + 16 + 16 * 7 + 7,
    "GAT": 1433 * 64 + 3 * 64 + 64 * 7 + 3 * 7,
    "GATv2": 1433 * 64 + 2 * 64 + 64 * 7 + 2 * 7,
    "GraphSAGE": 2 * (1433 * 128 + 128) + 2 * (256 * 128 + 128) + 256 * 7 + 7,
    "SGC": 1433 * 7,
    "SSGC": 1433 * 7 + 7,
    "APPNP": 1433 * 64 + 64 + 64 * 7 + 7,
    "GCNII": 1433 * 64 + 64 + 64 * (64 * 64 + 64) + 64 * 7 + 7,
    "Transformer": 3 * (1433 * 64 + 64) + 2 * 64 + 3 * (64 * 56 + 56),
    "UniMP": (
        7 * 1433 + 2 * 1433  # embedding of labels, norm
        + 4 * (1433 * 256 + 256) + 3 * 256 + 1 + 2 * 256
        + 4 * (256 * 256 + 256) + 3 * 256 + 1 + 2 * 256
        + 3 * (256 * 14 + 14) + 256 * 7 + 7 + 3 * 7 + 1
    ),
    "GIN": (
        (1433 * 64 + 64) + 4 * (64 * 64 + 64) + 5 * (64 * 64 + 64) + 5 * 4 * 64 + 1433 * 7 + 7 + 5 * (64 * 7 + 7)
    ),
    "SAGPool": (
        1433 * 128 + 128 + 2 * (128 * 128 + 128) + 384 + 1 + 768 * 128 + 128 + 128 * 64 + 64 + 64 * 7 + 7
    ),
}  # fmt: skip
"""Parameters of each network at Cora's sizes, counted from the papers' layers."""


@pytest.mark.parametrize("name", COUNTS)
def test_parameters_at_the_sizes_of_cora(name: str) -> None:
    with core.LazyGuard():
        network = PGL.models.create_model(name, **CORA)
    assert sum(int(np.prod(parameter.shape)) for parameter in network.parameters()) == COUNTS[name]


def test_parameters_of_rgcn() -> None:
    with core.LazyGuard():
        network = PGL.models.RGCN(100, 16, 8, 4, num_layers=2, etypes=KINDS, num_bases=2)
    count = sum(int(np.prod(parameter.shape)) for parameter in network.parameters())
    assert count == 100 * 16 + 2 * 16 * 8 + 3 * 2 + 2 * 8 * 8 + 3 * 2 + 8 * 4 + 4


def seeded(network: Any) -> Any:
    for name, tensor in network.state_dict().items():
        tensor.set_value(weight(name, tuple(tensor.shape)))
    return network


X = features("x", NODES, 12)
POOLED = features("x", sum(GRAPH_SIZES), 12)
NETWORKS = {
    "GCN": {"num_layers": 2},
    "GAT": {"num_layers": 3, "hidden_size": 4},
    "GATv2": {"hidden_size": 4},
    "GraphSAGE": {"hidden_size": 6},
    "SGC": {},
    "SSGC": {},
    "APPNP": {"num_layers": 2, "hidden_size": 8},
    "GCNII": {"num_layers": 2, "hidden_size": 8, "k_hop": 4},
    "Transformer": {"num_layers": 3, "hidden_size": 4},
    "GIN": {"num_layers": 2, "hidden_size": 8},
}


@pytest.mark.parametrize("name", NETWORKS)
def test_a_compiled_step_moves_every_parameter(name: str) -> None:
    core.seed(7)
    network = PGL.models.create_model(name, input_size=12, num_class=3, **NETWORKS[name])
    of_graphs = name == "GIN"
    graph = batched_graph(PGL) if of_graphs else plain_graph(PGL)
    flat, x = graph.flat(), core.to_tensor(POOLED if of_graphs else X)
    labels = core.to_tensor(np.arange(4 if of_graphs else NODES) % 3)

    @to_static
    def loss(x: Any, *flat: Any) -> Any:
        return F.cross_entropy(network(PGL.Graph.from_flat(flat), x), labels)

    optimizer = core.optimizer.Adam(learning_rate=0.02, parameters=network.parameters())
    losses = []
    for step in range(12):
        value = loss(x, *flat)
        value.backward()
        for parameter in network.parameters():
            gradient = parameter.grad.numpy()
            assert np.isfinite(gradient).all()
            assert step or gradient.any()
        optimizer.step()
        optimizer.clear_grad()
        losses.append(value.item())
    network.eval()
    assert loss(x, *flat).item() < losses[0]


def test_gcn_is_its_layers() -> None:
    network, graph = seeded(PGL.models.GCN(12, 3)), plain_graph(PGL)
    network.eval()
    first, _, second = network.gcns
    hidden = np.maximum(first(graph, core.to_tensor(X)).numpy(), 0)
    expected = second(graph, core.to_tensor(hidden)).numpy()
    np.testing.assert_allclose(network(graph, core.to_tensor(X)).numpy(), expected, rtol=0, atol=1e-6)
    assert list(network.state_dict()) == ["gcns.0.bias", "gcns.0.linear.weight", "gcns.2.bias", "gcns.2.linear.weight"]


def test_graph_sage_on_sampled_neighbourhoods() -> None:
    network = seeded(PGL.models.GraphSAGE(12, 3, hidden_size=6))
    x = core.to_tensor(X)
    everything = network(plain_graph(PGL), x).numpy()
    edges = plain_graph(PGL).edges.numpy()
    inner = edges[edges[:, 1] < 10]  # all neighbours of the first ten nodes: the same answers for these
    blocks = [plain_graph(PGL), PGL.BiGraph(inner, src_num_nodes=NODES, dst_num_nodes=10).tensor()]
    np.testing.assert_allclose(network(blocks, x).numpy(), everything[:10], rtol=0, atol=1e-6)
    with pytest.raises(ValueError, match="GraphSAGE: 2 convolutions need as many graphs, not 1"):
        network([plain_graph(PGL)], x)


def test_rgcn_compiled_step() -> None:
    core.seed(7)
    network = PGL.models.RGCN(NODES, 6, 5, 3, num_layers=2, etypes=KINDS, num_bases=2)
    flats = {kind: graph.flat() for kind, graph in typed_graphs(PGL).items()}
    labels = core.to_tensor(np.arange(NODES) % 3)

    @to_static
    def loss(flats: Any) -> Any:
        graphs = {kind: PGL.Graph.from_flat(flat) for kind, flat in flats.items()}
        return F.cross_entropy(network(graphs), labels)

    loss(flats).backward()
    for parameter in network.parameters():
        assert np.isfinite(parameter.grad.numpy()).all() and parameter.grad.numpy().any()


def test_unimp_sees_labels_that_are_shown_and_no_others() -> None:
    core.seed(7)
    network, graph = PGL.models.UniMP(12, 3, hidden_size=4), plain_graph(PGL)
    network.eval()
    x, shown = core.to_tensor(X), np.zeros(NODES, np.float32)
    shown[:20] = 1
    labels = np.arange(NODES) % 3
    compiled = to_static(lambda label, shown: network(graph, x, label, shown))
    output = compiled(core.to_tensor(labels), core.to_tensor(shown)).numpy()
    hidden = np.where(shown > 0, labels, 0)
    np.testing.assert_array_equal(compiled(core.to_tensor(hidden), core.to_tensor(shown)).numpy(), output)
    other = np.where(shown > 0, (labels + 1) % 3, labels)
    assert np.abs(compiled(core.to_tensor(other), core.to_tensor(shown)).numpy() - output).max() > 0.01
    F.cross_entropy(network(graph, x, core.to_tensor(labels), core.to_tensor(shown)), core.to_tensor(labels)).backward()
    for name, parameter in network.named_parameters():
        assert np.isfinite(parameter.grad.numpy()).all(), name


def test_shown_and_predicted_labels_share_the_training_nodes() -> None:
    train = np.arange(5, 45)
    shown, predicted = shown_labels(train, NODES, 0.625, np.random.default_rng(3))
    assert shown.sum() == 25 and len(predicted) == 15
    assert sorted(np.flatnonzero(shown).tolist() + predicted.tolist()) == train.tolist()
    again, _ = shown_labels(train, NODES, 0.625, np.random.default_rng(4))
    assert (again != shown).any()


def test_sag_pool_classifies_graphs() -> None:
    core.seed(7)
    network, graph, x = PGL.models.SAGPool(12, 3, hidden_size=8), batched_graph(PGL), core.to_tensor(POOLED)
    network.eval()
    logits = network(graph, x)
    assert logits.shape == [4, 3]
    F.cross_entropy(logits, core.to_tensor([0, 1, 2, 0])).backward()
    for name, parameter in network.named_parameters():
        assert np.isfinite(parameter.grad.numpy()).all(), name
    levels = [x]
    for conv in network.convs:
        levels.append(conv(graph, levels[-1]))
    joined = np.concatenate([level.numpy() for level in levels[1:]], axis=1)
    scores = np.tanh(network.pool.gnn(graph, core.to_tensor(joined)).numpy().ravel())
    rows = []
    for start, size in zip(np.cumsum([0, *GRAPH_SIZES]), GRAPH_SIZES):
        best = start + np.argsort(-scores[start : start + size])[: -(-size // 2)]
        kept = joined[best] * scores[best, None]
        rows.append(np.concatenate([kept.max(axis=0), kept.mean(axis=0)]))
    hidden = np.stack(rows)
    for layer in (network.linear1, network.linear2, network.linear3):
        hidden = hidden @ layer.weight.numpy() + layer.bias.numpy()
        hidden = hidden if layer is network.linear3 else np.maximum(hidden, 0)
    np.testing.assert_allclose(logits.numpy(), hidden, rtol=0, atol=1e-5)

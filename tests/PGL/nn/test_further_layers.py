"""Layers that pgl has not: against dense matrices, finite differences, and their compiled selves."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
import pytest

import core
import PGL
from core import nn
from core.jit import to_static
from PGL.nn.pna_conv import degree_histogram
from tests.core.gradient_check import check_gradients
from tests.parity.PGL.layer_cases import NODES, features, plain_edges, plain_graph, weight

EDGES = plain_edges()
X = features("x", NODES, 6)
EDGE = features("edge", len(EDGES), 3)
WEIGHT = np.abs(features("weight", len(EDGES))) + 0.1


def adjacency(weights: Any = None, loops: bool = True) -> np.ndarray:
    """Return A: A[i, j] is the weight of the edges j -> i."""
    matrix = np.zeros((NODES, NODES))
    kept = np.ones(len(EDGES)) if weights is None else weights
    kept = kept if loops else np.where(EDGES[:, 0] == EDGES[:, 1], 0, kept)
    np.add.at(matrix, (EDGES[:, 1], EDGES[:, 0]), kept)
    return matrix


def power(degree: np.ndarray, exponent: float) -> np.ndarray:
    return np.where(degree > 0, np.where(degree > 0, degree, 1) ** exponent, 0)


def normalised(matrix: np.ndarray) -> np.ndarray:
    norm = power(matrix.sum(axis=1), -0.5)
    return norm[:, None] * matrix * norm


def seeded(layer: Any) -> tuple[Any, dict[str, np.ndarray]]:
    for name, tensor in layer.state_dict().items():
        tensor.set_value(weight(name, tuple(tensor.shape)))
    layer.eval()
    return layer, {name: tensor.numpy().astype(np.float64) for name, tensor in layer.state_dict().items()}


def reduced(messages: np.ndarray, reduce: Callable[..., Any]) -> np.ndarray:
    """Return what a function makes of the messages at each node, 0 where none arrive."""
    rows = [messages[EDGES[:, 1] == node] for node in range(NODES)]
    return np.stack([reduce(one, axis=0) if len(one) else np.zeros(messages.shape[1]) for one in rows])


def mlp(before: int, after: int) -> Any:
    return nn.Sequential(nn.Linear(before, 5), nn.Tanh(), nn.Linear(5, after))


def through(w: dict[str, np.ndarray], x: np.ndarray) -> np.ndarray:
    """Return what :func:`mlp` computes."""
    hidden = np.tanh(x @ w["nn.0.weight"] + w["nn.0.bias"])
    return hidden @ w["nn.2.weight"] + w["nn.2.bias"]


def output(layer: Any, *more: np.ndarray, **named: Any) -> np.ndarray:
    found = layer(plain_graph(PGL), core.to_tensor(X), *map(core.to_tensor, more), **named)
    return found.numpy().astype(np.float64)


def close(found: np.ndarray, expected: np.ndarray) -> None:
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("weights", [None, WEIGHT])
@pytest.mark.parametrize("kind", ["sym", "rw", None])
def test_cheb(kind: Any, weights: Any) -> None:
    layer, w = seeded(PGL.nn.ChebConv(6, 4, 4, kind))
    matrix = adjacency(weights, loops=False)
    degree = matrix.sum(axis=1)
    laplacian = {
        "sym": np.eye(NODES) - normalised(matrix),
        "rw": np.eye(NODES) - power(degree, -1.0)[:, None] * matrix,
        None: np.diag(degree) - matrix,
    }[kind]
    scaled = 2 * laplacian / 1.7 - np.eye(NODES)
    terms = [X.astype(np.float64), scaled @ X]
    for _ in range(2):
        terms.append(2 * scaled @ terms[-1] - terms[-2])
    expected = sum(term @ w[f"lins.{number}.weight"] for number, term in enumerate(terms)) + w["bias"]
    given = [] if weights is None else [weights.astype(np.float32)]
    close(output(layer, *given, lambda_max=1.7), expected)


def test_cheb_of_one_term_is_linear() -> None:
    layer, w = seeded(PGL.nn.ChebConv(6, 4, 1, bias=False))
    close(output(layer), X @ w["lins.0.weight"])


@pytest.mark.parametrize("aggr, reduce", [("max", np.max), ("mean", np.mean)])
def test_edge_conv(aggr: str, reduce: Any) -> None:
    layer, w = seeded(PGL.nn.EdgeConv(mlp(12, 4), aggr))
    own, other = X[EDGES[:, 1]].astype(np.float64), X[EDGES[:, 0]]
    close(output(layer), reduced(through(w, np.concatenate([own, other - own], axis=1)), reduce))


@pytest.mark.parametrize("normalize", [True, False])
@pytest.mark.parametrize("weights", [None, WEIGHT])
def test_tag(normalize: bool, weights: Any) -> None:
    layer, w = seeded(PGL.nn.TAGConv(6, 4, 2, normalize=normalize))
    matrix = adjacency(weights)
    if normalize:
        # without weights nodes at which nothing arrives count as if one edge did, as in PGL's GCNConv
        degree = matrix.sum(axis=1)
        norm = np.maximum(degree, 1) ** -0.5 if weights is None else power(degree, -0.5)
        matrix = norm[:, None] * matrix * norm
    powers = [X, matrix @ X, matrix @ matrix @ X]
    expected = sum(one @ w[f"lins.{number}.weight"] for number, one in enumerate(powers)) + w["bias"]
    close(output(layer, *([] if weights is None else [weights.astype(np.float32)])), expected)


@pytest.mark.parametrize("shared", [False, True])
def test_arma(shared: bool) -> None:
    layer, w = seeded(PGL.nn.ARMAConv(6, 4, num_stacks=3, num_layers=3, shared_weights=shared, act="tanh"))
    matrix = adjacency()
    norm = np.maximum(matrix.sum(axis=1), 1) ** -0.5
    matrix = norm[:, None] * matrix * norm
    stacks = []
    for stack in range(3):
        hidden = X.astype(np.float64)
        for step in range(3):
            name = "init_weight_0" if step == 0 else f"weight_{0 if shared else step - 1}"
            last = 0 if shared else step
            root, bias = w[f"root_weight_{last}"][stack], w[f"bias_{last}"][stack]
            hidden = np.tanh(matrix @ hidden @ w[name][stack] + X @ root + bias)
        stacks.append(hidden)
    close(output(layer), np.mean(stacks, axis=0))
    assert len(w) == (4 if shared else 1 + 2 + 3 + 3)


def test_gine() -> None:
    layer, w = seeded(PGL.nn.GINEConv(mlp(6, 4), eps=0.3, train_eps=True, edge_dim=3, input_size=6))
    encoded = EDGE @ w["lin.weight"] + w["lin.bias"]
    arrived = reduced(np.maximum(X[EDGES[:, 0]] + encoded, 0), np.sum)
    close(output(layer, EDGE), through(w, (1 + w["eps"]) * X + arrived))


@pytest.mark.parametrize("aggr, reduce", [("sum", np.sum), ("mean", np.mean)])
def test_nn_conv(aggr: str, reduce: Any) -> None:
    layer, w = seeded(PGL.nn.NNConv(6, 4, mlp(3, 24), aggr))
    matrices = through(w, EDGE.astype(np.float64)).reshape(-1, 6, 4)
    messages = np.einsum("ei,eio->eo", X[EDGES[:, 0]], matrices)
    close(output(layer, EDGE), X @ w["lin.weight"] + reduced(messages, reduce) + w["bias"])


AGGREGATORS = ["mean", "min", "max", "sum", "std", "var"]
SCALERS = ["identity", "amplification", "attenuation", "linear", "inverse_linear"]


@pytest.mark.parametrize("divided", [False, True])
def test_pna(divided: bool) -> None:
    degrees = np.bincount(EDGES[:, 1], minlength=NODES)
    histogram = degree_histogram(PGL.Graph(EDGES, NODES))
    np.testing.assert_array_equal(histogram, np.bincount(degrees))
    layer, w = seeded(
        PGL.nn.PNAConv(6, 4, AGGREGATORS, SCALERS, histogram, 3, towers=2, pre_layers=2, divide_input=divided)
    )
    mean_log, mean = np.log(degrees + 1).mean(), degrees.mean()
    d = np.maximum(degrees, 1)[:, None]
    scales = [1, np.log(d + 1) / mean_log, mean_log / np.log(d + 1), d / mean, mean / d]
    encoded = EDGE @ w["edge_encoder.weight"] + w["edge_encoder.bias"]
    results = []
    for tower in range(2):
        own = X[:, 3 * tower : 3 * tower + 3] if divided else X
        messages = np.concatenate([own[EDGES[:, 1]], own[EDGES[:, 0]], encoded], axis=1)
        for number in range(2):
            messages = np.maximum(messages, 0) if number else messages
            messages = messages @ w[f"pre_nns.{tower}.{number}.weight"] + w[f"pre_nns.{tower}.{number}.bias"]
        means = reduced(messages, np.mean)
        variance = np.maximum(reduced(messages**2, np.mean) - means**2, 0)
        parts = [means, *(reduced(messages, f) for f in (np.min, np.max, np.sum)), np.sqrt(variance + 1e-5), variance]
        joined = np.concatenate(parts, axis=1)
        rows = np.concatenate([own, *(joined * scale for scale in scales)], axis=1)
        results.append(rows @ w[f"post_nns.{tower}.0.weight"] + w[f"post_nns.{tower}.0.bias"])
    close(output(layer, EDGE), np.concatenate(results, axis=1) @ w["lin.weight"] + w["lin.bias"])


LAYERS: dict[str, tuple[Callable[[], Any], bool]] = {
    "ChebConv": (lambda: PGL.nn.ChebConv(3, 2, 3), False),
    "EdgeConv": (lambda: PGL.nn.EdgeConv(mlp(6, 2), "max"), False),
    "TAGConv": (lambda: PGL.nn.TAGConv(3, 2, 2), False),
    "ARMAConv": (lambda: PGL.nn.ARMAConv(3, 2, 2, 2, act="tanh"), False),
    "GINEConv": (lambda: PGL.nn.GINEConv(mlp(3, 2), edge_dim=3, input_size=3, train_eps=True), True),
    "NNConv": (lambda: PGL.nn.NNConv(3, 2, mlp(3, 6)), True),
    "PNAConv": (lambda: PGL.nn.PNAConv(3, 2, AGGREGATORS, SCALERS, [1, 2, 1], 3, act="tanh"), True),
}


@pytest.mark.parametrize("name", LAYERS)
def test_gradients_and_compilation(name: str) -> None:
    build, of_edges = LAYERS[name]
    core.set_default_dtype("float64")
    try:
        layer, _ = seeded(build())
        graph = PGL.Graph(edges=[(0, 1), (2, 1), (1, 0), (3, 1), (3, 3)], num_nodes=4).tensor()
        given = [features(f"gradient {name}", 4, 3).astype(np.float64)]
        given += [features(f"edges {name}", 5, 3).astype(np.float64)] if of_edges else []
        check_gradients(lambda *tensors: layer(graph, *tensors), *given, order=1)
        flat = graph.flat()

        @to_static
        def compiled(x: Any, *tensors: Any) -> Any:
            return layer(PGL.Graph.from_flat(tensors[: len(flat)]), x, *tensors[len(flat) :])

        tensors = [core.to_tensor(array) for array in given]
        found = compiled(tensors[0], *flat, *tensors[1:])
        np.testing.assert_allclose(found.numpy(), layer(graph, *tensors).numpy(), rtol=1e-10, atol=1e-12)
        (found * found).sum().backward()
        for parameter_name, parameter in layer.named_parameters():
            assert parameter.grad is not None and np.isfinite(parameter.grad.numpy()).all(), parameter_name
    finally:
        core.set_default_dtype("float32")


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: PGL.nn.ChebConv(3, 2, 0), "ChebConv: K must be positive, not 0"),
        (lambda: PGL.nn.ChebConv(3, 2, 2, "row"), "ChebConv: normalization must be 'sym', 'rw' or None, not 'row'"),
        (lambda: PGL.nn.TAGConv(3, 2, -1), "TAGConv: K must not be negative, and is -1"),
        (lambda: PGL.nn.ARMAConv(3, 2, 0), "ARMAConv: num_stacks and num_layers must be positive, not 0 and 1"),
        (lambda: PGL.nn.EdgeConv(mlp(6, 2), "most"), "EdgeConv: the aggregation must be one of sum, mean, max, min"),
        (lambda: PGL.nn.GINEConv(mlp(3, 2), edge_dim=3), "GINEConv: with edge_dim give input_size"),
        (
            lambda: PGL.nn.PNAConv(3, 2, ["most"], SCALERS, [0, 1]),
            "PNAConv: aggregators must be some of .*, not 'most'",
        ),
        (lambda: PGL.nn.PNAConv(3, 2, AGGREGATORS, [], [0, 1]), "PNAConv: scalers must be some of .*, not 'none'"),
        (lambda: PGL.nn.PNAConv(3, 2, ["sum"], SCALERS, [4]), "PNAConv: deg must count nodes by in-degree"),
        (lambda: PGL.nn.PNAConv(3, 2, ["sum"], SCALERS, [0, 1], towers=3), "PNAConv: towers must divide the sizes"),
    ],
)
def test_arguments_that_do_not_go(build: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        build()


def test_inputs_that_do_not_fit() -> None:
    graph, x = plain_graph(PGL), core.to_tensor(X)
    edge = core.to_tensor(EDGE)
    with pytest.raises(ValueError, match="GINEConv: edges have 3 features and nodes 6; give edge_dim and input_size"):
        PGL.nn.GINEConv(mlp(6, 2))(graph, x, edge)
    with pytest.raises(ValueError, match="NNConv: nn must make 6 x 4 weights of an edge, not 7"):
        PGL.nn.NNConv(6, 4, mlp(3, 7))(graph, x, edge)
    with pytest.raises(ValueError, match="PNAConv: give edge_dim, or no edge_feat"):
        PGL.nn.PNAConv(6, 4, ["sum"], ["identity"], [0, 1])(graph, x, edge)
    with pytest.raises(ValueError, match="ChebConv: without normalization give lambda_max"):
        PGL.nn.ChebConv(6, 4, 2, None)(graph, x)
    with pytest.raises(ValueError, match="ChebConv: lambda_max must be positive, not -1"):
        PGL.nn.ChebConv(6, 4, 2)(graph, x, lambda_max=-1)

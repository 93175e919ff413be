"""The graph layers that are compared with pgl, built and called by code that serves both libraries.

Each case is a function of the graph library (``pgl`` or ``PGL``) and its engine (``paddle`` or ``core``), whose names
are the same. Weights, features and edges are drawn from streams seeded by their names, so nothing but answers is
stored.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Callable, NamedTuple

import numpy as np

from tests.parity.recipe import uniform

NODES, CONNECTED, PAIRS = 60, 54, 150
GRAPH_SIZES = (7, 1, 12, 20)
"""Nodes of the graphs in a batch; the second one has no edge."""


def integers(name: str, count: int, end: int) -> np.ndarray:
    """Return numbers from 0 to end - 1 of the stream of a name."""
    return (uniform(name, (count,), 0.0, 1.0) * end).astype(np.int64)


def random_edges(name: str, count: int, sources: int, targets: int) -> np.ndarray:
    """Return edges (count + 7, 2): the first seven come twice, and some are self loops."""
    edges = np.stack([integers(f"{name} source", count, sources), integers(f"{name} target", count, targets)], axis=1)
    edges[3] = edges[3, 1], edges[3, 1]
    return np.concatenate([edges, edges[:7]])


def plain_edges() -> np.ndarray:
    """Return the edges of the one large graph: six of its nodes have none, but for a self loop of one of these."""
    edges = random_edges("edges", PAIRS, CONNECTED, CONNECTED)
    return np.concatenate([edges, [[NODES - 3, NODES - 3]]])


def plain_graph(pgl: Any) -> Any:
    """Return the one large graph."""
    return pgl.Graph(edges=plain_edges(), num_nodes=NODES).tensor()


def graph_without_twins(pgl: Any) -> Any:
    """Return the large graph without edges that occur twice: of equal largest numbers, pgl's gradient counts each."""
    return pgl.Graph(edges=np.unique(plain_edges(), axis=0), num_nodes=NODES).tensor()


def typed_graphs(pgl: Any) -> dict[str, Any]:
    """Return three graphs on the same nodes, one for each kind of edge."""
    return {
        kind: pgl.Graph(edges=random_edges(kind, PAIRS, CONNECTED, CONNECTED), num_nodes=NODES).tensor()
        for kind in ("cites", "writes", "reads")
    }


def batched_graph(pgl: Any) -> Any:
    """Return four graphs as one."""
    graphs = []
    for size in GRAPH_SIZES:
        edges = random_edges(f"graph of {size}", 3 * size, size, size) if size > 1 else np.zeros((0, 2), np.int64)
        graphs.append(pgl.Graph(edges=edges, num_nodes=size))
    return pgl.Graph.disjoint(graphs).tensor()


def features(name: str, *shape: int) -> np.ndarray:
    """Return features in [-1, 1)."""
    return uniform(f"features {name}", shape, -1.0, 1.0)


class Case(NamedTuple):
    """One comparison.

    Attributes:
        build: (graph library, engine) to the layer.
        call: (layer, graph, inputs) to one Tensor or several.
        inputs: Names to float32 arrays; gradients towards all of them are compared.
        graph: graph library to the graph.
        training: Whether the layer is in training mode: Paddle cannot differentiate an LSTM in evaluation mode.
    """

    build: Callable[[Any, Any], Any]
    call: Callable[..., Any] = lambda layer, graph, x: layer(graph, x)
    inputs: Mapping[str, np.ndarray] = {"x": features("x", NODES, 12)}
    graph: Callable[[Any], Any] = plain_graph
    training: bool = False


POOLED = {"x": features("x", sum(GRAPH_SIZES), 12)}
WIDE = {"x": features("wide", NODES, 6)}


def with_norm(layer: Any, graph: Any, x: Any, norm: Any) -> Any:
    return layer(graph, x, norm)


def with_relu(layer: Any, graph: Any, x: Any) -> Any:
    return layer(graph, x, act="relu")


def to_fewer_nodes(layer: Any, graph: Any, x: Any, targets: Any) -> Any:
    return layer(graph, (x, targets))


def with_edges(layer: Any, graph: Any, x: Any, edge: Any) -> Any:
    return layer(graph, x, edge)


def edges_to_fewer_nodes(pgl: Any) -> Any:
    return pgl.Graph(edges=random_edges("fewer", PAIRS, NODES, 40), num_nodes=NODES).tensor()


def pooled_nodes(layer: Any, graph: Any, x: Any) -> Any:
    kept, batch, smaller = layer(graph, x)
    return kept, batch, smaller.edges, smaller.graph_node_id


EDGES = len(plain_edges())
NORM = {"x": features("x", NODES, 12), "norm": uniform("norm", (NODES, 1), 0.2, 1.0)}

CASES = {
    "GCNConv": Case(lambda pgl, engine: pgl.nn.GCNConv(12, 5)),
    "GCNConv_wider_relu": Case(lambda pgl, engine: pgl.nn.GCNConv(6, 9, activation="relu"), inputs=WIDE),
    "GCNConv_without_norm": Case(lambda pgl, engine: pgl.nn.GCNConv(12, 12, norm=False)),
    "GCNConv_given_norm": Case(lambda pgl, engine: pgl.nn.GCNConv(12, 5), with_norm, NORM),
    "GATConv": Case(lambda pgl, engine: pgl.nn.GATConv(12, 4, num_heads=3)),
    "GATConv_averaged": Case(
        lambda pgl, engine: pgl.nn.GATConv(12, 4, 0.0, 0.0, num_heads=3, concat=False, activation="elu")
    ),
    "GATv2Conv": Case(lambda pgl, engine: pgl.nn.GATv2Conv(12, 4, num_heads=3)),
    "GATv2Conv_averaged": Case(
        lambda pgl, engine: pgl.nn.GATv2Conv(12, 4, num_heads=3, concat=False, activation="elu")
    ),
    **{
        f"GraphSageConv_{aggregation}": Case(
            lambda pgl, engine, aggregation=aggregation: pgl.nn.GraphSageConv(12, 5, aggregation),
            graph=graph_without_twins if aggregation in ("max", "min") else plain_graph,
        )
        for aggregation in ("sum", "mean", "max", "min")
    },
    "GraphSageConv_relu": Case(lambda pgl, engine: pgl.nn.GraphSageConv(12, 5, "mean", normalize=False), with_relu),
    "GraphSageConv_to_fewer_nodes": Case(
        lambda pgl, engine: pgl.nn.GraphSageConv(12, 5),
        to_fewer_nodes,
        {"x": features("x", NODES, 12), "targets": features("targets", 40, 12)},
        edges_to_fewer_nodes,
    ),
    "PinSageConv": Case(
        lambda pgl, engine: pgl.nn.PinSageConv(12, 5),
        with_edges,
        {"x": features("x", NODES, 12), "edge": features("edge", EDGES, 1)},
    ),
    "PinSageConv_max": Case(
        lambda pgl, engine: pgl.nn.PinSageConv(12, 5, "max"),
        lambda layer, graph, x, edge: layer(graph, x, edge, act="relu"),
        {"x": features("x", NODES, 12), "edge": features("edge", EDGES, 1)},
    ),
    "GINConv": Case(lambda pgl, engine: pgl.nn.GINConv(12, 5)),
    "GINConv_learned_epsilon": Case(
        lambda pgl, engine: pgl.nn.GINConv(12, 5, activation="relu", init_eps=0.3, train_eps=True)
    ),
    "RGCNConv": Case(lambda pgl, engine: pgl.nn.RGCNConv(12, 5, ["cites", "writes", "reads"]), graph=typed_graphs),
    "RGCNConv_bases": Case(
        lambda pgl, engine: pgl.nn.RGCNConv(12, 5, ["cites", "writes", "reads"], num_bases=2), graph=typed_graphs
    ),
    "SGCConv": Case(lambda pgl, engine: pgl.nn.SGCConv(12, 5, cached=False)),
    "SGCConv_bias": Case(lambda pgl, engine: pgl.nn.SGCConv(12, 5, 3, False, "relu", bias=True)),
    "SSGCConv": Case(lambda pgl, engine: pgl.nn.SSGCConv(12, 5, cached=False)),
    "SSGCConv_bias": Case(lambda pgl, engine: pgl.nn.SSGCConv(12, 5, 4, 0.2, False, "tanh", bias=True)),
    "APPNP": Case(lambda pgl, engine: pgl.nn.APPNP()),
    "APPNP_self_loop": Case(lambda pgl, engine: pgl.nn.APPNP(alpha=0.1, k_hop=3, self_loop=True)),
    "APPNP_given_norm": Case(lambda pgl, engine: pgl.nn.APPNP(), with_norm, NORM),
    "GCNII": Case(lambda pgl, engine: pgl.nn.GCNII(12)),
    "GCNII_relu": Case(lambda pgl, engine: pgl.nn.GCNII(12, activation="relu", lambda_l=1.0, alpha=0.1, k_hop=4)),
    "TransformerConv": Case(lambda pgl, engine: pgl.nn.TransformerConv(12, 4)),
    "TransformerConv_gate": Case(
        lambda pgl, engine: pgl.nn.TransformerConv(12, 4, num_heads=3, gate=True, layer_norm=False, activation=None)
    ),
    "TransformerConv_averaged": Case(
        lambda pgl, engine: pgl.nn.TransformerConv(12, 4, num_heads=3, concat=False, gate=True)
    ),
    "TransformerConv_without_skip": Case(
        lambda pgl, engine: pgl.nn.TransformerConv(12, 4, num_heads=3, skip_feat=False)
    ),
    "TransformerConv_edges": Case(
        lambda pgl, engine: pgl.nn.TransformerConv(12, 4, num_heads=3),
        with_edges,
        {"x": features("x", NODES, 12), "edge": features("edge", EDGES, 12)},
    ),
    "GPRConv": Case(lambda pgl, engine: pgl.nn.GPRConv(12, 8, 5)),
    "GPRConv_self_loop": Case(lambda pgl, engine: pgl.nn.GPRConv(12, 8, 5, self_loop=True, k_hop=3)),
    "FAConv": Case(lambda pgl, engine: pgl.nn.FAConv(12)),
    "NGCFConv": Case(lambda pgl, engine: pgl.nn.NGCFConv(12, 5)),
    "LightGCNConv": Case(lambda pgl, engine: pgl.nn.LightGCNConv()),
    **{
        f"GraphPool_{kind}": Case(
            lambda pgl, engine, kind=kind: pgl.nn.GraphPool(kind), inputs=POOLED, graph=batched_graph
        )
        for kind in ("sum", "mean", "max", "min")
    },
    "GraphNorm": Case(lambda pgl, engine: pgl.nn.GraphNorm(), inputs=POOLED, graph=batched_graph),
    "Set2Set": Case(lambda pgl, engine: pgl.nn.Set2Set(12, 3), inputs=POOLED, graph=batched_graph, training=True),
    "GlobalAttention": Case(
        lambda pgl, engine: pgl.nn.GlobalAttention(engine.nn.Linear(12, 1), engine.nn.Linear(12, 5)),
        inputs=POOLED,
        graph=batched_graph,
    ),
    "SAGPool": Case(lambda pgl, engine: pgl.nn.SAGPool(12, gnn=pgl.nn.GCNConv), pooled_nodes, POOLED, batched_graph),
    "SAGPool_min_score": Case(
        lambda pgl, engine: pgl.nn.SAGPool(12, gnn=pgl.nn.GCNConv, min_score=0.06), pooled_nodes, POOLED, batched_graph
    ),
    "GraphMultisetTransformer": Case(
        lambda pgl, engine: pgl.nn.GraphMultisetTransformer(12, 8, 5, num_nodes=12, layer_norm=True),
        inputs=POOLED,
        graph=batched_graph,
    ),
}


def weight(name: str, shape: tuple[int, ...]) -> np.ndarray:
    """Return the value of one parameter: scales near 1, offsets near 0, matrices of variance 1 / inputs."""
    if name.rpartition(".")[0].endswith(("layer_norm", "ln0", "ln1")) and name.endswith("weight"):
        return uniform(name, shape, 0.7, 1.3)
    if len(shape) < 2:
        return uniform(name, shape, -0.3, 0.3)
    bound = float(np.sqrt(3.0 / shape[-2])) if shape[-2] > 1 else 1.0
    return uniform(name, shape, -bound, bound)


def direction(shape: tuple[int, ...]) -> np.ndarray:
    """Return what an output is multiplied with before it is summed and differentiated."""
    return uniform("direction", shape, -1.0, 1.0)


def run(case: Case, pgl: Any, engine: Any) -> tuple[Any, dict[str, np.ndarray]]:
    """Build a layer, give it the seeded weights, call it and differentiate.

    Returns:
        (the layer, answers: ``output``, ``output_1`` and so on, and ``gradient INPUT_OR_PARAMETER``).
    """
    layer = case.build(pgl, engine)
    for name, tensor in layer.state_dict().items():
        tensor.set_value(weight(name, tuple(tensor.shape)))
    layer.train() if case.training else layer.eval()
    inputs = {name: engine.to_tensor(array, stop_gradient=False) for name, array in case.inputs.items()}
    results = case.call(layer, case.graph(pgl), **inputs)
    results = results if isinstance(results, tuple) else (results,)
    answers = {"output" + (f"_{i}" if i else ""): result.numpy() for i, result in enumerate(results)}
    (results[0] * engine.to_tensor(direction(tuple(results[0].shape)))).sum().backward()
    for name, tensor in [*inputs.items(), *layer.named_parameters()]:
        gradient = tensor.grad
        answers[f"gradient {name}"] = np.zeros(tensor.shape, "float32") if gradient is None else gradient.numpy()
    return layer, answers

"""Graph networks: ``pgl`` of pgl, every layer of ``pgl.nn`` and what they are made of.

Each case builds its graphs from the same seeded edges, as the official examples build them from a data set's, so that a
compiled or exported program holds the graph and takes the features.
"""

from __future__ import annotations

import importlib
from typing import Any, Callable

import numpy as np
from recipe import uniform

from cases.case import Case, made

NODES, EDGES = 30, 120
BATCH = (7, 12, 11)  # nodes of each graph in a batch
TYPES = ("cites", "likes")
FEATURES = (("uniform", (NODES, 16)),)


def _pgl() -> Any:
    return importlib.import_module("pgl")


def _ends(name: str = "edges", nodes: int = NODES, edges: int = EDGES, sources: int = 0) -> np.ndarray:
    """Return edges: from a node below ``sources``, or any, to any node."""
    return (uniform(name, (edges, 2), 0.0, 1.0) * [sources or nodes, nodes]).astype(np.int64)


def _graph() -> Any:
    return _pgl().Graph(num_nodes=NODES, edges=_ends()).tensor()


def _batch() -> Any:
    graphs = [_pgl().Graph(num_nodes=nodes, edges=_ends(f"graph {nodes}", nodes, 4 * nodes)) for nodes in BATCH]
    return _pgl().Graph.batch(graphs).tensor()


def _on_graph(model: Any, features: Any, *edge_features: Any) -> Any:
    return model(_graph(), features, *edge_features)


def _on_batch(model: Any, features: Any) -> Any:
    return model(_batch(), features)


def _on_batch_in_training(model: Any, features: Any) -> Any:
    """Run a layer in training mode, as Paddle's recurrent networks keep what gradients need only then."""
    model.train()
    return model(_batch(), features)


def _on_types(model: Any, features: Any) -> Any:
    """Run a layer on a graph with edges of two types."""
    edges = {name: _ends(name) for name in TYPES}
    graph = _pgl().HeterGraph(edges=edges, node_types=[(node, "paper") for node in range(NODES)], num_nodes=NODES)
    return model(graph.tensor(), features)


def _sag_pool(model: Any, features: Any) -> Any:
    """Run a layer that returns a smaller graph, too."""
    kept, graph_of_node, graph = model(_batch(), features)
    return kept, graph_of_node.astype("float32"), graph.edges.astype("float32")


def _functions() -> Any:
    """Return a layer without parameters, for functions."""
    import paddle

    return paddle.nn.Identity()


def _both_sides(model: Any, sources: Any, targets: Any) -> Any:
    """Send messages both ways between the two kinds of nodes of a bipartite graph."""
    pgl = _pgl()
    # no edge twice: of equal messages Paddle gives each the gradient of a maximum, core the first one
    ends = np.unique(_ends("bipartite", NODES, EDGES, sources=20), axis=0)
    graph = pgl.BiGraph(edges=ends, src_num_nodes=20, dst_num_nodes=NODES).tensor()
    there = graph.send(lambda source, target, edge: {"h": source["h"] * target["h"]}, {"h": sources}, {"h": targets})
    back = graph.send(lambda source, target, edge: {"h": target["h"]}, None, {"h": targets})
    return (
        graph.send_recv(sources, "sum"),
        graph.recv(lambda message: message.reduce_mean(message["h"]), there, recv_mode="dst"),
        graph.recv(lambda message: message.reduce_max(message["h"]), back, recv_mode="src"),
        graph.indegree().astype("float32"),
    )


def _segments(model: Any, features: Any) -> Any:
    """Reduce, normalise, pad and choose rows by the graph that they are of."""
    import paddle

    functions = importlib.import_module("pgl.math")
    rows = paddle.to_tensor(np.repeat(np.arange(len(BATCH)), BATCH))
    padded, lengths, _ = functions.segment_padding(features, rows)
    return (
        *(functions.segment_pool(features, rows, kind) for kind in ("sum", "mean", "max", "min")),
        functions.segment_softmax(features, rows),
        padded,
        lengths.astype("float32"),
        functions.segment_topk(features, features.mean(axis=1), rows, 0.5),
    )


def _layer(name: str, *args: Any, **kwargs: Any) -> Callable[[], Any]:
    return made("pgl.nn", name, *args, **kwargs)


def _attention_pool() -> Any:
    import paddle

    return _pgl().nn.GlobalAttention(paddle.nn.Linear(16, 1), paddle.nn.Linear(16, 8))


def _score_pool() -> Any:
    return _pgl().nn.SAGPool(16, gnn=_pgl().nn.GCNConv)  # the default names a class that its module does not import


CASES = {
    name: Case(
        "pgl",
        build,
        inputs,
        call,
        light=name == "GCNConv",
        compiles=name != "SAGPool",  # how many nodes it keeps depends on the graphs
    )
    for name, build, inputs, call in (
        ("GCNConv", _layer("GCNConv", 16, 8, activation="relu"), FEATURES, _on_graph),
        ("GATConv", _layer("GATConv", 16, 8, feat_drop=0.0, attn_drop=0.0, num_heads=2), FEATURES, _on_graph),
        ("GATv2Conv", _layer("GATv2Conv", 16, 8, num_heads=2, concat=False, activation="elu"), FEATURES, _on_graph),
        ("GraphSageConv", _layer("GraphSageConv", 16, 8, aggr_func="mean"), FEATURES, _on_graph),
        (
            "PinSageConv",
            _layer("PinSageConv", 16, 8, aggr_func="max"),
            (*FEATURES, ("uniform", (EDGES, 1))),
            _on_graph,
        ),
        ("GINConv", _layer("GINConv", 16, 8, activation="relu"), FEATURES, _on_graph),
        ("APPNP", _layer("APPNP", alpha=0.2, k_hop=3), FEATURES, _on_graph),
        ("GPRConv", _layer("GPRConv", 16, 12, 8, k_hop=3), FEATURES, _on_graph),
        ("GCNII", _layer("GCNII", 16, activation="relu", k_hop=3), FEATURES, _on_graph),
        (
            "TransformerConv",
            _layer("TransformerConv", 16, 4, num_heads=2, gate=True),
            (*FEATURES, ("uniform", (EDGES, 2, 4))),
            _on_graph,
        ),
        ("RGCNConv", _layer("RGCNConv", 16, 8, list(TYPES), num_bases=1), FEATURES, _on_types),
        ("SGCConv", _layer("SGCConv", 16, 8, k_hop=2, cached=False, bias=True), FEATURES, _on_graph),
        ("SSGCConv", _layer("SSGCConv", 16, 8, k_hop=3, cached=False, activation="relu"), FEATURES, _on_graph),
        ("NGCFConv", _layer("NGCFConv", 16, 8), FEATURES, _on_graph),
        ("LightGCNConv", _layer("LightGCNConv"), FEATURES, _on_graph),
        ("FAConv", _layer("FAConv", 16), FEATURES, _on_graph),
        ("GraphPool", _layer("GraphPool", "max"), FEATURES, _on_batch),
        ("GraphNorm", _layer("GraphNorm"), FEATURES, _on_batch),
        ("Set2Set", _layer("Set2Set", 16, 2), FEATURES, _on_batch_in_training),
        ("GlobalAttention", _attention_pool, FEATURES, _on_batch),
        ("SAGPool", _score_pool, FEATURES, _sag_pool),
        ("GraphMultisetTransformer", _layer("GraphMultisetTransformer", 16, 8, 4, num_nodes=12), FEATURES, _on_batch),
        ("BiGraph", _functions, (("uniform", (20, 16)), *FEATURES), _both_sides),
        ("pgl_math", _functions, FEATURES, _segments),
    )
}

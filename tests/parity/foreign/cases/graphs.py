"""Graph networks: ``pgl.nn`` of pgl."""

from __future__ import annotations

import importlib
from typing import Any, Callable

import numpy as np
from recipe import uniform

from cases.case import Case, made

NODES, EDGES = 30, 120


def _graph_network(layer: str, *args: Any, **kwargs: Any) -> Callable[[], Any]:
    return made("pgl.nn.conv", layer, *args, **kwargs)


def _on_graph(model: Any, features: Any) -> Any:
    pgl = importlib.import_module("pgl")
    ends = (uniform("edges", (EDGES, 2), 0.0, 1.0) * NODES).astype(np.int64)
    graph = pgl.Graph(num_nodes=NODES, edges=ends)
    return model(graph.tensor(), features)


CASES = {
    name: Case(
        "pgl",
        build,
        (("uniform", (NODES, 16)),),
        _on_graph,
        light=name == "GCNConv",
        compiles=name != "GATConv",  # it counts the edges of each node with paddle.unique
    )
    for name, build in {
        "GCNConv": _graph_network("GCNConv", 16, 8, activation="relu"),
        "GATConv": _graph_network("GATConv", 16, 8, feat_drop=0.0, attn_drop=0.0, num_heads=2),
        "GraphSageConv": _graph_network("GraphSageConv", 16, 8, aggr_func="mean"),
        "GINConv": _graph_network("GINConv", 16, 8, activation="relu"),
        "APPNP": _graph_network("APPNP", alpha=0.2, k_hop=3),
    }.items()
}

"""Uses of graphs that run alike with pgl on Paddle and with PGL on core: each returns arrays by name."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

NODES, EDGES, SOURCES, TARGETS = 12, 40, 7, 9


def generator(name: str) -> np.random.Generator:
    """Return the source of a case's numbers."""
    return np.random.default_rng(zlib.crc32(name.encode()))


def floats(draw: np.random.Generator, *shape: int) -> np.ndarray:
    """Return numbers between -1 and 1, none near 0, so that they can be divided by."""
    return (draw.uniform(0.25, 1, shape) * draw.choice([-1, 1], shape)).astype(np.float32)


def random_graph(pgl: Any, draw: np.random.Generator, tensor: bool = True) -> Any:
    """Return a graph with parallel edges and self loops whose last nodes have none."""
    graph = pgl.Graph(
        edges=draw.integers(0, NODES - 2, (EDGES, 2)),
        num_nodes=NODES,
        node_feat={"x": floats(draw, NODES, 3), "heads": floats(draw, NODES, 2, 3)},
        edge_feat={"w": floats(draw, EDGES, 3), "weight": floats(draw, EDGES, 1)},
    )
    return graph.tensor() if tensor else graph


def random_bigraph(pgl: Any, draw: np.random.Generator, tensor: bool = True) -> Any:
    """Return a bipartite graph."""
    edges = np.stack([draw.integers(0, SOURCES - 1, EDGES), draw.integers(0, TARGETS - 1, EDGES)], 1)
    graph = pgl.BiGraph(
        edges=edges,
        src_num_nodes=SOURCES,
        dst_num_nodes=TARGETS,
        src_node_feat={"s": floats(draw, SOURCES, 3)},
        dst_node_feat={"d": floats(draw, TARGETS, 3)},
        edge_feat={"w": floats(draw, EDGES, 3)},
    )
    return graph.tensor() if tensor else graph


def ragged(name: str, lists: Sequence[Any]) -> dict[str, np.ndarray]:
    """Return a list of arrays as their lengths and contents."""
    return {
        f"{name} lengths": np.array([len(some) for some in lists]),
        f"{name} values": np.concatenate([np.asarray(some, np.int64) for some in lists]),
    }


def arrays(**values: Any) -> dict[str, np.ndarray]:
    """Return values as arrays."""
    return {name: np.asarray(value) for name, value in values.items()}


def structure(pgl: Any, paddle: Any) -> dict[str, np.ndarray]:
    """Degrees, neighbours and sorted edges of a graph in arrays."""
    graph = random_graph(pgl, generator("structure"), tensor=False)
    some = np.array([3, 0, 11, 3])
    answers = arrays(
        indegree=graph.indegree(), outdegree=graph.outdegree(), some_indegree=graph.indegree(some), nodes=graph.nodes
    )
    for name in ("successor", "predecessor"):
        for label, nodes in (("all", None), ("some", some)):
            ends, ids = getattr(graph, name)(nodes, return_eids=True)
            answers.update({**ragged(f"{name} {label}", ends), **ragged(f"{name} {label} ids", ids)})
    for by in ("src", "dst"):
        answers.update(zip((f"{by} source", f"{by} target", f"{by} id"), graph.sorted_edges(sort_by=by)))
    return answers


def tensor_structure(pgl: Any, paddle: Any) -> dict[str, np.ndarray]:
    """Degrees, edges and segments of a graph of tensors."""
    graph = random_graph(pgl, generator("tensor structure"))
    answers = arrays(
        indegree=graph.indegree(), outdegree=graph.outdegree(), edges=graph.edges, nodes=graph.nodes,
        some=graph.outdegree(paddle.to_tensor([4, 1])), num_edges=int(graph.num_edges), num_nodes=int(graph.num_nodes),
    )  # fmt: skip
    for by in ("src", "dst"):
        nodes, numbers = graph.get_segment_ids(graph.edges[:, 0], graph.edges[:, 1], segment_by=by)
        answers.update(arrays(**{f"{by} nodes": nodes, f"{by} numbers": numbers}))
    return answers


def batches(pgl: Any, paddle: Any) -> dict[str, np.ndarray]:
    """Graphs side by side, as a batch and merged, in arrays and tensors."""
    answers = {}
    for tensor in (False, True):
        draw = generator("batches")
        graphs = [random_graph(pgl, draw, tensor) for _ in range(3)]
        for merged in (False, True):
            graph = pgl.Graph.disjoint(graphs, merged_graph_index=merged)
            found = arrays(
                edges=graph.edges, node=graph.graph_node_id, edge=graph.graph_edge_id, w=graph.edge_feat["w"],
                x=graph.node_feat["x"], sizes=[int(graph.num_graph), int(graph.num_nodes), int(graph.num_edges)],
            )  # fmt: skip
            answers.update({f"{tensor} {merged} {name}": value for name, value in found.items()})
    draw = generator("bipartite batches")
    graph = pgl.BiGraph.batch([random_bigraph(pgl, draw, False) for _ in range(2)])
    found = arrays(
        edges=graph.edges, source=graph.graph_src_node_id, target=graph.graph_dst_node_id, edge=graph.graph_edge_id,
        s=graph.src_node_feat["s"], d=graph.dst_node_feat["d"], num_graph=int(graph.num_graph),
    )  # fmt: skip
    return {**answers, **{f"bipartite {name}": value for name, value in found.items()}}


def subgraphs(pgl: Any, paddle: Any) -> dict[str, np.ndarray]:
    """Parts of a graph with new numbers."""
    from importlib import import_module

    subgraph = pgl.sampling.subgraph if hasattr(pgl.sampling, "subgraph") else import_module("PGL.subgraph").subgraph
    graph = random_graph(pgl, generator("subgraphs"), tensor=False)
    nodes = [9, 2, 5, 0, 7, 11, 1, 3]
    inner = np.flatnonzero(np.isin(graph.edges, nodes).all(1))[::-1]
    part = subgraph(graph, nodes, eid=inner)
    given = subgraph(graph, nodes, edges=graph.edges[inner], with_edge_feat=False)
    return arrays(
        edges=part.edges, x=part.node_feat["x"], w=part.edge_feat["w"], given=given.edges, nodes=int(given.num_nodes)
    )


def fused(pgl: Any, paddle: Any) -> dict[str, np.ndarray]:
    """Messages of nodes, of nodes and edges, and of both ends."""
    graph = random_graph(pgl, generator("fused"))
    x, w = graph.node_feat["x"], graph.edge_feat["w"]
    answers = {}
    for reduce in ("sum", "mean", "max", "min"):
        answers[f"send_recv {reduce}"] = graph.send_recv(x, reduce)
        answers[f"send_u_recv {reduce}"] = graph.send_u_recv(graph.node_feat["heads"], reduce)
        for message in ("add", "sub", "mul", "div"):
            answers[f"send_ue_recv {message} {reduce}"] = graph.send_ue_recv(x, w, message, reduce)
            answers[f"send_ue_recv {message} {reduce} weight"] = graph.send_ue_recv(
                x, graph.edge_feat["weight"], message, reduce
            )
    for message in ("add", "sub", "mul", "div"):
        answers[f"send_uv {message}"] = graph.send_uv(x, x * 2, message)
    for size in (NODES - 2, NODES + 3):
        answers[f"out_size {size}"] = graph.send_u_recv(x, "sum", out_size=size)
        answers[f"out_size {size} edges"] = graph.send_ue_recv(x, w, "mul", "sum", out_size=size)
    return arrays(**answers)


def functions(pgl: Any, paddle: Any) -> dict[str, np.ndarray]:
    """Messages and reductions by functions."""
    graph = random_graph(pgl, generator("functions"))
    answers = {}

    def message(source: Any, target: Any, edge: Any) -> dict[str, Any]:
        return {"difference": source["x"] - target["x"], "product": source["x"] * edge["w"], "id": source["id"]}

    ids = paddle.arange(NODES)
    sent = graph.send(
        message, src_feat={"x": graph.node_feat["x"], "id": ids}, dst_feat=graph.node_feat, edge_feat=graph.edge_feat
    )
    answers.update(sent)
    for reduce in ("sum", "mean", "max", "min"):
        answers[f"reduce_{reduce}"] = graph.recv(
            lambda msg, r=reduce: getattr(msg, f"reduce_{r}")(msg["product"]), sent
        )
        answers[f"reduce {reduce}"] = graph.recv(lambda msg, r=reduce: msg.reduce(msg["product"], r), sent)

    def attention(msg: Any) -> Any:
        weight = msg.reduce_softmax(msg["difference"])
        centred = msg["product"] - msg.edge_expand(msg.reduce_mean(msg["product"]))
        return msg.reduce_sum(weight * centred) + 1

    answers["attention"] = graph.recv(attention, sent)
    answers["attention at sources"] = graph.recv(attention, sent, recv_mode="src")
    both = graph.send(lambda s, d, e: {"sum": s["a"]["x"] + d["a"]["x"]}, node_feat={"a": graph.node_feat})
    answers["both ends, nested"] = both["sum"]
    return arrays(**answers)


def bipartite(pgl: Any, paddle: Any) -> dict[str, np.ndarray]:
    """Structure and messages of a bipartite graph."""
    graph = random_bigraph(pgl, generator("bipartite"), tensor=False)
    answers = arrays(
        indegree=graph.indegree(), outdegree=graph.outdegree(), sources=graph.src_nodes, targets=graph.dst_nodes
    )
    answers.update(ragged("successor", graph.successor([0, 6, 2])))
    answers.update(ragged("predecessor", graph.predecessor()))
    graph = graph.tensor()
    sent = graph.send(
        lambda s, d, e: {"m": s["s"] * d["d"] + e["w"]},
        src_feat=graph.src_node_feat,
        dst_feat=graph.dst_node_feat,
        edge_feat=graph.edge_feat,
    )
    answers.update(
        arrays(
            m=sent["m"],
            targets_sum=graph.recv(lambda msg: msg.reduce_sum(msg["m"]), sent),
            sources_max=graph.recv(lambda msg: msg.reduce_max(msg["m"]), sent, recv_mode="src"),
            send_recv=graph.send_recv(graph.src_node_feat["s"]),
        )
    )
    return answers


def heterogeneous(pgl: Any, paddle: Any) -> dict[str, np.ndarray]:
    """Degrees and neighbours by type of edges."""
    draw = generator("heterogeneous")
    edges = {name: draw.integers(0, NODES, (EDGES, 2)) for name in ("follows", "likes")}
    types = [(node, "user" if node % 3 else "item") for node in range(NODES)]
    features = {name: {"w": floats(draw, EDGES, 2)} for name in edges}
    graph = pgl.HeterGraph(edges, NODES, types, {"x": floats(draw, NODES, 3)}, features)
    answers = arrays(
        indegree=graph.indegree(), outdegree=graph.outdegree(), likes=graph.indegree(edge_type="likes"),
        users=graph.num_nodes_by_type("user"), items=graph.num_nodes_by_type("item"),
        follows=graph.num_edges["follows"], item_nodes=np.concatenate(list(graph.node_batch_iter(3, n_type="item"))),
        w=graph.edge_feat["likes"]["w"],
    )  # fmt: skip
    answers.update(ragged("successor", graph.successor("follows", np.array([1, 5]))))
    answers.update(ragged("predecessor", graph.predecessor("likes", np.array([0, 7]))))
    graph.tensor()
    answers["sent"] = np.asarray(graph["likes"].send_recv(graph.node_feat["x"]))
    answers["tensor degree"] = np.asarray(graph.outdegree())
    return answers


CASES: dict[str, Callable[[Any, Any], dict[str, np.ndarray]]] = {
    case.__name__: case
    for case in (
        structure, tensor_structure, batches, subgraphs, fused, functions, bipartite, heterogeneous,
    )
}  # fmt: skip

"""The sides of graph_messages: the same graph and features in every library; a step returns a gradient."""

from __future__ import annotations

from typing import Any, Callable

Steps = dict[str, Callable[[], Any]]
HEADS, SIZE = 8, 8


def data(nodes: int, edges: int) -> dict[str, Any]:
    """Return the edges' ends, features, weights, numbers of nodes and the result's gradient, as numpy arrays."""
    import numpy as np

    generator = np.random.default_rng(0)

    def normal(*shape: int) -> Any:
        return generator.standard_normal(shape, dtype="float32")

    return {
        "source": generator.integers(0, nodes, edges),
        "target": generator.integers(0, nodes, edges),
        "features": normal(nodes, HEADS * SIZE),
        "weight": generator.random((edges, 1), dtype="float32"),
        "left": normal(nodes, HEADS),
        "right": normal(nodes, HEADS),
        "gradient": normal(nodes, HEADS * SIZE),
    }


def ours(nodes: int, edges: int) -> Steps:
    """Return our steps, eager."""
    import core
    import core.nn.functional as F
    from core import geometric
    from core.operators.graphs._edges import Edges
    from core.operators.graphs.message_passing import (
        add_ends,
        edge_softmax,
        gather_multiply_reduce,
        gather_reduce,
    )

    given = {name: core.to_tensor(array) for name, array in data(nodes, edges).items()}
    source, target = given["source"], given["target"]
    graph = Edges.from_index(source, target, nodes, nodes)

    def step(function: Callable[..., Any], *names: str) -> Callable[[], Any]:
        def run() -> Any:
            inputs = [given[name].detach() for name in names]
            for tensor in inputs:
                tensor.stop_gradient = False
            function(*inputs).backward(given["gradient"])
            return inputs[0].grad.numpy()

        return run

    def attention(x: Any, left: Any, right: Any) -> Any:
        weight = edge_softmax(F.leaky_relu(add_ends(left, right, graph), 0.2), graph)
        return gather_multiply_reduce(x.reshape([-1, HEADS, SIZE]), weight, graph).reshape([-1, HEADS * SIZE])

    return {
        "sum": step(lambda x: gather_reduce(x, graph), "features"),
        "sum, core.geometric": step(lambda x: geometric.send_u_recv(x, source, target), "features"),
        "weighted": step(lambda x, w: gather_multiply_reduce(x, w[:, 0], graph), "features", "weight"),
        "weighted, core.geometric": step(
            lambda x, w: geometric.send_ue_recv(x, w, source, target, "mul"), "features", "weight"
        ),
        "attention": step(attention, "features", "left", "right"),
    }


def pytorch(nodes: int, edges: int, threads: int) -> Steps:
    """Return PyTorch's steps: by a product with a sparse matrix, and by gathering and index_add."""
    import warnings

    import torch

    warnings.filterwarnings("ignore", message="Sparse ")
    torch.set_num_threads(threads)
    given = {name: torch.from_numpy(array) for name, array in data(nodes, edges).items()}
    source, target = given["source"], given["target"]
    ends = torch.stack([target, source])
    matrix = torch.sparse_coo_tensor(ends, torch.ones(edges), (nodes, nodes)).coalesce().to_sparse_csr()

    def step(function: Callable[..., Any], *names: str) -> Callable[[], Any]:
        def run() -> Any:
            inputs = [given[name].clone().requires_grad_() for name in names]
            function(*inputs).backward(given["gradient"])
            return inputs[0].grad.numpy()

        return run

    def added(messages: Any) -> Any:
        return torch.zeros(nodes, *messages.shape[1:]).index_add(0, target, messages)

    def attention(x: Any, left: Any, right: Any) -> Any:
        logits = torch.nn.functional.leaky_relu(left[source] + right[target], 0.2)
        highest = torch.full((nodes, HEADS), -torch.inf).scatter_reduce(
            0, target[:, None].expand(-1, HEADS), logits.detach(), "amax"
        )
        powers = (logits - highest[target]).exp()
        weight = powers / added(powers)[target]
        return added(x.view(-1, HEADS, SIZE)[source] * weight[:, :, None]).view(-1, HEADS * SIZE)

    return {
        "sum, sparse.mm": step(lambda x: torch.sparse.mm(matrix, x), "features"),
        "sum, index_add": step(lambda x: added(x[source]), "features"),
        "weighted, index_add": step(lambda x, w: added(x[source] * w), "features", "weight"),
        "attention, index_add": step(attention, "features", "left", "right"),
    }


def dgl(nodes: int, edges: int, threads: int) -> Steps:
    """Return dgl's steps."""
    import sys
    import types

    import torch

    sys.modules["dgl.graphbolt"] = types.ModuleType("dgl.graphbolt")  # it is bound to older versions of torch
    import dgl as library

    torch.set_num_threads(threads)
    given = {name: torch.from_numpy(array) for name, array in data(nodes, edges).items()}
    graph = library.graph((given["source"], given["target"]), num_nodes=nodes)
    graph.create_formats_()

    def step(function: Callable[..., Any], *names: str) -> Callable[[], Any]:
        def run() -> Any:
            inputs = [given[name].clone().requires_grad_() for name in names]
            function(*inputs).backward(given["gradient"])
            return inputs[0].grad.numpy()

        return run

    def attention(x: Any, left: Any, right: Any) -> Any:
        logits = library.ops.u_add_v(graph, left[:, :, None], right[:, :, None])
        weight = library.nn.functional.edge_softmax(graph, torch.nn.functional.leaky_relu(logits, 0.2))
        return library.ops.u_mul_e_sum(graph, x.view(-1, HEADS, SIZE), weight).view(-1, HEADS * SIZE)

    return {
        "sum": step(lambda x: library.ops.copy_u_sum(graph, x), "features"),
        "weighted": step(lambda x, w: library.ops.u_mul_e_sum(graph, x, w), "features", "weight"),
        "attention": step(attention, "features", "left", "right"),
    }

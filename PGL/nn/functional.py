"""What several graph layers share: normalisation by degree, one step of propagation, softmax over edges, pooling."""

from __future__ import annotations

from typing import Any, Callable, Optional, Union

import numpy as np

import core
from core import nn
from core.nn import functional as F
from core.operators.graphs import message_passing
from core.operators.linear_algebra.sparse_rows import SparseRows, sparse_product

Activation = Optional[Union[str, Callable[[Any], Any]]]
REDUCTIONS = ("sum", "mean", "max", "min")


def activation_function(owner: str, activation: Activation) -> Optional[Callable[[Any], Any]]:
    """Return an activation as a function.

    Args:
        owner: the layer's name, for the message.
        activation: the name of a function of core.nn.functional, a function, or None.

    Raises:
        ValueError: there is no such function.
    """
    if not isinstance(activation, str):
        return activation
    found = getattr(F, activation, None)
    if found is None:
        raise ValueError(f"{owner}: there is no activation {activation!r} in nn.functional")
    return found


def reduction(owner: str, name: str, choices: tuple[str, ...] = REDUCTIONS) -> str:
    """Return the name of an aggregation.

    Raises:
        ValueError: it is none of the choices.
    """
    if name not in choices:
        raise ValueError(f"{owner}: the aggregation must be one of {', '.join(choices)}, not {name!r}")
    return name


def linear(layer: nn.Linear, feature: Any) -> Any:
    """Apply a linear layer to features, which may be mostly zeros.

    Args:
        layer: (inputs) to (outputs).
        feature: (nodes, inputs), a Tensor or SparseRows.

    Returns:
        (nodes, outputs).
    """
    if not isinstance(feature, SparseRows):
        return layer(feature)
    output = sparse_product(feature, layer.weight)
    return output if layer.bias is None else output + layer.bias


def dropped(dropout: nn.Dropout, feature: Any) -> Any:
    """Apply dropout to features, a Tensor or SparseRows, whose zeros it leaves as they are."""
    if not isinstance(feature, SparseRows):
        return dropout(feature)
    return feature._replace(values=dropout(feature.values))


def head_products(rows: Any, *vectors: Any) -> list[Any]:
    """Multiply each head of rows by a vector of its own, by matrix products, whose gradients are quick.

    Args:
        rows: (rows, heads, size).
        vectors: (heads, size) each.

    Returns:
        (rows, heads) for each of the vectors.
    """
    count, heads, size = rows.shape
    own = core.eye(heads, dtype=rows.dtype).unsqueeze(1)
    blocks = [(vector.unsqueeze(-1) * own).reshape([heads * size, heads]) for vector in vectors]
    products = core.matmul(rows.reshape([count, heads * size]), core.concat(blocks, axis=1))
    return core.split(products, len(vectors), axis=1)


def degree_norm(graph: Any, mode: str = "indegree") -> Any:
    """Return 1 / √degree of each node, 1 for nodes without edges.

    Args:
        graph: the graph.
        mode: ``indegree`` or ``outdegree``.

    Returns:
        The default type, float32, of shape (num_nodes, 1).

    Raises:
        ValueError: the mode is neither.
    """
    if mode not in ("indegree", "outdegree"):
        raise ValueError(f"degree_norm: mode must be indegree or outdegree, not {mode!r}")
    edges = graph.connections()
    rows = edges.incoming if mode == "indegree" else edges.outgoing
    try:
        starts = rows.indptr.numpy()
    except ValueError:  # an argument of compiled code; where it can be read, the result is a constant of the program
        return _norm(_degrees(rows))
    norm = np.maximum(np.diff(starts), 1.0) ** -0.5
    return core.to_tensor(norm.astype(core.get_default_dtype()).reshape(-1, 1))


def _degrees(rows: message_passing.Rows) -> Any:
    counts = rows.indptr[1:] - rows.indptr[:-1]
    return counts.astype(core.get_default_dtype()).reshape([-1, 1])


def _norm(degree: Any) -> Any:
    return core.clip(degree, min=1.0).pow(-0.5)


def one_self_loop(graph: Any) -> tuple[Any, Any]:
    """Return what :func:`propagation` needs to treat a graph as if each node had exactly one self loop.

    Args:
        graph: the graph, with any number of self loops at a node.

    Returns:
        (1 / √degree, the weight of a node's own features beside the edges that there are), (num_nodes, 1) each.
    """
    loops = (graph.edges[:, 0] == graph.edges[:, 1]).astype(core.get_default_dtype())
    ones = core.ones([graph.num_nodes, 1])
    own = 1.0 - message_passing.gather_multiply_reduce(ones, loops, graph.connections())
    return _norm(_degrees(graph.connections().incoming) + own), own


def propagation(graph: Any, norm: Any = None, self_loop: bool = False, factor: float = 1.0) -> Callable[..., Any]:
    """Return one step with the normalised adjacency matrix, x to factor D^-½ A D^-½ x.

    Where the graph can be read, it is no argument of compiled code, the step is one product with weights of the edges.

    Args:
        graph: the graph.
        norm: (num_nodes, 1), used in place of 1 / √degree.
        self_loop: whether the graph is treated as if each node had exactly one self loop.
        factor: multiplies the result.

    Returns:
        A function from (num_nodes, size), and a bias (size,) to add or None, to (num_nodes, size).
    """
    edges = graph.connections()
    if self_loop:
        usual, own = one_self_loop(graph)
        before = usual if norm is None else norm
        behind = before * factor

        def step_with_loops(feature: Any, bias: Any = None) -> Any:
            scaled = feature * before
            output = (message_passing.gather_reduce(scaled, edges, "sum") + scaled * own) * behind
            return output if bias is None else output + bias

        return step_with_loops
    weight = _edge_weights(graph) if norm is None else None
    if weight is not None:
        weights = weight if factor == 1.0 else weight * factor

        def weighted_step(feature: Any, bias: Any = None) -> Any:
            return message_passing.gather_multiply_reduce(feature, weights.astype(feature.dtype), edges, bias=bias)

        return weighted_step
    before = degree_norm(graph) if norm is None else norm
    behind = before * factor

    def step(feature: Any, bias: Any = None) -> Any:
        output = message_passing.gather_reduce(feature * before, edges, "sum") * behind
        return output if bias is None else output + bias

    return step


def no_loops(graph: Any, dtype: Any) -> Any:
    """Return 0 for each edge from a node to itself and 1 for every other one, (num_edges,), in compiled code too."""
    numbers = core.arange(graph.num_nodes, dtype="int64")
    digits = core.stack([numbers // 4096, numbers % 4096], axis=1).astype(
        "float32"
    )  # each of which float32 can tell apart
    return message_passing.add_ends(digits, -digits, graph.connections()).abs().max(axis=1).clip(0, 1).astype(dtype)


def weighted_propagation(
    graph: Any, dtype: Any, edge_weight: Any = None, normalize: bool = True
) -> Callable[[Any], Any]:
    """Return one step along edges that have weights, x to D^-½ A D^-½ x, or A x.

    Args:
        graph: the graph.
        dtype: of the features.
        edge_weight: (num_edges,); None: 1.
        normalize: whether A is normalised by what arrives at each node; where nothing does, D^-½ is 0.

    Returns:
        A function of (num_nodes, ...) to the same shape.
    """
    edges = graph.connections()
    if edge_weight is None:
        step = propagation(graph) if normalize else (lambda x: message_passing.gather_reduce(x, edges, "sum"))
        return step
    if not normalize:
        return lambda x: message_passing.gather_multiply_reduce(x, edge_weight, edges)
    degree = message_passing.edge_reduce(edge_weight, edges, "sum")
    arrives = degree > 0
    norm = core.where(arrives, degree, core.ones_like(degree)).pow(-0.5) * arrives.astype(dtype)
    weight = (
        edge_weight
        * message_passing.edge_expand(norm, edges, "source")
        * message_passing.edge_expand(norm, edges, "target")
    )
    return lambda x: message_passing.gather_multiply_reduce(x, weight, edges)


def _edge_weights(graph: Any) -> Any:
    """Return 1 / √degree of one end of each edge times that of the other, [edges]; None where they cannot be read.

    A graph keeps them; the parts of one that are sampled do not.
    """
    kept, name = getattr(graph, "kept", {}), f"edge weights, {core.get_default_dtype()}"
    if name not in kept:
        try:
            indptr, sources, edge_ids = (rows.numpy() for rows in graph.connections().incoming)
        except ValueError:  # arguments of compiled code
            return None
        counts = np.diff(indptr)
        degrees = np.maximum(counts, 1.0)
        weight = np.empty(len(sources), core.get_default_dtype())
        weight[edge_ids] = (degrees[sources] * np.repeat(degrees, counts)) ** -0.5
        kept[name] = core.to_tensor(weight)
    return kept[name]


def edge_softmax(graph: Any, logits: Any, norm_by: str = "dst") -> Any:
    """Return softmax of numbers on edges, over the edges that end (or start) at the same node.

    Args:
        graph: the graph.
        logits: (num_edges, ...), in the order of the edges.
        norm_by: ``dst``, the node where an edge ends, or ``src``, where it starts.

    Returns:
        As ``logits``.

    Raises:
        ValueError: ``norm_by`` is neither.
    """
    if norm_by not in ("dst", "src"):
        raise ValueError(f"edge_softmax: norm_by must be dst or src, not {norm_by!r}")
    edges = graph.connections()
    return message_passing.edge_softmax(logits, edges if norm_by == "dst" else edges.transposed)


def membership(graph: Any) -> message_passing.Edges:
    """Return edges from each node of a batch of graphs to the graph that it belongs to, in compiled code too.

    Args:
        graph: the graphs, joined.
    """
    owners = graph.graph_node_id.astype("int32")
    nodes = core.arange(graph.num_nodes + 1, dtype="int64")
    starts = core.searchsorted(owners, core.arange(graph.num_graph + 1, dtype="int32"))
    places = nodes[:-1].astype("int32")
    return message_passing.Edges(
        message_passing.Rows(starts.astype("int64"), places, places), message_passing.Rows(nodes, owners, places)
    )


def graph_pool(graph: Any, feature: Any, pool_type: str) -> Any:
    """Reduce the nodes of each graph of a batch to one row.

    Args:
        graph: the graphs, joined.
        feature: (num_nodes, size).
        pool_type: ``sum``, ``mean``, ``max`` or ``min``.

    Returns:
        (num_graph, size).

    Raises:
        ValueError: the pooling is none of these.
    """
    reduction("graph_pool", pool_type)
    return message_passing.gather_reduce(feature, membership(graph), pool_type)


def graph_norm(graph: Any, feature: Any) -> Any:
    """Divide the features of each node by the square root of the number of nodes in its graph.

    Args:
        graph: the graphs, joined.
        feature: (num_nodes, size).

    Returns:
        As ``feature``.
    """
    sizes = graph_pool(graph, core.ones([feature.shape[0], 1]), "sum")
    return feature / core.gather(core.sqrt(sizes), graph.graph_node_id)

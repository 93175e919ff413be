"""Scaled dot-product attention in the operators of which it consists."""

from __future__ import annotations

from core.kernels.dispatch.errors import OperatorError
from core.kernels.dtypes import float32
from core.onnx.constants import later_positions
from core.onnx.graph import Graph, Operand


def attention(
    graph: Graph,
    query: Operand,
    key: Operand,
    value: Operand,
    *others: Operand,
    masked: bool,
    causal: bool,
    dropout: float,
) -> list[str]:
    """Compute attention of every head; its second result, kept for gradients, is never read."""
    if dropout:
        raise OperatorError("onnx.export: attention weights are dropped: put the layer into evaluation mode")
    root = graph.node("Sqrt", graph.cast(graph.size(query.shape[3]), float32))
    queries = graph.node("Div", graph.node("Transpose", query, perm=[0, 2, 1, 3]), root)
    scores = graph.node("MatMul", queries, graph.node("Transpose", key, perm=[0, 2, 3, 1]))
    if masked:
        scores = graph.node("Add", scores, others[0])
    if causal:
        later = later_positions(graph, rows=query.shape[1], columns=key.shape[1], number=-1e30)
        scores = graph.node("Add", scores, graph.cast(later, float32))
    weights = graph.node("Softmax", scores, axis=3)
    result = graph.node("MatMul", weights, graph.node("Transpose", value, perm=[0, 2, 1, 3]))
    return [graph.node("Transpose", result, perm=[0, 2, 1, 3])]

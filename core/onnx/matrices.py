"""Products of matrices."""

from __future__ import annotations

from core.onnx.graph import Graph, Input, Operand


def matrix_product(graph: Graph, x: Operand, y: Operand, transpose_a: bool, transpose_b: bool) -> str:
    """Multiply matrices, or batches of them, with either of them transposed first."""
    first = _transposed(graph, x) if transpose_a else x
    second = _transposed(graph, y) if transpose_b else y
    return graph.node("MatMul", first, second)


def inner_products(graph: Graph, x: Operand, weight: Operand) -> str:
    """Multiply rows by rows: x of shape [..., k], weight [n, k]."""
    return graph.node("MatMul", x, _transposed(graph, weight))


def linear(graph: Graph, x: Operand, weight: Operand, bias: Operand) -> str:
    """Multiply rows of shape [..., k] by a weight [k, n] and add the bias."""
    if x.rank == 2:
        return graph.node("Gemm", x, weight, bias)
    return graph.node("Add", graph.node("MatMul", x, weight), bias)


def affine(graph: Graph, x: Operand, weight: Operand, bias: Operand) -> str:
    """Multiply rows by rows and add the bias."""
    if x.rank == 2:
        return graph.node("Gemm", x, weight, bias, transB=1)
    return graph.node("Add", inner_products(graph, x, weight), bias)


def _transposed(graph: Graph, x: Operand) -> Input:
    axes = list(range(x.rank))
    axes[-2:] = axes[-1], axes[-2]
    return graph.node("Transpose", x, perm=axes)

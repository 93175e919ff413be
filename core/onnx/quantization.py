"""Numbers of 8 bits: QuantizeLinear and DequantizeLinear, which runtimes join with what is between them."""

from __future__ import annotations

import numpy as np

from core.onnx.graph import Graph, Operand


def quantize_dequantize(graph: Graph, x: Operand, *, scale: float, zero_point: int) -> str:
    """Bring an activation to a grid of 256 values."""
    grid = np.float32(scale), np.uint8(zero_point)
    return graph.node("DequantizeLinear", graph.node("QuantizeLinear", x, *grid), *grid)


def dequantize(graph: Graph, numbers: Operand, scales: Operand, *, axis: int) -> str:
    """Multiply the numbers of a weight by the scales along an axis."""
    zeros = np.zeros(graph.known(scales.shape[0], "dequantize"), np.int8)
    return graph.node("DequantizeLinear", numbers, scales, zeros, axis=axis)

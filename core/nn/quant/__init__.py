"""Linear layers with quantized weights, and functions as layers that quantization can find (paddle.nn.quant)."""

from __future__ import annotations

from core.nn.quant import format, functional_layers, qat, stub
from core.nn.quant.functional_layers import (
    FloatFunctionalLayer,
    add,
    concat,
    divide,
    flatten,
    matmul,
    multiply,
    reshape,
    subtract,
    transpose,
)
from core.nn.quant.quantized_linear import llm_int8_linear, weight_dequantize, weight_only_linear, weight_quantize
from core.nn.quant.stub import Stub

__all__ = [
    "FloatFunctionalLayer", "Stub", "add", "concat", "divide", "flatten", "format", "functional_layers",
    "llm_int8_linear", "matmul", "multiply", "qat", "reshape", "stub", "subtract", "transpose", "weight_dequantize",
    "weight_only_linear", "weight_quantize",
]  # fmt: skip

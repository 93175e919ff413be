"""Layers with weights, quantized (paddle.nn.quant.qat)."""

from core.nn.quant.qat.conv import QuantedConv2D
from core.nn.quant.qat.linear import QuantedLinear

__all__ = ["QuantedConv2D", "QuantedLinear"]

"""A convolution whose input and weight are quantized."""

from __future__ import annotations

from typing import Any

from core.nn import functional as F
from core.nn.layer.conv_base import padded_for
from core.nn.quant.qat.base import QuantedLayer
from core.tensor import Tensor


class QuantedConv2D(QuantedLayer):
    """Takes the place of a convolution.

    Args:
        layer: the convolution.
        q_config: makes the quanters: ``weight`` and ``activation``, each may be None.
    """

    def __init__(self, layer: Any, q_config: Any) -> None:
        super().__init__(layer, q_config)
        for key in ("_groups", "_stride", "_padding", "_padding_mode", "_dilation", "_data_format", "_wrapping"):
            setattr(self, key, getattr(layer, key))

    def forward(self, input: Tensor) -> Tensor:
        """Return what the convolution gives for the quantized input and weight."""
        values, weight = self.quantized(input)
        padded, padding = padded_for(self, values)
        return F.conv2d(
            padded,
            weight,
            bias=self.bias,
            stride=self._stride,
            padding=padding,
            dilation=self._dilation,
            groups=self._groups,
            data_format=self._data_format,
        )

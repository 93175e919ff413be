"""A linear layer whose input and weight are quantized."""

from __future__ import annotations

from typing import Any

from core.nn import functional as F
from core.nn.quant.qat.base import QuantedLayer
from core.tensor import Tensor


class QuantedLinear(QuantedLayer):
    """Takes the place of a linear layer.

    Args:
        layer: the linear layer.
        q_config: makes the quanters: ``weight`` and ``activation``, each may be None.
    """

    output_axis = 1

    def __init__(self, layer: Any, q_config: Any) -> None:
        super().__init__(layer, q_config)
        self.name = layer.name

    def forward(self, input: Tensor) -> Tensor:
        """Return what the linear layer gives for the quantized input and weight."""
        return F.linear(*self.quantized(input), self.bias)

"""What quantized layers with a weight share."""

from __future__ import annotations

from typing import Any

from core.nn.quant.format import ConvertibleQuantedLayer
from core.tensor import Tensor


class QuantedLayer(ConvertibleQuantedLayer):
    """A layer with the weight and bias of another one, and quanters for its input and weight.

    Args:
        layer: the other one.
        q_config: makes the quanters: ``weight`` and ``activation``, each may be None.
    """

    def __init__(self, layer: Any, q_config: Any) -> None:
        super().__init__()
        self.weight = layer.weight
        self.bias = layer.bias
        self.weight_quanter = None if q_config.weight is None else q_config.weight._instance(layer)
        self.activation_quanter = None if q_config.activation is None else q_config.activation._instance(layer)

    def quantized(self, input: Tensor) -> tuple[Tensor, Tensor]:
        """Return the input and the weight, each after its quanter."""
        if self.activation_quanter is not None:
            input = self.activation_quanter(input)
        return input, self.weight if self.weight_quanter is None else self.weight_quanter(self.weight)

    def weights_to_quanters(self) -> list[tuple[str, str]]:
        """Return the name of the weight and that of its quanter."""
        return [("weight", "weight_quanter")]

    def activation_quanters(self) -> list[str]:
        """Return the name of the input's quanter."""
        return ["activation_quanter"]

"""What quantized layers with a weight share."""

from __future__ import annotations

import math
from typing import Any, Optional

import numpy as np

from core.kernels.dtypes import float32
from core.kernels.layers import quantized
from core.nn.quant.format import ConvertibleQuantedLayer, LinearDequanter
from core.operators._methods import in_place
from core.operators.layers._quantized_primitives import dequantize
from core.tensor import Tensor


class QuantedLayer(ConvertibleQuantedLayer):
    """A layer with the weight and bias of another one, and quanters for its input and weight.

    Once it is converted, a float32 weight of 8 bits is kept as whole numbers beside the weight, and programs that are
    exported hold these.

    Args:
        layer: the other one.
        q_config: makes the quanters: ``weight`` and ``activation``, each may be None.

    Attributes:
        output_axis: the weight's axis that counts outputs.
        rounds_for_all: whether, once it is converted, whoever reads the input after it reads what it was rounded to. So
            a residual sum takes numbers of 8 bits, and the same value need not be kept in float32, too.
    """

    output_axis = 0

    def __init__(self, layer: Any, q_config: Any) -> None:
        super().__init__()
        self.weight = layer.weight
        self.bias = layer.bias
        self.weight_quanter: Any = None if q_config.weight is None else q_config.weight._instance(layer)
        self.activation_quanter = None if q_config.activation is None else q_config.activation._instance(layer)
        self.rounds_for_all = False
        self._made_of: tuple[Any, ...] = ()

    def quantized(self, input: Tensor) -> tuple[Tensor, Tensor]:
        """Return the input and the weight, each after its quanter."""
        if self.activation_quanter is not None:
            rounded = self.activation_quanter(input)
            shared = self.converted and self.rounds_for_all and not input.persistable
            input = in_place(input, rounded, type(self).__name__) if shared else rounded
        if self.weight_quanter is None:
            return input, self.weight
        if self.converted and self._has_numbers():
            return input, dequantize(self.weight_numbers, self.weight_scales, self.output_axis)
        return input, self.weight_quanter(self.weight)

    def _has_numbers(self) -> bool:
        """Return whether the weight is kept as int8 numbers with a scale for each output; bring them up to date."""
        dequanter: Optional[LinearDequanter] = self.weight_quanter._dequanter
        if dequanter is None or dequanter._bit_length != 8 or self.weight.dtype is not float32:
            return False
        scales, outputs = dequanter._scales, self.weight.shape[self.output_axis]
        axis = dequanter._quant_axis % self.weight.ndim
        of_each = scales.ndim == 1 and scales.shape[0] == outputs and axis == self.output_axis
        if not of_each and math.prod(scales.shape) != 1:
            return False
        made_of = self.weight._value, scales._value
        if len(self._made_of) != 2 or any(new is not old for new, old in zip(made_of, self._made_of)):
            steps = np.broadcast_to(scales.numpy().reshape(-1) / np.float32(127), (outputs,)).copy()
            weight = self.weight.numpy()
            if self.weight_quanter._quanter is None:  # they are whole numbers already
                numbers = weight.astype(np.int8)
            else:
                numbers = quantized.quantized_weight(weight, steps, self.output_axis)
            self.register_buffer("weight_numbers", Tensor(numbers), persistable=False)
            self.register_buffer("weight_scales", Tensor(steps), persistable=False)
            self._made_of = made_of
        return True

    def weights_to_quanters(self) -> list[tuple[str, str]]:
        """Return the name of the weight and that of its quanter."""
        return [("weight", "weight_quanter")]

    def activation_quanters(self) -> list[str]:
        """Return the name of the input's quanter."""
        return ["activation_quanter"]

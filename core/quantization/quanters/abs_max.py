"""Quantization with a moving average of the largest magnitude (Jacob et al. 2018, arXiv:1712.05877)."""

from __future__ import annotations

from typing import Any, Optional

from core.nn import ParamAttr
from core.nn.initializer import Constant
from core.nn.naming import generate
from core.operators import abs as absolute
from core.operators import clip
from core.operators import max as largest
from core.operators import round as rounded
from core.quantization.base_quanter import BaseQuanter
from core.quantization.factory import QuanterFactory
from core.tensor import Tensor


class FakeQuanterWithAbsMaxObserver(QuanterFactory):
    """Describes quanters whose scale is a moving average of the largest magnitudes.

    Args:
        moving_rate: how much of the average remains at each step.
        bit_length: how many bits a number has.
        dtype: element type of the scale.
        name: the parameters' names begin with it.
    """

    def __init__(
        self, moving_rate: float = 0.9, bit_length: int = 8, dtype: str = "float32", name: Optional[str] = None
    ) -> None:
        super().__init__(name=name, moving_rate=moving_rate, bit_length=bit_length, dtype=dtype)

    def _get_class(self) -> type[FakeQuanterWithAbsMaxObserverLayer]:
        return FakeQuanterWithAbsMaxObserverLayer


class FakeQuanterWithAbsMaxObserverLayer(BaseQuanter):
    """Rounds its input to as many values as a number of some bits has; gradients pass it as if it did nothing.

    Args:
        layer: what is quantized.
        name: the parameters' names begin with it.
        moving_rate: how much of the average remains at each training step.
        bit_length: how many bits a number has.
        dtype: element type of the scale.
    """

    def __init__(
        self,
        layer: Any,
        name: Optional[str] = None,
        moving_rate: float = 0.9,
        bit_length: int = 8,
        dtype: str = "float32",
    ) -> None:
        super().__init__()
        self._moving_rate = moving_rate
        self._bit_length = bit_length
        self._scale = self._number(name, "scale", 0.001, dtype)
        self._state = self._number(name, "state", 1.0, dtype)
        self._accum = self._number(name, "accum", 1.0, dtype)

    def _number(self, name: Optional[str], what: str, value: float, dtype: str) -> Any:
        attribute = ParamAttr(generate(f"{name or 'quant_dequant'}.{what}"), Constant(value), trainable=False)
        return self.create_parameter([1], attribute, dtype)

    def forward(self, input: Tensor) -> Tensor:
        """Return the input, quantized and dequantized; in training mode the scale follows it."""
        values = input.detach()
        if self.training:
            state = self._state * self._moving_rate + 1.0
            total = self._accum * self._moving_rate + largest(absolute(values))
            self._state.set_value(state)
            self._accum.set_value(total)
            self._scale.set_value(total / state)
        most = (1 << (self._bit_length - 1)) - 1
        scale = self._scale
        quantized = rounded(clip(values / scale, -1.0, 1.0) * most) * scale / most
        return input + (quantized - values)

    def bit_length(self) -> int:
        """Return how many bits a number has."""
        return self._bit_length

    def quant_axis(self) -> int:
        """Return -1: there is one scale."""
        return -1

    def scales(self) -> Tensor:
        """Return the scale, of shape [1]."""
        scale: Tensor = self._scale
        return scale

    def zero_points(self) -> None:
        """Return None: 0 stands for 0."""

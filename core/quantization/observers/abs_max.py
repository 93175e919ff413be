"""The largest magnitude that was seen."""

from __future__ import annotations

from typing import Any

from core.operators import abs as absolute
from core.operators import max as largest
from core.operators import maximum, to_tensor
from core.quantization.base_observer import BaseObserver
from core.quantization.factory import ObserverFactory
from core.tensor import Tensor


class AbsmaxObserver(ObserverFactory):
    """Describes observers whose scale is the largest magnitude that they saw.

    Args:
        quant_bits: how many bits a number has.
    """

    def __init__(self, quant_bits: int = 8) -> None:
        super().__init__(quant_bits=quant_bits)

    def _get_class(self) -> type[AbsmaxObserverLayer]:
        return AbsmaxObserverLayer


class AbsmaxObserverLayer(BaseObserver):
    """Keeps the largest magnitude that it saw.

    Args:
        layer: what is observed.
        quant_bits: how many bits a number has.
    """

    INIT_ABS_MAX = 1e-7

    def __init__(self, layer: Any, quant_bits: int = 8) -> None:
        super().__init__()
        self._quant_bits = quant_bits
        self.abs_max_val = to_tensor(self.INIT_ABS_MAX)

    def forward(self, input: Tensor) -> Tensor:
        """Return the input."""
        self.abs_max_val = maximum(largest(absolute(input.detach())), self.abs_max_val)
        return input

    def cal_thresholds(self) -> None:
        """Take what was seen for the threshold."""
        self.thresholds = self.abs_max_val

    def bit_length(self) -> int:
        """Return how many bits a number has."""
        return self._quant_bits

    def quant_axis(self) -> int:
        """Return -1: there is one scale."""
        return -1

    def scales(self) -> Tensor:
        """Return the largest magnitude, 0-D."""
        return self.abs_max_val

    def zero_points(self) -> None:
        """Return None: 0 stands for 0."""

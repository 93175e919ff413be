"""The largest magnitude of each output of a weight."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from core import nn
from core.operators import to_tensor
from core.quantization.base_observer import BaseObserver
from core.quantization.factory import ObserverFactory
from core.tensor import Tensor

LEAST = 1e-8
"""The scale of an output whose weights are all 0."""


class AbsMaxChannelWiseWeightObserver(ObserverFactory):
    """Describes observers of weights with a scale for each output: its largest magnitude.

    Args:
        quant_bits: how many bits a number has.
    """

    def __init__(self, quant_bits: int = 8) -> None:
        super().__init__(quant_bits=quant_bits)

    def _get_class(self) -> type[AbsMaxChannelWiseWeightObserverLayer]:
        return AbsMaxChannelWiseWeightObserverLayer


class AbsMaxChannelWiseWeightObserverLayer(BaseObserver):
    """Finds the largest magnitude of each output.

    Args:
        layer: what has the weight: outputs are its last axis in a linear layer, its first in a convolution.
        quant_bits: how many bits a number has.
    """

    def __init__(self, layer: Any, quant_bits: int = 8) -> None:
        super().__init__()
        self._quant_bits = quant_bits
        self._axis = 1 if isinstance(layer, nn.Linear) else 0
        self._scales: Optional[np.ndarray] = None

    def forward(self, input: Tensor) -> Tensor:
        """Return the input."""
        magnitudes = np.moveaxis(np.abs(input.as_float_numpy()), self._axis, 0)
        self._scales = np.maximum(magnitudes.reshape(len(magnitudes), -1).max(1), LEAST).astype(np.float32)
        return input

    def cal_thresholds(self) -> None:
        """Do nothing: the scales are what was seen."""

    def bit_length(self) -> int:
        """Return how many bits a number has."""
        return self._quant_bits

    def quant_axis(self) -> int:
        """Return the axis of the outputs."""
        return self._axis

    def scales(self) -> Optional[Tensor]:
        """Return the largest magnitudes (outputs,), float32; None before a weight was seen."""
        return None if self._scales is None else to_tensor(self._scales)

    def zero_points(self) -> None:
        """Return None: 0 stands for 0."""

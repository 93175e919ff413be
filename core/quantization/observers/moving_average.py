"""A moving average of the largest magnitudes, and the largest of all."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from core.quantization.factory import ObserverFactory
from core.quantization.observers.seen import SeenObserver


class MovingAverageObserver(ObserverFactory):
    """Describes observers whose scale is a moving average of the largest magnitudes of the batches that they saw.

    Args:
        quant_bits: how many bits a number has.
        moving_rate: how much of the average remains at each batch; 1: the scale is the largest magnitude of all.
        sign: whether numbers lie on both sides of 0; None: as the values do.
    """

    def __init__(self, quant_bits: int = 8, moving_rate: float = 0.9, sign: Optional[bool] = True) -> None:
        if not 0 <= moving_rate <= 1:
            raise ValueError(f"MovingAverageObserver: moving_rate is a number from 0 to 1, not {moving_rate!r}")
        super().__init__(quant_bits=quant_bits, moving_rate=moving_rate, sign=sign)

    def _get_class(self) -> type[MovingAverageObserverLayer]:
        return MovingAverageObserverLayer


class MovingAverageObserverLayer(SeenObserver):
    """Averages the largest magnitudes of batches.

    Args:
        layer: what is observed.
        quant_bits: how many bits a number has.
        moving_rate: how much of the average remains at each batch.
        sign: whether numbers lie on both sides of 0.
    """

    def __init__(self, layer: Any, quant_bits: int = 8, moving_rate: float = 0.9, sign: Optional[bool] = True) -> None:
        super().__init__(quant_bits, sign)
        self._rate = moving_rate
        self._average: Optional[float] = None

    def see(self, magnitudes: np.ndarray) -> None:
        """Take in a batch's largest magnitude."""
        largest = float(magnitudes.max())
        if self._average is None:
            self._average = largest
        elif self._rate == 1:
            self._average = max(self._average, largest)
        else:
            self._average = self._rate * self._average + (1 - self._rate) * largest

    def threshold(self) -> float:
        """Return the average."""
        return self._average or 0.0

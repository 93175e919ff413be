"""What observers of activations have in common: they look at NumPy's arrays, and know whether numbers were below 0."""

from __future__ import annotations

import abc
from typing import Any, Optional

import numpy as np

from core.operators import to_tensor
from core.quantization.base_observer import BaseObserver
from core.tensor import Tensor

LEAST = 1e-7
"""The smallest scale, as in Paddle: of what was 0 all the time."""


class SeenObserver(BaseObserver, metaclass=abc.ABCMeta):
    """Sees the values of a layer's input, and finds one scale for all.

    Args:
        quant_bits: how many bits a number has.
        sign: whether numbers lie on both sides of 0; None: as the values do.

    Attributes:
        is_finite: whether all values were finite numbers; others are left out of the scale.
        samples: how many rows, along the first axis, it saw.
    """

    def __init__(self, quant_bits: int = 8, sign: Optional[bool] = True) -> None:
        super().__init__()
        self._quant_bits = quant_bits
        self._sign = sign
        self._smallest = 0.0
        self._sums: Any = 0.0
        self._counted = 0
        self.is_finite = True
        self.samples = 0

    def forward(self, input: Tensor) -> Tensor:
        """Return the input."""
        values = input.as_float_numpy()
        if not np.isfinite(values).all():
            self.is_finite = False
            values = np.nan_to_num(values, nan=0.0, posinf=0.0, neginf=0.0)
        if values.size:
            self._smallest = min(self._smallest, float(values.min()))
            by_channel = values.reshape(-1, values.shape[-1]) if values.ndim < 4 else np.moveaxis(values, 1, -1)
            by_channel = by_channel.reshape(-1, by_channel.shape[-1])
            self._sums = self._sums + by_channel.sum(0, dtype=np.float64)
            self._counted += len(by_channel)
            self.samples += len(values)
            self.see(np.abs(values))
        return input

    @abc.abstractmethod
    def see(self, magnitudes: np.ndarray) -> None:
        """Take in the magnitudes of a batch, float32, of any shape but an empty one."""

    @abc.abstractmethod
    def threshold(self) -> float:
        """Return the magnitude that the largest number stands for."""

    @property
    def means(self) -> np.ndarray:
        """The mean of each channel: of axis 1 of images, of the last axis of anything else; float64."""
        return np.asarray(self._sums / max(self._counted, 1))

    @property
    def signed(self) -> bool:
        """Whether numbers lie on both sides of 0."""
        return self._smallest < 0 if self._sign is None else self._sign

    def cal_thresholds(self) -> None:
        """Do nothing: the scale follows from what was seen when it is asked for."""

    def bit_length(self) -> int:
        """Return how many bits a number has."""
        return self._quant_bits

    def quant_axis(self) -> int:
        """Return -1: there is one scale."""
        return -1

    def scales(self) -> Optional[Tensor]:
        """Return the threshold, 0-D; None before anything was seen."""
        return to_tensor(np.float32(max(self.threshold(), LEAST))) if self.samples else None

    def zero_points(self) -> None:
        """Return None: 0 stands for 0."""

"""What a quanter is: a layer that computes as if its input were whole numbers times a scale."""

from __future__ import annotations

import abc
from typing import Any, Optional

from core.nn import Layer
from core.tensor import Tensor


class BaseQuanter(Layer, metaclass=abc.ABCMeta):
    """A layer that quantizes and dequantizes its input, and knows the scales for it."""

    @abc.abstractmethod
    def forward(self, input: Tensor) -> Tensor:
        """Return the input, quantized and dequantized.

        Args:
            input: a tensor of floating-point numbers.
        """

    @abc.abstractmethod
    def scales(self) -> Any:
        """Return the largest magnitude that has a number, of the whole or of each group; None where it is unknown."""

    @abc.abstractmethod
    def zero_points(self) -> Any:
        """Return the numbers that stand for 0; None for 0 itself."""

    @abc.abstractmethod
    def quant_axis(self) -> Optional[int]:
        """Return the axis that the scales count along; -1 or None where there is one scale."""

    @abc.abstractmethod
    def bit_length(self) -> int:
        """Return how many bits a number has."""

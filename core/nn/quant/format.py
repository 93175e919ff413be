"""Layers that quantize and dequantize with known scales, and layers that can be converted to them."""

from __future__ import annotations

import abc
import math
from typing import Any, Optional

from core.kernels.dtypes import float32
from core.nn.initializer import Constant
from core.nn.layer.layers import Layer
from core.nn.naming import generate
from core.nn.param_attr import ParamAttr
from core.operators import abs as absolute
from core.operators import cast, clip, repeat_interleave, reshape, to_tensor, where, zeros
from core.operators import round as rounded
from core.operators.layers._quantized_primitives import quantize_dequantize
from core.tensor import Tensor


class _LinearQuantization(Layer):
    """Scales, and where they apply.

    Args:
        scales: the largest magnitudes: of the whole, of each position along an axis, or, with two axes, of each group
            of rows.
        zero_point: 0; accepted for Paddle's signature.
        quant_axis: the axis that the scales count along; None or -1 for the last.
        bit_length: how many bits a number has.
        group_size: how many rows share a scale.
    """

    def __init__(
        self,
        scales: Any,
        zero_point: Any = None,
        quant_axis: Optional[int] = None,
        bit_length: int = 8,
        group_size: int = 128,
    ) -> None:
        super().__init__()
        values = to_tensor(scales, dtype="float32")
        attribute = ParamAttr(generate("quant_dequant.scale"), initializer=Constant(1.0), trainable=False)
        made: Any = self.create_parameter(values.shape, attribute, "float32")
        made.set_value(values)
        self._scales = made
        self._zero_point = zeros([1], "float32") if zero_point is None else to_tensor(zero_point)
        self._quant_axis = -1 if quant_axis is None else quant_axis
        self._bit_length = bit_length
        self._group_size = group_size

    @property
    def _most(self) -> int:
        return (1 << (self._bit_length - 1)) - 1

    def _spread(self, input: Tensor) -> Tensor:
        scales = self._scales
        if scales.ndim > 1:
            return repeat_interleave(scales, self._group_size, 0)
        if scales.ndim == 0 or scales.shape[0] == 1:
            return reshape(scales, [1] * input.ndim)
        shape = [1] * input.ndim
        shape[self._quant_axis] = scales.shape[0]
        return reshape(scales, shape)

    @classmethod
    def from_quanter(cls, quanter: Any) -> Any:
        """Return a layer with the settings of a quanter.

        Args:
            quanter: has ``scales()``, ``zero_points()``, ``quant_axis()`` and ``bit_length()``.
        """
        return cls(quanter.scales(), quanter.zero_points(), quanter.quant_axis(), quanter.bit_length())


class LinearQuanter(_LinearQuantization):
    """Divides by scales and rounds to whole numbers, in the input's type; see its base for the arguments."""

    def forward(self, input: Tensor) -> Tensor:
        """Return the numbers, from -2^(bits - 1) to 2^(bits - 1) - 1."""
        divided = cast(input, "float32") / self._spread(input) * self._most
        nearest = rounded(divided)
        if len(self._scales.shape) < 2:  # as in Paddle, groups round halves away from zero, the others to even
            nearest = where(absolute(nearest - divided) == 0.5, rounded(divided / 2) * 2, nearest)
        return cast(clip(nearest, -self._most - 1, self._most), input.dtype)


class LinearDequanter(_LinearQuantization):
    """Multiplies whole numbers by scales, in the input's type; see its base for the arguments."""

    def forward(self, input: Tensor) -> Tensor:
        """Return what the numbers stand for."""
        return cast(cast(input, "float32") / self._most * self._spread(input), input.dtype)


class LinearQuanterDequanter(Layer):
    """A quanter and a dequanter, one after the other.

    Args:
        quanter: the first, or None.
        dequanter: the second, or None.
        signed: whether the numbers lie on both sides of 0; otherwise one of 8 bits stands for 0 to the scale, in 255
            steps. What is no number of 8 bits with one scale is taken for signed.
    """

    def __init__(self, quanter: Optional[Layer], dequanter: Optional[Layer], signed: bool = True) -> None:
        super().__init__()
        self._quanter = quanter
        self._dequanter = dequanter
        self._signed = signed

    def forward(self, input: Tensor) -> Tensor:
        """Return the input after both."""
        grid = self.grid() if input.dtype is float32 else None
        if grid is not None:
            return quantize_dequantize(input, *grid)
        for layer in (self._quanter, self._dequanter):
            if layer is not None:
                input = layer(input)
        return input

    def grid(self) -> Optional[tuple[float, int]]:
        """Return the distance of two values, and the number of 0 from 0 to 255, where both are of 8 bits with one scale
        for all; None otherwise."""
        quanter = self._quanter
        if not isinstance(quanter, LinearQuanter) or self._dequanter is None or quanter._bit_length != 8:
            return None
        if math.prod(quanter._scales.shape) != 1:
            return None
        most = float(quanter._scales.numpy().reshape(()))
        return (most / 127, 128) if self._signed else (most / 255, 0)

    @staticmethod
    def from_quanter(quanter: Any) -> LinearQuanterDequanter:
        """Return both with the settings of a quanter.

        Args:
            quanter: has ``scales()``, ``zero_points()``, ``quant_axis()`` and ``bit_length()``.

        Raises:
            ValueError: it is None.
        """
        if quanter is None:
            raise ValueError("LinearQuanterDequanter: quanter must not be None")
        both = LinearQuanter.from_quanter(quanter), LinearDequanter.from_quanter(quanter)
        return LinearQuanterDequanter(*both, getattr(quanter, "signed", True))


class ConvertibleQuantedLayer(Layer, metaclass=abc.ABCMeta):
    """A layer with quanters that can be converted: its quanters become scales, its weights whole numbers.

    A layer of this kind says which weights have which quanters, and which quanters the inputs have.
    """

    def __init__(self) -> None:
        super().__init__()
        self.converted = False

    @abc.abstractmethod
    def weights_to_quanters(self) -> list[tuple[str, str]]:
        """Return pairs of names: of a weight and of its quanter."""

    @abc.abstractmethod
    def activation_quanters(self) -> list[str]:
        """Return the names of the inputs' quanters."""

    def _convert_quanter_to_qdq(self, quanter_name: str) -> Optional[LinearQuanterDequanter]:
        quanter = getattr(self, quanter_name)
        if quanter is None:
            return None
        converted = LinearQuanterDequanter.from_quanter(quanter)
        setattr(self, quanter_name, converted)
        return converted

    def _quant_weights(self, weight_name: str, quanter: Layer) -> None:
        weight = getattr(self, weight_name)
        weight.set_value(quanter(weight))

    def _convert(self, remain_weight: bool = False) -> None:
        """Convert the layer, once.

        Args:
            remain_weight: keep the weights as they are.

        Raises:
            RuntimeError: it is converted already.
        """
        if self.converted:
            raise RuntimeError(f"{type(self).__name__}: the layer is converted already")
        for weight_name, quanter_name in self.weights_to_quanters():
            converted = self._convert_quanter_to_qdq(quanter_name)
            if converted is not None and not remain_weight and converted._quanter is not None:
                self._quant_weights(weight_name, converted._quanter)
                converted._quanter = None
        for quanter_name in self.activation_quanters():
            self._convert_quanter_to_qdq(quanter_name)
        self.converted = True

"""What all convolution layers share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Optional, Union

from core.nn import functional as F
from core.nn.initializer import Initializer, Normal
from core.nn.layer.checks import not_false, one_of, per_axis, positive
from core.nn.layer.layers import Layer
from core.nn.param_attr import ParamAttr, ParamAttrLike, PresentAttrLike

Sizes = Union[int, Sequence[int]]
Padding = Union[int, str, Sequence[Any]]

_FORMATS = {1: ("NCL", "NLC"), 2: ("NCHW", "NHWC"), 3: ("NCDHW", "NDHWC")}
_PADDING_MODES = ("zeros", "reflect", "replicate", "circular")


class ConvNd(Layer):
    """What all convolution layers share: arguments, checks, weights, repr.

    Args:
        axes: Number of spatial axes.
        transposed: Whether it is a transposed convolution.
        in_channels: Channels of the input.
        out_channels: Channels of the output.
        kernel_size: Size of the kernel, one for all axes or one per axis.
        stride: Step of the kernel.
        padding: Integer(s), ``SAME`` or ``VALID``.
        output_padding: Added to one side of the output of a transposed convolution.
        dilation: Distance between the kernel's elements.
        groups: Number of groups of channels that are convolved separately.
        padding_mode: ``zeros``, ``reflect``, ``replicate`` or ``circular``.
        weight_attr: ParamAttr of the kernel.
        bias_attr: ParamAttr of the bias, or False for none.
        data_format: Layout of input and output.
    """

    def __init__(
        self,
        axes: int,
        transposed: bool,
        in_channels: int,
        out_channels: int,
        kernel_size: Sizes,
        stride: Sizes,
        padding: Padding,
        output_padding: Sizes,
        dilation: Sizes,
        groups: int,
        padding_mode: str,
        weight_attr: PresentAttrLike,
        bias_attr: ParamAttrLike,
        data_format: str,
    ) -> None:
        super().__init__()
        owner = type(self).__name__
        self._axes = axes
        self._transposed = transposed
        self._in_channels = positive(owner, "in_channels", in_channels)
        self._out_channels = positive(owner, "out_channels", out_channels)
        self._kernel_size = per_axis(owner, "kernel_size", kernel_size, axes)
        self._stride = per_axis(owner, "stride", stride, axes)
        self._dilation = per_axis(owner, "dilation", dilation, axes)
        self._groups = positive(owner, "groups", groups)
        if in_channels % groups:
            raise ValueError(f"{owner}: in_channels={in_channels} must be divisible by groups={groups}")
        if out_channels % groups:
            raise ValueError(f"{owner}: out_channels={out_channels} must be divisible by groups={groups}")
        self._padding_mode = one_of(owner, "padding_mode", padding_mode, _PADDING_MODES)
        self._data_format = one_of(owner, "data_format", data_format, _FORMATS[axes])
        if isinstance(padding, str):
            one_of(owner, "padding", padding.upper(), ("SAME", "VALID"))
        self._padding = padding
        self.output_padding = output_padding
        self._param_attr = weight_attr
        self._bias_attr = bias_attr
        not_false(owner, weight_attr, "a convolution without a kernel computes nothing")
        self._wrapping: Optional[list[int]] = None
        if padding_mode != "zeros":
            self._wrapping = _wrapping(owner, padding, axes, self._kernel_size, self._dilation)

        if transposed:
            shape = [in_channels, out_channels // groups, *self._kernel_size]
        else:
            shape = [out_channels, in_channels // groups, *self._kernel_size]
        self.weight = self.create_parameter(
            shape, weight_attr, default_initializer=self._weight_initializer(weight_attr)
        )
        self.bias = self.create_parameter([out_channels], bias_attr, is_bias=True)

    def _weight_initializer(self, attr: PresentAttrLike) -> Optional[Initializer]:
        """Return Paddle's default: He's normal distribution with the fan of all input channels, groups or not."""
        if self._transposed or (isinstance(attr, ParamAttr) and attr.initializer is not None):
            return None
        return Normal(0.0, math.sqrt(2.0 / (math.prod(self._kernel_size) * self._in_channels)))

    def extra_repr(self) -> str:
        """Return channels and the options that differ from their defaults."""
        text = f"{self._in_channels}, {self._out_channels}, kernel_size={self._kernel_size}"
        ones = [1] * self._axes
        if self._stride != ones:
            text += f", stride={self._stride}"
        if self._padding != 0:
            text += f", padding={self._padding}"
        if self._padding_mode != "zeros":
            text += f", padding_mode={self._padding_mode}"
        if self.output_padding != 0:
            text += f", output_padding={self.output_padding}"
        if self._dilation != ones:
            text += f", dilation={self._dilation}"
        if self._groups != 1:
            text += f", groups={self._groups}"
        return f"{text}, data_format={self._data_format}"


def padded_for(layer: Any, x: Any) -> tuple[Any, Padding]:
    """Return the input of a layer with a convolution's settings, and the padding that is left for the operator to do.

    Args:
        layer: the layer.
        x: its input.
    """
    if layer._wrapping is None:
        return x, layer._padding
    return F.pad(x, layer._wrapping, mode=layer._padding_mode, data_format=layer._data_format), 0


def _wrapping(
    owner: str, padding: Padding, axes: int, kernel_size: Sequence[int], dilation: Sequence[int]
) -> list[int]:
    """Return what F.pad adds before the convolution: (before, after) from the last axis backwards."""
    if isinstance(padding, str):
        if padding.upper() == "VALID":
            return [0] * (2 * axes)
        totals = [step * (size - 1) for size, step in zip(kernel_size, dilation)]
        pairs = [(total // 2, total - total // 2) for total in totals]
    elif isinstance(padding, int):
        pairs = [(padding, padding)] * axes
    elif len(padding) == axes and all(isinstance(item, int) for item in padding):
        pairs = [(int(item), int(item)) for item in padding]
    elif len(padding) == 2 * axes and all(isinstance(item, int) for item in padding):
        pairs = [(int(padding[2 * i]), int(padding[2 * i + 1])) for i in range(axes)]
    else:
        raise ValueError(
            f"{owner}: padding is an integer, {axes} integers, {2 * axes} integers, 'SAME' or 'VALID' where"
            f" padding_mode is not 'zeros', but got {padding!r}"
        )
    return [amount for pair in reversed(pairs) for amount in pair]

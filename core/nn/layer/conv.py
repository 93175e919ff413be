"""Convolution layers of one, two and three axes; the transposed ones are re-exported beside them."""

from __future__ import annotations

from typing import Any, Callable

from core.nn import functional as F
from core.nn.layer.conv_base import ConvNd, Padding, Sizes, padded_for
from core.nn.layer.conv_transpose import Conv1DTranspose, Conv2DTranspose, Conv3DTranspose
from core.nn.param_attr import ParamAttrLike, PresentAttrLike

__all__ = ["Conv1D", "Conv1DTranspose", "Conv2D", "Conv2DTranspose", "Conv3D", "Conv3DTranspose"]


class _Conv(ConvNd):
    """Shared body of the convolutions."""

    _convolve: Callable[..., Any]

    def forward(self, x: Any) -> Any:
        """Return the convolved input."""
        x, padding = padded_for(self, x)
        return self._convolve(
            x,
            self.weight,
            bias=self.bias,
            stride=self._stride,
            padding=padding,
            dilation=self._dilation,
            groups=self._groups,
            data_format=self._data_format,
        )


class Conv1D(_Conv):
    """Convolution of sequences.

    Args:
        in_channels: Channels of the input.
        out_channels: Channels of the output.
        kernel_size: Size of the kernel.
        stride: Step of the kernel.
        padding: Integer(s), ``SAME`` or ``VALID``.
        dilation: Distance between the kernel's elements.
        groups: Number of groups of channels that are convolved separately.
        padding_mode: ``zeros``, ``reflect``, ``replicate`` or ``circular``.
        weight_attr: ParamAttr of the kernel; Normal(0, sqrt(2 / (in_channels · kernel size))) by default.
        bias_attr: ParamAttr of the bias, or False for none; 0 by default.
        data_format: ``NCL`` or ``NLC``.

    Shapes:
        input (N, C, L), weight (out_channels, in_channels / groups, *kernel_size),
        output (N, out_channels, L').
    """

    _convolve = staticmethod(F.conv1d)

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Sizes,
        stride: Sizes = 1,
        padding: Padding = 0,
        dilation: Sizes = 1,
        groups: int = 1,
        padding_mode: str = "zeros",
        weight_attr: PresentAttrLike = None,
        bias_attr: ParamAttrLike = None,
        data_format: str = "NCL",
    ) -> None:
        super().__init__(
            1,
            False,
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            0,
            dilation,
            groups,
            padding_mode,
            weight_attr,
            bias_attr,
            data_format,
        )


class Conv2D(_Conv):
    """Convolution of images.

    Args:
        in_channels: Channels of the input.
        out_channels: Channels of the output.
        kernel_size: Size of the kernel, one for all axes or one per axis.
        stride: Step of the kernel.
        padding: Integer(s), ``SAME`` or ``VALID``.
        dilation: Distance between the kernel's elements.
        groups: Number of groups of channels that are convolved separately.
        padding_mode: ``zeros``, ``reflect``, ``replicate`` or ``circular``.
        weight_attr: ParamAttr of the kernel; Normal(0, sqrt(2 / (in_channels · kernel size))) by default.
        bias_attr: ParamAttr of the bias, or False for none; 0 by default.
        data_format: ``NCHW`` or ``NHWC``.

    Shapes:
        input (N, C, H, W), weight (out_channels, in_channels / groups, *kernel_size),
        output (N, out_channels, H, W').
    """

    _convolve = staticmethod(F.conv2d)

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Sizes,
        stride: Sizes = 1,
        padding: Padding = 0,
        dilation: Sizes = 1,
        groups: int = 1,
        padding_mode: str = "zeros",
        weight_attr: PresentAttrLike = None,
        bias_attr: ParamAttrLike = None,
        data_format: str = "NCHW",
    ) -> None:
        super().__init__(
            2,
            False,
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            0,
            dilation,
            groups,
            padding_mode,
            weight_attr,
            bias_attr,
            data_format,
        )


class Conv3D(_Conv):
    """Convolution of volumes.

    Args:
        in_channels: Channels of the input.
        out_channels: Channels of the output.
        kernel_size: Size of the kernel, one for all axes or one per axis.
        stride: Step of the kernel.
        padding: Integer(s), ``SAME`` or ``VALID``.
        dilation: Distance between the kernel's elements.
        groups: Number of groups of channels that are convolved separately.
        padding_mode: ``zeros``, ``reflect``, ``replicate`` or ``circular``.
        weight_attr: ParamAttr of the kernel; Normal(0, sqrt(2 / (in_channels · kernel size))) by default.
        bias_attr: ParamAttr of the bias, or False for none; 0 by default.
        data_format: ``NCDHW`` or ``NDHWC``.

    Shapes:
        input (N, C, D, H, W), weight (out_channels, in_channels / groups, *kernel_size),
        output (N, out_channels, D, H, W').
    """

    _convolve = staticmethod(F.conv3d)

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Sizes,
        stride: Sizes = 1,
        padding: Padding = 0,
        dilation: Sizes = 1,
        groups: int = 1,
        padding_mode: str = "zeros",
        weight_attr: PresentAttrLike = None,
        bias_attr: ParamAttrLike = None,
        data_format: str = "NCDHW",
    ) -> None:
        super().__init__(
            3,
            False,
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            0,
            dilation,
            groups,
            padding_mode,
            weight_attr,
            bias_attr,
            data_format,
        )

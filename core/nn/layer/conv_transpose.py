"""Transposed convolution layers of one, two and three axes."""

from __future__ import annotations

from typing import Any, Callable, Optional

from core.nn import functional as F
from core.nn.layer.conv_base import ConvNd, Padding, Sizes
from core.nn.param_attr import ParamAttrLike, PresentAttrLike


class _ConvTranspose(ConvNd):
    """Shared body of the transposed convolutions."""

    _convolve: Callable[..., Any]

    def forward(self, x: Any, output_size: Optional[Sizes] = None) -> Any:
        """Return the transposed convolution.

        Args:
            x: The input.
            output_size: Spatial size of the output, instead of ``output_padding``.
        """
        return self._convolve(
            x,
            self.weight,
            bias=self.bias,
            stride=self._stride,
            padding=self._padding,
            output_padding=0 if output_size is not None else self.output_padding,
            dilation=self._dilation,
            groups=self._groups,
            output_size=output_size,
            data_format=self._data_format,
        )


class Conv1DTranspose(_ConvTranspose):
    """Transposed convolution of sequences: the gradient of a convolution with respect to its input.

    Args:
        in_channels: Channels of the input.
        out_channels: Channels of the output.
        kernel_size: Size of the kernel.
        stride: Factor by which the output is finer than the input.
        padding: Integer(s), ``SAME`` or ``VALID``.
        output_padding: Added to one side of the output's size.
        groups: Number of groups of channels that are convolved separately.
        dilation: Distance between the kernel's elements.
        weight_attr: ParamAttr of the kernel; XavierUniform by default.
        bias_attr: ParamAttr of the bias, or False for none; 0 by default.
        data_format: ``NCL`` or ``NLC``.

    Shapes:
        input (N, C, L), weight (in_channels, out_channels / groups, *kernel_size),
        output (N, out_channels, L').
    """

    _convolve = staticmethod(F.conv1d_transpose)

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Sizes,
        stride: Sizes = 1,
        padding: Padding = 0,
        output_padding: Sizes = 0,
        groups: int = 1,
        dilation: Sizes = 1,
        weight_attr: PresentAttrLike = None,
        bias_attr: ParamAttrLike = None,
        data_format: str = "NCL",
    ) -> None:
        super().__init__(
            1,
            True,
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            output_padding,
            dilation,
            groups,
            "zeros",
            weight_attr,
            bias_attr,
            data_format,
        )


class Conv2DTranspose(_ConvTranspose):
    """Transposed convolution of images: the gradient of a convolution with respect to its input.

    Args:
        in_channels: Channels of the input.
        out_channels: Channels of the output.
        kernel_size: Size of the kernel, one for all axes or one per axis.
        stride: Factor by which the output is finer than the input.
        padding: Integer(s), ``SAME`` or ``VALID``.
        output_padding: Added to one side of the output's size.
        dilation: Distance between the kernel's elements.
        groups: Number of groups of channels that are convolved separately.
        weight_attr: ParamAttr of the kernel; XavierUniform by default.
        bias_attr: ParamAttr of the bias, or False for none; 0 by default.
        data_format: ``NCHW`` or ``NHWC``.

    Shapes:
        input (N, C, H, W), weight (in_channels, out_channels / groups, *kernel_size),
        output (N, out_channels, H, W').
    """

    _convolve = staticmethod(F.conv2d_transpose)

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Sizes,
        stride: Sizes = 1,
        padding: Padding = 0,
        output_padding: Sizes = 0,
        dilation: Sizes = 1,
        groups: int = 1,
        weight_attr: PresentAttrLike = None,
        bias_attr: ParamAttrLike = None,
        data_format: str = "NCHW",
    ) -> None:
        super().__init__(
            2,
            True,
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            output_padding,
            dilation,
            groups,
            "zeros",
            weight_attr,
            bias_attr,
            data_format,
        )


class Conv3DTranspose(_ConvTranspose):
    """Transposed convolution of volumes: the gradient of a convolution with respect to its input.

    Args:
        in_channels: Channels of the input.
        out_channels: Channels of the output.
        kernel_size: Size of the kernel, one for all axes or one per axis.
        stride: Factor by which the output is finer than the input.
        padding: Integer(s), ``SAME`` or ``VALID``.
        output_padding: Added to one side of the output's size.
        dilation: Distance between the kernel's elements.
        groups: Number of groups of channels that are convolved separately.
        weight_attr: ParamAttr of the kernel; XavierUniform by default.
        bias_attr: ParamAttr of the bias, or False for none; 0 by default.
        data_format: ``NCDHW`` or ``NDHWC``.

    Shapes:
        input (N, C, D, H, W), weight (in_channels, out_channels / groups, *kernel_size),
        output (N, out_channels, D, H, W').
    """

    _convolve = staticmethod(F.conv3d_transpose)

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Sizes,
        stride: Sizes = 1,
        padding: Padding = 0,
        output_padding: Sizes = 0,
        dilation: Sizes = 1,
        groups: int = 1,
        weight_attr: PresentAttrLike = None,
        bias_attr: ParamAttrLike = None,
        data_format: str = "NCDHW",
    ) -> None:
        super().__init__(
            3,
            True,
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            output_padding,
            dilation,
            groups,
            "zeros",
            weight_attr,
            bias_attr,
            data_format,
        )

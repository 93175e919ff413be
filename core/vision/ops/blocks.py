"""The block that convolutional networks are made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Callable, Optional, Union

from core.nn import BatchNorm2D, Conv2D, Layer, ReLU, Sequential

__all__ = ["ConvNormActivation"]


class ConvNormActivation(Sequential):
    """Convolution, normalization and activation in a row.

    Args:
        in_channels: Channels of the input.
        out_channels: Channels of the output.
        kernel_size: Size of the kernel.
        stride: Step of the kernel.
        padding: Zeros around the input; as many as keep its size when None.
        groups: Number of groups of channels that are convolved separately.
        norm_layer: Makes the normalization of a number of channels; None for none.
        activation_layer: Makes the activation; None for none.
        dilation: Distance between the kernel's taps.
        bias: Whether the convolution has a bias; only without normalization when None.

    Shapes:
        input (N, in_channels, H, W), output (N, out_channels, H', W').
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int = 3,
        stride: int = 1,
        padding: Union[int, Sequence[int], None] = None,
        groups: int = 1,
        norm_layer: Optional[Callable[..., Layer]] = BatchNorm2D,
        activation_layer: Optional[Callable[..., Layer]] = ReLU,
        dilation: int = 1,
        bias: Optional[bool] = None,
    ) -> None:
        around: Any = (kernel_size - 1) // 2 * dilation if padding is None else padding
        with_bias = norm_layer is None if bias is None else bias
        layers: list[Layer] = [
            Conv2D(
                in_channels,
                out_channels,
                kernel_size,
                stride,
                around,
                dilation=dilation,
                groups=groups,
                bias_attr=None if with_bias else False,
            )
        ]
        if norm_layer is not None:
            layers.append(norm_layer(out_channels))
        if activation_layer is not None:
            layers.append(activation_layer())
        super().__init__(*layers)

"""A convolution, plain or deformable, with its normalisation, as the ResNets of detectors are made of them.

Source of parameter names: PaddleDetection 2.x.
"""

from __future__ import annotations

from typing import Any, Callable, Optional

import core
from core import ParamAttr, nn
from core.nn import functional as F
from core.nn.initializer import Constant
from core.vision.models.blocks import scale_and_offset
from core.vision.ops import DeformConv2D
from PaddleDetection.models.norms import Norm


class ConvNorm(nn.Layer):
    """A convolution without bias, normalisation, and perhaps an activation: (N, C, H, W) to (N, C', H', W').

    Args:
        in_channels: C.
        out_channels: C'.
        kernel_size: side of the kernel, pixels; odd.
        stride: step of the convolution, pixels.
        groups: number of groups of channels that do not see one another.
        activation: function applied at the end, such as ``F.relu``; None for none.
        norm: the normalisation.
        learning_rate: factor on the optimizer's learning rate for these parameters.
        dcn_v2: whether the kernel's taps are moved and weighed as a further convolution says, which begins with zeros
            (Zhu et al., "Deformable ConvNets v2", arXiv 1811.11168).
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int,
        stride: int = 1,
        groups: int = 1,
        activation: Optional[Callable[[Any], Any]] = None,
        norm: Norm = Norm(),  # noqa: B008  # a tuple, which nothing changes
        learning_rate: float = 1.0,
        dcn_v2: bool = False,
    ) -> None:
        super().__init__()
        self.taps = kernel_size**2
        self.conv_offset: Any = None
        shape: dict[str, Any] = {"stride": stride, "padding": (kernel_size - 1) // 2}
        if dcn_v2:
            zero = {name: ParamAttr(initializer=Constant(0.0)) for name in ("weight_attr", "bias_attr")}
            self.conv_offset = nn.Conv2D(in_channels, 3 * self.taps, kernel_size, **shape, **zero)
        kind = DeformConv2D if dcn_v2 else nn.Conv2D
        self.conv = kind(
            in_channels,
            out_channels,
            kernel_size,
            groups=groups,
            weight_attr=ParamAttr(learning_rate=learning_rate),
            bias_attr=False,
            **shape,
        )
        self.norm = norm.layer(out_channels, learning_rate)
        self.activation = activation

    def forward(self, x: Any) -> Any:
        """Return the filtered, normalised and activated feature maps."""
        if self._is_fixed():
            x = self._filtered_at_once(x)
        else:
            if self.conv_offset is None:
                x = self.conv(x)
            else:
                offset, mask = core.split(self.conv_offset(x), [2 * self.taps, self.taps], 1)
                x = self.conv(x, offset, F.sigmoid(mask))
            x = x if self.norm is None else self.norm(x)
        return x if self.activation is None else self.activation(x)

    def _is_fixed(self) -> bool:
        """Return whether the normalisation multiplies and adds the same in every training step."""
        norm: Any = self.norm
        if not (self.training and self.conv_offset is None and isinstance(norm, nn.BatchNorm2D)):
            return False
        return bool(norm._use_global_stats) and all(one.stop_gradient for one in norm.parameters())

    def _filtered_at_once(self, x: Any) -> Any:
        """Return what convolution and normalisation give, from a convolution that does both.

        What is between them would be kept for the gradient, and read and written once more.
        """
        factor, bias = scale_and_offset(self.norm)
        conv: Any = self.conv
        weight = conv.weight * factor.reshape([-1, 1, 1, 1])
        return F.conv2d(x, weight, bias, conv._stride, conv._padding, conv._dilation, conv._groups)

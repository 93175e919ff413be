"""What the VGG16s of SSD and PyramidBox are made of (Simonyan and Zisserman, arXiv 1409.1556; Liu et al., 1512.02325).

Source of parameter names: PaddleDetection 2.x.
"""

from __future__ import annotations

from typing import Any

from core import ParamAttr, nn
from core.nn import functional as F
from core.nn.initializer import Constant


class ConvBlock(nn.Layer):
    """Some 3 x 3 convolutions of the same size, and a pooling: (N, C, H, W) to that and to what is pooled.

    Args:
        in_channels: C.
        out_channels: of each convolution.
        groups: how many convolutions.
        pool_size: side of the pooling, pixels.
        pool_stride: its step.
        pool_padding: pixels around the feature maps.
        bias_attr: how the biases learn.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        groups: int,
        pool_size: int = 2,
        pool_stride: int = 2,
        pool_padding: int = 0,
        bias_attr: Any = None,
    ) -> None:
        super().__init__()
        self.convs = []
        for number in range(groups):
            inner = out_channels if number else in_channels
            conv = nn.Conv2D(inner, out_channels, 3, padding=1, bias_attr=bias_attr)
            self.convs.append(self.add_sublayer(f"conv{number}", conv))
        self.pool = nn.MaxPool2D(pool_size, pool_stride, pool_padding, ceil_mode=True)

    def forward(self, x: Any) -> tuple[Any, Any]:
        """Return the feature maps before and after the pooling."""
        for conv in self.convs:
            x = F.relu(conv(x))
        return x, self.pool(x)


class ExtraBlock(nn.Layer):
    """A 1 x 1 and a further convolution: (N, C, H, W) to (N, C', H', W').

    Args:
        in_channels: C.
        mid_channels: between the two.
        out_channels: C'.
        padding: of the second one, pixels.
        stride: likewise.
        kernel_size: likewise.
        bias_attr: how the biases learn.
    """

    def __init__(
        self,
        in_channels: int,
        mid_channels: int,
        out_channels: int,
        padding: int = 1,
        stride: int = 2,
        kernel_size: int = 3,
        bias_attr: Any = None,
    ) -> None:
        super().__init__()
        self.conv0 = nn.Conv2D(in_channels, mid_channels, 1, bias_attr=bias_attr)
        self.conv1 = nn.Conv2D(mid_channels, out_channels, kernel_size, stride, padding, bias_attr=bias_attr)

    def forward(self, x: Any) -> Any:
        """Return the feature maps."""
        return F.relu(self.conv1(F.relu(self.conv0(x))))


class L2NormScale(nn.Layer):
    """Each position's channels divided by their length, times a learned factor of each channel (N, C, H, W).

    Args:
        num_channels: C.
        scale: what the factors begin with.
    """

    def __init__(self, num_channels: int, scale: float = 1.0) -> None:
        super().__init__()
        self.scale = self.create_parameter([num_channels], attr=ParamAttr(initializer=Constant(scale)))

    def forward(self, x: Any) -> Any:
        """Return the scaled feature maps."""
        return F.normalize(x, axis=1, epsilon=1e-10) * self.scale.reshape([1, -1, 1, 1])

"""The VGG16 of PyramidBox (Tang et al., arXiv 1803.07737), and the pyramid of its low levels.

Layers are called as in PaddleDetection 2.x's VGG16, which has other strides and a dilated fc6.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core import ParamAttr, nn
from core.nn import functional as F
from core.nn.initializer import Bilinear
from core.regularizer import L2Decay
from PaddleDetection.models.backbones.vgg_blocks import ConvBlock, ExtraBlock

STRIDES = (4, 8, 16, 32, 64, 128)
"""Pixels of a cell of each level."""


def bias() -> ParamAttr:
    """Return how PyramidBox's biases learn: twice as fast, without decay."""
    return ParamAttr(learning_rate=2.0, regularizer=L2Decay(0.0))


class PyramidVGG(nn.Layer):
    """VGG16 with convolutions for its fully connected layers, and two further blocks: six feature maps of an image.

    Attributes:
        channels: of the feature maps, the finest first.
        own_layers: names of layers that no classifier has all parameters of: all, as of SSD's VGG16.
    """

    channels = (256, 512, 512, 1024, 512, 256)

    def __init__(self) -> None:
        super().__init__()
        self.blocks = []
        inner = 3
        for number, (outer, groups) in enumerate(((64, 2), (128, 2), (256, 3), (512, 3), (512, 3))):
            block = ConvBlock(inner, outer, groups, bias_attr=bias())
            self.blocks.append(self.add_sublayer(f"conv_block_{number}", block))
            inner = outer
        self.fc6 = nn.Conv2D(512, 1024, 3, padding=1, bias_attr=bias())
        self.fc7 = nn.Conv2D(1024, 1024, 1, bias_attr=bias())
        self.conv6 = ExtraBlock(1024, 256, 512, bias_attr=bias())
        self.conv7 = ExtraBlock(512, 128, 256, bias_attr=bias())
        self.own_layers = tuple(name for name, _ in self.named_children())

    def forward(self, image: Any) -> list[Any]:
        """Return conv3, conv4, conv5, fc7, conv6 and conv7 of images (N, 3, H, W); each side is rounded up."""
        levels, x = [], image
        for block in self.blocks:
            level, x = block(x)
            levels.append(level)
        x = F.relu(self.fc7(F.relu(self.fc6(x))))
        further = self.conv6(x)
        return [*levels[2:], x, further, self.conv7(further)]


class LowLevelFPN(nn.Layer):
    """The pyramid from fc7 down to conv3: what a coarser level says multiplies the finer one.

    The coarsest levels stay out of it, for they see little of small faces' surroundings.

    Args:
        channels: of the levels, the finest first.
        fused: how many of the finest ones a coarser one multiplies.
    """

    def __init__(self, channels: Sequence[int] = PyramidVGG.channels, fused: int = 3) -> None:
        super().__init__()
        self.channels = tuple(channels)
        self.fuses = [
            self.add_sublayer(f"fuse{level}", Fuse(channels[level + 1], channels[level])) for level in range(fused)
        ]

    def forward(self, levels: Sequence[Any]) -> list[Any]:
        """Return as many levels of the same shapes."""
        found = list(levels)
        for level in reversed(range(len(self.fuses))):
            found[level] = self.fuses[level](found[level + 1], found[level])
        return found


class Fuse(nn.Layer):
    """Multiplies a level with the next coarser one, which is enlarged by a fixed bilinear kernel.

    Args:
        coarse_channels: of the coarser level.
        channels: of the level.
    """

    def __init__(self, coarse_channels: int, channels: int) -> None:
        super().__init__()
        self.top = nn.Conv2D(coarse_channels, channels, 1, bias_attr=bias())
        fixed = ParamAttr(initializer=Bilinear(), trainable=False)
        self.upsample = nn.Conv2DTranspose(
            channels, channels, 4, 2, 1, groups=channels, weight_attr=fixed, bias_attr=False
        )
        self.lateral = nn.Conv2D(channels, channels, 1, bias_attr=bias())

    def forward(self, coarse: Any, fine: Any) -> Any:
        """Return the fused level, of the shape of ``fine``."""
        larger = self.upsample(F.relu(self.top(coarse)))
        height, width = fine.shape[2:]
        return larger[:, :, :height, :width] * F.relu(self.lateral(fine))

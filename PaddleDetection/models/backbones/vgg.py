"""VGG-16 and -19 (Simonyan and Zisserman, arXiv 1409.1556) as SSD (Liu et al., arXiv 1512.02325) looks through them.

The linear layers have become a dilated 3 x 3 convolution and a 1 x 1 one; further blocks follow; the first feature map
is divided by its length and scaled.
Source of parameter names: PaddleDetection 2.x.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core import nn
from core.nn import functional as F
from PaddleDetection.models.backbones.vgg_blocks import ConvBlock, ExtraBlock, L2NormScale

CONVOLUTIONS = {16: (2, 2, 3, 3, 3), 19: (2, 2, 4, 4, 4)}
"""Of each block, by the number of layers with weights."""

WIDTHS = (64, 128, 256, 512, 512)

FILTERS_300 = ((256, 512, 1, 2, 3), (128, 256, 1, 2, 3), (128, 256, 0, 1, 3), (128, 256, 0, 1, 3))
"""Of each further block of SSD300: channels inside and after it; padding, stride and side of its second kernel."""

FILTERS_512 = (
    (256, 512, 1, 2, 3),
    (128, 256, 1, 2, 3),
    (128, 256, 1, 2, 3),
    (128, 256, 1, 2, 3),
    (128, 256, 1, 1, 4),
)
"""The same of SSD512."""


class VGG(nn.Layer):
    """Five blocks of convolutions, two convolutions in the place of linear layers, and further blocks.

    Args:
        depth: 16 or 19 layers with weights, counted before the last ones were replaced.
        normalizations: of each feature map, what its scales begin with; -1: it is not divided by its length.
        extra_block_filters: of each further block, as :data:`FILTERS_300`.

    Attributes:
        channels: of the feature maps: before the fourth pooling, after the two convolutions, after each further block.
        own_layers: names of layers that no classifier has all parameters of: all of them, as convolutions of
            PaddleClas's VGG have no offsets.

    Raises:
        ValueError: there is no VGG of this depth, or the normalisations are not as many as the feature maps.
    """

    def __init__(
        self,
        depth: int = 16,
        normalizations: Sequence[float] = (20.0, -1, -1, -1, -1, -1),
        extra_block_filters: Sequence[Sequence[int]] = FILTERS_300,
    ) -> None:
        super().__init__()
        if depth not in CONVOLUTIONS:
            raise ValueError(f"VGG of detectors has 16 or 19 layers, not {depth}")
        self.channels = (512, 1024, *(filters[1] for filters in extra_block_filters))
        if len(normalizations) != len(self.channels):
            count = len(self.channels)
            raise ValueError(f"normalizations must be {count}, one a feature map, not {len(normalizations)}")
        self.blocks = []
        for number, (count, width) in enumerate(zip(CONVOLUTIONS[depth], WIDTHS)):
            pooling = (3, 1, 1) if number == 4 else (2, 2, 0)
            block = ConvBlock(WIDTHS[number - 1] if number else 3, width, count, *pooling)
            self.blocks.append(self.add_sublayer(f"conv_block_{number}", block))
        self.fc6 = nn.Conv2D(512, 1024, 3, padding=6, dilation=6)
        self.fc7 = nn.Conv2D(1024, 1024, 1)
        self.extras = []
        for number, (channels, filters) in enumerate(zip(self.channels[1:], extra_block_filters)):
            self.extras.append(self.add_sublayer(f"conv{number + 6}", ExtraBlock(channels, *filters)))
        self.norms = [
            None if scale == -1 else self.add_sublayer(f"norm{number}", L2NormScale(channels, scale))
            for number, (channels, scale) in enumerate(zip(self.channels, normalizations))
        ]
        self.own_layers = tuple(name for name, _ in self.named_children())

    def forward(self, image: Any) -> list[Any]:
        """Return the feature maps, the finest first.

        Args:
            image: float32 (N, 3, H, W).
        """
        x, before = image, []
        for block in self.blocks:
            unpooled, x = block(x)
            before.append(unpooled)
        x = F.relu(self.fc7(F.relu(self.fc6(x))))
        maps = [before[3], x]
        for block in self.extras:
            maps.append(block(maps[-1]))
        return [one if norm is None else norm(one) for norm, one in zip(self.norms, maps)]

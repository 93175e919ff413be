"""The discriminator of ESRGAN: convolutions in the manner of VGG that halve a picture five times, and a score.

Paper: Wang et al., "ESRGAN: Enhanced super-resolution generative adversarial networks", ECCV workshops 2018,
https://arxiv.org/abs/1809.00219
Source of parameter names: ppgan 2.1 (VGGDiscriminator128), whose pictures have 128 pixels.
"""

from __future__ import annotations

from typing import Any

from core import nn
from core.nn import functional as F
from core.nn.layer.checks import positive_numbers
from PaddleGAN.models.blocks import check_image

SLOPE = 0.2
"""Of the leaky ReLUs."""

LEVELS = 5
"""How often a picture is halved."""


class VGGDiscriminator128(nn.Layer):
    """Pictures to scores: (N, in_channels, image_size, image_size) to (N, 1).

    Args:
        in_channels: of the pictures.
        num_feat: channels of the first feature maps.
        image_size: pixels of a side, a multiple of 32.

    Raises:
        ValueError: a number is out of range.
    """

    def __init__(self, in_channels: int = 3, num_feat: int = 64, image_size: int = 128) -> None:
        super().__init__()
        positive_numbers("VGGDiscriminator128", in_channels=in_channels, num_feat=num_feat, image_size=image_size)
        if image_size % 2**LEVELS:
            raise ValueError(f"VGGDiscriminator128: image_size must be a multiple of {2**LEVELS}, not {image_size}")
        self.in_channels, self.image_size = in_channels, image_size
        received = in_channels
        for level in range(LEVELS):
            width = num_feat * min(2**level, 8)
            setattr(
                self,
                f"conv{level}_0",
                nn.Conv2D(received, width, 3, padding=1, bias_attr=None if level == 0 else False),
            )
            if level:
                setattr(self, f"bn{level}_0", nn.BatchNorm2D(width))
            setattr(self, f"conv{level}_1", nn.Conv2D(width, width, 4, stride=2, padding=1, bias_attr=False))
            setattr(self, f"bn{level}_1", nn.BatchNorm2D(width))
            received = width
        self.linear1 = nn.Linear(received * (image_size // 2**LEVELS) ** 2, 100)
        self.linear2 = nn.Linear(100, 1)

    def forward(self, x: Any) -> Any:
        """Return the scores, which are logits."""
        check_image("VGGDiscriminator128", x, self.in_channels, size=self.image_size)
        for level in range(LEVELS):
            x = getattr(self, f"conv{level}_0")(x)
            x = F.leaky_relu(getattr(self, f"bn{level}_0")(x) if level else x, SLOPE)
            x = F.leaky_relu(getattr(self, f"bn{level}_1")(getattr(self, f"conv{level}_1")(x)), SLOPE)
        return self.linear2(F.leaky_relu(self.linear1(x.flatten(1)), SLOPE))

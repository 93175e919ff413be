"""DarkNet-53, the network that YOLOv3 looks through.

Paper: Redmon, Farhadi, "YOLOv3: an incremental improvement", 2018, https://arxiv.org/abs/1804.02767
Source of parameter names: PaddleClas, which kept the names of its 2.0 release for this family. Its activation is ReLU,
where the paper's is leaky.
"""

from __future__ import annotations

from typing import Any

import core
from core import nn
from core.nn import functional as F
from core.vision.models.blocks import ConvBatchNorm, fully_connected
from PaddleClas.models.base import ImageClassifier
from PaddleClas.models.pretrained import Pretrained, build

BLOCKS = (1, 2, 8, 8, 4)
"""Number of residual blocks in each stage; stage i has 64 * 2^i channels."""

NAMES = ("_conv", "_bn")


class BasicBlock(nn.Layer):
    """A 1 x 1 convolution to half the channels, a 3 x 3 one back, added to the input: (N, C, H, W) to the same shape.

    Args:
        channels: C.
    """

    def __init__(self, channels: int) -> None:
        super().__init__()
        self._conv1 = ConvBatchNorm(channels, channels // 2, 1, activation=F.relu, names=NAMES)
        self._conv2 = ConvBatchNorm(channels // 2, channels, 3, activation=F.relu, names=NAMES)

    def forward(self, x: Any) -> Any:
        """Return the block's feature maps."""
        return x + self._conv2(self._conv1(x))


class DarkNet(ImageClassifier):
    """A convolution, five stages that each halve the image, and a linear layer: (N, 3, H, W) to (N, class_num).

    Args:
        class_num: number of classes.
    """

    head_names = head_layers = ("_out",)
    stage_channels = (64, 128, 256, 512, 1024)
    stage_strides = (2, 4, 8, 16, 32)

    def __init__(self, class_num: int = 1000) -> None:
        super().__init__()
        self._conv1 = ConvBatchNorm(3, 32, 3, activation=F.relu, names=NAMES)
        self._conv2 = ConvBatchNorm(32, 64, 3, 2, activation=F.relu, names=NAMES)
        for stage, (channels, count) in enumerate(zip(self.stage_channels, BLOCKS)):
            if stage > 0:
                halve = ConvBatchNorm(channels // 2, channels, 3, 2, activation=F.relu, names=NAMES)
                self.add_sublayer(f"_downsample_{stage - 1}", halve)
            for number in range(1, count + 1):
                self.add_sublayer(f"_basic_block_{stage}{number}", BasicBlock(channels))
        self._out = fully_connected(1024, class_num)

    def forward_stages(self, x: Any) -> list[Any]:
        """Return the feature maps of the five stages, (N, 64 to 1024, H/2 to H/32, W/2 to W/32)."""
        x = self._conv2(self._conv1(x))
        maps = []
        for stage, count in enumerate(BLOCKS):
            if stage > 0:
                x = getattr(self, f"_downsample_{stage - 1}")(x)
            for number in range(1, count + 1):
                x = getattr(self, f"_basic_block_{stage}{number}")(x)
            maps.append(x)
        return maps

    def forward_head(self, features: Any) -> Any:
        """Return the logits for feature maps of any size, (N, class_num)."""
        return self._out(core.flatten(F.adaptive_avg_pool2d(features, 1), 1))


def DarkNet53(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> DarkNet:
    """Return DarkNet-53 (Redmon, Farhadi 2018); arguments as of :func:`PaddleClas.create_model`."""
    return build("DarkNet53", DarkNet, pretrained, class_num=class_num, **kwargs)

"""VGG: stacks of 3 x 3 convolutions, without batch normalisation.

Paper: Simonyan, Zisserman, "Very deep convolutional networks for large-scale image recognition", ICLR 2015,
https://arxiv.org/abs/1409.1556
Source of parameter names: PaddleClas 2.2+, whose convolutions have no bias, unlike the paper's.
"""

from __future__ import annotations

from typing import Any

import core
from core import nn
from core.nn import functional as F
from PaddleClas.models.base import ImageClassifier
from PaddleClas.models.pretrained import Pretrained, build

CONVOLUTIONS = {11: (1, 1, 2, 2, 2), 13: (2, 2, 2, 2, 2), 16: (2, 2, 3, 3, 3), 19: (2, 2, 4, 4, 4)}
"""Number of convolutions in each of the five blocks, by the number of layers with weights."""

WIDTHS = (64, 128, 256, 512, 512)


class ConvBlock(nn.Layer):
    """Convolutions with ReLU, then a pooling that halves the image: (N, C, H, W) to (N, C', H/2, W/2).

    Args:
        in_channels: C.
        out_channels: C'.
        convolutions: how many, named ``conv1``, ``conv2`` and so on.
    """

    def __init__(self, in_channels: int, out_channels: int, convolutions: int) -> None:
        super().__init__()
        self.convolutions = convolutions
        for number in range(1, convolutions + 1):
            layer = nn.Conv2D(in_channels, out_channels, 3, padding=1, bias_attr=False)
            self.add_sublayer(f"conv{number}", layer)
            in_channels = out_channels

    def forward(self, x: Any) -> Any:
        """Return the halved feature maps."""
        for number in range(1, self.convolutions + 1):
            x = F.relu(getattr(self, f"conv{number}")(x))
        return F.max_pool2d(x, 2, 2)


class VGGNet(ImageClassifier):
    """Five blocks and three linear layers: (N, 3, 224, 224) to (N, class_num).

    Dropout scales in evaluation instead of training (``downscale_in_infer``), as the official weights expect.

    Args:
        depth: 11, 13, 16 or 19 layers with weights.
        class_num: number of classes.
        stop_grad_layers: the first so many blocks are frozen.

    Raises:
        ValueError: there is no VGG of this depth, or it has fewer blocks than are to be frozen.
    """

    head_names = ("fc3",)
    head_layers = ("dropout", "fc1", "fc2", "fc3")
    stage_channels = WIDTHS
    stage_strides = (2, 4, 8, 16, 32)

    def __init__(self, depth: int, class_num: int = 1000, stop_grad_layers: int = 0) -> None:
        super().__init__()
        if depth not in CONVOLUTIONS:
            raise ValueError(f"VGG has 11, 13, 16 or 19 layers, not {depth}")
        if not 0 <= stop_grad_layers <= len(WIDTHS):
            raise ValueError(f"stop_grad_layers must be 0 to {len(WIDTHS)}, not {stop_grad_layers}")
        in_channels = 3
        for index, (width, convolutions) in enumerate(zip(WIDTHS, CONVOLUTIONS[depth])):
            block = self.add_sublayer(f"conv_block_{index + 1}", ConvBlock(in_channels, width, convolutions))
            for parameter in block.parameters() if index < stop_grad_layers else ():
                parameter.trainable = False
            in_channels = width
        self.dropout = nn.Dropout(0.5, mode="downscale_in_infer")
        self.fc1 = nn.Linear(512 * 7 * 7, 4096)
        self.fc2 = nn.Linear(4096, 4096)
        self.fc3 = nn.Linear(4096, class_num)

    def forward_stages(self, x: Any) -> list[Any]:
        """Return the feature maps of the five blocks, (N, 64 to 512, H/2 to H/32, W/2 to W/32)."""
        maps = []
        for number in range(1, len(WIDTHS) + 1):
            x = getattr(self, f"conv_block_{number}")(x)
            maps.append(x)
        return maps

    def forward_head(self, features: Any) -> Any:
        """Return the logits for feature maps (N, 512, 7, 7): (N, class_num)."""
        x = core.flatten(features, 1)
        x = self.dropout(F.relu(self.fc1(x)))
        x = self.dropout(F.relu(self.fc2(x)))
        return self.fc3(x)


def VGG11(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> VGGNet:
    """Return VGG-11 (configuration A of the paper); arguments as of :func:`PaddleClas.create_model`."""
    return build("VGG11", VGGNet, pretrained, depth=11, class_num=class_num, **kwargs)


def VGG13(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> VGGNet:
    """Return VGG-13 (configuration B of the paper); arguments as of :func:`PaddleClas.create_model`."""
    return build("VGG13", VGGNet, pretrained, depth=13, class_num=class_num, **kwargs)


def VGG16(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> VGGNet:
    """Return VGG-16 (configuration D of the paper); arguments as of :func:`PaddleClas.create_model`."""
    return build("VGG16", VGGNet, pretrained, depth=16, class_num=class_num, **kwargs)


def VGG19(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> VGGNet:
    """Return VGG-19 (configuration E of the paper); arguments as of :func:`PaddleClas.create_model`."""
    return build("VGG19", VGGNet, pretrained, depth=19, class_num=class_num, **kwargs)

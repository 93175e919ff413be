"""ResNet-vc: a ResNet whose stem is three small convolutions.

Paper: He et al., "Bag of tricks for image classification with convolutional neural networks", CVPR 2019,
https://arxiv.org/abs/1812.01187 (its ResNet-C).
Source of parameter names: PaddleClas, which kept the names of its 2.0 release for this family.
"""

from __future__ import annotations

from typing import Any

import core
from core import nn
from core.nn import functional as F
from PaddleClas.models.blocks import EARLIER_NAMES, ConvBatchNorm
from PaddleClas.models.pretrained import Pretrained, build
from PaddleClas.models.resnet import WIDTHS, block_type, classifier, positions


class ResNetVC(nn.Layer):
    """A stem of three 3 x 3 convolutions, plain shortcuts, and the parameter names of PaddleClas 2.0.

    Args:
        depth: 18, 34, 50, 101, 152 or 200 layers with weights.
        class_num: number of classes.
    """

    head_names = ("out",)

    def __init__(self, depth: int, class_num: int = 1000) -> None:
        super().__init__()
        kind = block_type(depth)
        self.conv1_1 = ConvBatchNorm(3, 32, 3, stride=2, activation=F.relu, names=EARLIER_NAMES)
        self.conv1_2 = ConvBatchNorm(32, 32, 3, activation=F.relu, names=EARLIER_NAMES)
        self.conv1_3 = ConvBatchNorm(32, 64, 3, activation=F.relu, names=EARLIER_NAMES)
        self.block_names = []
        for stage, number, in_channels in positions(depth):
            stride = 2 if number == 0 and stage > 0 else 1
            shortcut = "identity" if number else "conv"
            block = kind(in_channels, WIDTHS[stage], stride, shortcut, names=EARLIER_NAMES)
            self.block_names.append(f"bb_{stage}_{number}")
            self.add_sublayer(self.block_names[-1], block)
        self.out = classifier(WIDTHS[-1] * kind.expansion, class_num)

    def forward_features(self, x: Any) -> Any:
        """Return the feature maps of the last stage, (N, 512 or 2048, H/32, W/32)."""
        x = self.conv1_3(self.conv1_2(self.conv1_1(x)))
        x = F.max_pool2d(x, 3, 2, padding=1)
        for name in self.block_names:
            x = getattr(self, name)(x)
        return x

    def forward_head(self, features: Any) -> Any:
        """Return the logits for feature maps of any size, (N, class_num)."""
        return self.out(core.flatten(F.adaptive_avg_pool2d(features, 1), 1))

    def forward(self, x: Any) -> Any:
        """Return the logits for images, (N, class_num)."""
        return self.forward_head(self.forward_features(x))


def ResNet50_vc(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> ResNetVC:
    """Return ResNet-50-C; arguments as of :func:`PaddleClas.create_model`."""
    return build("ResNet50_vc", ResNetVC, pretrained, depth=50, class_num=class_num, **kwargs)

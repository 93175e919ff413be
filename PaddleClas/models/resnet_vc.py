"""ResNet-vc: a ResNet whose stem is three small convolutions.

Paper: He et al., "Bag of tricks for image classification with convolutional neural networks", CVPR 2019,
https://arxiv.org/abs/1812.01187 (its ResNet-C).
Source of parameter names: PaddleClas, which kept the names of its 2.0 release for this family.
"""

from __future__ import annotations

from typing import Any

from PaddleClas.models.pretrained import Pretrained, build
from PaddleClas.models.resnet_earlier import EarlierResNet


def ResNet50_vc(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> EarlierResNet:
    """Return ResNet-50-C; arguments as of :func:`PaddleClas.create_model`."""
    return build("ResNet50_vc", EarlierResNet, pretrained, depth=50, stem=(32, 32, 64), class_num=class_num, **kwargs)

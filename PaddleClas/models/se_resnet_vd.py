"""SE-ResNet-vd: ResNet-vd with squeeze-and-excitation.

Papers: Hu et al., "Squeeze-and-excitation networks", CVPR 2018, https://arxiv.org/abs/1709.01507; He et al., "Bag of
tricks for image classification with convolutional neural networks", CVPR 2019, https://arxiv.org/abs/1812.01187.
Source of parameter names: PaddleClas, which kept the names of its 2.0 release for this family.
"""

from __future__ import annotations

from typing import Any

from PaddleClas.models.pretrained import Pretrained, build
from PaddleClas.models.resnet_earlier import EarlierResNet


def SE_ResNet18_vd(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> EarlierResNet:
    """Return SE-ResNet-18-D; arguments as of :func:`PaddleClas.create_model`."""
    return build(
        "SE_ResNet18_vd",
        EarlierResNet,
        pretrained,
        depth=18,
        stem=(32, 32, 64),
        shortcut="pool",
        squeeze_excite=True,
        class_num=class_num,
        **kwargs,
    )


def SE_ResNet34_vd(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> EarlierResNet:
    """Return SE-ResNet-34-D; arguments as of :func:`PaddleClas.create_model`."""
    return build(
        "SE_ResNet34_vd",
        EarlierResNet,
        pretrained,
        depth=34,
        stem=(32, 32, 64),
        shortcut="pool",
        squeeze_excite=True,
        class_num=class_num,
        **kwargs,
    )


def SE_ResNet50_vd(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> EarlierResNet:
    """Return SE-ResNet-50-D; arguments as of :func:`PaddleClas.create_model`."""
    return build(
        "SE_ResNet50_vd",
        EarlierResNet,
        pretrained,
        depth=50,
        stem=(32, 32, 64),
        shortcut="pool",
        squeeze_excite=True,
        class_num=class_num,
        **kwargs,
    )

"""SE-ResNeXt: ResNeXt with squeeze-and-excitation, its variant -vd, and SENet-154, which is the largest -vd.

Papers: Hu et al., "Squeeze-and-excitation networks", CVPR 2018, https://arxiv.org/abs/1709.01507; Xie et al.,
"Aggregated residual transformations for deep neural networks", CVPR 2017, https://arxiv.org/abs/1611.05431; He et al.,
"Bag of tricks for image classification with convolutional neural networks", CVPR 2019, https://arxiv.org/abs/1812.01187.
Source of parameter names: PaddleClas, which kept the names of its 2.0 release for this family. Since then it
has no dropout.
"""

from __future__ import annotations

from typing import Any

from PaddleClas.models.pretrained import Pretrained, build
from PaddleClas.models.resnet_earlier import EarlierResNet


def SE_ResNeXt50_32x4d(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> EarlierResNet:
    """Return SE-ResNeXt-50, 32 groups of 4 channels; arguments as of :func:`PaddleClas.create_model`."""
    return build(
        "SE_ResNeXt50_32x4d",
        EarlierResNet,
        pretrained,
        depth=50,
        groups=32,
        squeeze_excite=True,
        class_num=class_num,
        **kwargs,
    )


def SE_ResNeXt101_32x4d(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> EarlierResNet:
    """Return SE-ResNeXt-101, 32 groups of 4 channels; arguments as of :func:`PaddleClas.create_model`."""
    return build(
        "SE_ResNeXt101_32x4d",
        EarlierResNet,
        pretrained,
        depth=101,
        groups=32,
        squeeze_excite=True,
        class_num=class_num,
        **kwargs,
    )


def SE_ResNeXt50_vd_32x4d(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> EarlierResNet:
    """Return SE-ResNeXt-50-D, 32 groups of 4 channels; arguments as of :func:`PaddleClas.create_model`."""
    return build(
        "SE_ResNeXt50_vd_32x4d",
        EarlierResNet,
        pretrained,
        depth=50,
        groups=32,
        stem=(64, 64, 128),
        shortcut="pool",
        squeeze_excite=True,
        class_num=class_num,
        **kwargs,
    )


def SENet154_vd(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> EarlierResNet:
    """Return SENet-154-D; arguments as of :func:`PaddleClas.create_model`."""
    return build(
        "SENet154_vd",
        EarlierResNet,
        pretrained,
        depth=152,
        groups=64,
        stem=(64, 64, 128),
        shortcut="pool",
        squeeze_excite=True,
        class_num=class_num,
        **kwargs,
    )

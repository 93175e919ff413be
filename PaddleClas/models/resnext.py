"""ResNeXt: residual networks whose 3 x 3 convolutions work in groups, and their variant -vd.

Papers: Xie et al., "Aggregated residual transformations for deep neural networks", CVPR 2017,
https://arxiv.org/abs/1611.05431; -vd takes the stem and the averaged shortcuts of He et al., "Bag of tricks for image
classification with convolutional neural networks", CVPR 2019, https://arxiv.org/abs/1812.01187.
Source of parameter names: PaddleClas, which kept the names of its 2.0 release for this family.
"""

from __future__ import annotations

from typing import Any

from PaddleClas.models.pretrained import Pretrained, build
from PaddleClas.models.resnet_earlier import EarlierResNet


def ResNeXt50_32x4d(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> EarlierResNet:
    """Return ResNeXt-50, 32 groups of 4 channels; arguments as of :func:`PaddleClas.create_model`."""
    return build("ResNeXt50_32x4d", EarlierResNet, pretrained, depth=50, groups=32, class_num=class_num, **kwargs)


def ResNeXt101_32x4d(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> EarlierResNet:
    """Return ResNeXt-101, 32 groups of 4 channels; arguments as of :func:`PaddleClas.create_model`."""
    return build("ResNeXt101_32x4d", EarlierResNet, pretrained, depth=101, groups=32, class_num=class_num, **kwargs)


def ResNeXt152_32x4d(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> EarlierResNet:
    """Return ResNeXt-152, 32 groups of 4 channels; arguments as of :func:`PaddleClas.create_model`."""
    return build("ResNeXt152_32x4d", EarlierResNet, pretrained, depth=152, groups=32, class_num=class_num, **kwargs)


def ResNeXt50_64x4d(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> EarlierResNet:
    """Return ResNeXt-50, 64 groups of 4 channels; arguments as of :func:`PaddleClas.create_model`."""
    return build("ResNeXt50_64x4d", EarlierResNet, pretrained, depth=50, groups=64, class_num=class_num, **kwargs)


def ResNeXt101_64x4d(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> EarlierResNet:
    """Return ResNeXt-101, 64 groups of 4 channels; arguments as of :func:`PaddleClas.create_model`."""
    return build("ResNeXt101_64x4d", EarlierResNet, pretrained, depth=101, groups=64, class_num=class_num, **kwargs)


def ResNeXt152_64x4d(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> EarlierResNet:
    """Return ResNeXt-152, 64 groups of 4 channels; arguments as of :func:`PaddleClas.create_model`."""
    return build("ResNeXt152_64x4d", EarlierResNet, pretrained, depth=152, groups=64, class_num=class_num, **kwargs)


def ResNeXt50_vd_32x4d(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> EarlierResNet:
    """Return ResNeXt-50-D, 32 groups of 4 channels; arguments as of :func:`PaddleClas.create_model`."""
    return build(
        "ResNeXt50_vd_32x4d",
        EarlierResNet,
        pretrained,
        depth=50,
        groups=32,
        stem=(32, 32, 64),
        shortcut="pool",
        class_num=class_num,
        **kwargs,
    )


def ResNeXt101_vd_32x4d(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> EarlierResNet:
    """Return ResNeXt-101-D, 32 groups of 4 channels; arguments as of :func:`PaddleClas.create_model`."""
    return build(
        "ResNeXt101_vd_32x4d",
        EarlierResNet,
        pretrained,
        depth=101,
        groups=32,
        stem=(32, 32, 64),
        shortcut="pool",
        class_num=class_num,
        **kwargs,
    )


def ResNeXt152_vd_32x4d(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> EarlierResNet:
    """Return ResNeXt-152-D, 32 groups of 4 channels; arguments as of :func:`PaddleClas.create_model`."""
    return build(
        "ResNeXt152_vd_32x4d",
        EarlierResNet,
        pretrained,
        depth=152,
        groups=32,
        stem=(32, 32, 64),
        shortcut="pool",
        class_num=class_num,
        **kwargs,
    )


def ResNeXt50_vd_64x4d(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> EarlierResNet:
    """Return ResNeXt-50-D, 64 groups of 4 channels; arguments as of :func:`PaddleClas.create_model`."""
    return build(
        "ResNeXt50_vd_64x4d",
        EarlierResNet,
        pretrained,
        depth=50,
        groups=64,
        stem=(32, 32, 64),
        shortcut="pool",
        class_num=class_num,
        **kwargs,
    )


def ResNeXt101_vd_64x4d(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> EarlierResNet:
    """Return ResNeXt-101-D, 64 groups of 4 channels; arguments as of :func:`PaddleClas.create_model`."""
    return build(
        "ResNeXt101_vd_64x4d",
        EarlierResNet,
        pretrained,
        depth=101,
        groups=64,
        stem=(32, 32, 64),
        shortcut="pool",
        class_num=class_num,
        **kwargs,
    )


def ResNeXt152_vd_64x4d(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> EarlierResNet:
    """Return ResNeXt-152-D, 64 groups of 4 channels; arguments as of :func:`PaddleClas.create_model`."""
    return build(
        "ResNeXt152_vd_64x4d",
        EarlierResNet,
        pretrained,
        depth=152,
        groups=64,
        stem=(32, 32, 64),
        shortcut="pool",
        class_num=class_num,
        **kwargs,
    )

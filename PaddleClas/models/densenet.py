"""DenseNet: every layer of a block sees the feature maps of all layers before it.

Paper: Huang et al., "Densely connected convolutional networks", CVPR 2017, https://arxiv.org/abs/1608.06993
Source of parameter names: PaddleClas, which kept the names of its 2.0 release for this family: the network is that of
:mod:`core.vision.models.densenet`.
"""

from __future__ import annotations

from typing import Any

from core.vision.models.densenet import DenseNet as Network
from PaddleClas.models.base import ImageClassifier
from PaddleClas.models.pretrained import Pretrained, build


class DenseNet(Network, ImageClassifier):
    """A stem, four dense blocks with transitions between them, and a linear layer: (N, 3, H, W) to (N, class_num).

    Args:
        depth: 121, 161, 169, 201 or 264 layers with weights.
        class_num: number of classes.

    Raises:
        ValueError: there is no DenseNet of this depth.
    """

    head_names = ("out",)
    head_layers = ("batch_norm", "out")
    stage_strides = (4, 8, 16, 32)

    def __init__(self, depth: int, class_num: int = 1000) -> None:
        super().__init__(depth, num_classes=class_num)
        self.stage_channels = self.block_channels


def DenseNet121(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> DenseNet:
    """Return DenseNet-121; arguments as of :func:`PaddleClas.create_model`."""
    return build("DenseNet121", DenseNet, pretrained, depth=121, class_num=class_num, **kwargs)


def DenseNet161(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> DenseNet:
    """Return DenseNet-161; arguments as of :func:`PaddleClas.create_model`."""
    return build("DenseNet161", DenseNet, pretrained, depth=161, class_num=class_num, **kwargs)


def DenseNet169(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> DenseNet:
    """Return DenseNet-169; arguments as of :func:`PaddleClas.create_model`."""
    return build("DenseNet169", DenseNet, pretrained, depth=169, class_num=class_num, **kwargs)


def DenseNet201(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> DenseNet:
    """Return DenseNet-201; arguments as of :func:`PaddleClas.create_model`."""
    return build("DenseNet201", DenseNet, pretrained, depth=201, class_num=class_num, **kwargs)


def DenseNet264(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> DenseNet:
    """Return DenseNet-264; arguments as of :func:`PaddleClas.create_model`."""
    return build("DenseNet264", DenseNet, pretrained, depth=264, class_num=class_num, **kwargs)

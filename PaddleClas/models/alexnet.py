"""AlexNet, in one piece instead of the two halves that once ran on two graphics cards.

Papers: Krizhevsky, Sutskever, Hinton, "ImageNet classification with deep convolutional neural networks", NIPS 2012,
https://proceedings.neurips.cc/paper/2012/file/c399862d3b9d6b76c8436e924a68c45b-Paper.pdf; its widths are those of
Krizhevsky, "One weird trick for parallelizing convolutional neural networks", 2014, https://arxiv.org/abs/1404.5997
Source of parameter names: PaddleClas, which kept the names of its 2.0 release for this family: the network is that of
:mod:`core.vision.models.alexnet`.
"""

from __future__ import annotations

from typing import Any

from core.vision.models import AlexNet as Network
from PaddleClas.models.base import ImageClassifier
from PaddleClas.models.pretrained import Pretrained, build


class AlexNetwork(Network, ImageClassifier):
    """Five convolutions and three linear layers: (N, 3, 224, 224) to (N, class_num).

    Dropout scales in evaluation instead of training (``downscale_in_infer``), as the official weights expect.

    Args:
        class_num: number of classes.
    """

    head_names = ("_fc8",)
    head_layers = ("_drop1", "_fc6", "_drop2", "_fc7", "_fc8")
    stage_channels = (64, 192, 256)
    stage_strides = (8, 16, 32)

    def __init__(self, class_num: int = 1000) -> None:
        super().__init__(class_num)


def AlexNet(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> AlexNetwork:
    """Return AlexNet (Krizhevsky et al. 2012); arguments as of :func:`PaddleClas.create_model`."""
    return build("AlexNet", AlexNetwork, pretrained, class_num=class_num, **kwargs)

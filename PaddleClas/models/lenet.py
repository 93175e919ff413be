"""LeNet-5, the small network for 28 x 28 grey images.

Paper: LeCun, Bottou, Bengio, Haffner, "Gradient-based learning applied to document recognition", Proceedings of the
IEEE 86(11), 1998, https://ieeexplore.ieee.org/document/726791
Source of sizes and parameter names: Paddle 2.6, see :mod:`core.vision.models.lenet`.
"""

from __future__ import annotations

from typing import Any

from core.vision.models.lenet import LeNet as Network
from PaddleClas.models.base import ImageClassifier
from PaddleClas.models.pretrained import Pretrained, build


class LeNet5(Network, ImageClassifier):
    """Two convolutions and three linear layers: (N, 1, 28, 28) to (N, class_num).

    Args:
        class_num: number of classes.
    """

    head_names = ("fc.2",)
    head_layers = ("fc",)

    def __init__(self, class_num: int = 10) -> None:
        super().__init__(class_num)


def LeNet(class_num: int = 10, pretrained: Pretrained = False, **kwargs: Any) -> LeNet5:
    """Return LeNet-5 (LeCun et al. 1998), 61,610 parameters with 10 classes; no weights are published.

    Args:
        class_num: number of classes.
        pretrained: False, or the path of a weight file.
        **kwargs: ``adapt_head``, see :func:`PaddleClas.create_model`.
    """
    return build("LeNet", LeNet5, pretrained, class_num=class_num, **kwargs)

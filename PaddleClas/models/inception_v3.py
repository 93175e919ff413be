"""Inception-v3: convolutions taken apart into smaller and one-sided ones.

Paper: Szegedy et al., "Rethinking the inception architecture for computer vision", CVPR 2016,
https://arxiv.org/abs/1512.00567
Source of parameter names: PaddleClas 2.2+, which leaves out the paper's auxiliary classifier. The blocks are those of
:mod:`core.vision.models.inceptionv3`, with convolutions whose parts have other names.
"""

from __future__ import annotations

import functools
from typing import Any

from core.nn import functional as F
from core.vision.models import inceptionv3
from core.vision.models.blocks import ConvBatchNorm
from PaddleClas.models.base import ImageClassifier
from PaddleClas.models.pretrained import Pretrained, build


class InceptionV3Network(inceptionv3.InceptionV3, ImageClassifier):
    """A stem, eleven blocks and a linear layer: (N, 3, 299, 299) to (N, class_num); other sizes from 75 on do too.

    Dropout scales in evaluation instead of training (``downscale_in_infer``), as the official weights expect.

    Args:
        class_num: number of classes.
    """

    head_layers = ("dropout", "fc")
    stage_channels = (64, 192, 288, 768, 2048)
    stage_strides = (2, 4, 8, 16, 32)

    def __init__(self, class_num: int = 1000) -> None:
        super().__init__(class_num, convolution=functools.partial(ConvBatchNorm, activation=F.relu))


def InceptionV3(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> InceptionV3Network:
    """Return Inception-v3 (Szegedy et al. 2016); arguments as of :func:`PaddleClas.create_model`."""
    return build("InceptionV3", InceptionV3Network, pretrained, class_num=class_num, **kwargs)

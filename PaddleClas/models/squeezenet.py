"""SqueezeNet: few parameters through fire modules, which squeeze the channels before a 3 x 3 convolution sees them.

Paper: Iandola et al., "SqueezeNet: AlexNet-level accuracy with 50x fewer parameters and <0.5MB model size", 2016,
https://arxiv.org/abs/1602.07360
Source of parameter names: PaddleClas, which kept the names of its 2.0 release for this family: the network is that of
:mod:`core.vision.models.squeezenet`.
"""

from __future__ import annotations

from typing import Any

from core.vision.models.squeezenet import FIRES, POOLED_FIRES, STEMS
from core.vision.models.squeezenet import SqueezeNet as Network
from PaddleClas.models.base import ImageClassifier
from PaddleClas.models.pretrained import Pretrained, build


class SqueezeNet(Network, ImageClassifier):
    """A convolution, eight fire modules and a 1 x 1 convolution: (N, 3, H, W) to (N, class_num).

    Dropout scales in evaluation instead of training (``downscale_in_infer``), as the official weights expect.

    Args:
        version: ``"1.0"`` or ``"1.1"``, whose first convolution is smaller and which pools earlier.
        class_num: number of classes.

    Raises:
        ValueError: there is no such version.
    """

    head_names = ("_conv9",)
    head_layers = ("_drop", "_conv9")
    stage_strides = (2, 4, 8, 16)

    def __init__(self, version: str, class_num: int = 1000) -> None:
        super().__init__(version, class_num)
        widths = [STEMS[version][0], *(2 * expanded for _, expanded in FIRES)]
        self.stage_channels = [widths[index] for index in (*POOLED_FIRES[version], len(FIRES))]


def SqueezeNet1_0(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> SqueezeNet:
    """Return SqueezeNet 1.0 (Iandola et al. 2016); arguments as of :func:`PaddleClas.create_model`."""
    return build("SqueezeNet1_0", SqueezeNet, pretrained, version="1.0", class_num=class_num, **kwargs)


def SqueezeNet1_1(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> SqueezeNet:
    """Return SqueezeNet 1.1, less than half the work of 1.0; arguments as of :func:`PaddleClas.create_model`."""
    return build("SqueezeNet1_1", SqueezeNet, pretrained, version="1.1", class_num=class_num, **kwargs)

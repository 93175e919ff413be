"""GoogLeNet: inception blocks, and two further classifiers that help the lower layers to learn.

Paper: Szegedy et al., "Going deeper with convolutions", CVPR 2015, https://arxiv.org/abs/1409.4842
Source of parameter names: PaddleClas, which kept the names of its 2.0 release for this family: the network is that of
:mod:`core.vision.models.googlenet`.
"""

from __future__ import annotations

from typing import Any

from core.vision.models.googlenet import GoogLeNet as Network
from PaddleClas.models.base import ImageClassifier
from PaddleClas.models.pretrained import Pretrained, build


class GoogLeNetwork(Network, ImageClassifier):
    """A stem, nine inception blocks and three heads: (N, 3, 224, 224) to three times (N, class_num).

    The result is a list, in training and in evaluation, as in the official kit: logits of the head at the end, of that
    after block 4a, of that after block 4d. The two further heads need images of 224 x 224; :meth:`forward_stages` takes
    any size. Dropout scales in evaluation instead of training (``downscale_in_infer``), as the official weights expect.

    Args:
        class_num: number of classes.
    """

    head_names = ("_fc_out", "_out1", "_out2")
    head_layers = (
        *("_drop", "_fc_out", "_conv_o1", "_fc_o1", "_drop_o1", "_out1"),
        *("_conv_o2", "_fc_o2", "_drop_o2", "_out2"),
    )
    stage_channels = (64, 192, 480, 832, 1024)
    stage_strides = (2, 4, 8, 16, 32)

    def __init__(self, class_num: int = 1000) -> None:
        super().__init__(class_num)


def GoogLeNet(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> GoogLeNetwork:
    """Return GoogLeNet (Szegedy et al. 2015); arguments as of :func:`PaddleClas.create_model`."""
    return build("GoogLeNet", GoogLeNetwork, pretrained, class_num=class_num, **kwargs)

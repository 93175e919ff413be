"""PP-TSN: TSN on a ResNet-D.

Papers: Wang et al., "Temporal segment networks: towards good practices for deep action recognition", ECCV 2016,
https://arxiv.org/abs/1608.00859; He et al., "Bag of tricks for image classification with convolutional neural
networks", CVPR 2019, https://arxiv.org/abs/1812.01187.
Source of parameter names: PaddleVideo 2.3, ResNetTweaksTSN and ppTSNHead.
"""

from __future__ import annotations

from typing import Any

from PaddleClas.models.resnet import positions
from PaddleVideo.models.frames import FrameClassifier, FrameHead
from PaddleVideo.models.resnet import FrameResNet


class PPTSN(FrameClassifier):
    """A ResNet-D for each frame, the mean over frames, a linear layer: (N, T, 3, H, W) to (N, class_num).

    Args:
        depth: 18, 34, 50, 101 or 152 layers with weights.
        class_num: number of classes.
        dropout: the share of features that training drops.
        width: channels of the first stage; official weights have 64.
    """

    def __init__(self, depth: int, class_num: int = 400, dropout: float = 0.4, width: int = 64) -> None:
        names = [f"bb_{stage}_{number}" for stage, number, _ in positions(depth)]
        backbone = FrameResNet(depth, deep_stem=True, pooled=True, block_names=names, decay_norm=False, width=width)
        head = FrameHead(backbone.out_channels, class_num, dropout, each_frame=False, std=0.01, fast=True)
        super().__init__(depth, backbone, head, class_num)


def pptsn_r50(**settings: Any) -> PPTSN:
    """Return PP-TSN on ResNet-50-D; settings as of :class:`PPTSN`."""
    return PPTSN(50, **settings)

"""PP-TSM: TSM on a ResNet-D with leaky activations.

Papers: Lin, Gan, Han, "TSM: temporal shift module for efficient video understanding", ICCV 2019,
https://arxiv.org/abs/1811.08383; He et al., "Bag of tricks for image classification with convolutional neural
networks", CVPR 2019, https://arxiv.org/abs/1812.01187.
Source of parameter names: PaddleVideo 2.3, ResNetTweaksTSM and ppTSMHead.
"""

from __future__ import annotations

from typing import Any, Optional

from core.nn import functional as F
from PaddleClas.models.resnet import positions
from PaddleVideo.models.frames import FrameClassifier, FrameHead
from PaddleVideo.models.resnet import FrameResNet
from PaddleVideo.models.tsm import checked_ratio


class PPTSM(FrameClassifier):
    """A ResNet-D with shifted channels, the mean over frames, a linear layer: (N, T, 3, H, W) to (N, class_num).

    As in the official network, those of less than 50 layers have plain shortcuts, and their blocks other names.

    Args:
        depth: 18, 34, 50, 101 or 152 layers with weights.
        class_num: number of classes.
        num_seg: T, how many frames a clip has.
        shift_ratio: the share of channels that each block takes from the frame before, and from that after; None:
            1 / num_seg.
        dropout: the share of features that training drops.
        width: channels of the first stage; official weights have 64.
    """

    def __init__(
        self,
        depth: int,
        class_num: int = 400,
        num_seg: int = 8,
        shift_ratio: Optional[float] = None,
        dropout: float = 0.5,
        width: int = 64,
    ) -> None:
        tweaked = depth >= 50
        backbone = FrameResNet(
            depth,
            (num_seg, checked_ratio(num_seg, shift_ratio)),
            deep_stem=True,
            pooled=tweaked,
            block_names=[f"bb_{stage}_{number}" for stage, number, _ in positions(depth)] if tweaked else None,
            activation=F.leaky_relu,
            decay_norm=False,
            width=width,
        )
        head = FrameHead(backbone.out_channels, class_num, dropout, each_frame=True, std=0.01, fast=True)
        super().__init__(depth, backbone, head, class_num, num_seg)


def pptsm_r18(**settings: Any) -> PPTSM:
    """Return PP-TSM on ResNet-18 with a deep stem; settings as of :class:`PPTSM`."""
    return PPTSM(18, **settings)


def pptsm_r50(**settings: Any) -> PPTSM:
    """Return PP-TSM on ResNet-50-D; settings as of :class:`PPTSM`."""
    return PPTSM(50, **settings)


def pptsm_r101(**settings: Any) -> PPTSM:
    """Return PP-TSM on ResNet-101-D; settings as of :class:`PPTSM`."""
    return PPTSM(101, **settings)

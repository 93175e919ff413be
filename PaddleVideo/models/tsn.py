"""TSN: the mean of what an image network finds in frames from all over a clip. It does not see their order.

Paper: Wang et al., "Temporal segment networks: towards good practices for deep action recognition", ECCV 2016,
https://arxiv.org/abs/1608.00859.
Source of parameter names: PaddleVideo 2.3, ResNet and TSNHead.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PaddleVideo.models.frames import FrameClassifier, FrameHead
from PaddleVideo.models.resnet import FrameResNet, fluid_names


class TSN(FrameClassifier):
    """A ResNet for each frame, the mean over frames, a linear layer: (N, T, 3, H, W) to (N, class_num).

    Args:
        depth: 18, 34, 50, 101 or 152 layers with weights.
        class_num: number of classes.
        dropout: the share of features that training drops.
        width: channels of the first stage; official weights have 64.
    """

    def __init__(self, depth: int, class_num: int = 400, dropout: float = 0.4, width: int = 64) -> None:
        backbone = FrameResNet(depth, width=width)
        head = FrameHead(backbone.out_channels, class_num, dropout, each_frame=False, std=0.01, fast=False)
        super().__init__(depth, backbone, head, class_num)

    def older_names(self) -> Mapping[str, str]:
        """Return the names of variables in files of Fluid 1.x, and what they are called here."""
        names = {older: f"backbone.{name}" for older, name in fluid_names(self.depth).items()}
        return {**names, "fc_0.w_0": "head.fc.weight", "fc_0.b_0": "head.fc.bias"}


def tsn_r18(**settings: Any) -> TSN:
    """Return TSN on ResNet-18; settings as of :class:`TSN`."""
    return TSN(18, **settings)


def tsn_r34(**settings: Any) -> TSN:
    """Return TSN on ResNet-34; settings as of :class:`TSN`."""
    return TSN(34, **settings)


def tsn_r50(**settings: Any) -> TSN:
    """Return TSN on ResNet-50; settings as of :class:`TSN`."""
    return TSN(50, **settings)


def tsn_r101(**settings: Any) -> TSN:
    """Return TSN on ResNet-101; settings as of :class:`TSN`."""
    return TSN(101, **settings)

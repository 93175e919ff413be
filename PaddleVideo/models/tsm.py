"""TSM: an image network for each frame, in which some channels come from the frames before and after.

Paper: Lin, Gan, Han, "TSM: temporal shift module for efficient video understanding", ICCV 2019,
https://arxiv.org/abs/1811.08383.
Source of parameter names: PaddleVideo 2.3, ResNetTSM and TSMHead.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Optional

from PaddleVideo.models.frames import FrameClassifier, FrameHead
from PaddleVideo.models.resnet import FrameResNet, fluid_names


class TSM(FrameClassifier):
    """A ResNet with shifted channels, the mean over frames, a linear layer: (N, T, 3, H, W) to (N, class_num).

    Args:
        depth: 18, 34, 50, 101 or 152 layers with weights.
        class_num: number of classes.
        num_seg: T, how many frames a clip has.
        shift_ratio: the share of channels that each block takes from the frame before, and from that after; None:
            1 / num_seg, as the official networks of 2.x have it. Those of 1.x have 1 / 8 for any number of frames.
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
        shift = (num_seg, checked_ratio(num_seg, shift_ratio))
        backbone = FrameResNet(depth, shift, decay_norm=False, width=width)
        head = FrameHead(backbone.out_channels, class_num, dropout, each_frame=True, std=0.001, fast=True)
        super().__init__(depth, backbone, head, class_num, num_seg)

    def older_names(self) -> Mapping[str, str]:
        """Return the names of variables in files of Fluid 1.x, and what they are called here."""
        names = {older: f"backbone.{name}" for older, name in fluid_names(self.depth).items()}
        return {**names, "fc_0.w_0": "head.fc.weight", "fc_0.b_0": "head.fc.bias"}


def checked_ratio(num_seg: int, shift_ratio: Optional[float]) -> float:
    """Return the share of channels that comes from either side.

    Args:
        num_seg: how many frames a clip has.
        shift_ratio: the share; None: 1 / num_seg.

    Raises:
        ValueError: there are fewer than 3 frames, or the share is not between 0 and 1/2.
    """
    if num_seg < 3:
        raise ValueError(f"num_seg must be at least 3 frames, not {num_seg}")
    ratio = 1 / num_seg if shift_ratio is None else shift_ratio
    if not 0 < ratio < 0.5:
        raise ValueError(f"shift_ratio must lie between 0 and 1/2, not {shift_ratio}")
    return ratio


def tsm_r18(**settings: Any) -> TSM:
    """Return TSM on ResNet-18; settings as of :class:`TSM`."""
    return TSM(18, **settings)


def tsm_r34(**settings: Any) -> TSM:
    """Return TSM on ResNet-34; settings as of :class:`TSM`."""
    return TSM(34, **settings)


def tsm_r50(**settings: Any) -> TSM:
    """Return TSM on ResNet-50; settings as of :class:`TSM`."""
    return TSM(50, **settings)


def tsm_r101(**settings: Any) -> TSM:
    """Return TSM on ResNet-101; settings as of :class:`TSM`."""
    return TSM(101, **settings)

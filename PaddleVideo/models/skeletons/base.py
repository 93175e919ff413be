"""What networks of skeletons have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core import nn
from core.nn.layer.checks import positive_numbers
from PaddleVideo.models.base import VideoNetwork


class SkeletonClassifier(VideoNetwork):
    """Tells which action skeletons do: coordinates (N, C, T, V, M) to logits (N, class_num).

    Args:
        class_num: number of classes.
        in_channels: C, coordinates of a joint.
        joints: V, how many joints a skeleton has.

    Raises:
        ValueError: a number is not positive.
    """

    def __init__(self, class_num: int, in_channels: int, joints: int) -> None:
        super().__init__()
        positive_numbers(type(self).__name__, class_num=class_num, in_channels=in_channels)
        self.class_num = class_num
        self.in_channels = in_channels
        self.joints = joints

    def forward(self, skeletons: Any) -> Any:
        """Return the logits, (N, class_num).

        Args:
            skeletons: coordinates of V joints of M persons in T frames, float32 (N, C, T, V, M); 0 where a person or a
                joint is missing.

        Raises:
            ValueError: there is another number of coordinates or of joints.
        """
        _, channels, _, joints, _ = skeletons.shape if skeletons.ndim == 5 else (0,) * 5
        if (channels, joints) != (self.in_channels, self.joints):
            raise ValueError(
                f"{type(self).__name__} takes skeletons (N, {self.in_channels}, T, {self.joints}, M), not"
                f" {list(skeletons.shape)}"
            )
        return self.head(self.backbone(skeletons), skeletons.shape[4])


def check_stages(owner: str, stages: Sequence[Sequence[int]]) -> None:
    """Refuse stages that are no pairs of positive numbers.

    Args:
        owner: the network's name, for the message.
        stages: channels and step of each block.

    Raises:
        ValueError: they are not.
    """
    if not stages or any(len(stage) != 2 for stage in stages):
        raise ValueError(f"{owner}: stages must be pairs of channels and a step, not {[list(one) for one in stages]}")
    for stage in stages:
        for number in stage:
            positive_numbers(owner, stages=number)


class DataNorm(nn.BatchNorm1D):
    """Batch normalisation of each coordinate of each joint: (N, C, T, V, M) to (N * M, C, T, V).

    Args:
        in_channels: C.
        joints: V.
        persons: M, if each person's coordinates have statistics of their own; None: all persons' are alike.
    """

    def __init__(self, in_channels: int, joints: int, persons: int | None = None) -> None:
        super().__init__(in_channels * joints * (persons or 1))
        self.apart = persons is not None

    def forward(self, x: Any) -> Any:
        """Return the normalised coordinates."""
        _, channels, frames, joints, persons = x.shape
        x = x.transpose([0, 4, 3, 1, 2])
        x = x.reshape([-1, (persons if self.apart else 1) * joints * channels, frames])
        x = super().forward(x).reshape([-1, joints, channels, frames])
        return x.transpose([0, 2, 3, 1])

"""Networks that look at each frame of a clip with an image network, and average over time: TSN, TSM and relatives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Optional

import core
from core import nn
from core.nn import ParamAttr
from core.nn import functional as F
from core.nn.initializer import Normal
from core.regularizer import L2Decay
from PaddleVideo.models.base import ClipClassifier
from PaddleVideo.models.resnet import FrameResNet, of_classifier


class FrameHead(nn.Layer):
    """Averages over pixels and frames, then a linear layer: maps (N * T, C, H, W) to logits (N, class_num).

    Args:
        in_channels: C.
        class_num: number of classes.
        dropout: the share of features that training drops.
        each_frame: whether each frame's features are dropped on their own, in place of their mean's.
        std: standard deviation of the fresh weights.
        fast: whether weights learn 5 times and biases 10 times as fast as the backbone, with a weight decay of 1e-4
            for the weights alone, as the official recipes have it.
    """

    def __init__(
        self, in_channels: int, class_num: int, dropout: float, each_frame: bool, std: float, fast: bool
    ) -> None:
        super().__init__()
        weight: dict[str, Any] = {"learning_rate": 5.0, "regularizer": L2Decay(1e-4)} if fast else {}
        bias: dict[str, Any] = {"learning_rate": 10.0, "regularizer": L2Decay(0.0)} if fast else {}
        self.each_frame = each_frame
        self.dropout = nn.Dropout(dropout)
        self.fc = nn.Linear(
            in_channels,
            class_num,
            weight_attr=ParamAttr(initializer=Normal(0.0, std), **weight),
            bias_attr=ParamAttr(**bias),
        )

    def forward(self, maps: Any, frames: int) -> Any:
        """Return the logits, (N, class_num).

        Args:
            maps: feature maps of the frames, clip by clip, (N * T, C, H, W).
            frames: T.
        """
        features = core.flatten(F.adaptive_avg_pool2d(maps, 1), 1)
        if self.each_frame:
            features = self.dropout(features)
        clips = core.reshape(features, [-1, frames, features.shape[1]])
        mean = core.mean(0.5 * (clips + core.flip(clips, [1])), axis=1)  # the same to the last bit for a reversed clip
        return self.fc(mean if self.each_frame else self.dropout(mean))


class FrameClassifier(ClipClassifier):
    """A :class:`FrameResNet` and a :class:`FrameHead`: clips (N, T, 3, H, W) to logits (N, class_num).

    Args:
        depth: of the backbone.
        backbone: the backbone.
        head: the head.
        class_num: number of classes.
        num_seg: T; None: any number.
    """

    def __init__(
        self, depth: int, backbone: FrameResNet, head: FrameHead, class_num: int, num_seg: Optional[int] = None
    ) -> None:
        super().__init__()
        self.depth = depth
        self.class_num = class_num
        self.num_seg = num_seg
        self.backbone = backbone
        self.head = head

    def forward(self, clips: Any) -> Any:
        """Return the logits, (N, class_num).

        Raises:
            ValueError: the clips have another number of frames than ``num_seg``.
        """
        frames = clips.shape[1]
        if self.num_seg is not None and frames != self.num_seg:
            raise ValueError(
                f"the network is made for clips of {self.num_seg} frames, not {frames}; set network.num_seg: {frames}"
            )
        return self.head(self.backbone(core.reshape(clips, [-1, *clips.shape[2:]])), frames)

    def of_classifier(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the weights of a ResNet of PaddleClas under the names of the backbone."""
        found = of_classifier(self.depth, self.backbone, values)
        return {f"backbone.{name}": value for name, value in found.items()}

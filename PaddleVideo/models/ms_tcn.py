"""MS-TCN: names the action of every frame of a long video, and refines what it said stage by stage.

Paper: Abu Farha and Gall, "MS-TCN: multi-stage temporal convolutional network for action segmentation", CVPR 2019,
https://arxiv.org/abs/1903.01945.
Source of parameter names: PaddleVideo 2.3, MSTCN.
"""

from __future__ import annotations

from typing import Any, Optional

import core
from core import nn
from core.nn import functional as F
from core.nn.layer.checks import positive_numbers
from PaddleVideo.models.base import VideoNetwork, along_time

SMOOTHING, LARGEST = 0.15, 16.0
"""Weight of the loss of changes between frames, and the square at which it is cut."""

IGNORED = -100
"""The class of frames that no loss sees."""


class DilatedResidualLayer(nn.Layer):
    """A dilated convolution over three frames and a linear layer, plus a shortcut: (N, C, T) to the same shape.

    Args:
        dilation: how far apart the frames are.
        channels: C.
    """

    def __init__(self, dilation: int, channels: int) -> None:
        super().__init__()
        self.conv_dilated = along_time(channels, channels, 3, dilation=dilation)
        self.conv_in = along_time(channels, channels, 1)
        self.dropout = nn.Dropout(0.5)

    def forward(self, x: Any, mask: Optional[Any] = None) -> Any:
        """Return the features; 0 where the mask, (N, 1, T), is."""
        x = x + self.dropout(self.conv_in(F.relu(self.conv_dilated(x))))
        return x if mask is None else x * mask


class SingleStage(nn.Layer):
    """Layers whose dilations double: features or probabilities (N, C, T) to logits (N, class_num, T).

    Args:
        layers: how many there are.
        channels: within.
        in_channels: C.
        class_num: number of classes.
    """

    def __init__(self, layers: int, channels: int, in_channels: int, class_num: int) -> None:
        super().__init__()
        self.conv_in = along_time(in_channels, channels, 1)
        self.layers = nn.LayerList([DilatedResidualLayer(2**number, channels) for number in range(layers)])
        self.conv_out = along_time(channels, class_num, 1)

    def forward(self, x: Any, mask: Optional[Any] = None) -> Any:
        """Return the logits of every frame; those where the mask, (N, 1, T), is 0 mean nothing."""
        x = self.conv_in(x)
        x = x if mask is None else x * mask
        for layer in self.layers:
            x = layer(x, mask)
        return self.conv_out(x)


class MSTCNBackbone(nn.Layer):
    """Features to the logits of all stages; arguments as of :class:`MSTCN`."""

    def __init__(self, stages: int, layers: int, channels: int, feature_dim: int, class_num: int) -> None:
        super().__init__()
        self.stage1 = SingleStage(layers, channels, feature_dim, class_num)
        further = [SingleStage(layers, channels, class_num, class_num) for _ in range(stages - 1)]
        self.stages = nn.LayerList(further)

    def forward(self, x: Any, mask: Optional[Any] = None) -> list[Any]:
        """Return the logits of each stage, (N, class_num, T)."""
        found = [self.stage1(x, mask)]
        for stage in self.stages:
            found.append(stage(F.softmax(found[-1], axis=1), mask))
        return found


class MSTCN(VideoNetwork):
    """Features of frames to logits of frames: (N, feature_dim, T) to (stages, N, class_num, T). T may be any number.

    Args:
        class_num: number of classes, background among them.
        num_stages: how many stages there are.
        num_layers: of each stage; the last one sees 2 ** num_layers frames to both sides.
        num_f_maps: channels within.
        feature_dim: features of a frame.

    Raises:
        ValueError: a number is not positive.
    """

    def __init__(
        self,
        class_num: int = 11,
        num_stages: int = 4,
        num_layers: int = 10,
        num_f_maps: int = 64,
        feature_dim: int = 2048,
    ) -> None:
        super().__init__()
        positive_numbers(
            "MSTCN", class_num=class_num, num_stages=num_stages, num_layers=num_layers, num_f_maps=num_f_maps
        )
        positive_numbers("MSTCN", feature_dim=feature_dim)
        self.class_num = class_num
        self.feature_dim = feature_dim
        self.backbone = MSTCNBackbone(num_stages, num_layers, num_f_maps, feature_dim, class_num)
        last = ["backbone.stage1.conv_out"]
        for number in range(num_stages - 1):
            last += [f"backbone.stages.{number}.conv_in", f"backbone.stages.{number}.conv_out"]
        self.head_names = tuple(last)

    def forward(self, features: Any, counts: Optional[Any] = None) -> Any:
        """Return the logits of all stages, (stages, N, class_num, T); those of the last are the answer.

        Args:
            features: float32 (N, feature_dim, T).
            counts: how many frames each video has, int64 (N,), where some are padded: the logits of a video's frames
                are then those that it has alone. None: T.

        Raises:
            ValueError: frames have another number of features.
        """
        if features.ndim != 3 or features.shape[1] != self.feature_dim:
            raise ValueError(f"MSTCN takes features (N, {self.feature_dim}, T), not {list(features.shape)}")
        mask = None if counts is None else _within(counts, features.shape[2]).unsqueeze(1).astype(features.dtype)
        return core.stack(self.backbone(features, mask))

    def loss(self, logits: Any, labels: Any, counts: Optional[Any] = None) -> Any:
        """Return the sum over stages of cross-entropy and of how much neighbouring frames differ, 0-D.

        Args:
            logits: of all stages, (stages, N, class_num, T).
            labels: classes of the frames, int64 (N, T); -100 where there is none.
            counts: how many frames each video has, int64 (N,), where some are padded; None: T.
        """
        total: list[Any] = []
        both = None if counts is None else _within(counts - 1, logits.shape[3] - 1).unsqueeze(1).astype(logits.dtype)
        for stage in range(logits.shape[0]):
            one = logits[stage]
            rows = one.transpose([0, 2, 1]).reshape([-1, self.class_num])
            total.append(F.cross_entropy(rows, labels.reshape([-1]), ignore_index=IGNORED))
            change = F.log_softmax(one[:, :, 1:], axis=1) - F.log_softmax(one.detach()[:, :, :-1], axis=1)
            cut = core.square(change).clip(0.0, LARGEST)
            mean = cut.mean() if both is None else (cut * both).sum() / (both.sum() * self.class_num).clip(1.0)
            total.append(SMOOTHING * mean)
        return core.add_n(total)


def _within(counts: Any, most: int) -> Any:
    """Return which of ``most`` frames each video has, bool (N, most)."""
    return core.arange(most).unsqueeze(0) < counts.unsqueeze(1)


def ms_tcn(**settings: Any) -> MSTCN:
    """Return an MS-TCN; settings as of :class:`MSTCN`."""
    return MSTCN(**settings)

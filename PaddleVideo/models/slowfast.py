"""SlowFast: few frames through a wide network and all frames through a narrow one, which informs the first.

Paper: Feichtenhofer et al., "SlowFast networks for video recognition", ICCV 2019, https://arxiv.org/abs/1812.03982.
Source of parameter names: PaddleVideo 2.3, ResNetSlowFast and SlowFastHead.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import core
from core import nn
from core.nn import ParamAttr
from core.nn import functional as F
from core.nn.initializer import Normal
from core.nn.layer.checks import positive_numbers
from PaddleVideo.models.base import ClipClassifier
from PaddleVideo.models.volumes import convolution, normalisation, over_positions

BLOCKS = {50: (3, 4, 6, 3), 101: (3, 4, 23, 3)}
"""Number of residual blocks in each of the four stages, by the number of layers with weights."""

STEM_LENGTHS = (1, 5)
STAGE_LENGTHS = ((1, 3), (1, 3), (3, 3), (3, 3))
"""Kernel sizes along time, of the slow and of the fast pathway."""


class BottleneckTransform(nn.Layer):
    """Convolutions over time, over pixels and over channels: the branch of a :class:`ResBlock`, with its arguments."""

    def __init__(self, in_channels: int, width: int, out_channels: int, length: int, stride: int) -> None:
        super().__init__()
        self.a = convolution(in_channels, width, (length, 1, 1), (1, 1, 1))
        self.a_bn = normalisation(width)
        self.b = convolution(width, width, (1, 3, 3), (1, stride, stride))
        self.b_bn = normalisation(width)
        self.c = convolution(width, out_channels, (1, 1, 1), (1, 1, 1))
        self.c_bn = normalisation(out_channels, scale=0.0)

    def forward(self, x: Any) -> Any:
        """Return what is added to the shortcut."""
        x = F.relu(self.a_bn(self.a(x)))
        return self.c_bn(self.c(F.relu(self.b_bn(self.b(x)))))


class ResBlock(nn.Layer):
    """A residual block: (N, C, T, H, W) to (N, out_channels, T, H / stride, W / stride).

    Args:
        in_channels: C.
        width: channels within the branch.
        out_channels: of the result.
        length: kernel size along time.
        stride: in pixels.
    """

    def __init__(self, in_channels: int, width: int, out_channels: int, length: int, stride: int) -> None:
        super().__init__()
        self.projected = in_channels != out_channels or stride != 1
        if self.projected:
            self.branch1 = convolution(in_channels, out_channels, (1, 1, 1), (1, stride, stride))
            self.branch1_bn = normalisation(out_channels)
        self.branch2 = BottleneckTransform(in_channels, width, out_channels, length, stride)

    def forward(self, x: Any) -> Any:
        """Return the block's feature maps."""
        short = self.branch1_bn(self.branch1(x)) if self.projected else x
        return F.relu(short + self.branch2(x))


class Stage(nn.Layer):
    """Residual blocks of both pathways.

    Args:
        in_channels: of the slow and of the fast pathway.
        width: channels within the branches, of the slow pathway.
        beta: how much narrower the fast pathway is.
        blocks: how many each has.
        lengths: kernel sizes along time, of each.
        stride: in pixels, of the first block.
    """

    def __init__(
        self, in_channels: Sequence[int], width: int, beta: int, blocks: int, lengths: Sequence[int], stride: int
    ) -> None:
        super().__init__()
        self.blocks = blocks
        for pathway, inner in enumerate((width, width // beta)):
            received = in_channels[pathway]
            for number in range(blocks):
                block = ResBlock(received, inner, 4 * inner, lengths[pathway], 1 if number else stride)
                self.add_sublayer(f"pathway{pathway}_res{number}", block)
                received = 4 * inner

    def forward(self, pathways: Sequence[Any]) -> list[Any]:
        """Return the feature maps of both pathways."""
        found = []
        for pathway, x in enumerate(pathways):
            for number in range(self.blocks):
                x = getattr(self, f"pathway{pathway}_res{number}")(x)
            found.append(x)
        return found


class Stem(nn.Layer):
    """A convolution of 7 x 7 pixels and a pooling: (N, 3, T, H, W) to (N, C, T, H / 4, W / 4)."""

    def __init__(self, out_channels: int, length: int) -> None:
        super().__init__()
        self._conv = convolution(3, out_channels, (length, 7, 7), (1, 2, 2))
        self._bn = normalisation(out_channels)

    def forward(self, x: Any) -> Any:
        """Return the feature maps."""
        return F.max_pool3d(F.relu(self._bn(self._conv(x))), (1, 3, 3), (1, 2, 2), (0, 1, 1))


class Stems(nn.Layer):
    """The stems of both pathways."""

    def __init__(self, width: int, beta: int) -> None:
        super().__init__()
        self.pathway0_stem = Stem(width, STEM_LENGTHS[0])
        self.pathway1_stem = Stem(width // beta, STEM_LENGTHS[1])

    def forward(self, pathways: Sequence[Any]) -> list[Any]:
        """Return the feature maps of both."""
        return [self.pathway0_stem(pathways[0]), self.pathway1_stem(pathways[1])]


class FuseFastToSlow(nn.Layer):
    """Adds channels to the slow pathway that a convolution over time makes of the fast one's.

    Args:
        channels: of the fast pathway.
        ratio: how many times as many are added.
        length: kernel size along time.
        alpha: frames of the fast pathway for one of the slow.
    """

    def __init__(self, channels: int, ratio: int, length: int, alpha: int) -> None:
        super().__init__()
        self._conv_f2s = convolution(channels, channels * ratio, (length, 1, 1), (alpha, 1, 1))
        self._bn = normalisation(channels * ratio)

    def forward(self, pathways: Sequence[Any]) -> list[Any]:
        """Return both pathways."""
        slow, fast = pathways
        return [core.concat([slow, F.relu(self._bn(self._conv_f2s(fast)))], axis=1), fast]


class SlowFastBackbone(nn.Layer):
    """Frames of both pathways to their feature maps; arguments as of :class:`SlowFast`."""

    def __init__(
        self, alpha: int, beta: int, width: int, blocks: Sequence[int], fusion_kernel: int, fusion_ratio: int
    ) -> None:
        super().__init__()
        self.s1 = Stems(width, beta)
        received, narrow = width, width // beta
        for stage, count in enumerate(blocks):
            fuse = FuseFastToSlow(narrow, fusion_ratio, fusion_kernel, alpha)
            self.add_sublayer(f"s{stage + 1}_fuse", fuse)
            inner = width * 2**stage
            lengths, stride = STAGE_LENGTHS[stage], 2 if stage else 1
            channels = received + narrow * fusion_ratio, narrow
            self.add_sublayer(f"s{stage + 2}", Stage(channels, inner, beta, count, lengths, stride))
            received, narrow = 4 * inner, 4 * inner // beta
        self.channels = (received, narrow)

    def forward(self, pathways: Sequence[Any]) -> Any:
        """Return the feature maps of both, (N, C, T, H / 32, W / 32)."""
        for layer in self.children():
            pathways = layer(pathways)
        return pathways


class SlowFastHead(nn.Layer):
    """Averages, a linear layer, and in evaluation an average over positions; arguments as of :class:`SlowFast`."""

    def __init__(
        self, channels: Sequence[int], class_num: int, windows: Sequence[Sequence[int]], dropout: float
    ) -> None:
        super().__init__()
        self.windows = windows
        self.dropout = nn.Dropout(dropout)
        self.projection = nn.Linear(sum(channels), class_num, weight_attr=ParamAttr(initializer=Normal(0.0, 0.01)))

    def forward(self, pathways: Sequence[Any]) -> Any:
        """Return the logits, (N, class_num)."""
        pooled = [F.avg_pool3d(x, window, 1) for x, window in zip(pathways, self.windows)]
        x = core.concat(pooled, axis=1).transpose([0, 2, 3, 4, 1])
        return over_positions(self.projection(self.dropout(x)), self.training)


class SlowFast(ClipClassifier):
    """Clips to logits: (N, num_frames, 3, H, W) to (N, class_num).

    In evaluation, frames larger than ``crop_size`` are looked at in all places that a window of that size may take, 32
    pixels apart, and the result is the logarithm of the average probability, whose softmax is that average.

    Args:
        depth: 50 or 101 layers with weights.
        class_num: number of classes.
        num_frames: of a clip, which the fast pathway sees.
        alpha: frames of the fast pathway for one of the slow.
        beta: how much narrower the fast pathway is.
        width: channels of the slow pathway's stem; 64 in all published networks.
        fusion_kernel: frames that the convolution sees which informs the slow pathway.
        fusion_ratio: channels that it makes of each of the fast pathway's.
        crop_size: height and width of the frames in training.
        dropout: the share of features that training drops.
        blocks: number of blocks of each stage, in place of the depth's.

    Raises:
        ValueError: there is no such depth, or numbers do not fit each other.
    """

    head_names = ("head.projection",)

    def __init__(
        self,
        depth: int = 50,
        class_num: int = 400,
        num_frames: int = 32,
        alpha: int = 8,
        beta: int = 8,
        width: int = 64,
        fusion_kernel: int = 5,
        fusion_ratio: int = 2,
        crop_size: int = 224,
        dropout: float = 0.5,
        blocks: Sequence[int] | None = None,
    ) -> None:
        super().__init__()
        positive_numbers("SlowFast", num_frames=num_frames, alpha=alpha, beta=beta, width=width, crop_size=crop_size)
        positive_numbers("SlowFast", fusion_kernel=fusion_kernel, fusion_ratio=fusion_ratio)
        if depth not in BLOCKS:
            raise ValueError(f"SlowFast has {' or '.join(map(str, BLOCKS))} layers, not {depth}")
        if blocks is not None and len(blocks) != 4:
            raise ValueError(f"SlowFast: blocks must be four numbers, of each stage, not {list(blocks)}")
        if num_frames % alpha:
            raise ValueError(f"SlowFast: alpha {alpha} does not divide num_frames {num_frames}")
        if width % beta:
            raise ValueError(f"SlowFast: beta {beta} does not divide width {width}")
        if crop_size < 32:
            raise ValueError(f"SlowFast: crop_size must be 32 or more, not {crop_size}")
        self.class_num = class_num
        self.num_seg = num_frames
        self.alpha = alpha
        self.backbone = SlowFastBackbone(alpha, beta, width, blocks or BLOCKS[depth], fusion_kernel, fusion_ratio)
        window = crop_size // 32
        windows = [(length, window, window) for length in (num_frames // alpha, num_frames)]
        self.head = SlowFastHead(self.backbone.channels, class_num, windows, dropout)

    def forward(self, clips: Any) -> Any:
        """Return the logits, (N, class_num).

        Raises:
            ValueError: the clips have another number of frames than ``num_frames``.
        """
        frames = clips.shape[1]
        if frames != self.num_seg:
            raise ValueError(f"the network is made for clips of {self.num_seg} frames, not {frames}")
        fast = clips.transpose([0, 2, 1, 3, 4])
        chosen = slow_frames(frames, self.alpha)
        slow = core.index_select(fast, core.to_tensor(chosen), axis=2)
        return self.head(self.backbone([slow, fast]))


def slow_frames(frames: int, alpha: int) -> np.ndarray:
    """Return which frames the slow pathway sees, int64: as far apart as can be, first and last among them."""
    return np.linspace(0, frames - 1, frames // alpha).astype(np.int64)


def slowfast_r50(**settings: Any) -> SlowFast:
    """Return SlowFast 4 x 16 on ResNet-50, of 32 frames; settings as of :class:`SlowFast`."""
    return SlowFast(50, **settings)


def slowfast_r50_8x8(alpha: int = 4, fusion_kernel: int = 7, **settings: Any) -> SlowFast:
    """Return SlowFast 8 x 8 on ResNet-50, of 32 frames; settings as of :class:`SlowFast`."""
    return SlowFast(50, alpha=alpha, fusion_kernel=fusion_kernel, **settings)


def slowfast_r101(**settings: Any) -> SlowFast:
    """Return SlowFast 4 x 16 on ResNet-101, of 32 frames; settings as of :class:`SlowFast`."""
    return SlowFast(101, **settings)

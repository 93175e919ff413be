"""C-TCN: a pyramid of convolutions along time, shared by all concepts of a video, finds actions with begins and ends.

Paper: Li, Lin et al., "Deep concept-wise temporal convolutional networks for action localization", 2019,
https://arxiv.org/abs/1908.09442.
PaddleVideo 1.5 has the network and 2.x does not: parameter names are this project's own, but for those of the heads;
files of 1.x load by :meth:`CTCN.older_names`. Anchors are in anchors.py, what follows the network in suppression.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import core
from core import nn
from core.nn import ParamAttr
from core.nn import functional as F
from core.nn.initializer import Uniform
from core.nn.layer.checks import positive_numbers
from PaddleVideo.models.base import VideoNetwork
from PaddleVideo.models.localizers.anchors import PER_PLACE, steps_of

BLOCKS = (3, 4, 6, 3)
"""Number of residual blocks in each stage."""

LARGEST = 5.0
"""Offsets lie between minus this and this."""


def convolution(
    in_channels: int, out_channels: int, kernel: Sequence[int] = (1, 1), stride: int = 1, bias: bool = True
) -> nn.Conv2D:
    """Return a convolution over time and concepts that keeps the time's length at stride 1."""
    bound = (in_channels * kernel[0] * kernel[1]) ** -0.5
    return nn.Conv2D(
        in_channels,
        out_channels,
        list(kernel),
        (stride, 1),
        (kernel[0] // 2, 0),
        weight_attr=ParamAttr(initializer=Uniform(-bound, bound)),
        bias_attr=None if bias else False,
    )


class ConvNorm(nn.Layer):
    """A convolution along time without bias, batch normalisation, and perhaps a ReLU."""

    def __init__(self, in_channels: int, out_channels: int, frames: int, stride: int = 1, relu: bool = True) -> None:
        super().__init__()
        self.conv = convolution(in_channels, out_channels, (frames, 1), stride, bias=False)
        self.bn = nn.BatchNorm2D(out_channels)
        self.relu = relu

    def forward(self, x: Any) -> Any:
        """Return the features."""
        x = self.bn(self.conv(x))
        return F.relu(x) if self.relu else x


class Bottleneck(nn.Layer):
    """Convolutions of 1, 3 and 1 steps, plus a shortcut: (N, C, T, W) to (N, 4 * width, T / stride, W)."""

    def __init__(self, in_channels: int, width: int, stride: int) -> None:
        super().__init__()
        self.conv0 = ConvNorm(in_channels, width, 1)
        self.conv1 = ConvNorm(width, width, 3, stride)
        self.conv2 = ConvNorm(width, 4 * width, 1, relu=False)
        self.projected = in_channels != 4 * width or stride != 1
        if self.projected:
            self.short = ConvNorm(in_channels, 4 * width, 1, stride, relu=False)

    def forward(self, x: Any) -> Any:
        """Return the features."""
        return F.relu((self.short(x) if self.projected else x) + self.conv2(self.conv1(self.conv0(x))))


class Pyramid(nn.Layer):
    """Concepts (N, 1, length, W) to features of each level (N, channels, length / 4, W) ... (N, channels, 1, W).

    A level is interpolated to the next finer one's length with both ends in place, as Fluid does by default.

    Args:
        length: steps of a video.
        width: channels of the second convolution, and of the first stage's branches.
        channels: of the levels.
    """

    def __init__(self, length: int, width: int, channels: int) -> None:
        super().__init__()
        self.stem1 = ConvNorm(1, width // 2, 7, 2)
        self.stem2 = ConvNorm(width // 2, width, 7, 2)
        received = width
        for stage, count in enumerate(BLOCKS):
            blocks = []
            for number in range(count):
                blocks.append(Bottleneck(received, width * 2**stage, 2 if stage and not number else 1))
                received = 4 * width * 2**stage
            self.add_sublayer(f"layer{stage + 1}", nn.Sequential(*blocks))
        count = len(steps_of(length)) - len(BLOCKS)  # of the levels that are shorter than the last stage's
        coarse = [convolution(channels if number else received, channels, (3, 1), 2) for number in range(count)]
        self.coarse = nn.LayerList(coarse)
        widths = [4 * width * 2**stage for stage in range(len(BLOCKS))]
        self.lateral = nn.LayerList([convolution(one, channels) for one in reversed(widths)])
        self.smooth = nn.LayerList([convolution(channels, channels, (3, 1)) for _ in widths[1:]])

    def forward(self, x: Any) -> list[Any]:
        """Return the features of all levels, fine ones first."""
        x, stages = self.stem2(self.stem1(x)), []
        for stage in range(len(BLOCKS)):
            x = getattr(self, f"layer{stage + 1}")(x)
            stages.append(x)
        coarse = []
        for number, layer in enumerate(self.coarse):
            x = layer(F.relu(x) if number else x)
            coarse.append(x)
        fine = [self.lateral[0](stages[-1])]
        for layer, stage in zip(self.lateral[1:], stages[-2::-1]):
            size = stage.shape[2:]
            fine.append(F.interpolate(fine[-1], size, mode="bilinear", align_corners=True) + layer(stage))
        smooth = [layer(level) for layer, level in zip(self.smooth, fine[1:])]
        return [*reversed(smooth), fine[0], *coarse]


class CTCN(VideoNetwork):
    """Concepts of a video to offsets and classes of anchors.

    Args:
        class_num: number of classes of actions, background not counted.
        concepts: how many numbers a step of a video has.
        length: steps of a video, a power of 2 from 64; longer and shorter ones are resampled to it.
        width: channels of the first stage's branches.
        channels: of the levels of the pyramid.
        head_channels: of the heads' first convolutions, for offsets and for classes.
        dropout: the share of features that training drops before each head.

    Raises:
        ValueError: a number is not positive, the width is odd, the length is no such power, or there are not two
            head_channels.
    """

    head_names = ("cls_pred_conv2",)

    def __init__(
        self,
        class_num: int = 200,
        concepts: int = 402,
        length: int = 512,
        width: int = 64,
        channels: int = 512,
        head_channels: Sequence[int] = (256, 512),
        dropout: float = 0.5,
    ) -> None:
        super().__init__()
        positive_numbers("CTCN", class_num=class_num, concepts=concepts, width=width, channels=channels)
        if len(head_channels) != 2:
            raise ValueError(f"CTCN: head_channels are two numbers, for offsets and classes, not {len(head_channels)}")
        if width % 2:
            raise ValueError(
                f"CTCN: width must be even, as the first convolution has half as many channels, not {width}"
            )
        self.class_num, self.concepts, self.length = class_num, concepts, length
        self.anchor_count = PER_PLACE * sum(length // step for step in steps_of(length))
        self.pyramid = Pyramid(length, width, channels)
        self.dropout = nn.Dropout(dropout)
        self.loc_pred_conv1 = convolution(channels, head_channels[0], (3, 1))
        self.loc_pred_conv2 = convolution(head_channels[0], 2 * PER_PLACE, (1, concepts))
        self.cls_pred_conv1 = convolution(channels, head_channels[1], (3, 1))
        self.cls_pred_conv2 = convolution(head_channels[1], (class_num + 1) * PER_PLACE, (1, concepts))

    def forward(self, features: Any) -> tuple[Any, Any]:
        """Return offsets from -5 to 5 (N, K, 2) and logits of background and classes (N, K, 1 + class_num).

        Args:
            features: float32 (N, 1, length, concepts).

        Raises:
            ValueError: they have another size.
        """
        if list(features.shape[1:]) != [1, self.length, self.concepts]:
            raise ValueError(f"CTCN takes features (N, 1, {self.length}, {self.concepts}), not {list(features.shape)}")
        heads = (self.loc_pred_conv1, self.cls_pred_conv1)
        maps = [[head(self.dropout(level)) for head in heads] for level in self.pyramid(features)]
        places, kinds = (core.concat(levels, axis=2) for levels in zip(*maps))  # once through each large weight
        offsets = 2.0 * LARGEST * F.sigmoid(_by_anchor(self.loc_pred_conv2(places), 2)) - LARGEST
        return offsets, _by_anchor(self.cls_pred_conv2(kinds), self.class_num + 1)

    def loss(self, offsets: Any, logits: Any, wanted: Any, classes: Any) -> Any:
        """Return the loss of a batch, 0-D: see :func:`ctcn_loss`."""
        return ctcn_loss(offsets, logits, wanted, classes)

    def older_names(self) -> Mapping[str, str]:
        """Return the names of variables in files of Fluid 1.x, and what they are called here.

        The pyramid's have no names of their own there: they are numbered as the program makes them.
        """
        names, counts = {}, {"conv2d": 0, "batch_norm": 0}
        kinds = {"conv2d": ("weight", "bias"), "batch_norm": ("weight", "bias", "_mean", "_variance")}
        older = ("w_0", "b_0", "w_1", "w_2")
        state = self.state_dict()
        for name, layer in self.pyramid.named_sublayers(prefix="pyramid"):
            kind = {"Conv2D": "conv2d", "BatchNorm2D": "batch_norm"}.get(type(layer).__name__)
            if kind is not None:
                number = counts[kind]
                counts[kind] += 1
                for variable, ours in zip(older, kinds[kind]):
                    if f"{name}.{ours}" in state:
                        names[f"{kind}_{number}.{variable}"] = f"{name}.{ours}"
        for layer in ("loc_pred_conv1", "loc_pred_conv2", "cls_pred_conv1", "cls_pred_conv2"):
            names.update({f"{layer}_weights": f"{layer}.weight", f"{layer}_bias": f"{layer}.bias"})
        return names


def _by_anchor(found: Any, count: int) -> Any:
    """Return what a head finds for each anchor: (N, anchors of a step * count, T, 1) to (N, K, count)."""
    return found.transpose([0, 2, 3, 1]).reshape([found.shape[0], -1, count])


def ctcn_loss(offsets: Any, logits: Any, wanted: Any, classes: Any) -> Any:
    """Return twice the sum of smooth L1 plus the sum of cross-entropies, by the batch's number of matched anchors, 0-D.

    Cross-entropies are those of matched anchors, and in each video of three times as many others, those with the
    greatest.

    Args:
        offsets: (N, K, 2).
        logits: (N, K, 1 + class_num).
        wanted: offsets of the matched anchors, (N, K, 2).
        classes: int64 (N, K): 0 for background, less for anchors that no loss sees.
    """
    matched = (classes > 0).astype(logits.dtype)
    smooth = F.smooth_l1_loss(offsets, wanted, reduction="none").sum(2) * matched
    entropy = -core.take_along_axis(F.log_softmax(logits, axis=2), classes.clip(0).unsqueeze(2), axis=2).squeeze(2)
    entropy = entropy * (classes >= 0).astype(logits.dtype)
    with core.no_grad():
        order = core.argsort(entropy * (matched - 1.0), axis=1)
        rank = core.argsort(order, axis=1).astype(logits.dtype)
        hard = (rank < 3.0 * matched.sum(1, keepdim=True)).astype(logits.dtype)
        counted = core.maximum(matched, hard)
    return (2.0 * smooth.sum() + (entropy * counted).sum()) / matched.sum().clip(1.0)


def ctcn(**settings: Any) -> CTCN:
    """Return a C-TCN; settings as of :class:`CTCN`."""
    return CTCN(**settings)

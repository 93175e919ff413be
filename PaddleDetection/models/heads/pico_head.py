"""The head of PP-PicoDet (Yu et al., arXiv 2111.00902), second version: distributions of distances, aligned scores.

Source of parameter names: PaddleDetection 2.x, ``PicoHeadV2``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

import core
from core import ParamAttr, nn
from core.nn import functional as F
from core.nn.initializer import Constant, Normal
from core.vision.models.blocks import ConvBatchNorm
from PaddleDetection.models.boxes import by_anchor
from PaddleDetection.models.heads.fcos_head import ScaleReg, points
from PaddleDetection.models.necks.lc_pan import DPModule

EPSILON = 1e-9
"""Added to the product of two likelihoods, of which the root is the score."""


def _conv_norm(in_channels: int, out_channels: int, kernel_size: int = 1, groups: int = 1) -> ConvBatchNorm:
    return ConvBatchNorm(
        in_channels,
        out_channels,
        kernel_size,
        groups=groups,
        initializer=Normal(0.0, 0.01),
        names=("conv", "norm"),
        decay_norm=False,
    )


class PicoSE(nn.Layer):
    """Weighs channels by what all of them are in the mean, and mixes them.

    Args:
        channels: of the feature map.
    """

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.fc = nn.Conv2D(channels, channels, 1, weight_attr=ParamAttr(initializer=Normal(0.0, 0.001)))
        self.conv = _conv_norm(channels, channels)

    def forward(self, x: Any) -> Any:
        """Return a feature map of x's shape."""
        return self.conv(x * F.sigmoid(self.fc(F.adaptive_avg_pool2d(x, 1))))


class PicoFeat(nn.Layer):
    """A chain of depthwise and pointwise convolutions for each level.

    Args:
        channels: of the feature maps.
        levels: how many.
        num_convs: pairs of convolutions of each level.
    """

    def __init__(self, channels: int, levels: int, num_convs: int) -> None:
        super().__init__()
        self.se = nn.LayerList([PicoSE(channels) for _ in range(levels)])
        self.chains: list[list[Any]] = []
        for level in range(levels):
            chain = []
            for number in range(num_convs):
                for kind, kernel, groups in (("dw", 5, channels), ("pw", 1, 1)):
                    layer = _conv_norm(channels, channels, kernel, groups)
                    chain.append(self.add_sublayer(f"cls_conv_{kind}{level}.{number}", layer))
            self.chains.append(chain)

    def forward(self, x: Any, level: int) -> tuple[Any, Any]:
        """Return a level's feature map, and that map with its channels weighed."""
        for layer in self.chains[level]:
            x = F.hardswish(layer(x))
        return x, F.hardswish(self.se[level](x))


class Distances(nn.Layer):
    """The mean of a distribution over whole distances, 0 to ``reg_max``.

    Args:
        reg_max: the largest distance.
    """

    def __init__(self, reg_max: int) -> None:
        super().__init__()
        self.register_buffer("project", core.to_tensor(np.arange(reg_max + 1, dtype=np.float32)))

    def forward(self, logits: Any) -> Any:
        """Return distances (N, P, 4) of logits (N, P, 4 * (reg_max + 1))."""
        shape = [logits.shape[0], -1, 4, self.project.shape[0]]
        return (F.softmax(logits.reshape(shape), -1) * self.project).sum(-1)


class PicoHeadV2(nn.Layer):
    """Predicts for each cell of each level scores of the classes and distributions of the distances to a box's sides.

    Args:
        channels: of all levels.
        num_classes: how many classes there are.
        strides: pixels of a cell of each level, powers of 2, the finest first.
        num_convs: pairs of convolutions of each level.
        reg_max: the largest distance, strides.
    """

    def __init__(
        self,
        channels: int = 128,
        num_classes: int = 80,
        strides: Sequence[int] = (8, 16, 32, 64),
        num_convs: int = 4,
        reg_max: int = 7,
    ) -> None:
        super().__init__()
        self.num_classes = num_classes
        self.strides = tuple(strides)
        self.conv_feat = PicoFeat(channels, len(self.strides), num_convs)
        for stride in self.strides:  # official weights have these factors, which nothing is multiplied by
            self.add_sublayer(f"p{int(math.log2(stride))}_feat", ScaleReg())
        self.distribution_project = Distances(reg_max)

        def predictor(outputs: int, offset: float) -> nn.Conv2D:
            weight, bias = ParamAttr(initializer=Normal(0.0, 0.01)), ParamAttr(initializer=Constant(offset))
            return nn.Conv2D(channels, outputs, 1, weight_attr=weight, bias_attr=bias)

        self.head_cls_list = nn.LayerList([predictor(num_classes, -math.log(99.0)) for _ in self.strides])
        self.head_reg_list = nn.LayerList([predictor(4 * (reg_max + 1), 0.0) for _ in self.strides])
        self.cls_align = nn.LayerList([DPModule(channels, 1, 5, last_activation=False) for _ in self.strides])
        for level in range(len(self.strides)):  # under both names in official weights
            self.add_sublayer(f"head_cls{level}", self.head_cls_list[level])
            self.add_sublayer(f"head_reg{level}", self.head_reg_list[level])

    def forward(self, features: Sequence[Any]) -> list[tuple[Any, Any, Any]]:
        """Return what is predicted at each level.

        Args:
            features: of each level (N, C, H, W), the finest first.

        Returns:
            Of each level, with P = H * W: how likely each class is (N, P, num_classes), logits of the distances
            (N, P, 4 * (reg_max + 1)), and the box's corners in strides (N, P, 4).
        """
        found = []
        for level, feature in enumerate(features):
            x, weighed = self.conv_feat(feature, level)
            aligned = F.sigmoid(self.head_cls_list[level](weighed)) * F.sigmoid(self.cls_align[level](x))
            likely = by_anchor(core.sqrt(aligned + EPSILON), self.num_classes)
            logits = self.head_reg_list[level](weighed)
            logits = by_anchor(logits, logits.shape[1])
            centres, distances = points(feature, 1), self.distribution_project(logits)
            corners = core.concat([centres - distances[..., :2], centres + distances[..., 2:]], -1)
            found.append((likely, logits, corners))
        return found

    def boxes(self, found: Sequence[tuple[Any, Any, Any]]) -> tuple[Any, Any]:
        """Return corners in pixels of the network's image (N, A, 4), and how likely each class is (N, A, num_classes).

        Args:
            found: as :meth:`forward` gives it.
        """
        corners = [level[2] * stride for level, stride in zip(found, self.strides)]
        return core.concat(corners, 1), core.concat([level[0] for level in found], 1)

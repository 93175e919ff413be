"""The head of PP-YOLOE (Xu et al., arXiv 2203.16250): classes, and distributions of distances (2006.04388).

Source of parameter names: PaddleDetection 2.x, ``PPYOLOEHead``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

import core
from core import ParamAttr, nn
from core.nn import functional as F
from core.nn.initializer import Assign, Constant, Normal
from PaddleDetection.models.backbones.cspresnet import ConvBNLayer
from PaddleDetection.models.boxes import by_anchor
from PaddleDetection.models.heads.fcos_head import points


class ESEAttn(nn.Layer):
    """Weighs channels by what all of them are in the mean, and mixes them.

    Args:
        channels: of the feature map.
    """

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.fc = nn.Conv2D(channels, channels, 1, weight_attr=ParamAttr(initializer=Normal(0.0, 0.001)))
        self.conv = ConvBNLayer(channels, channels, 1)

    def forward(self, x: Any, mean: Any) -> Any:
        """Return a feature map of x's shape.

        Args:
            x: (N, C, H, W).
            mean: of each channel (N, C, 1, 1).
        """
        return self.conv(x * F.sigmoid(self.fc(mean)))


class PPYOLOEHead(nn.Layer):
    """Predicts for each cell of each level scores of the classes and distributions of the distances to a box's sides.

    Args:
        in_channels: of the levels.
        num_classes: how many classes there are.
        strides: pixels of a cell of each level.
        reg_max: the largest distance, strides.
    """

    def __init__(
        self,
        in_channels: Sequence[int] = (1024, 512, 256),
        num_classes: int = 80,
        strides: Sequence[int] = (32, 16, 8),
        reg_max: int = 16,
    ) -> None:
        super().__init__()
        self.num_classes = num_classes
        self.strides = tuple(strides)
        self.reg_max = reg_max
        self.stem_cls = nn.LayerList([ESEAttn(channels) for channels in in_channels])
        self.stem_reg = nn.LayerList([ESEAttn(channels) for channels in in_channels])

        def predictor(channels: int, outputs: int, offset: float) -> nn.Conv2D:
            weight, bias = (ParamAttr(initializer=Constant(value)) for value in (0.0, offset))
            return nn.Conv2D(channels, outputs, 3, padding=1, weight_attr=weight, bias_attr=bias)

        self.pred_cls = nn.LayerList([predictor(one, num_classes, -math.log(99.0)) for one in in_channels])
        self.pred_reg = nn.LayerList([predictor(one, 4 * (reg_max + 1), 1.0) for one in in_channels])
        whole = np.arange(reg_max + 1, dtype=np.float32).reshape(1, -1, 1, 1)
        fixed = ParamAttr(initializer=Assign(whole), trainable=False)
        self.proj_conv = nn.Conv2D(reg_max + 1, 1, 1, weight_attr=fixed, bias_attr=False)

    def forward(self, features: Sequence[Any]) -> list[tuple[Any, Any, Any]]:
        """Return what is predicted at each level.

        Args:
            features: of each level (N, C, H, W).

        Returns:
            Of each level, with P = H * W: how likely each class is (N, P, num_classes), logits of the distances
            (N, P, 4 * (reg_max + 1)), and the box's corners in strides (N, P, 4).
        """
        found = []
        for level, x in enumerate(features):
            mean = F.adaptive_avg_pool2d(x, 1)
            likely = F.sigmoid(self.pred_cls[level](self.stem_cls[level](x, mean) + x))
            logits = by_anchor(self.pred_reg[level](self.stem_reg[level](x, mean)), 4 * (self.reg_max + 1))
            centres, distances = points(x, 1), self._distances(logits)
            corners = core.concat([centres - distances[..., :2], centres + distances[..., 2:]], -1)
            found.append((by_anchor(likely, self.num_classes), logits, corners))
        return found

    def boxes(self, found: Sequence[tuple[Any, Any, Any]]) -> tuple[Any, Any]:
        """Return corners in pixels of the network's image (N, A, 4), and how likely each class is (N, A, num_classes).

        Args:
            found: as :meth:`forward` gives it.
        """
        corners = [level[2] * stride for level, stride in zip(found, self.strides)]
        return core.concat(corners, 1), core.concat([level[0] for level in found], 1)

    def _distances(self, logits: Any) -> Any:
        """Return the means (N, P, 4) of distributions over whole distances (N, P, 4 * (reg_max + 1))."""
        shape = [logits.shape[0], -1, 4, self.reg_max + 1]
        return (F.softmax(logits.reshape(shape), -1) * self.proj_conv.weight.flatten()).sum(-1)

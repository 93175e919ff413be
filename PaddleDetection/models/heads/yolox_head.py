"""The head of YOLOX (Ge et al., arXiv 2107.08430): classes and boxes are predicted by branches of their own.

Source of parameter names: PaddleDetection 2.x.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

import core
from core import ParamAttr, nn
from core.nn import functional as F
from core.nn.initializer import Assign, Constant
from core.regularizer import L2Decay
from PaddleDetection.models.backbones.csp_darknet import BaseConv, conv_of
from PaddleDetection.models.boxes import by_anchor
from PaddleDetection.models.heads.fcos_head import points

PRIOR = -math.log(99.0)
"""The logit of 1 %, with which scores begin."""


class YOLOXHead(nn.Layer):
    """Predicts for each cell of each level scores of the classes, whether there is an object, and its box.

    Args:
        in_channels: of the levels, the finest first.
        num_classes: how many classes there are.
        strides: pixels of a cell of each level.
        channels: of the branches.
        depthwise: whether their 3 x 3 convolutions are depthwise.
    """

    def __init__(
        self,
        in_channels: Sequence[int],
        num_classes: int = 80,
        strides: Sequence[int] = (8, 16, 32),
        channels: int = 256,
        depthwise: bool = False,
    ) -> None:
        super().__init__()
        self.num_classes = num_classes
        self.strides = tuple(strides)
        of_box = np.array([0.0, 0.0, math.log(5.0), math.log(5.0), PRIOR], np.float32)

        def branch(offsets: Any, outputs: int) -> nn.Sequential:
            weight = ParamAttr(initializer=Constant(0.0))
            bias = ParamAttr(initializer=offsets, regularizer=L2Decay(0.0))
            return nn.Sequential(
                conv_of(depthwise)(channels, channels, 3),
                conv_of(depthwise)(channels, channels, 3),
                nn.Conv2D(channels, outputs, 1, weight_attr=weight, bias_attr=bias),
            )

        self.stem_conv = nn.LayerList([BaseConv(own, channels, 1) for own in in_channels])
        self.conv_cls = nn.LayerList([branch(Constant(PRIOR), num_classes) for _ in in_channels])
        self.conv_reg = nn.LayerList([branch(Assign(of_box), 5) for _ in in_channels])

    def forward(self, features: Sequence[Any]) -> list[tuple[Any, Any, Any]]:
        """Return what is predicted at each level.

        Args:
            features: of each level (N, C, H, W), the finest first.

        Returns:
            Of each level, with P = H * W: logits of the classes (N, P, num_classes), the logit that there is an
            object (N, P, 1), and the box's corners in strides (N, P, 4).
        """
        found = []
        for feature, stem, of_classes, of_box in zip(features, self.stem_conv, self.conv_cls, self.conv_reg):
            x = stem(feature)
            box = by_anchor(of_box(x), 5)
            centres, halves = box[..., :2] + points(feature, 1, 0.0), core.exp(box[..., 2:4]) / 2
            corners = core.concat([centres - halves, centres + halves], -1)
            found.append((by_anchor(of_classes(x), self.num_classes), box[..., 4:], corners))
        return found

    def boxes(self, found: Sequence[tuple[Any, Any, Any]]) -> tuple[Any, Any]:
        """Return the boxes of all cells.

        Args:
            found: as :meth:`forward` gives it.

        Returns:
            Corners in pixels of the network's image (N, A, 4), and how likely each class is (N, A, num_classes).
        """
        corners = [level[2] * stride for level, stride in zip(found, self.strides)]
        likely = [core.sqrt(F.sigmoid(classes) * F.sigmoid(there)) for classes, there, _ in found]
        return core.concat(corners, 1), core.concat(likely, 1)

"""The head of FCOS (Tian et al., arXiv 1904.01355): classes, distances to the sides of a box, and centredness."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Optional

import core
from core import nn
from core.nn import functional as F
from core.nn.initializer import Constant
from PaddleDetection.models.boxes import by_anchor
from PaddleDetection.models.heads.tower import Towers, predictor


class ScaleReg(nn.Layer):
    """A learned factor."""

    def __init__(self) -> None:
        super().__init__()
        self.scale_reg = self.create_parameter([1], default_initializer=Constant(1.0))

    def forward(self, x: Any) -> Any:
        """Return x times the factor."""
        return x * self.scale_reg


class FCOSHead(nn.Layer):
    """Predicts for each point of each level scores of the classes, a box around it, and how central the point is.

    Args:
        in_channels: of all levels.
        num_classes: how many classes there are.
        strides: pixels of a cell of each level, powers of 2, the finest first.
        channels: of the towers.
        num_convs: how many convolutions a tower has.
        norm_type: of the towers: "bn", "sync_bn", "gn" or None.
        prior_prob: what the classes' scores begin with.
        centerness_on_reg: whether centredness is predicted from the boxes' tower, not from the classes'.
        use_dcn: whether the towers' convolutions are deformable.
    """

    def __init__(
        self,
        in_channels: int = 256,
        num_classes: int = 80,
        strides: Sequence[int] = (8, 16, 32, 64, 128),
        channels: int = 256,
        num_convs: int = 4,
        norm_type: Optional[str] = "gn",
        prior_prob: float = 0.01,
        centerness_on_reg: bool = True,
        use_dcn: bool = False,
    ) -> None:
        super().__init__()
        self.num_classes = num_classes
        self.strides = tuple(strides)
        self.centerness_on_reg = centerness_on_reg
        self.fcos_feat = Towers(in_channels, channels, num_convs, norm_type, use_dcn)
        self.fcos_head_cls = predictor(channels, num_classes, -math.log((1 - prior_prob) / prior_prob))
        self.fcos_head_reg = predictor(channels, 4)
        self.fcos_head_centerness = predictor(channels, 1)
        self.scales = [
            self.add_sublayer(f"p{int(math.log2(stride))}_feat", ScaleReg()) for stride in self.strides
        ]

    def forward(self, features: Sequence[Any]) -> list[tuple[Any, Any, Any]]:
        """Return what is predicted at each level.

        Args:
            features: of each level (N, C, H, W), the finest first.

        Returns:
            Of each level, with P = H * W: scores (N, P, num_classes), distances to the left, upper, right and lower
            side in strides (N, P, 4), and the logit of centredness (N, P, 1).
        """
        found = []
        for feature, scale in zip(features, self.scales):
            of_classes, of_boxes = self.fcos_feat(feature)
            central = self.fcos_head_centerness(of_boxes if self.centerness_on_reg else of_classes)
            distances = F.relu(scale(self.fcos_head_reg(of_boxes)))
            scores = by_anchor(self.fcos_head_cls(of_classes), self.num_classes)
            found.append((scores, by_anchor(distances, 4), by_anchor(central, 1)))
        return found

    def boxes(self, features: Sequence[Any], found: Sequence[tuple[Any, Any, Any]]) -> tuple[Any, Any]:
        """Return the boxes of all points.

        Args:
            features: as :meth:`forward` takes them; only their sizes count.
            found: as :meth:`forward` gives it.

        Returns:
            Corners in pixels of the network's image (N, K, 4), and how likely each class is (N, K, num_classes).
        """
        corners, likely = [], []
        for feature, stride, (scores, distances, central) in zip(features, self.strides, found):
            centres, lengths = points(feature, stride), distances * stride
            corners.append(core.concat([centres - lengths[..., :2], centres + lengths[..., 2:]], -1))
            likely.append(F.sigmoid(scores) * F.sigmoid(central))
        return core.concat(corners, 1), core.concat(likely, 1)


def points(feature: Any, stride: int, offset: float = 0.5) -> Any:
    """Return the centres of a level's cells in pixels, x and y, (H * W, 2).

    Args:
        feature: (N, C, H, W); only its size counts.
        stride: pixels of a cell.
        offset: where in its cell a point is, in strides; 0: at the upper left corner.
    """
    rows, columns = feature.shape[2:]
    x = (core.arange(columns, dtype="float32") + offset).reshape([1, -1, 1]) * stride
    y = (core.arange(rows, dtype="float32") + offset).reshape([-1, 1, 1]) * stride
    return core.concat([x.expand([rows, columns, 1]), y.expand([rows, columns, 1])], -1).reshape([-1, 2])

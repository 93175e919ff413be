"""The heads of SOLOv2 (Wang et al., "SOLOv2: Dynamic and Fast Instance Segmentation", arXiv 2003.10152).

One makes a feature map of the whole image; the other predicts for each cell of several grids the classes of an object
whose centre is there, and the 1 x 1 convolution that makes of that map the object's mask.

Source of parameter names: PaddleDetection 2.x, ``SOLOv2MaskHead`` and ``SOLOv2Head``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import core
from core import ParamAttr, nn
from core.nn import functional as F
from core.nn.initializer import Constant, Normal
from PaddleDetection.models.necks.fpn import ConvNormLayer
from PaddleDetection.models.norms import Norm

NUM_GRIDS = (40, 36, 24, 16, 12)
"""Cells of a side of each grid, the finest first."""


def _conv_norm(in_channels: int, out_channels: int, kernel_size: int = 3) -> ConvNormLayer:
    return ConvNormLayer(in_channels, out_channels, kernel_size, 1, Norm("gn"), Normal(0.0, 0.01))


class SOLOv2MaskHead(nn.Layer):
    """Adds the levels of a pyramid up to one feature map: (N, C, H, W) of the finest to (N, C', H, W).

    Args:
        in_channels: C, of all levels.
        mid_channels: of what is added.
        out_channels: C'.
        levels: how many of the pyramid's levels are looked at.
    """

    def __init__(
        self, in_channels: int = 256, mid_channels: int = 128, out_channels: int = 256, levels: int = 4
    ) -> None:
        super().__init__()
        self.chains = []
        for level in range(levels):
            name = f"mask_feat_head.convs_all_levels.{level}.conv"
            chain: list[tuple[str, nn.Layer]] = []
            if level == 0:
                chain.append((f"{name}0", _conv_norm(in_channels, mid_channels)))
            for number in range(level):
                coordinates = 2 if level == levels - 1 else 0
                before = mid_channels if number else in_channels + coordinates
                chain.append((f"{name}{number}", _conv_norm(before, mid_channels)))
                chain.append((f"{name}{number}act", nn.ReLU()))
                chain.append((f"upsample{level}{number}", nn.Upsample(scale_factor=2, mode="bilinear")))
            self.chains.append(self.add_sublayer(f"conv_pre_feat{level}", nn.Sequential(*chain)))
        predictor = _conv_norm(mid_channels, out_channels, 1)  # under two names in official weights
        self.conv_pred = self.add_sublayer("mask_feat_head.conv_pred.0", predictor)

    def forward(self, features: Sequence[Any]) -> Any:
        """Return the feature map of a pyramid's levels, the finest first; further ones are not looked at."""
        total = F.relu(self.chains[0](features[0]))
        for level, chain in enumerate(self.chains[1:], 1):
            last = level == len(self.chains) - 1
            total = total + chain(with_coordinates(features[level]) if last else features[level])
        return F.relu(self.conv_pred(total))


class SOLOv2Head(nn.Layer):
    """Predicts for each cell of each grid the classes of an object at its place, and the kernel of its mask.

    Args:
        num_classes: how many classes there are.
        in_channels: of all levels of the pyramid.
        seg_feat_channels: of the convolutions inside.
        stacked_convs: how many there are in a row.
        num_grids: cells of a side of each grid, the finest first.
        kernel_out_channels: numbers of a kernel, one for each channel of the map that it is used on.
    """

    def __init__(
        self,
        num_classes: int = 80,
        in_channels: int = 256,
        seg_feat_channels: int = 512,
        stacked_convs: int = 4,
        num_grids: Sequence[int] = NUM_GRIDS,
        kernel_out_channels: int = 256,
    ) -> None:
        super().__init__()
        self.num_classes = num_classes
        self.num_grids = tuple(num_grids)
        self.kernels: list[nn.Layer] = []
        self.classes: list[nn.Layer] = []
        for number in range(stacked_convs):
            for kind, convs, extra in (("kernel", self.kernels, 2), ("cate", self.classes, 0)):
                before = seg_feat_channels if number else in_channels + extra
                conv = _conv_norm(before, seg_feat_channels)
                convs.append(self.add_sublayer(f"bbox_head.{kind}_convs.{number}", conv))

        def predictor(outputs: int, offset: float) -> nn.Conv2D:
            weight, bias = ParamAttr(initializer=Normal(0.0, 0.01)), ParamAttr(initializer=Constant(offset))
            return nn.Conv2D(seg_feat_channels, outputs, 3, padding=1, weight_attr=weight, bias_attr=bias)

        # these too are under two names
        self.solo_kernel = self.add_sublayer("bbox_head.solo_kernel", predictor(kernel_out_channels, 0.0))
        self.solo_cate = self.add_sublayer("bbox_head.solo_cate", predictor(num_classes, -math.log(99.0)))

    def forward(self, features: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """Return what is predicted for each grid.

        Args:
            features: five levels of a pyramid, the finest first.

        Returns:
            Of each grid, with side S: logits of the classes (N, num_classes, S, S), and kernels (N, E, S, S).
        """
        finest, *middle, coarsest = features
        halved = F.interpolate(finest, scale_factor=0.5, mode="bilinear")
        doubled = F.interpolate(coarsest, size=middle[-1].shape[2:], mode="bilinear")
        found = [self._grid(x, side) for x, side in zip((halved, *middle, doubled), self.num_grids)]
        return [classes for classes, _ in found], [kernels for _, kernels in found]

    def _grid(self, x: Any, side: int) -> tuple[Any, Any]:
        """Return what is predicted for the grid of one level."""
        kernels = F.interpolate(with_coordinates(x), size=[side, side], mode="bilinear")
        classes = kernels[:, :-2]
        for conv in self.kernels:
            kernels = F.relu(conv(kernels))
        for conv in self.classes:
            classes = F.relu(conv(classes))
        return self.solo_cate(classes), self.solo_kernel(kernels)


def with_coordinates(x: Any) -> Any:
    """Return a feature map (N, C, H, W) with two channels more, each cell's place across and down from -1 to 1.

    A single cell is at -1.
    """
    images, _, rows, columns = x.shape
    across = (core.arange(columns, dtype="float32") / ((columns - 1) * 0.5 + 1e-9) - 1.0).reshape([1, 1, 1, columns])
    down = (core.arange(rows, dtype="float32") / ((rows - 1) * 0.5 + 1e-9) - 1.0).reshape([1, 1, rows, 1])
    places = [one.expand([images, 1, rows, columns]) for one in (across, down)]
    return core.concat([x, *places], 1)

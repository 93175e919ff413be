"""CTR-GCN: neighbours are refined anew for every channel and clip; convolutions along time of several dilations.

Paper: Chen et al., "Channel-wise topology refinement graph convolution for skeleton-based action recognition",
ICCV 2021, https://arxiv.org/abs/2107.12213.
Source of parameter names: PaddleVideo 2.3, CTRGCN and CTRGCNHead.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import core
from core import nn
from core.nn import ParamAttr
from core.nn import functional as F
from core.nn.initializer import Assign, Constant
from core.nn.layer.checks import positive_numbers
from PaddleVideo.models.skeletons.base import SkeletonClassifier, check_stages
from PaddleVideo.models.skeletons.graphs import directed_partitions, layout
from PaddleVideo.models.skeletons.units import LinearHead, UnitBackbone, UnitBlock

STAGES = ((1, 1), (1, 1), (1, 1), (1, 1), (2, 2), (2, 1), (2, 1), (4, 2), (4, 1), (4, 1))
"""Of each block the channels, as multiples of those of the first, and the step along time."""

FRAMES = 5
"""That a convolution along time sees."""

DILATIONS = (1, 2)


class RefinedGraph(nn.Layer):
    """Sums over joints with weights of each channel: (N, C, T, V) to (N, C', T, V).

    Args:
        in_channels: C.
        out_channels: C'.
    """

    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__()
        compared = 8 if in_channels in (3, 9) else in_channels // 8
        self.conv1 = nn.Conv2D(in_channels, compared, 1)
        self.conv2 = nn.Conv2D(in_channels, compared, 1)
        self.conv3 = nn.Conv2D(in_channels, out_channels, 1)
        self.conv4 = nn.Conv2D(compared, out_channels, 1)

    def forward(self, x: Any, adjacency: Any, alpha: Any) -> Any:
        """Return the sums.

        Args:
            x: (N, C, T, V).
            adjacency: weights that all channels have, (V, V).
            alpha: how much those count that are found in the clip, (1,).
        """
        one, other = self.conv1(x).mean(2), self.conv2(x).mean(2)
        refined = self.conv4(core.tanh(one.unsqueeze(3) - other.unsqueeze(2))) * alpha + adjacency
        return core.matmul(self.conv3(x), refined, transpose_y=True)


class GraphUnit(nn.Layer):
    """A :class:`RefinedGraph` for each set of neighbours, plus a shortcut: (N, C, T, V) to (N, C', T, V).

    Args:
        in_channels: C.
        out_channels: C'.
        layout_name: which neighbours joints have at first.
    """

    def __init__(self, in_channels: int, out_channels: int, layout_name: str) -> None:
        super().__init__()
        adjacency = directed_partitions(layout_name)
        self.convs = nn.LayerList([RefinedGraph(in_channels, out_channels) for _ in adjacency])
        self.projected = in_channels != out_channels
        if self.projected:
            self.down = nn.Sequential(nn.Conv2D(in_channels, out_channels, 1), nn.BatchNorm2D(out_channels))
        self.PA = self.create_parameter(list(adjacency.shape), default_initializer=Assign(adjacency))
        self.alpha = self.create_parameter([1], default_initializer=Constant(0.0))
        self.bn = nn.BatchNorm2D(out_channels, weight_attr=ParamAttr(initializer=Constant(1e-6)))

    def forward(self, x: Any) -> Any:
        """Return the features."""
        found = [conv(x, self.PA[number], self.alpha) for number, conv in enumerate(self.convs)]
        return F.relu(self.bn(core.add_n(found)) + (self.down(x) if self.projected else x))


class DilatedConvolution(nn.Layer):
    """A dilated convolution along time and batch normalisation."""

    def __init__(self, channels: int, stride: int, dilation: int) -> None:
        super().__init__()
        padding = (FRAMES - 1) * dilation // 2
        self.conv = nn.Conv2D(channels, channels, (FRAMES, 1), (stride, 1), (padding, 0), (dilation, 1))
        self.bn = nn.BatchNorm2D(channels)

    def forward(self, x: Any) -> Any:
        """Return the normalised features."""
        return self.bn(self.conv(x))


class TimeUnit(nn.Layer):
    """Branches of a quarter of the channels each, side by side: (N, C, T, V) to (N, C, T / stride, V)."""

    def __init__(self, channels: int, stride: int) -> None:
        super().__init__()
        width = channels // (len(DILATIONS) + 2)

        def entrance(step: int = 1) -> list[nn.Layer]:
            return [nn.Conv2D(channels, width, 1, (step, 1)), nn.BatchNorm2D(width)]

        branches = [
            nn.Sequential(*entrance(), nn.ReLU(), DilatedConvolution(width, stride, dilation)) for dilation in DILATIONS
        ]
        pooling = nn.MaxPool2D((3, 1), (stride, 1), (1, 0))
        branches.append(nn.Sequential(*entrance(), nn.ReLU(), pooling, nn.BatchNorm2D(width)))
        branches.append(nn.Sequential(*entrance(stride)))
        self.branches = nn.LayerList(branches)

    def forward(self, x: Any) -> Any:
        """Return the features of all branches."""
        return core.concat([branch(x) for branch in self.branches], axis=1)


def refined_block(in_channels: int, out_channels: int, layout_name: str, stride: int, residual: bool) -> UnitBlock:
    """Return a block with a :class:`GraphUnit` and a :class:`TimeUnit`; arguments as of :class:`UnitBlock`."""
    graph, time = GraphUnit(in_channels, out_channels, layout_name), TimeUnit(out_channels, stride)
    return UnitBlock(graph, time, in_channels, out_channels, stride, residual)


class CTRGCN(SkeletonClassifier):
    """Skeletons to logits: (N, in_channels, T, V, persons) to (N, class_num).

    Args:
        class_num: number of classes.
        in_channels: coordinates of a joint.
        persons: how many skeletons a sample has.
        base_channel: channels of the first blocks.
        layout_name: which joints there are: "ntu-rgb+d", "fsd10" or "coco_keypoint".
        dropout: the share of features that training drops before the last layer.
        stages: of each block the channels, as multiples of base_channel, and the step along time; fewer ones than the
            published network's, for small data.

    Raises:
        ValueError: there is no such layout, or a number is not positive or, of ``base_channel``, no multiple of 8.
    """

    head_names = ("head.fc",)

    def __init__(
        self,
        class_num: int = 60,
        in_channels: int = 3,
        persons: int = 2,
        base_channel: int = 64,
        layout_name: str = "ntu-rgb+d",
        dropout: float = 0.0,
        stages: Sequence[Sequence[int]] = STAGES,
    ) -> None:
        super().__init__(class_num, in_channels, layout(layout_name).joints)
        positive_numbers("CTRGCN", persons=persons, base_channel=base_channel)
        if base_channel % 8:
            raise ValueError(f"CTRGCN: base_channel must be a multiple of 8, not {base_channel}")
        check_stages("CTRGCN", stages)
        wide = [(multiple * base_channel, stride) for multiple, stride in stages]
        self.backbone = UnitBackbone(refined_block, in_channels, self.joints, persons, layout_name, wide)
        self.head = LinearHead(stages[-1][0] * base_channel, class_num, dropout)


def ctrgcn(**settings: Any) -> CTRGCN:
    """Return a CTR-GCN; settings as of :class:`CTRGCN`."""
    return CTRGCN(**settings)

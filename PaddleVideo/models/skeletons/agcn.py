"""AGCN: ST-GCN with neighbours that are learned; and 2s-AGCN, which also finds them anew in every clip.

Paper: Shi et al., "Two-stream adaptive graph convolutional networks for skeleton-based action recognition", CVPR 2019,
https://arxiv.org/abs/1805.07694.
Source of parameter names: PaddleVideo 2.3, AGCN with STGCNHead, and AGCN2s with AGCN2sHead.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import core
from core import nn
from core.nn import functional as F
from core.nn.initializer import Normal
from core.nn.layer.checks import positive_numbers
from PaddleVideo.models.skeletons.base import SkeletonClassifier, check_stages
from PaddleVideo.models.skeletons.graphs import directed_partitions, layout
from PaddleVideo.models.skeletons.stgcn import FRAMES, STAGES, MeanHead
from PaddleVideo.models.skeletons.units import LinearHead, TimeConvolution, UnitBackbone, UnitBlock, along_time

SETS = 3
"""Sets of neighbours."""


class LearntGraph(nn.Layer):
    """A linear layer for each set, and a learned one over the joints of all sets: (N, C, T, V) to (N, C', T, V)."""

    def __init__(self, in_channels: int, out_channels: int, joints: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2D(in_channels, SETS * out_channels, 1)
        self.conv2 = nn.Conv2D(SETS * joints, joints, 1)

    def forward(self, x: Any) -> Any:
        """Return the features."""
        x = self.conv1(x)
        _, channels, frames, joints = x.shape
        x = x.reshape([-1, channels // SETS, SETS, frames, joints]).transpose([0, 2, 4, 1, 3])
        x = self.conv2(x.reshape([-1, SETS * joints, channels // SETS, frames]))
        return x.transpose([0, 2, 3, 1])


class LearntBlock(nn.Layer):
    """A :class:`LearntGraph` and a convolution along time, plus a shortcut: (N, C, T, V) to (N, C', T / stride, V).

    The first block of a network has the layers of a shortcut and does not use them, as in the official one.
    """

    def __init__(self, in_channels: int, out_channels: int, joints: int, stride: int, residual: bool) -> None:
        super().__init__()
        self.residual = residual
        self.bn_res = nn.BatchNorm2D(out_channels)
        self.conv_res = nn.Conv2D(in_channels, out_channels, 1, (stride, 1))
        self.gcn = LearntGraph(in_channels, out_channels, joints)
        self.tcn = nn.Sequential(
            nn.BatchNorm2D(out_channels),
            nn.ReLU(),
            along_time(out_channels, out_channels, FRAMES, stride),
            nn.BatchNorm2D(out_channels),
        )

    def forward(self, x: Any) -> Any:
        """Return the block's features."""
        y = self.tcn(self.gcn(x))
        return F.relu(y + self.bn_res(self.conv_res(x)) if self.residual else y)


class AGCNBackbone(nn.Layer):
    """Skeletons to features (N * M, C, T / 4, V); the normalisation of coordinates is in files and not used."""

    def __init__(self, in_channels: int, joints: int, stages: Sequence[Sequence[int]]) -> None:
        super().__init__()
        self.data_bn = nn.BatchNorm1D(25 * 2)
        received, blocks = in_channels, []
        for number, (channels, stride) in enumerate(stages):
            blocks.append(LearntBlock(received, channels, joints, stride, number > 0))
            received = channels
        self.agcn = nn.Sequential(*blocks)

    def forward(self, x: Any) -> Any:
        """Return the features."""
        _, channels, frames, joints, _ = x.shape
        return self.agcn(x.transpose([0, 4, 1, 2, 3]).reshape([-1, channels, frames, joints]))


class AGCN(SkeletonClassifier):
    """Skeletons to logits: (N, in_channels, T, V, M) to (N, class_num).

    Args:
        class_num: number of classes.
        in_channels: coordinates of a joint.
        layout_name: which joints there are: "ntu-rgb+d", "fsd10" or "coco_keypoint". Only their number counts.
        stages: of each block the channels and the step along time; fewer or narrower ones than the published
            network's, for small data.

    Raises:
        ValueError: there is no such layout, or a number is not positive.
    """

    head_names = ("head.fcn",)

    def __init__(
        self,
        class_num: int = 30,
        in_channels: int = 2,
        layout_name: str = "fsd10",
        stages: Sequence[Sequence[int]] = STAGES,
    ) -> None:
        super().__init__(class_num, in_channels, layout(layout_name).joints)
        check_stages("AGCN", stages)
        self.backbone = AGCNBackbone(in_channels, self.joints, stages)
        self.head = MeanHead(stages[-1][0], class_num)


class AdaptiveGraph(nn.Layer):
    """Sums over neighbours that are given, learned, and found in the clip by likeness: (N, C, T, V) to (N, C', T, V).

    Args:
        in_channels: C.
        out_channels: C'; a quarter as many are compared.
        layout_name: which neighbours are given.
    """

    def __init__(self, in_channels: int, out_channels: int, layout_name: str) -> None:
        super().__init__()
        adjacency = directed_partitions(layout_name)
        self.inner = out_channels // 4
        self.PA = self.create_parameter(list(adjacency.shape), default_initializer=Normal(0.0, 1e-6))
        self.register_buffer("given", core.to_tensor(adjacency), persistable=False)
        self.conv_a = nn.LayerList([nn.Conv2D(in_channels, self.inner, 1) for _ in range(SETS)])
        self.conv_b = nn.LayerList([nn.Conv2D(in_channels, self.inner, 1) for _ in range(SETS)])
        self.conv_d = nn.LayerList([nn.Conv2D(in_channels, out_channels, 1) for _ in range(SETS)])
        self.projected = in_channels != out_channels
        if self.projected:
            self.down = nn.Sequential(nn.Conv2D(in_channels, out_channels, 1), nn.BatchNorm2D(out_channels))
        self.bn = nn.BatchNorm2D(out_channels)

    def forward(self, x: Any) -> Any:
        """Return the features."""
        _, channels, frames, joints = x.shape
        adjacency = self.given.astype(x.dtype) + self.PA
        found = []
        for number in range(SETS):
            one = self.conv_a[number](x).reshape([-1, self.inner * frames, joints])
            other = self.conv_b[number](x).reshape([-1, self.inner * frames, joints])
            likeness = core.matmul(one, other, transpose_x=True) / (self.inner * frames)
            weights = F.softmax(likeness, axis=1) + adjacency[number]
            sums = core.matmul(x.reshape([-1, channels * frames, joints]), weights)
            found.append(self.conv_d[number](sums.reshape([-1, channels, frames, joints])))
        return F.relu(self.bn(core.add_n(found)) + (self.down(x) if self.projected else x))


def adaptive_block(in_channels: int, out_channels: int, layout_name: str, stride: int, residual: bool) -> UnitBlock:
    """Return a block with an :class:`AdaptiveGraph`; arguments as of :class:`UnitBlock`."""
    graph = AdaptiveGraph(in_channels, out_channels, layout_name)
    time = TimeConvolution(out_channels, out_channels, stride=stride)
    return UnitBlock(graph, time, in_channels, out_channels, stride, residual)


class AGCN2s(SkeletonClassifier):
    """Skeletons to logits: (N, in_channels, T, V, persons) to (N, class_num). One of the paper's two streams.

    Args:
        class_num: number of classes.
        in_channels: coordinates of a joint.
        persons: how many skeletons a sample has.
        layout_name: which joints there are: "ntu-rgb+d", "fsd10" or "coco_keypoint".
        stages: of each block the channels and the step along time; fewer or narrower ones than the published
            network's, for small data.

    Raises:
        ValueError: there is no such layout, or a number is not positive.
    """

    head_names = ("head.fc",)

    def __init__(
        self,
        class_num: int = 60,
        in_channels: int = 3,
        persons: int = 2,
        layout_name: str = "ntu-rgb+d",
        stages: Sequence[Sequence[int]] = STAGES,
    ) -> None:
        super().__init__(class_num, in_channels, layout(layout_name).joints)
        positive_numbers("AGCN2s", persons=persons)
        check_stages("AGCN2s", stages)
        self.backbone = UnitBackbone(adaptive_block, in_channels, self.joints, persons, layout_name, stages)
        self.head = LinearHead(stages[-1][0], class_num)


def agcn(**settings: Any) -> AGCN:
    """Return an AGCN; settings as of :class:`AGCN`."""
    return AGCN(**settings)


def agcn2s(**settings: Any) -> AGCN2s:
    """Return a stream of 2s-AGCN; settings as of :class:`AGCN2s`."""
    return AGCN2s(**settings)

"""ST-GCN: convolutions along the bones of a skeleton and along time, in turn.

Paper: Yan, Xiong and Lin, "Spatial temporal graph convolutional networks for skeleton-based action recognition",
AAAI 2018, https://arxiv.org/abs/1801.07455.
Source of parameter names: PaddleVideo 2.3, STGCN and STGCNHead.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import core
from core import nn
from core.nn import ParamAttr
from core.nn import functional as F
from core.nn.initializer import Constant, Normal
from PaddleVideo.models.skeletons.base import DataNorm, SkeletonClassifier, check_stages
from PaddleVideo.models.skeletons.graphs import layout, spatial_partitions

FRAMES = 9
"""That a convolution along time sees."""

STAGES = ((64, 1), (64, 1), (64, 1), (64, 1), (128, 2), (128, 1), (128, 1), (256, 2), (256, 1), (256, 1))
"""Channels of each block, and its step along time."""


def normal(in_channels: int, out_channels: int, frames: int = 1, stride: int = 1) -> nn.Conv2D:
    """Return a convolution over frames, of fresh weights near 0."""
    return nn.Conv2D(
        in_channels,
        out_channels,
        (frames, 1),
        (stride, 1),
        (frames // 2, 0),
        weight_attr=ParamAttr(initializer=Normal(0.0, 0.02)),
    )


def batch_norm(channels: int) -> nn.BatchNorm2D:
    """Return a batch normalisation, of fresh scales around 1."""
    return nn.BatchNorm2D(channels, weight_attr=ParamAttr(initializer=Normal(1.0, 0.02)))


class GraphConvolution(nn.Layer):
    """One linear layer for each set of neighbours, and their sums: (N, C, T, V) to (N, C', T, V).

    Args:
        in_channels: C.
        out_channels: C'.
        sets: how many sets of neighbours there are.
    """

    def __init__(self, in_channels: int, out_channels: int, sets: int) -> None:
        super().__init__()
        self.sets = sets
        self.conv = normal(in_channels, out_channels * sets)

    def forward(self, x: Any, adjacency: Any) -> Any:
        """Return the sums.

        Args:
            x: (N, C, T, V).
            adjacency: weights of the neighbours, (sets, V, V).
        """
        x = self.conv(x)
        _, channels, frames, joints = x.shape
        x = x.reshape([-1, self.sets, channels // self.sets, frames, joints]).transpose([0, 2, 3, 1, 4])
        x = x.reshape([-1, channels // self.sets, frames, self.sets * joints])
        return core.matmul(x, adjacency.reshape([self.sets * joints, joints]))


class Block(nn.Layer):
    """A convolution along bones and one along time, plus a shortcut: (N, C, T, V) to (N, C', T / stride, V).

    Args:
        in_channels: C.
        out_channels: C'.
        sets: how many sets of neighbours there are.
        stride: step along time.
        dropout: the share of features that training drops.
        residual: whether there is a shortcut.
    """

    def __init__(
        self, in_channels: int, out_channels: int, sets: int, stride: int, dropout: float, residual: bool
    ) -> None:
        super().__init__()
        self.gcn = GraphConvolution(in_channels, out_channels, sets)
        self.tcn = nn.Sequential(
            batch_norm(out_channels),
            nn.ReLU(),
            normal(out_channels, out_channels, FRAMES, stride),
            batch_norm(out_channels),
            nn.Dropout(dropout),
        )
        self.shortcut = "none" if not residual else "conv" if in_channels != out_channels or stride != 1 else "same"
        if self.shortcut == "conv":
            self.residual = nn.Sequential(normal(in_channels, out_channels, stride=stride), batch_norm(out_channels))

    def forward(self, x: Any, adjacency: Any) -> Any:
        """Return the block's features."""
        y = self.tcn(self.gcn(x, adjacency))
        if self.shortcut != "none":
            y = y + (x if self.shortcut == "same" else self.residual(x))
        return F.relu(y)


class STGCNBackbone(nn.Layer):
    """Skeletons to features (N * M, C, T / 4, V); arguments as of :class:`STGCN`."""

    def __init__(
        self,
        in_channels: int,
        layout_name: str,
        edge_importance_weighting: bool,
        dropout: float,
        stages: Sequence[Sequence[int]],
    ) -> None:
        super().__init__()
        adjacency = spatial_partitions(layout_name)
        self.register_buffer("A", core.to_tensor(adjacency))
        self.data_bn = DataNorm(in_channels, adjacency.shape[1])
        received, blocks = in_channels, []
        for number, (channels, stride) in enumerate(stages):
            blocks.append(Block(received, channels, len(adjacency), stride, dropout if number else 0.0, number > 0))
            received = channels
        self.st_gcn_networks = nn.LayerList(blocks)
        self.weighted = edge_importance_weighting
        if edge_importance_weighting:
            ones = Constant(1.0)
            importance: list[Any] = [
                self.create_parameter(list(adjacency.shape), default_initializer=ones) for _ in stages
            ]
            self.edge_importance = nn.ParameterList(importance)

    def forward(self, x: Any) -> Any:
        """Return the features."""
        x = self.data_bn(x)
        for number, block in enumerate(self.st_gcn_networks):
            x = block(x, self.A * self.edge_importance[number] if self.weighted else self.A)
        return x


class MeanHead(nn.Layer):
    """The mean over persons, frames and joints, and a linear layer: (N * M, C, T, V) to (N, class_num)."""

    def __init__(self, in_channels: int, class_num: int) -> None:
        super().__init__()
        self.fcn = normal(in_channels, class_num)

    def forward(self, x: Any, persons: Any) -> Any:
        """Return the logits of N samples of so many persons each."""
        means = x.mean([2, 3]).reshape([-1, persons, x.shape[1]]).mean(1)
        return self.fcn(means.unsqueeze([2, 3])).flatten(1)


class STGCN(SkeletonClassifier):
    """Skeletons to logits: (N, in_channels, T, V, M) to (N, class_num).

    Args:
        class_num: number of classes.
        in_channels: coordinates of a joint.
        layout_name: which joints there are: "ntu-rgb+d", "fsd10" or "coco_keypoint".
        edge_importance_weighting: whether each block learns how much each bone counts.
        dropout: the share of features that training drops in each block but the first.
        stages: of each block the channels and the step along time; fewer or narrower ones than the published
            network's, for small data.

    Raises:
        ValueError: there is no such layout, or a number is not positive.
    """

    head_names = ("head.fcn",)

    def __init__(
        self,
        class_num: int = 60,
        in_channels: int = 3,
        layout_name: str = "ntu-rgb+d",
        edge_importance_weighting: bool = True,
        dropout: float = 0.0,
        stages: Sequence[Sequence[int]] = STAGES,
    ) -> None:
        super().__init__(class_num, in_channels, layout(layout_name).joints)
        check_stages("STGCN", stages)
        self.backbone = STGCNBackbone(in_channels, layout_name, edge_importance_weighting, dropout, stages)
        self.head = MeanHead(stages[-1][0], class_num)


def stgcn(**settings: Any) -> STGCN:
    """Return an ST-GCN; settings as of :class:`STGCN`."""
    return STGCN(**settings)

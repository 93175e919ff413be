"""What 2s-AGCN and CTR-GCN share: blocks of a graph's and a time's unit, the backbone of such blocks, the head."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Callable

from core import nn
from core.nn import ParamAttr
from core.nn import functional as F
from core.nn.initializer import Normal
from PaddleVideo.models.skeletons.base import DataNorm
from PaddleVideo.models.skeletons.stgcn import FRAMES


def along_time(in_channels: int, out_channels: int, frames: int, stride: int) -> nn.Conv2D:
    """Return a convolution over frames."""
    return nn.Conv2D(in_channels, out_channels, (frames, 1), (stride, 1), (frames // 2, 0))


class TimeConvolution(nn.Layer):
    """A convolution along time and batch normalisation."""

    def __init__(self, in_channels: int, out_channels: int, frames: int = FRAMES, stride: int = 1) -> None:
        super().__init__()
        self.conv = along_time(in_channels, out_channels, frames, stride)
        self.bn = nn.BatchNorm2D(out_channels)

    def forward(self, x: Any) -> Any:
        """Return the normalised features."""
        return self.bn(self.conv(x))


class UnitBlock(nn.Layer):
    """A sum over neighbours, a convolution along time, and a shortcut: (N, C, T, V) to (N, C', T / stride, V).

    Args:
        graph: sums over neighbours, C to C' channels.
        time: convolves along time.
        in_channels: C.
        out_channels: C'.
        stride: along time.
        residual: whether there is a shortcut.
    """

    def __init__(
        self, graph: nn.Layer, time: nn.Layer, in_channels: int, out_channels: int, stride: int, residual: bool
    ) -> None:
        super().__init__()
        self.gcn1 = graph
        self.tcn1 = time
        self.shortcut = "none" if not residual else "conv" if in_channels != out_channels or stride != 1 else "same"
        if self.shortcut == "conv":
            self.residual = TimeConvolution(in_channels, out_channels, 1, stride)

    def forward(self, x: Any) -> Any:
        """Return the block's features."""
        y = self.tcn1(self.gcn1(x))
        if self.shortcut != "none":
            y = y + (x if self.shortcut == "same" else self.residual(x))
        return F.relu(y)


class UnitBackbone(nn.Layer):
    """Skeletons to features (N * M, C, T / 4, V).

    Args:
        block: makes a block of input and output channels, layout, stride, and whether it has a shortcut.
        in_channels: coordinates of a joint.
        joints: V.
        persons: M.
        layout_name: which joints there are.
        stages: of each block the channels and the step along time.
    """

    def __init__(
        self,
        block: Callable[[int, int, str, int, bool], UnitBlock],
        in_channels: int,
        joints: int,
        persons: int,
        layout_name: str,
        stages: Sequence[Sequence[int]],
    ) -> None:
        super().__init__()
        self.data_bn = DataNorm(in_channels, joints, persons)
        received = in_channels
        for number, (channels, stride) in enumerate(stages, 1):
            self.add_sublayer(f"l{number}", block(received, channels, layout_name, stride, number > 1))
            received = channels

    def forward(self, x: Any) -> Any:
        """Return the features."""
        for layer in self.children():
            x = layer(x)
        return x


class LinearHead(nn.Layer):
    """The mean over persons, frames and joints, and a linear layer: (N * M, C, T, V) to (N, class_num).

    Args:
        in_channels: C.
        class_num: number of classes.
        dropout: the share of features that training drops.
    """

    def __init__(self, in_channels: int, class_num: int, dropout: float = 0.0) -> None:
        super().__init__()
        weight = ParamAttr(initializer=Normal(0.0, (2.0 / class_num) ** 0.5))
        self.dropout = nn.Dropout(dropout)
        self.fc = nn.Linear(in_channels, class_num, weight_attr=weight)

    def forward(self, x: Any, persons: Any) -> Any:
        """Return the logits of N samples of so many persons each."""
        return self.fc(self.dropout(x.mean([2, 3]).reshape([-1, persons, x.shape[1]]).mean(1)))

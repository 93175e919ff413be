"""What networks with convolutions over time and pixels share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import core
from core import nn
from core.nn import ParamAttr
from core.nn import functional as F
from core.nn.initializer import Constant, KaimingNormal
from core.regularizer import L2Decay


def convolution(in_channels: int, out_channels: int, kernel: Sequence[int], stride: Sequence[int]) -> nn.Conv3D:
    """Return a convolution without bias that keeps sizes at stride 1; kernel and stride are of time, height, width."""
    fan = out_channels * int(np.prod(kernel))
    return nn.Conv3D(
        in_channels,
        out_channels,
        list(kernel),
        list(stride),
        [size // 2 for size in kernel],
        weight_attr=ParamAttr(initializer=KaimingNormal(fan_in=fan)),
        bias_attr=False,
    )


def normalisation(channels: int, scale: float = 1.0) -> nn.BatchNorm3D:
    """Return a batch normalisation without weight decay, whose scales are fresh at a number."""
    attributes = (ParamAttr(initializer=Constant(value), regularizer=L2Decay(0.0)) for value in (scale, 0.0))
    weight, bias = attributes
    return nn.BatchNorm3D(channels, weight_attr=weight, bias_attr=bias)


class ConvBatchNorm3D(nn.Layer):
    """A convolution without bias, batch normalisation, and perhaps a ReLU: (N, C, T, H, W) to (N, C', T', H', W').

    Args:
        in_channels: C.
        out_channels: C'.
        kernel: sizes along time, height and width; odd, padded to keep sizes at stride 1.
        stride: steps along time, height and width.
        relu: whether a ReLU follows.
        scale: the normalisation's fresh scales.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel: Sequence[int],
        stride: Sequence[int] = (1, 1, 1),
        relu: bool = True,
        scale: float = 1.0,
    ) -> None:
        super().__init__()
        self._conv = convolution(in_channels, out_channels, kernel, stride)
        self._batch_norm = normalisation(out_channels, scale)
        self.relu = relu

    def forward(self, x: Any) -> Any:
        """Return the filtered, normalised and perhaps activated feature maps."""
        x = self._batch_norm(self._conv(x))
        return F.relu(x) if self.relu else x


def over_positions(logits: Any, training: bool) -> Any:
    """Return one row of logits for each clip, (N, C).

    Args:
        logits: of every position of a window, channels last, (N, T, H, W, C).
        training: whether there is one position by construction.

    Returns:
        The logits of the only position, or else the logarithms of the average probabilities over all of them, whose
        softmax is that average.
    """
    if training or list(logits.shape[1:4]) == [1, 1, 1]:
        return logits.flatten(1)
    return core.log(F.softmax(logits, axis=4).mean([1, 2, 3]))

"""The backbone of BlazeFace (Bazarevsky et al., "Sub-millisecond Neural Face Detection", arXiv 1907.05047).

Source of parameter names: PaddleDetection 2.x.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, Callable, Optional

from core import nn
from core.nn import functional as F
from core.nn.initializer import KaimingNormal
from core.vision.models.blocks import EARLIER_NAMES, ConvBatchNorm

SINGLE = ((24, 24), (24, 24), (24, 48, 2), (48, 48), (48, 48))
"""Of each single block: channels inside and after it, and its stride where that is not 1."""

DOUBLE = ((48, 24, 96, 2), (96, 24, 96), (96, 24, 96), (96, 24, 96, 2), (96, 24, 96), (96, 24, 96))
"""Of each double block: channels inside its first half, between the halves and after it; its stride if it is not 1."""

ACTIVATIONS: dict[Optional[str], Optional[Callable[[Any], Any]]] = {
    "relu": F.relu,
    "hard_swish": F.hardswish,
    None: None,
}

LEARNING_RATE = 0.1
"""Factor on the optimizer's learning rate for the kernels; the normalisations have none."""


class ConvNorm(ConvBatchNorm):
    """A convolution whose kernel learns at a tenth of the rate, batch normalisation, perhaps an activation.

    Args:
        *sizes: in_channels, out_channels, kernel_size, stride and groups of :class:`ConvBatchNorm`.
        activation: function applied at the end; None for none.
    """

    def __init__(self, *sizes: int, activation: Optional[Callable[[Any], Any]] = F.relu) -> None:
        super().__init__(  # type: ignore[misc]  # there are five sizes at most
            *sizes,  # type: ignore[arg-type]  # likewise
            activation=activation,
            initializer=KaimingNormal(),
            names=EARLIER_NAMES,
        )
        self._conv.weight.optimize_attr["learning_rate"] = LEARNING_RATE


class BlazeBlock(nn.Layer):
    """One or two pairs of a depthwise and a 1 x 1 convolution, added to the input, pooled where the stride is 2.

    Args:
        in_channels: of the input.
        inner: of the depthwise convolution.
        between: after the first pair.
        out_channels: after the second pair; None: there is one pair.
        stride: 1 or 2.
        use_5x5kernel: whether a depthwise kernel is 5 x 5, rather than two of 3 x 3 in a row.
        act: between the pairs: "relu", "hard_swish" or None.
        name: of the block, which is part of its layers' names.
    """

    def __init__(
        self,
        in_channels: int,
        inner: int,
        between: int,
        out_channels: Optional[int],
        stride: int,
        use_5x5kernel: bool,
        act: Optional[str],
        name: str,
    ) -> None:
        super().__init__()

        def depthwise(label: str, channels: int, width: int, step: int) -> list[nn.Layer]:
            if use_5x5kernel:
                return [self.add_sublayer(label, ConvNorm(channels, width, 5, step, width))]
            first = self.add_sublayer(f"{label}_1", ConvNorm(channels, width, 3, 1, width))
            return [first, self.add_sublayer(f"{label}_2", ConvNorm(width, width, 3, step, width))]

        self.branch = depthwise(f"{name}1_dw", in_channels, inner, stride)
        activation = None if out_channels is None else ACTIVATIONS[act]
        self.conv_pw = ConvNorm(inner, between, 1, activation=activation)
        self.branch.append(self.conv_pw)
        if out_channels is not None:
            self.branch += depthwise(f"{name}2_dw", between, between, 1)
            self.conv_pw2 = ConvNorm(between, out_channels, 1)
            self.branch.append(self.conv_pw2)
        self.shortcut: list[nn.Layer] = []
        if stride > 1:
            pool, conv = nn.MaxPool2D(stride, stride, ceil_mode=True), ConvNorm(in_channels, out_channels or between, 1)
            self.shortcut = [
                self.add_sublayer(f"{name}_shortcut_pool", pool),
                self.add_sublayer(f"{name}_shortcut_conv", conv),
            ]

    def forward(self, x: Any) -> Any:
        """Return the block's feature maps."""
        y = x
        for layer in self.branch:
            y = layer(y)
        for layer in self.shortcut:
            x = layer(x)
        return F.relu(x + y)


class BlazeNet(nn.Layer):
    """A convolution, single blocks and double blocks.

    Args:
        blaze_filters: of each single block, as :data:`SINGLE`.
        double_blaze_filters: of each double block, as :data:`DOUBLE`.
        use_5x5kernel: whether depthwise kernels are 5 x 5, rather than two of 3 x 3 in a row.
        act: between the pairs of double blocks: "relu", "hard_swish" or None.

    Attributes:
        channels: of the two feature maps: of the last double block but three, and of the last.
        strides: pixels of the image for each of their cells.

    Raises:
        ValueError: there is no such activation, or a block has too few or too many numbers.
    """

    def __init__(
        self,
        blaze_filters: Sequence[Sequence[int]] = SINGLE,
        double_blaze_filters: Sequence[Sequence[int]] = DOUBLE,
        use_5x5kernel: bool = True,
        act: Optional[str] = None,
    ) -> None:
        super().__init__()
        if act not in ACTIVATIONS:
            raise ValueError(f"act must be relu, hard_swish or null, not {act!r}")
        for filters, fewest in ((blaze_filters, 2), (double_blaze_filters, 3)):
            for numbers in filters:
                if len(numbers) not in (fewest, fewest + 1):
                    raise ValueError(f"a block of BlazeNet has {fewest} numbers, perhaps a stride, not {list(numbers)}")
        channels, stride = blaze_filters[0][0], 2
        self.conv1 = ConvNorm(3, channels, 3, stride)
        make = functools.partial(BlazeBlock, use_5x5kernel=use_5x5kernel, act=act)
        self.blocks, found = [], []
        blocks: list[Any] = [(f"blaze_{n}", (*sizes[:2], None), sizes[2:]) for n, sizes in enumerate(blaze_filters)]
        blocks += [(f"double_blaze_{n}", tuple(sizes[:3]), sizes[3:]) for n, sizes in enumerate(double_blaze_filters)]
        for name, (inner, between, outer), rest in blocks:
            step = rest[0] if rest else 1
            self.blocks.append(self.add_sublayer(name, make(channels, inner, between, outer, step, name=name)))
            channels, stride = outer or between, stride * step
            found.append((channels, stride))
        self.channels = (found[-4][0], found[-1][0])
        self.strides = (found[-4][1], found[-1][1])

    def forward(self, image: Any) -> list[Any]:
        """Return the two feature maps, the finer one first.

        Args:
            image: float32 (N, 3, H, W).
        """
        x, maps = self.conv1(image), []
        for block in self.blocks:
            x = block(x)
            maps.append(x)
        return [maps[-4], maps[-1]]

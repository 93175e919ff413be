"""Blocks that several families of networks share, here and in the toolkits."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Callable, Optional, Union

from core import nn
from core.nn import ParamAttr
from core.nn import functional as F
from core.nn.initializer import Uniform
from core.operators import flatten, reshape, sqrt, unsqueeze
from core.regularizer import L2Decay

CURRENT_NAMES = ("conv", "bn")
"""What PaddleClas 2.2 and later call the two parts of :class:`ConvBatchNorm`."""

EARLIER_NAMES = ("_conv", "_batch_norm")
"""What PaddleClas 2.0 called them, and what families that it never renamed still do."""


class ConvBatchNorm(nn.Layer):
    """A convolution without bias, batch normalisation, and perhaps an activation: (N, C, H, W) to (N, C', H', W').

    Args:
        in_channels: C.
        out_channels: C'.
        kernel_size: height and width of the kernel, pixels; odd.
        stride: step of the convolution, pixels.
        groups: number of groups of channels that do not see one another.
        activation: function applied at the end, such as ``F.relu``; None for none.
        learning_rate: factor on the optimizer's learning rate for these parameters.
        initializer: of the convolution's weight; the layer's own default when it is None.
        names: attribute names of the convolution and of the normalisation; official weight files depend on them.
        decay_norm: whether the optimizer's weight decay reaches the normalisation's scale and offset.
        padding: zeros on each side of the image, pixels, or "SAME"; as many as keep its size at stride 1 when None.
        momentum: how much of the running statistics each batch leaves.
        epsilon: added to the variance.
        weight_decay: of the convolution's weight, in place of the optimizer's; None: the optimizer's.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Union[int, tuple[int, int]],
        stride: int = 1,
        groups: int = 1,
        activation: Optional[Callable[[Any], Any]] = None,
        learning_rate: float = 1.0,
        initializer: Optional[nn.initializer.Initializer] = None,
        names: tuple[str, str] = CURRENT_NAMES,
        decay_norm: bool = True,
        padding: Union[int, str, Sequence[int], None] = None,
        momentum: float = 0.9,
        epsilon: float = 1e-5,
        weight_decay: Optional[float] = None,
    ) -> None:
        super().__init__()
        regularizer = None if decay_norm else L2Decay(0.0)
        of_weight = None if weight_decay is None else L2Decay(weight_decay)
        around: Any = same_padding(kernel_size) if padding is None else padding
        convolution = nn.Conv2D(
            in_channels,
            out_channels,
            kernel_size,
            stride=stride,
            padding=around,
            groups=groups,
            weight_attr=ParamAttr(initializer=initializer, learning_rate=learning_rate, regularizer=of_weight),
            bias_attr=False,
        )
        normalisation = nn.BatchNorm2D(
            out_channels,
            momentum,
            epsilon,
            weight_attr=ParamAttr(learning_rate=learning_rate, regularizer=regularizer),
            bias_attr=ParamAttr(learning_rate=learning_rate, regularizer=regularizer),
        )
        for name, layer in zip(names, (convolution, normalisation)):
            self.add_sublayer(name, layer)
        self.activation = activation

    def forward(self, x: Any) -> Any:
        """Return the filtered, normalised and activated images."""
        convolution, normalisation = self.children()
        x = normalisation(convolution(x))
        return x if self.activation is None else self.activation(x)

    def fused(self) -> tuple[Any, Any]:
        """Return the weight and the bias of a convolution that does in evaluation what the two parts do."""
        convolution, normalisation = self.children()
        factor, bias = scale_and_offset(normalisation)
        return convolution.weight * reshape(factor, [-1, 1, 1, 1]), bias


def scale_and_offset(normalisation: Any) -> tuple[Any, Any]:
    """Return what a batch normalisation multiplies each channel by in evaluation, and what it adds: (C,) and (C,)."""
    factor = normalisation.weight / sqrt(normalisation._variance + normalisation._epsilon)
    return factor, normalisation.bias - normalisation._mean * factor


def same_padding(kernel_size: Union[int, tuple[int, int]]) -> list[int]:
    """Return the padding (height, width) at which a convolution of stride 1 keeps the size of its images."""
    sizes = (kernel_size, kernel_size) if isinstance(kernel_size, int) else kernel_size
    return [(size - 1) // 2 for size in sizes]


class BatchNormConv(nn.Layer):
    """Batch normalisation, ReLU, then a convolution without bias: (N, C, H, W) to (N, C', H', W').

    The names of its parts are those of PaddleClas 2.0, which all networks of this block kept.

    Args:
        in_channels: C.
        out_channels: C'.
        kernel_size: height and width of the kernel, pixels; odd. The image is padded to keep its size at stride 1.
        stride: step of the convolution, pixels.
        groups: number of groups of channels that do not see one another.
    """

    def __init__(self, in_channels: int, out_channels: int, kernel_size: int, stride: int = 1, groups: int = 1) -> None:
        super().__init__()
        self._batch_norm = nn.BatchNorm2D(in_channels)
        self._conv = nn.Conv2D(
            in_channels,
            out_channels,
            kernel_size,
            stride=stride,
            padding=same_padding(kernel_size),
            groups=groups,
            bias_attr=False,
        )

    def forward(self, x: Any) -> Any:
        """Return the normalised, activated and filtered images."""
        return self._conv(F.relu(self._batch_norm(x)))


def fully_connected(in_features: int, out_features: int) -> nn.Linear:
    """Return a linear layer whose weights are drawn uniformly within 1 / sqrt(in_features)."""
    bound = 1 / math.sqrt(in_features)
    return nn.Linear(in_features, out_features, weight_attr=ParamAttr(initializer=Uniform(-bound, bound)))


def pointwise(in_channels: int, out_channels: int) -> nn.Conv2D:
    """Return a 1 x 1 convolution with bias: what a linear layer is, for feature maps."""
    return nn.Conv2D(in_channels, out_channels, 1)


class SqueezeExcite(nn.Layer):
    """Weigh each channel by a gate that sees the means of all channels: (N, C, H, W) to the same shape.

    Paper: Hu et al., "Squeeze-and-excitation networks", CVPR 2018, https://arxiv.org/abs/1709.01507

    Args:
        channels: C.
        squeezed: channels between the two layers.
        activation: function between the two layers.
        gate: function of the second layer's output, with values between 0 and 1.
        layer: makes each of the two layers from its numbers of channels: :func:`fully_connected`, or convolutions of
            1 x 1 pixels.
        names: attribute names of the two layers; official weight files depend on them.
    """

    def __init__(
        self,
        channels: int,
        squeezed: int,
        activation: Callable[[Any], Any] = F.relu,
        gate: Callable[[Any], Any] = F.sigmoid,
        layer: Callable[[int, int], nn.Layer] = fully_connected,
        names: tuple[str, str] = ("squeeze", "excitation"),
    ) -> None:
        super().__init__()
        self.add_sublayer(names[0], layer(channels, squeezed))
        self.add_sublayer(names[1], layer(squeezed, channels))
        self.activation = activation
        self.gate = gate
        self.flat = layer is fully_connected

    def forward(self, x: Any) -> Any:
        """Return the feature maps, each channel multiplied by its gate."""
        squeeze, excite = self.children()
        means = F.adaptive_avg_pool2d(x, 1)
        if self.flat:
            means = flatten(means, 1)
        weights = self.gate(excite(self.activation(squeeze(means))))
        return x * (unsqueeze(weights, [2, 3]) if self.flat else weights)


class EffectiveSqueezeExcite(nn.Layer):
    """Weigh each channel by a gate that sees the means of all, through one layer: (N, C, H, W) to the same shape.

    Paper: Lee and Park, "CenterMask: real-time anchor-free instance segmentation", https://arxiv.org/abs/1911.06667

    Args:
        channels: C.
        gate: function of the layer's output, with values between 0 and 1.
        name: attribute name of the layer; official weight files depend on it.
    """

    def __init__(self, channels: int, gate: Callable[[Any], Any] = F.hardsigmoid, name: str = "fc") -> None:
        super().__init__()
        self.add_sublayer(name, pointwise(channels, channels))
        self.gate = gate

    def forward(self, x: Any) -> Any:
        """Return the feature maps, each channel multiplied by its gate."""
        (layer,) = self.children()
        return x * self.gate(layer(F.adaptive_avg_pool2d(x, 1)))


def round_channels(channels: float, divisor: int = 8, min_value: Optional[int] = None) -> int:
    """Return the multiple of a divisor nearest to a number of channels, but never less than nine tenths of it.

    Args:
        channels: the number.
        divisor: what divides the result.
        min_value: the least result, unless the nine tenths ask for more; the divisor when it is None.
    """
    rounded = max(divisor if min_value is None else min_value, int(channels + divisor / 2) // divisor * divisor)
    return rounded + divisor if rounded < 0.9 * channels else rounded

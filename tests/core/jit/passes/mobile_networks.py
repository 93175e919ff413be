"""Small networks of the families that are exported to run with channels last."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

from core import nn
from core.nn import functional as F

RNG = np.random.default_rng(4)


class Block(nn.Layer):
    """Convolution, batch normalisation with plausible statistics, activation."""

    def __init__(
        self,
        inputs: int,
        outputs: int,
        kernel: int,
        stride: int = 1,
        groups: int = 1,
        activation: Any = None,
        **more: Any,
    ) -> None:
        super().__init__()
        more.setdefault("padding", kernel // 2)
        self.convolution = nn.Conv2D(inputs, outputs, kernel, stride, groups=groups, bias_attr=False, **more)
        self.norm = nn.BatchNorm2D(outputs)
        for tensor in (self.norm._mean, self.norm.bias):
            tensor.set_value(RNG.standard_normal(outputs).astype("float32") / 4)
        self.norm._variance.set_value(RNG.random(outputs).astype("float32") + 0.3)
        self.activation = activation

    def forward(self, x: Any) -> Any:
        """Return images."""
        x = self.norm(self.convolution(x))
        return x if self.activation is None else self.activation(x)


class Excitation(nn.Layer):
    """Squeeze and excitation by convolutions."""

    def __init__(self, channels: int, inner: Callable[[Any], Any], gate: Callable[[Any], Any]) -> None:
        super().__init__()
        self.pool = nn.AdaptiveAvgPool2D(1)
        self.first, self.second = nn.Conv2D(channels, 4, 1), nn.Conv2D(4, channels, 1)
        self.inner, self.gate = inner, gate

    def forward(self, x: Any) -> Any:
        """Return weighted images."""
        return x * self.gate(self.second(self.inner(self.first(self.pool(x)))))


class LinearExcitation(nn.Layer):
    """Squeeze and excitation by linear layers."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.pool = nn.AdaptiveAvgPool2D(1)
        self.first, self.second = nn.Linear(channels, 4), nn.Linear(4, channels)

    def forward(self, x: Any) -> Any:
        """Return weighted images."""
        factor = F.sigmoid(self.second(F.relu(self.first(self.pool(x).reshape([-1, x.shape[1]])))))
        return x * factor.reshape([-1, x.shape[1], 1, 1])


class Inverted(nn.Layer):
    """Expansion, depthwise convolution, perhaps excitation, projection, and the sum with the input."""

    def __init__(self, channels: int, kernel: int, activation: Any, excitation: Any = None, **more: Any) -> None:
        super().__init__()
        wide = channels * 3
        self.expand = Block(channels, wide, 1, activation=activation)
        self.depthwise = Block(wide, wide, kernel, groups=wide, activation=activation, **more)
        self.excitation = excitation(wide) if excitation else None
        self.project = Block(wide, channels, 1)
        self.shortcut = more.get("stride", 1) == 1

    def forward(self, x: Any) -> Any:
        """Return images."""
        y = self.depthwise(self.expand(x))
        y = self.project(y if self.excitation is None else self.excitation(y))
        return x + y if self.shortcut else y


class Head(nn.Layer):
    """Average, dropout, scores."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.pool, self.flatten = nn.AdaptiveAvgPool2D(1), nn.Flatten()
        self.drop, self.linear = nn.Dropout(0.2), nn.Linear(channels, 7)

    def forward(self, x: Any) -> Any:
        """Return scores."""
        return self.linear(self.drop(self.flatten(self.pool(x))))


class Bottleneck(nn.Layer):
    """A block of SE-ResNeXt."""

    def __init__(self, inputs: int, width: int, groups: int, stride: int) -> None:
        super().__init__()
        self.reduce = Block(inputs, width, 1, activation=F.relu)
        self.grouped = Block(width, width, 3, stride, groups, F.relu)
        self.expand = Block(width, 2 * width, 1)
        self.excitation = LinearExcitation(2 * width)
        self.shortcut = Block(inputs, 2 * width, 1, stride)

    def forward(self, x: Any) -> Any:
        """Return images."""
        return F.relu(self.excitation(self.expand(self.grouped(self.reduce(x)))) + self.shortcut(x))


def mobile_v1() -> Any:
    rows = [Block(16, 16, 3, groups=16, activation=F.relu), Block(16, 24, 1, activation=F.relu)]
    more = [Block(24, 24, 3, 2, groups=24, activation=F.relu6), Block(24, 40, 1, activation=F.relu6)]
    return nn.Sequential(Block(3, 16, 3, 2, activation=F.relu), *rows, *more, Head(40))


def mobile_v3() -> Any:
    def excitation(channels: int) -> Any:
        return Excitation(channels, F.relu, F.hardsigmoid)

    return nn.Sequential(
        Block(3, 16, 3, 2, activation=F.hardswish),
        Inverted(16, 3, F.relu),
        Inverted(16, 5, F.hardswish, excitation, stride=2),
        Inverted(16, 5, F.hardswish, excitation),
        nn.AdaptiveAvgPool2D(1),
        nn.Conv2D(16, 32, 1, bias_attr=False),
        nn.Hardswish(),
        Head(32),
    )


def efficient() -> Any:
    def excitation(channels: int) -> Any:
        return Excitation(channels, F.swish, F.sigmoid)

    return nn.Sequential(
        Block(3, 16, 3, 2, activation=F.swish, padding="SAME"),
        Inverted(16, 3, F.swish, excitation),
        Inverted(16, 5, F.swish, excitation, stride=2, padding="SAME"),
        Head(16),
    )


def se_resnext() -> Any:
    stem = [Block(3, 16, 7, 2, activation=F.relu), nn.MaxPool2D(3, 2, 1)]
    return nn.Sequential(
        *stem, Bottleneck(16, 32, 8, 1), Bottleneck(64, 64, 8, 2), Bottleneck(128, 128, 8, 1), Head(256)
    )


FAMILIES = {"MobileNetV1": mobile_v1, "MobileNetV3": mobile_v3, "EfficientNet": efficient, "SE_ResNeXt": se_resnext}

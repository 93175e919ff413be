"""ShuffleNetV2: each block filters half of the channels, then the halves are shuffled.

Paper: Ma et al., "ShuffleNet V2: practical guidelines for efficient CNN architecture design", ECCV 2018,
https://arxiv.org/abs/1807.11164
Source of arguments and parameter names: Paddle 2.6. The widths 0.25 and 0.33, and swish in place of ReLU, are its own;
at the width 2 its first stage has 224 channels, where the paper and PaddleClas have 244.
"""

from __future__ import annotations

from typing import Any, Callable, Optional

from core import nn
from core.nn import functional as F
from core.operators import concat, flatten, split
from core.vision.models.base import ImageNetwork, build, choice
from core.vision.ops import ConvNormActivation

_HOST = "https://paddle-hapi.bj.bcebos.com/models/"

model_urls = {
    "shufflenet_v2_x0_25": (f"{_HOST}shufflenet_v2_x0_25.pdparams", "1e509b4c140eeb096bb16e214796d03b"),
    "shufflenet_v2_x0_33": (f"{_HOST}shufflenet_v2_x0_33.pdparams", "3d7b3ab0eaa5c0927ff1026d31b729bd"),
    "shufflenet_v2_x0_5": (f"{_HOST}shufflenet_v2_x0_5.pdparams", "5e5cee182a7793c4e4c73949b1a71bd4"),
    "shufflenet_v2_x1_0": (f"{_HOST}shufflenet_v2_x1_0.pdparams", "122d42478b9e81eb49f8a9ede327b1a4"),
    "shufflenet_v2_x1_5": (f"{_HOST}shufflenet_v2_x1_5.pdparams", "faced5827380d73531d0ee027c67826d"),
    "shufflenet_v2_x2_0": (f"{_HOST}shufflenet_v2_x2_0.pdparams", "cd3dddcd8305e7bcd8ad14d1c69a5784"),
    "shufflenet_v2_swish": (f"{_HOST}shufflenet_v2_swish.pdparams", "adde0aa3b023e5b0c94a68be1c394b84"),
}
"""The published weight files and their MD5."""

CHANNELS = {
    0.25: (24, 24, 48, 96, 512),
    0.33: (24, 32, 64, 128, 512),
    0.5: (24, 48, 96, 192, 1024),
    1.0: (24, 116, 232, 464, 1024),
    1.5: (24, 176, 352, 704, 1024),
    2.0: (24, 224, 488, 976, 2048),
}
"""Channels of the first convolution, of the three stages and of the last convolution, by the scale."""

BLOCKS = (4, 8, 4)
"""Number of blocks in each stage."""

ACTIVATIONS = {"relu": nn.ReLU, "swish": nn.Swish, None: None}

Activation = Optional[Callable[[], nn.Layer]]
"""Makes an activation."""


class InvertedResidual(nn.Layer):
    """Half of the channels pass, the others are filtered, both are shuffled: (N, C, H, W) to the same shape.

    Args:
        channels: C.
        activation_layer: makes the activations after the 1 x 1 convolutions.
    """

    def __init__(self, channels: int, activation_layer: Activation = nn.ReLU) -> None:
        super().__init__()
        half = channels // 2
        self._conv_pw = ConvNormActivation(half, half, 1, activation_layer=activation_layer)
        self._conv_dw = ConvNormActivation(half, half, 3, groups=half, activation_layer=None)
        self._conv_linear = ConvNormActivation(half, half, 1, activation_layer=activation_layer)

    def forward(self, x: Any) -> Any:
        """Return the block's feature maps."""
        untouched, y = split(x, 2, axis=1)
        y = self._conv_linear(self._conv_dw(self._conv_pw(y)))
        return F.channel_shuffle(concat([untouched, y], axis=1), 2)


class InvertedResidualDS(nn.Layer):
    """Two branches filter all channels and halve the size: (N, C, H, W) to (N, C', H/2, W/2).

    Args:
        in_channels: C.
        out_channels: C'.
        activation_layer: makes the activations after the 1 x 1 convolutions.
    """

    def __init__(self, in_channels: int, out_channels: int, activation_layer: Activation = nn.ReLU) -> None:
        super().__init__()
        half = out_channels // 2
        plain: dict[str, Any] = {"stride": 2, "activation_layer": None}
        self._conv_dw_1 = ConvNormActivation(in_channels, in_channels, 3, groups=in_channels, **plain)
        self._conv_linear_1 = ConvNormActivation(in_channels, half, 1, activation_layer=activation_layer)
        self._conv_pw_2 = ConvNormActivation(in_channels, half, 1, activation_layer=activation_layer)
        self._conv_dw_2 = ConvNormActivation(half, half, 3, groups=half, **plain)
        self._conv_linear_2 = ConvNormActivation(half, half, 1, activation_layer=activation_layer)

    def forward(self, x: Any) -> Any:
        """Return the block's feature maps."""
        first = self._conv_linear_1(self._conv_dw_1(x))
        second = self._conv_linear_2(self._conv_dw_2(self._conv_pw_2(x)))
        return F.channel_shuffle(concat([first, second], axis=1), 2)


class ShuffleNetV2(ImageNetwork):
    """A convolution, three stages and a 1 x 1 convolution: (N, 3, H, W) to (N, num_classes).

    Without the head the result is the feature maps, (N, C, 1, 1), or (N, C, H/32, W/32) without pooling.

    Args:
        scale: one of the widths of :data:`CHANNELS`.
        act: ``"relu"``, ``"swish"`` or None.
        num_classes: number of classes; without the head where it is not positive.
        with_pool: whether the feature maps are averaged.

    Raises:
        ValueError: there is no such width or activation.
    """

    head_names = ("_fc",)

    def __init__(
        self, scale: float = 1.0, act: Optional[str] = "relu", num_classes: int = 1000, with_pool: bool = True
    ) -> None:
        super().__init__(num_classes, with_pool)
        channels, *stages, last = choice(
            CHANNELS, scale, f"ShuffleNetV2: scale must be one of {', '.join(map(str, CHANNELS))}"
        )
        activation = choice(ACTIVATIONS, act, "ShuffleNetV2: act must be 'relu', 'swish' or None")
        self.scale = scale
        self._conv1 = ConvNormActivation(3, channels, 3, 2, activation_layer=activation)
        self._max_pool = nn.MaxPool2D(3, 2, padding=1)
        self._block_names: list[str] = []
        for stage, (out_channels, count) in enumerate(zip(stages, BLOCKS), start=2):
            self.add_sublayer(f"{stage}_1", InvertedResidualDS(channels, out_channels, activation))
            for number in range(2, count + 1):
                self.add_sublayer(f"{stage}_{number}", InvertedResidual(out_channels, activation))
            self._block_names += [f"{stage}_{number}" for number in range(1, count + 1)]
            channels = out_channels
        self._last_conv = ConvNormActivation(channels, last, 1, activation_layer=activation)
        if with_pool:
            self._pool2d_avg = nn.AdaptiveAvgPool2D(1)
        if self.num_classes > 0:
            self._fc = nn.Linear(last, self.num_classes)

    def forward(self, inputs: Any) -> Any:
        """Return the logits for images, (N, num_classes), or their feature maps."""
        x = self._max_pool(self._conv1(inputs))
        for name in self._block_names:
            x = getattr(self, name)(x)
        x = self._last_conv(x)
        if self.with_pool:
            x = self._pool2d_avg(x)
        return self._fc(flatten(x, 1)) if self.num_classes > 0 else x


def _shufflenet_v2(name: str, pretrained: bool, **kwargs: Any) -> ShuffleNetV2:
    network: ShuffleNetV2 = build(name, ShuffleNetV2, model_urls, pretrained, **kwargs)
    return network


def shufflenet_v2_x0_25(pretrained: bool = False, **kwargs: Any) -> ShuffleNetV2:
    """Return a quarter of ShuffleNetV2's width, with weights of ImageNet if ``pretrained``; see the class."""
    return _shufflenet_v2("shufflenet_v2_x0_25", pretrained, scale=0.25, **kwargs)


def shufflenet_v2_x0_33(pretrained: bool = False, **kwargs: Any) -> ShuffleNetV2:
    """Return ShuffleNetV2 of a third of the width; arguments as of :func:`shufflenet_v2_x0_25`."""
    return _shufflenet_v2("shufflenet_v2_x0_33", pretrained, scale=0.33, **kwargs)


def shufflenet_v2_x0_5(pretrained: bool = False, **kwargs: Any) -> ShuffleNetV2:
    """Return ShuffleNetV2 of half the width; arguments as of :func:`shufflenet_v2_x0_25`."""
    return _shufflenet_v2("shufflenet_v2_x0_5", pretrained, scale=0.5, **kwargs)


def shufflenet_v2_x1_0(pretrained: bool = False, **kwargs: Any) -> ShuffleNetV2:
    """Return ShuffleNetV2 (Ma et al. 2018); arguments as of :func:`shufflenet_v2_x0_25`."""
    return _shufflenet_v2("shufflenet_v2_x1_0", pretrained, scale=1.0, **kwargs)


def shufflenet_v2_x1_5(pretrained: bool = False, **kwargs: Any) -> ShuffleNetV2:
    """Return ShuffleNetV2 of one and a half times the width; arguments as of :func:`shufflenet_v2_x0_25`."""
    return _shufflenet_v2("shufflenet_v2_x1_5", pretrained, scale=1.5, **kwargs)


def shufflenet_v2_x2_0(pretrained: bool = False, **kwargs: Any) -> ShuffleNetV2:
    """Return ShuffleNetV2 of twice the width; arguments as of :func:`shufflenet_v2_x0_25`."""
    return _shufflenet_v2("shufflenet_v2_x2_0", pretrained, scale=2.0, **kwargs)


def shufflenet_v2_swish(pretrained: bool = False, **kwargs: Any) -> ShuffleNetV2:
    """Return ShuffleNetV2 with swish in place of ReLU; arguments as of :func:`shufflenet_v2_x0_25`."""
    return _shufflenet_v2("shufflenet_v2_swish", pretrained, scale=1.0, act="swish", **kwargs)

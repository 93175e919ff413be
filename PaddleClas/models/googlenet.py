"""GoogLeNet: inception blocks, and two further classifiers that help the lower layers to learn.

Paper: Szegedy et al., "Going deeper with convolutions", CVPR 2015, https://arxiv.org/abs/1409.4842
Source of parameter names: PaddleClas, which kept the names of its 2.0 release for this family. Its convolutions have no
bias, and no activation of their own: ReLU follows where the branches of a block come together.
"""

from __future__ import annotations

import math
from typing import Any

import core
from core import ParamAttr, nn
from core.nn import functional as F
from core.nn.initializer import Uniform
from PaddleClas.models.base import ImageClassifier
from PaddleClas.models.pretrained import Pretrained, build

BLOCKS = {
    "3a": (64, 96, 128, 16, 32, 32),
    "3b": (128, 128, 192, 32, 96, 64),
    "4a": (192, 96, 208, 16, 48, 64),
    "4b": (160, 112, 224, 24, 64, 64),
    "4c": (128, 128, 256, 24, 64, 64),
    "4d": (112, 144, 288, 32, 64, 64),
    "4e": (256, 160, 320, 32, 128, 128),
    "5a": (256, 160, 320, 32, 128, 128),
    "5b": (384, 192, 384, 48, 128, 128),
}
"""Channels of each block's convolutions: 1 x 1; before 3 x 3, 3 x 3; before 5 x 5, 5 x 5; after the pooling."""


class Convolution(nn.Layer):
    """A bare convolution that keeps the image's size at stride 1; arguments as of :class:`core.nn.Conv2D`."""

    def __init__(self, in_channels: int, out_channels: int, kernel_size: int, stride: int = 1) -> None:
        super().__init__()
        self._conv = nn.Conv2D(
            in_channels, out_channels, kernel_size, stride, padding=(kernel_size - 1) // 2, bias_attr=False
        )

    def forward(self, x: Any) -> Any:
        """Return the filtered images."""
        return self._conv(x)


class Inception(nn.Layer):
    """Four branches side by side, then ReLU: (N, C, H, W) to (N, C', H, W).

    Args:
        in_channels: C.
        widths: channels of the convolutions, see :data:`BLOCKS`.
    """

    def __init__(self, in_channels: int, widths: tuple[int, ...]) -> None:
        super().__init__()
        point, before_three, three, before_five, five, pooled = widths
        self.out_channels = point + three + five + pooled
        self._conv1 = Convolution(in_channels, point, 1)
        self._conv3r = Convolution(in_channels, before_three, 1)
        self._conv3 = Convolution(before_three, three, 3)
        self._conv5r = Convolution(in_channels, before_five, 1)
        self._conv5 = Convolution(before_five, five, 5)
        self._convprj = Convolution(in_channels, pooled, 1)

    def forward(self, x: Any) -> Any:
        """Return the branches' feature maps, one after another."""
        three = self._conv3(self._conv3r(x))
        five = self._conv5(self._conv5r(x))
        pooled = self._convprj(F.max_pool2d(x, 3, 1, padding=1))
        return F.relu(core.concat([self._conv1(x), three, five, pooled], 1))


def _linear(in_features: int, out_features: int, fan_in: int) -> nn.Linear:
    bound = math.sqrt(3 / fan_in)
    return nn.Linear(in_features, out_features, weight_attr=ParamAttr(initializer=Uniform(-bound, bound)))


class GoogLeNetwork(ImageClassifier):
    """A stem, nine inception blocks and three heads: (N, 3, 224, 224) to three times (N, class_num).

    The result is a list, in training and in evaluation, as in the official kit: logits of the head at the end, of that
    after block 4a, of that after block 4d. The two further heads need images of 224 x 224; :meth:`forward_stages` takes
    any size. Dropout scales in evaluation instead of training (``downscale_in_infer``), as the official weights expect.

    Args:
        class_num: number of classes.
    """

    head_names = ("_fc_out", "_out1", "_out2")
    head_layers = (
        *("_drop", "_fc_out", "_conv_o1", "_fc_o1", "_drop_o1", "_out1"),
        *("_conv_o2", "_fc_o2", "_drop_o2", "_out2"),
    )
    stage_channels = (64, 192, 480, 832, 1024)
    stage_strides = (2, 4, 8, 16, 32)

    def __init__(self, class_num: int = 1000) -> None:
        super().__init__()
        self._conv = Convolution(3, 64, 7, 2)
        self._conv_1 = Convolution(64, 64, 1)
        self._conv_2 = Convolution(64, 192, 3)
        channels = 192
        for name, widths in BLOCKS.items():
            block = self.add_sublayer(f"_ince{name}", Inception(channels, widths))
            channels = block.out_channels
        self._drop = nn.Dropout(0.4, mode="downscale_in_infer")
        self._fc_out = _linear(channels, class_num, channels)
        for number, block in ((1, self._ince4a), (2, self._ince4d)):
            self.add_sublayer(f"_conv_o{number}", Convolution(block.out_channels, 128, 1))
            self.add_sublayer(f"_fc_o{number}", _linear(128 * 3 * 3, 1024, 2048))
            self.add_sublayer(f"_drop_o{number}", nn.Dropout(0.7, mode="downscale_in_infer"))
            self.add_sublayer(f"_out{number}", _linear(1024, class_num, 1024))

    def _forward_blocks(self, x: Any) -> dict[str, Any]:
        """Return the feature maps of the two convolutions of the stem and of each block, by name."""
        maps = {"1": self._conv(x)}
        maps["2"] = x = self._conv_2(self._conv_1(F.max_pool2d(maps["1"], 3, 2)))
        for name in BLOCKS:
            if name in ("3a", "4a", "5a"):
                x = F.max_pool2d(x, 3, 2)
            maps[name] = x = getattr(self, f"_ince{name}")(x)
        return maps

    def forward_stages(self, x: Any) -> list[Any]:
        """Return the last feature maps of each size, (N, 64 to 1024, H/2 to H/32, W/2 to W/32), about."""
        maps = self._forward_blocks(x)
        return [maps[name] for name in ("1", "2", "3b", "4e", "5b")]

    def forward_head(self, features: Any) -> Any:
        """Return the logits of the last head for feature maps of any size, (N, class_num)."""
        return self._fc_out(core.flatten(self._drop(F.adaptive_avg_pool2d(features, 1)), 1))

    def forward(self, x: Any) -> list[Any]:
        """Return the logits of all three heads for images, each (N, class_num): the main one's, then two further ones'.

        Raises:
            ValueError: the images are of another size than the further heads take.
        """
        maps = self._forward_blocks(x)
        if any(not 11 <= extent <= 13 for extent in maps["4a"].shape[2:]):  # pooled to 3 x 3, as the linear layers need
            raise ValueError(f"GoogLeNet takes images of 224 x 224 pixels, not {x.shape[2]} x {x.shape[3]}")
        first = self._fc_o1(core.flatten(self._conv_o1(F.avg_pool2d(maps["4a"], 5, 3)), 1))
        first = self._out1(self._drop_o1(F.relu(first)))
        second = self._fc_o2(core.flatten(self._conv_o2(F.avg_pool2d(maps["4d"], 5, 3)), 1))
        second = self._out2(self._drop_o2(second))  # without an activation, as the official weights expect
        return [self.forward_head(maps["5b"]), first, second]


def GoogLeNet(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> GoogLeNetwork:
    """Return GoogLeNet (Szegedy et al. 2015); arguments as of :func:`PaddleClas.create_model`."""
    return build("GoogLeNet", GoogLeNetwork, pretrained, class_num=class_num, **kwargs)

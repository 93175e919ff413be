"""MobileNetV2: inverted residuals with linear bottlenecks.

Paper: Sandler et al., "MobileNetV2: inverted residuals and linear bottlenecks", CVPR 2018,
https://arxiv.org/abs/1801.04381
Source of parameter names: PaddleClas, which kept the names of its 2.0 release for this family. It also expands in the
first block, where the factor is 1 and the paper leaves the expansion out.
"""

from __future__ import annotations

from typing import Any

import core
from core import nn
from core.nn import functional as F
from core.vision.models.blocks import EARLIER_NAMES, ConvBatchNorm
from core.vision.models.mobilenetv2 import STAGES
from PaddleClas.models.base import ImageClassifier
from PaddleClas.models.pretrained import Pretrained, build

STAGE_ENDS = (2, 3, 4, 6, 8)
"""The last stages of each size of feature maps; the first one is called conv2."""


class InvertedResidual(nn.Layer):
    """Expand (1 x 1), filter each channel (3 x 3), project (1 x 1, linear): (N, C, H, W) to (N, C', H', W').

    Args:
        in_channels: C.
        out_channels: C'.
        stride: step of the 3 x 3 convolution, pixels.
        expansion: the inner width is this multiple of C.
        add_input: whether the input is added to the result; C' is C and the stride 1 then.
    """

    def __init__(self, in_channels: int, out_channels: int, stride: int, expansion: int, add_input: bool) -> None:
        super().__init__()
        inner = in_channels * expansion
        self.add_input = add_input
        self._expand_conv = ConvBatchNorm(in_channels, inner, 1, activation=F.relu6, names=EARLIER_NAMES)
        self._bottleneck_conv = ConvBatchNorm(
            inner, inner, 3, stride, groups=inner, activation=F.relu6, names=EARLIER_NAMES
        )
        self._linear_conv = ConvBatchNorm(inner, out_channels, 1, names=EARLIER_NAMES)

    def forward(self, x: Any) -> Any:
        """Return the block's feature maps."""
        y = self._linear_conv(self._bottleneck_conv(self._expand_conv(x)))
        return x + y if self.add_input else y


class Stage(nn.Layer):
    """A block that may change size and width, then blocks that add to their input.

    Args:
        name: the stage's own name, ``conv2`` say; its second block is called ``conv2_2``.
        in_channels: channels of the input.
        out_channels: channels of the output.
        blocks: how many.
        stride: step of the first block, pixels.
        expansion: the blocks' expansion factor.
    """

    def __init__(
        self, name: str, in_channels: int, out_channels: int, blocks: int, stride: int, expansion: int
    ) -> None:
        super().__init__()
        self._first_block = InvertedResidual(in_channels, out_channels, stride, expansion, add_input=False)
        for number in range(2, blocks + 1):
            block = InvertedResidual(out_channels, out_channels, 1, expansion, add_input=True)
            self.add_sublayer(f"{name}_{number}", block)

    def forward(self, x: Any) -> Any:
        """Return the stage's feature maps."""
        for block in self.children():
            x = block(x)
        return x


class MobileNet(ImageClassifier):
    """A convolution, seven stages, a 1 x 1 convolution and a linear layer: (N, 3, H, W) to (N, class_num).

    Args:
        scale: factor on the number of channels; the last convolution never has fewer than 1280.
        class_num: number of classes.

    Raises:
        ValueError: the scale leaves a stage no channel.
    """

    head_names = ("out",)
    head_layers = ("conv9", "out")
    stage_strides = (2, 4, 8, 16, 32)

    def __init__(self, scale: float = 1.0, class_num: int = 1000) -> None:
        super().__init__()
        if int(16 * scale) < 1:
            raise ValueError(f"scale must be at least 1/16, not {scale}: the first stage would have no channel")
        channels = int(32 * scale)
        self.conv1 = ConvBatchNorm(3, channels, 3, stride=2, activation=F.relu6, names=EARLIER_NAMES)
        for number, (expansion, width, blocks, stride) in enumerate(STAGES, start=2):
            stage = Stage(f"conv{number}", channels, int(width * scale), blocks, stride, expansion)
            self.add_sublayer(f"conv{number}", stage)
            channels = int(width * scale)
        self.stage_channels = [int(STAGES[end - 2][1] * scale) for end in STAGE_ENDS]
        last = int(1280 * max(scale, 1.0))
        self.conv9 = ConvBatchNorm(channels, last, 1, activation=F.relu6, names=EARLIER_NAMES)
        self.out = nn.Linear(last, class_num)

    def forward_stages(self, x: Any) -> list[Any]:
        """Return the last feature maps of each size, (N, 16 to 320 * scale, H/2 to H/32, W/2 to W/32)."""
        x = self.conv1(x)
        maps = []
        for number in range(2, len(STAGES) + 2):
            x = getattr(self, f"conv{number}")(x)
            if number in STAGE_ENDS:
                maps.append(x)
        return maps

    def forward_features(self, x: Any) -> Any:
        """Return the feature maps of the last convolution, (N, 1280 or more, H/32, W/32)."""
        return self.conv9(self.forward_stages(x)[-1])

    def forward_head(self, features: Any) -> Any:
        """Return the logits for feature maps of any size, (N, class_num)."""
        return self.out(core.flatten(F.adaptive_avg_pool2d(features, 1), 1))


def MobileNetV2_x0_25(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> MobileNet:
    """Return MobileNetV2 of a quarter of the width; arguments as of :func:`PaddleClas.create_model`."""
    return build("MobileNetV2_x0_25", MobileNet, pretrained, scale=0.25, class_num=class_num, **kwargs)


def MobileNetV2_x0_5(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> MobileNet:
    """Return MobileNetV2 of half the width; arguments as of :func:`PaddleClas.create_model`."""
    return build("MobileNetV2_x0_5", MobileNet, pretrained, scale=0.5, class_num=class_num, **kwargs)


def MobileNetV2_x0_75(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> MobileNet:
    """Return MobileNetV2 of three quarters of the width; arguments as of :func:`PaddleClas.create_model`."""
    return build("MobileNetV2_x0_75", MobileNet, pretrained, scale=0.75, class_num=class_num, **kwargs)


def MobileNetV2(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> MobileNet:
    """Return MobileNetV2 (Sandler et al. 2018); arguments as of :func:`PaddleClas.create_model`."""
    return build("MobileNetV2", MobileNet, pretrained, scale=1.0, class_num=class_num, **kwargs)


def MobileNetV2_x1_5(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> MobileNet:
    """Return MobileNetV2 of one and a half times the width; arguments as of :func:`PaddleClas.create_model`."""
    return build("MobileNetV2_x1_5", MobileNet, pretrained, scale=1.5, class_num=class_num, **kwargs)


def MobileNetV2_x2_0(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> MobileNet:
    """Return MobileNetV2 of twice the width; arguments as of :func:`PaddleClas.create_model`."""
    return build("MobileNetV2_x2_0", MobileNet, pretrained, scale=2.0, class_num=class_num, **kwargs)

"""Feature pyramid (Lin et al., "Feature Pyramid Networks for Object Detection", arXiv 1612.03144), with further levels.

Source of parameter names: PaddleDetection 2.x.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

from core import ParamAttr, nn
from core.nn import functional as F
from core.nn.initializer import Initializer, XavierUniform
from PaddleDetection.models.norms import Norm


class ConvNormLayer(nn.Layer):
    """A convolution without bias and a normalisation: (N, C, H, W) to (N, C', H / stride, W / stride).

    Args:
        in_channels: C.
        out_channels: C'.
        kernel_size: side of the kernel, pixels; odd.
        stride: step of the convolution, pixels.
        norm: the normalisation.
        initializer: of the kernel.
    """

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: int, stride: int, norm: Norm, initializer: Initializer
    ) -> None:
        super().__init__()
        self.conv = nn.Conv2D(
            in_channels,
            out_channels,
            kernel_size,
            stride=stride,
            padding=(kernel_size - 1) // 2,
            weight_attr=ParamAttr(initializer=initializer),
            bias_attr=False,
        )
        self.norm: Any = norm.layer(out_channels)

    def forward(self, x: Any) -> Any:
        """Return the filtered and normalised feature maps."""
        return self.norm(self.conv(x))


class FPN(nn.Layer):
    """Adds what coarse feature maps know to the finer ones, so that all levels know alike.

    Args:
        in_channels: of the backbone's feature maps, the finest first; the coarsest is the fifth stage's.
        strides: pixels of the image for each of their cells, each twice the one before.
        out_channel: of the pyramid's levels.
        has_extra_convs: whether the further levels are made by convolutions, not by leaving out every other cell.
        extra_stage: how many further levels there are; without convolutions 0 or 1.
        use_c5: whether the first of these convolutions sees the backbone's coarsest feature map, not the pyramid's.
        norm_type: of all convolutions: "bn", "sync_bn", "gn" or None.
        norm_decay: weight decay of the normalisations, in place of the optimizer's.
        relu_before_extra_convs: whether the further convolutions but the first see positive values only.

    Attributes:
        channels: of the levels.
        strides: pixels of the image for each of their cells.

    Raises:
        ValueError: an argument is out of its range, or the arguments do not fit together.
    """

    def __init__(
        self,
        in_channels: Sequence[int],
        strides: Sequence[int],
        out_channel: int = 256,
        has_extra_convs: bool = False,
        extra_stage: int = 1,
        use_c5: bool = True,
        norm_type: Optional[str] = None,
        norm_decay: float = 0.0,
        relu_before_extra_convs: bool = True,
    ) -> None:
        super().__init__()
        if not 1 <= len(in_channels) <= 4:
            raise ValueError(f"FPN takes 1 to 4 feature maps of a backbone, not {len(in_channels)}")
        if extra_stage > 1 and not has_extra_convs:
            raise ValueError(f"FPN: extra_stage {extra_stage} needs has_extra_convs: true; it is 1 at most without")
        self.has_extra_convs, self.extra_stage, self.use_c5 = has_extra_convs, extra_stage, use_c5
        self.relu_before_extra_convs = relu_before_extra_convs
        self.strides = (*strides, *(strides[-1] * 2**level for level in range(1, extra_stage + 1)))
        self.channels = (out_channel,) * len(self.strides)
        norm, fan = Norm(norm_type, norm_decay), out_channel * 9

        def convolution(channels: int, kernel_size: int, stride: int, fan_out: int) -> nn.Layer:
            initializer = XavierUniform(fan_out=fan_out)
            if norm_type is not None:
                return ConvNormLayer(channels, out_channel, kernel_size, stride, norm, initializer)
            attribute = ParamAttr(initializer=initializer)
            padding = (kernel_size - 1) // 2
            return nn.Conv2D(channels, out_channel, kernel_size, stride, padding, weight_attr=attribute)

        self.laterals, self.convs, self.extras = [], [], []
        for stage, channels in enumerate(in_channels, 6 - len(in_channels)):
            name = f"fpn_inner_res{stage}_sum" + ("" if stage == 5 else "_lateral")
            self.laterals.append(self.add_sublayer(name, convolution(channels, 1, 1, channels)))
            self.convs.append(self.add_sublayer(f"fpn_res{stage}_sum", convolution(out_channel, 3, 1, fan)))
        for number in range(extra_stage if has_extra_convs else 0):
            channels = in_channels[-1] if number == 0 and use_c5 else out_channel
            self.extras.append(self.add_sublayer(f"fpn_{number + 6}", convolution(channels, 3, 2, fan)))

    def forward(self, features: Sequence[Any]) -> list[Any]:
        """Return the pyramid's levels, the finest first.

        Args:
            features: of the backbone, the finest first.
        """
        sums: list[Any] = []
        for lateral, feature in zip(reversed(self.laterals), reversed(features)):
            own = lateral(feature)
            sums.insert(0, own + F.interpolate(sums[0], scale_factor=2.0) if sums else own)
        levels = [conv(one) for conv, one in zip(self.convs, sums)]
        if self.has_extra_convs:
            for number, conv in enumerate(self.extras):
                source = levels[-1] if number or not self.use_c5 else features[-1]
                levels.append(conv(F.relu(source) if number and self.relu_before_extra_convs else source))
        elif self.extra_stage:
            levels.append(F.max_pool2d(levels[-1], 1, 2))
        return levels

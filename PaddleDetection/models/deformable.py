"""A deformable convolution with offsets of its own, as TTFNet's neck and FCOS's towers have it.

Source of parameter names: PaddleDetection 2.x.
"""

from __future__ import annotations

from typing import Any, Optional

import core
from core import ParamAttr, nn
from core.nn import functional as F
from core.nn.initializer import Constant, Initializer
from core.regularizer import L2Decay
from core.vision.ops import DeformConv2D

TAPS = 9
"""Of a 3 x 3 kernel."""


def free_bias(initial: float = 0.0) -> ParamAttr:
    """Return what an offset is that learns twice as fast, without weight decay."""
    return ParamAttr(initializer=Constant(initial), learning_rate=2.0, regularizer=L2Decay(0.0))


class DeformableConvV2(nn.Layer):
    """A 3 x 3 convolution whose taps are moved and weighed (Zhu et al., arXiv 1811.11168): C to C' channels.

    Args:
        in_channels: C.
        out_channels: C'.
        initializer: of the kernel; None: the layer's own.
    """

    def __init__(self, in_channels: int, out_channels: int, initializer: Optional[Initializer] = None) -> None:
        super().__init__()
        zero = ParamAttr(initializer=Constant(0.0))
        self.conv_offset = nn.Conv2D(in_channels, 3 * TAPS, 3, padding=1, weight_attr=zero, bias_attr=free_bias())
        weight = ParamAttr(initializer=initializer)
        self.conv_dcn = DeformConv2D(in_channels, out_channels, 3, padding=1, weight_attr=weight, bias_attr=free_bias())

    def forward(self, x: Any) -> Any:
        """Return feature maps of x's size."""
        offset, mask = core.split(self.conv_offset(x), [2 * TAPS, TAPS], 1)
        return self.conv_dcn(x, offset, F.sigmoid(mask))

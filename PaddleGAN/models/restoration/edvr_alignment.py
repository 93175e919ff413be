"""How EDVR brings the frames of a window onto its middle one: deformable convolutions, from coarse to fine.

Paper: Wang et al., "EDVR: Video restoration with enhanced deformable convolutional networks", CVPR workshops 2019,
https://arxiv.org/abs/1905.02716
Source of parameter names: ppgan 2.1 (PCDAlign, DCNPack).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import core
from core import ParamAttr, nn
from core.nn import functional as F
from core.nn.initializer import Constant
from core.vision.ops import DeformConv2D

SLOPE = 0.1
"""Of the leaky ReLUs."""


def doubled(x: Any) -> Any:
    """Return feature maps of twice the size."""
    return F.interpolate(x, scale_factor=2, mode="bilinear", align_corners=False)


def rectified(x: Any) -> Any:
    """Return a leaky ReLU's results."""
    return F.leaky_relu(x, SLOPE)


def conv3(received: int, returned: int, stride: int = 1) -> nn.Conv2D:
    """Return a 3 x 3 convolution that keeps the size, or halves it."""
    return nn.Conv2D(received, returned, 3, stride=stride, padding=1)


class DCNPack(nn.Layer):
    """A deformable convolution whose offsets and weights other features give; at first it moves nothing.

    Args:
        nf: channels.
        groups: of channels, each with offsets of its own.
    """

    def __init__(self, nf: int, groups: int) -> None:
        super().__init__()
        zero = ParamAttr(initializer=Constant(0.0))
        self.split_channels = groups * 9
        self.conv_offset_mask = nn.Conv2D(nf, 3 * groups * 9, 3, padding=1, weight_attr=zero, bias_attr=zero)
        self.dcn = DeformConv2D(nf, nf, 3, padding=1, deformable_groups=groups)

    def forward(self, x: Any, guide: Any) -> Any:
        """Return the moved features.

        Args:
            x: (N, nf, H, W).
            guide: what the offsets are computed from, of the same shape.
        """
        out = self.conv_offset_mask(guide)
        offset, mask = out[:, : 2 * self.split_channels], out[:, 2 * self.split_channels :]
        return self.dcn(x, offset, F.sigmoid(mask))


class PCDAlign(nn.Layer):
    """Pyramid, cascading and deformable alignment.

    Args:
        nf: channels.
        groups: of channels, each with offsets of its own.
    """

    def __init__(self, nf: int, groups: int) -> None:
        super().__init__()
        for level in (3, 2, 1):
            prefix = f"PCD_Align_L{level}_"
            setattr(self, f"{prefix}offset_conv1", conv3(2 * nf, nf))
            setattr(self, f"{prefix}offset_conv2", conv3(nf if level == 3 else 2 * nf, nf))
            if level < 3:
                setattr(self, f"{prefix}offset_conv3", conv3(nf, nf))
            setattr(self, f"{prefix}dcn", DCNPack(nf, groups))
            if level < 3:
                setattr(self, f"{prefix}fea_conv", conv3(2 * nf, nf))
        self.PCD_Align_cas_offset_conv1 = conv3(2 * nf, nf)
        self.PCD_Align_cas_offset_conv2 = conv3(nf, nf)
        self.PCD_Align_cascade_dcn = DCNPack(nf, groups)

    def forward(self, neighbors: Sequence[Any], references: Sequence[Any]) -> Any:
        """Return the aligned features, (N, nf, H, W).

        Args:
            neighbors: of frames, (N, nf, H, W), and the same at half and at a quarter of the size.
            references: of the frames that they are brought onto, likewise.
        """
        offset = features = None
        for level in (3, 2, 1):
            prefix = f"PCD_Align_L{level}_"
            both = core.concat([neighbors[level - 1], references[level - 1]], axis=1)
            seen = rectified(getattr(self, f"{prefix}offset_conv1")(both))
            if level < 3:
                seen = core.concat([seen, doubled(offset) * 2], axis=1)
            seen = rectified(getattr(self, f"{prefix}offset_conv2")(seen))
            offset = seen if level == 3 else rectified(getattr(self, f"{prefix}offset_conv3")(seen))
            moved = getattr(self, f"{prefix}dcn")(neighbors[level - 1], offset)
            if level < 3:
                moved = getattr(self, f"{prefix}fea_conv")(core.concat([moved, doubled(features)], axis=1))
            features = rectified(moved) if level > 1 else moved
        seen = core.concat([features, references[0]], axis=1)
        seen = rectified(self.PCD_Align_cas_offset_conv2(rectified(self.PCD_Align_cas_offset_conv1(seen))))
        return rectified(self.PCD_Align_cascade_dcn(features, seen))

"""SPyNet: how far each pixel of a picture has moved to another one, from coarse to fine.

Paper: Ranjan and Black, "Optical flow estimation using a spatial pyramid network", CVPR 2017,
https://arxiv.org/abs/1611.00850
Source of parameter names: ppgan 2.1 (SPyNet), with six levels and without batch normalisation.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import core
from core import nn
from core.nn import functional as F

LEVELS = 6
MULTIPLE = 2 ** (LEVELS - 1)
"""Pictures are resized so that height and width are multiples of this."""

_MEAN = (0.485, 0.456, 0.406)
_STD = (0.229, 0.224, 0.225)


def flow_warp(x: Any, flow: Any, padding_mode: str = "zeros") -> Any:
    """Return feature maps whose pixels are fetched from where a flow says, bilinearly.

    Args:
        x: (N, C, H, W).
        flow: (N, 2, H, W): how many pixels further right and further down to look.
        padding_mode: what lies beyond the border: "zeros" or "border".
    """
    height, width = x.shape[2:]
    columns = core.arange(width, dtype="float32").reshape([1, 1, -1]) + flow[:, 0]
    rows = core.arange(height, dtype="float32").reshape([1, -1, 1]) + flow[:, 1]
    spans = [side - 1 if side > 1 else 1 for side in (width, height)]
    grid = core.stack([columns * (2.0 / spans[0]) - 1.0, rows * (2.0 / spans[1]) - 1.0], axis=3)
    return F.grid_sample(x, grid, mode="bilinear", padding_mode=padding_mode, align_corners=True)


class SPyNetBasicModule(nn.Layer):
    """What one level adds to the flow: (N, 8, H, W), both pictures and the flow so far, to (N, 2, H, W)."""

    def __init__(self) -> None:
        super().__init__()
        for number, (received, returned) in enumerate(((8, 32), (32, 64), (64, 32), (32, 16), (16, 2)), start=1):
            setattr(self, f"conv{number}", nn.Conv2D(received, returned, 7, padding=3))

    def forward(self, x: Any) -> Any:
        """Return the correction of the flow."""
        for number in range(1, 5):
            x = F.relu(getattr(self, f"conv{number}")(x))
        return self.conv5(x)


class SPyNet(nn.Layer):
    """The flow from one picture to another: twice (N, 3, H, W), 0 to 1, to (N, 2, H, W), in pixels."""

    def __init__(self) -> None:
        super().__init__()
        for level in range(LEVELS):
            setattr(self, f"basic_module{level}", SPyNetBasicModule())
        for name, values in (("mean", _MEAN), ("std", _STD)):
            self.register_buffer(name, core.to_tensor(np.array(values, np.float32).reshape(1, 3, 1, 1)))

    def forward(self, reference: Any, other: Any) -> Any:
        """Return, for each pixel of the reference, where it is in the other picture."""
        height, width = reference.shape[2:]
        size = [-(-side // MULTIPLE) * MULTIPLE for side in (height, width)]
        pyramids = []
        for pictures in (reference, other):
            resized = F.interpolate(pictures, size=size, mode="bilinear", align_corners=False)
            levels = [(resized - self.mean) / self.std]
            for _ in range(LEVELS - 1):
                levels.append(F.avg_pool2d(levels[-1], 2, stride=2))
            pyramids.append(levels[::-1])
        flow = core.zeros_like(pyramids[0][0][:, :2])
        for level, (first, second) in enumerate(zip(*pyramids)):
            if level:
                flow = F.interpolate(flow, scale_factor=2, mode="bilinear", align_corners=True) * 2.0
            warped = flow_warp(second, flow, "border")
            flow = flow + getattr(self, f"basic_module{level}")(core.concat([first, warped, flow], axis=1))
        flow = F.interpolate(flow, size=[height, width], mode="bilinear", align_corners=False)
        return core.concat([flow[:, :1] * (width / size[1]), flow[:, 1:] * (height / size[0])], axis=1)

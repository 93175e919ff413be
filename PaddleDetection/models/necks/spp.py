"""Spatial pyramid pooling (He et al., arXiv 1406.4729) as YOLO's necks have it."""

from __future__ import annotations

from typing import Any

import core
from core import nn
from core.nn import functional as F

POOLS = (5, 9, 13)
"""Windows, cells."""


class SPP(nn.Layer):
    """Looks through windows of several sizes, then a convolution: (N, C, H, W) to (N, C', H, W).

    Args:
        conv: the convolution, of 4 * C channels to C'.
    """

    def __init__(self, conv: Any) -> None:
        super().__init__()
        self.conv = conv

    def forward(self, x: Any) -> Any:
        """Return (N, C', H, W)."""
        wide = [F.max_pool2d(x, window, stride=1, padding=window // 2) for window in POOLS]
        return self.conv(core.concat([x, *wide], 1))

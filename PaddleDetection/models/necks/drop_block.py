"""DropBlock (Ghiasi et al., arXiv 1810.12890): dropout of whole squares of a feature map."""

from __future__ import annotations

from typing import Any

import core
from core import nn
from core.nn import functional as F


class DropBlock(nn.Layer):
    """Sets squares of a feature map to zero in training, and scales the rest up to the former sum: any shape to itself.

    Args:
        block_size: side of a square, cells; odd.
        keep_prob: how likely a cell stays; 1: nothing is drawn.
    """

    def __init__(self, block_size: int = 3, keep_prob: float = 0.9) -> None:
        super().__init__()
        self.block_size = block_size
        self.keep_prob = keep_prob

    def forward(self, x: Any) -> Any:
        """Return feature maps of x's shape."""
        if not self.training or self.keep_prob == 1:
            return x
        rate = (1.0 - self.keep_prob) / self.block_size**2
        for side in x.shape[2:]:
            rate *= side / max(side - self.block_size + 1, 1)
        seeds = core.cast(core.rand(x.shape) < rate, x.dtype)
        kept = 1.0 - F.max_pool2d(seeds, self.block_size, stride=1, padding=self.block_size // 2)
        return x * kept / kept.mean().clip(min=1e-6)

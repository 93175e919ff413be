"""What networks for video share: residual blocks without normalisation."""

from __future__ import annotations

from typing import Any

from core import ParamAttr, nn
from core.nn import functional as F
from core.nn.initializer import Constant, Normal


class ResidualBlockNoBN(nn.Layer):
    """Two 3 x 3 convolutions, added to their input: (N, nf, H, W); their weights start small.

    Args:
        nf: channels.
    """

    def __init__(self, nf: int) -> None:
        super().__init__()
        weights = ParamAttr(initializer=Normal(0.0, 0.1 * (2 / (9 * nf)) ** 0.5))
        shifts = ParamAttr(initializer=Constant(0.0))
        self.conv1 = nn.Conv2D(nf, nf, 3, padding=1, weight_attr=weights, bias_attr=shifts)
        self.conv2 = nn.Conv2D(nf, nf, 3, padding=1, weight_attr=weights, bias_attr=shifts)

    def forward(self, x: Any) -> Any:
        """Return the sum."""
        return x + self.conv2(F.relu(self.conv1(x)))


def residual_blocks(nf: int, count: int) -> nn.Sequential:
    """Return blocks one after the other, named block0, block1 and so on.

    Args:
        nf: channels.
        count: how many.
    """
    return nn.Sequential(*((f"block{number}", ResidualBlockNoBN(nf)) for number in range(count)))

"""The balanced feature pyramid of Libra R-CNN (Pang et al., arXiv 1904.02701): every level learns of the mean of all.

Source of parameter names: PaddleDetection 1.x; 2.x has no such neck.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import core
from core.nn import functional as F
from PaddleDetection.models.necks.fpn import FPN
from PaddleDetection.models.non_local import NonLocal


class BFP(FPN):
    """A feature pyramid whose levels meet at one size, are refined there, and are scattered again.

    Args:
        in_channels: as of :class:`FPN`.
        strides: likewise.
        out_channel: likewise.
        refine_level: at whose size the levels meet, counted from the finest.
        **settings: further arguments of :class:`FPN`.
    """

    def __init__(
        self,
        in_channels: Sequence[int],
        strides: Sequence[int],
        out_channel: int = 256,
        refine_level: int = 2,
        **settings: Any,
    ) -> None:
        super().__init__(in_channels, strides, out_channel, **settings)
        if not 0 <= refine_level < len(self.strides):
            raise ValueError(f"refine_level must be from 0 to {len(self.strides) - 1}, not {refine_level}")
        self.refine_level = refine_level
        self.nonlocal_bsf = NonLocal(out_channel, out_channel, bias=True, scale=False)

    def forward(self, features: Sequence[Any]) -> list[Any]:
        """Return the pyramid's levels, the finest first."""
        levels = super().forward(features)
        middle = levels[self.refine_level]
        met = [_brought(level, middle, self.refine_level - number) for number, level in enumerate(levels)]
        refined = self.nonlocal_bsf(core.add_n(met) / len(levels))
        return [level + _brought(refined, level, number - self.refine_level) for number, level in enumerate(levels)]


def _brought(x: Any, like: Any, halvings: int) -> Any:
    """Return feature maps in the size of others, so many times halved; where it is negative, doubled."""
    if halvings > 0:
        return F.max_pool2d(x, 2**halvings, 2**halvings, ceil_mode=True)
    for axis in (2, 3) if halvings else ():
        x = core.gather(x, _nearest(x, like, axis), axis=axis)
    return x


def _nearest(x: Any, like: Any, axis: int) -> Any:
    """Return the places nearest to those of a larger map along an axis, where the corners of both lie together."""
    last, wanted = (core.arange(each.shape[axis], dtype="float32") for each in (x, like))
    ratio = last[-1:] / wanted[-1:].clip(min=1.0)
    return core.cast(core.floor(wanted * ratio + 0.5), "int64")

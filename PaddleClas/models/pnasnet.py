"""PNASNet-5: one searched cell for all purposes, stacked.

Paper: Liu et al., "Progressive neural architecture search", ECCV 2018, https://arxiv.org/abs/1712.00559
Parameter names are our own, and details those of TF-Slim; see :mod:`PaddleClas.models.nasnet`.
"""

from __future__ import annotations

import functools
from typing import Any

from PaddleClas.models.nasnet import CellNetwork, Plan, Step
from PaddleClas.models.pretrained import Pretrained, build

CELL = Plan(
    (
        (("separable 5", 1), ("maximum", 1)),
        (("separable 7", 0), ("maximum", 0)),
        (("separable 5", 0), ("separable 3", 0)),
        (("separable 3", 4), ("maximum", 0)),
        (("separable 3", 1), ("identity", 0)),
    ),
    results=(2, 3, 4, 5, 6),
)


class PNASNet(CellNetwork):
    """PNASNet-5: two cells that halve as stem, then three times as many cells of each size, the first of which halves.

    Args:
        cells: of each size of maps.
        channels: of each state of the first cells behind the stem; the last ones have four times as many.
        stem_channels: channels of the first convolution.
        drop_path: as for :class:`PaddleClas.models.nasnet.CellNetwork`.
        class_num: number of classes.
    """

    def __init__(
        self, cells: int, channels: int, stem_channels: int, drop_path: float = 0.0, class_num: int = 1000
    ) -> None:
        steps = [Step(CELL, channels // 4, 2), Step(CELL, channels // 2, 2)]
        for size in range(3):
            width = channels << size
            steps += [Step(CELL, width, 2 if size else 1), *[Step(CELL, width)] * (cells - 1)]
        super().__init__(stem_channels, steps, drop_path, 0.5, class_num)


def PNASNet5_large(class_num: int = 1000, pretrained: Pretrained = False, **kwargs: Any) -> PNASNet:
    """Return PNASNet-5 (4 @ 216), for images of 331 x 331; arguments as of :func:`PaddleClas.create_model`."""
    network = functools.partial(PNASNet, 4, 216, 96)
    return build("PNASNet5_large", network, pretrained, class_num=class_num, **kwargs)

"""SENet (Hu et al., "Squeeze-and-excitation networks", arXiv 1709.01507) as detectors look through it.

Source of parameter names: PaddleDetection 2.x.
"""

from __future__ import annotations

from typing import Any

from PaddleDetection.models.backbones.resnet import Res5Head, ResNet

STEM_CHANNELS = 128
"""Twice those of a ResNet."""


class SENet(ResNet):
    """A ResNet with a wider stem whose blocks end with squeeze and excitation; SENet-154 has 152 layers.

    Args:
        depth: as of :class:`ResNet`.
        **settings: further arguments of :class:`ResNet`; of SENet-154-vd variant "d", groups 64, base_width 4.
    """

    def __init__(self, depth: int = 50, **settings: Any) -> None:
        super().__init__(depth, **{"ch_in": STEM_CHANNELS, "std_senet": True, **settings})


class SERes5Head(Res5Head):
    """The fifth stage of a SENet as the head of regions: (R, C, H, W) to (R, channels, H / 2, W / 2).

    Args:
        depth: as of :class:`ResNet`.
        **settings: further arguments, as of :class:`Res5Head`.
    """

    def __init__(self, depth: int = 50, **settings: Any) -> None:
        super().__init__(depth, **{"std_senet": True, **settings})

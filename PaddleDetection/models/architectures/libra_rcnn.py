"""Libra R-CNN (Pang et al., "Libra R-CNN: Towards Balanced Learning for Object Detection", arXiv 1904.02701).

Faster R-CNN in balance: a pyramid whose levels learn of each other, backgrounds of all overlaps, and a loss that small
differences of boxes count in, too. Source of parameter names: PaddleDetection 1.x; 2.x has only the sampling.
"""

from __future__ import annotations

import math
from typing import Any

import core
from PaddleDetection.models.architectures.faster_rcnn import FasterRCNN
from PaddleDetection.models.architectures.rcnn_parts import divided, pyramid_parts
from PaddleDetection.models.arguments import passes_on
from PaddleDetection.models.necks.bfp import BFP


class LibraRCNN(FasterRCNN):
    """Faster R-CNN with a balanced sample of regions and a balanced loss of their boxes.

    Args:
        backbone: as of :class:`FasterRCNN`.
        neck: likewise, a :class:`BFP`.
        head: likewise.
        num_classes: how many classes there are.
        num_bins: so many ranges of overlap give equally many regions of background.
        alpha: of the loss: how fast small differences begin to count.
        gamma: of the loss: the largest slope.
        **settings: further arguments of :class:`FasterRCNN`.
    """

    def __init__(
        self,
        backbone: Any,
        neck: Any,
        head: Any,
        num_classes: int = 80,
        num_bins: int = 3,
        alpha: float = 0.5,
        gamma: float = 1.5,
        **settings: Any,
    ) -> None:
        super().__init__(backbone, neck, head, num_classes, **settings)
        self.num_bins = num_bins
        beta = self.beta or 1.0
        self.beta = lambda difference: balanced_l1(difference, alpha, gamma, beta)


def balanced_l1(difference: Any, alpha: float = 0.5, gamma: float = 1.5, beta: float = 1.0) -> Any:
    """Return how much each difference counts.

    Args:
        difference: of any shape.
        alpha: how fast small differences begin to count.
        gamma: the slope of larger ones.
        beta: differences from this one on are larger ones.
    """
    size = core.abs(difference)
    b = math.exp(gamma / alpha) - 1.0
    small = size.clip(max=beta)
    near = alpha / b * (b * small + 1.0) * core.log(b * small / beta + 1.0) - alpha * small
    return core.where(size < beta, near, gamma * size + (gamma / b - alpha * beta))


@passes_on(pyramid_parts)
def libra_rcnn_r18_fpn(num_classes: int = 80, **settings: Any) -> LibraRCNN:
    """Return Libra R-CNN on ResNet-18.

    Args:
        num_classes: how many classes there are.
        **settings: further arguments of :func:`pyramid_parts` and :class:`LibraRCNN`.
    """
    return _libra("r18", num_classes, settings)


@passes_on(pyramid_parts)
def libra_rcnn_r50_vd_fpn(num_classes: int = 80, **settings: Any) -> LibraRCNN:
    """Return Libra R-CNN on ResNet-50-vd; arguments as of :func:`libra_rcnn_r18_fpn`."""
    return _libra("r50_vd", num_classes, settings)


@passes_on(pyramid_parts)
def libra_rcnn_r101_vd_fpn(num_classes: int = 80, **settings: Any) -> LibraRCNN:
    """Return Libra R-CNN on ResNet-101-vd; arguments as of :func:`libra_rcnn_r18_fpn`."""
    return _libra("r101_vd", num_classes, settings)


def _libra(trunk: str, num_classes: int, settings: dict[str, Any]) -> LibraRCNN:
    own, further = divided(settings, pyramid_parts)
    parts = pyramid_parts(trunk, 1, **own)
    backbone, (width, *_) = parts.backbone, parts.neck.channels
    neck = BFP(backbone.channels, backbone.strides, width, norm_type=own.get("head_norm_type"))
    return LibraRCNN(backbone, neck, parts.heads[0], num_classes, **further)

"""TTFNet (Liu et al., "Training-Time-Friendly Network for Real-Time Object Detection", arXiv 1909.00700).

Source of parameter names: PaddleDetection 2.x.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import core
from core.nn import functional as F
from PaddleDetection.models.backbones.darknet import DarkNet
from PaddleDetection.models.base import Detector
from PaddleDetection.models.boxes import pick, to_original
from PaddleDetection.models.heads.ttf_head import TTFHead
from PaddleDetection.models.losses.ttf_loss import TTFLoss
from PaddleDetection.models.necks.ttf_fpn import TTFFPN


class TTFNet(Detector):
    """Predicts objects at the peaks of a heat map, without suppression of overlapping boxes.

    Args:
        backbone: makes feature maps of images, the finest first.
        neck: makes of them the one map that the head looks at.
        num_classes: how many classes there are.
        hm_head_planes: channels of the heat map's branch.
        wh_head_planes: channels of the boxes' branch.
        keep_top_k: so many peaks of an image are looked at.
        score_threshold: peaks must be higher.
    """

    def __init__(
        self,
        backbone: Any,
        neck: Any,
        num_classes: int = 80,
        hm_head_planes: int = 128,
        wh_head_planes: int = 64,
        keep_top_k: int = 100,
        score_threshold: float = 0.01,
    ) -> None:
        super().__init__()
        self.num_classes = num_classes
        self.backbone = backbone
        self.neck = neck
        stride = neck.strides[0]
        self.ttf_head = TTFHead(neck.channels[0], num_classes, stride, hm_head_planes, wh_head_planes)
        self.divisor = max(backbone.strides)
        self.loss = TTFLoss(num_classes, stride)
        self.keep_top_k = keep_top_k
        self.score_threshold = score_threshold

    def forward(self, image: Any, im_shape: Any, scale_factor: Any) -> tuple[Any, Any]:
        """Return boxes (N, keep_top_k, 6), the best first, and their numbers (N,)."""
        logits, corners = self.ttf_head(self.neck(self.backbone(image))[0])
        heat = F.sigmoid(logits)
        peak = core.equal(F.max_pool2d(heat, 3, stride=1, padding=1), heat)
        heat = core.where(peak, heat, core.zeros_like(heat)).flatten(1)
        scores, places = core.topk(heat, self.keep_top_k)
        cells = corners.shape[1]
        classes = places // cells
        boxes = pick(to_original(corners, scale_factor), places - classes * cells)
        kept = (scores > self.score_threshold).unsqueeze(-1)
        rows = core.concat([core.cast(classes, "float32").unsqueeze(-1), scores.unsqueeze(-1), boxes], -1)
        empty = core.concat([core.full_like(rows[..., :1], -1.0), core.zeros_like(rows[..., 1:])], -1)
        return core.where(kept, rows, empty), core.cast(kept, "int32").sum([1, 2])

    def losses(self, image: Any, im_shape: Any, scale_factor: Any, targets: Mapping[str, Any]) -> dict[str, Any]:
        """Return "hm_loss" and "wh_loss"."""
        logits, corners = self.ttf_head(self.neck(self.backbone(image))[0])
        return self.loss(logits, corners, targets)


def ttfnet_darknet53(num_classes: int = 80, freeze_at: int = 0, **settings: Any) -> TTFNet:
    """Return TTFNet on DarkNet-53.

    Args:
        num_classes: how many classes there are.
        freeze_at: the backbone's stages up to this one, counted from 0, keep their weights; -1: none.
        **settings: further arguments of :class:`TTFNet`.
    """
    backbone = DarkNet(freeze_at, return_idx=(1, 2, 3, 4))
    return TTFNet(backbone, TTFFPN(backbone.channels, backbone.strides), num_classes, **settings)

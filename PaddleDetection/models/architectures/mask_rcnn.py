"""Mask R-CNN (He et al., "Mask R-CNN", arXiv 1703.06870), with 2.x's parameter names."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

import core
from core.nn import functional as F
from PaddleDetection.models.architectures.faster_rcnn import FasterRCNN
from PaddleDetection.models.architectures.rcnn_parts import c4_parts, divided, divided_c4, pyramid_parts
from PaddleDetection.models.arguments import passes_on
from PaddleDetection.models.heads.mask_head import MaskHead
from PaddleDetection.models.losses.rcnn_loss import Regions, Truth, mask_loss, truth_of

PARTS = (0.125, 0.25, 0.5)
"""In training, masks are computed for so much of the room for regions with an object, or for all of it: the proposals
of a fresh network leave most of it empty."""

LEAST = 8
"""Fewer regions than these are not told apart."""

AT_ONCE = 25
"""The masks of so many boxes of an image are computed together: 0.8 megabytes for each."""


class MaskRCNN(FasterRCNN):
    """Faster R-CNN that also says of each box which of its points belong to the object.

    Without a pyramid the masks are predicted from what the box head's first layers make of a region.

    Args:
        backbone: as of :class:`FasterRCNN`.
        neck: likewise.
        head: likewise.
        masks: makes of a region's feature map one of twice the size.
        num_classes: how many classes there are.
        **settings: further arguments of :class:`FasterRCNN`.
    """

    learns_masks = True

    def __init__(
        self, backbone: Any, neck: Any, head: Any, masks: Any, num_classes: int = 80, **settings: Any
    ) -> None:
        super().__init__(backbone, neck, head, num_classes, **settings)
        self.mask_head = MaskHead(masks, num_classes)

    def forward(self, image: Any, im_shape: Any, scale_factor: Any) -> tuple[Any, ...]:
        """Return boxes (N, keep_top_k, 6), their numbers (N,), and their masks (N, keep_top_k, M, M)."""
        features = self.features(image)
        found = self.boxes(features, im_shape, scale_factor)
        regions = self.cut_masks(features, found.corners)
        if self.neck is None:
            regions = self.bbox_head.head(regions)
        room = self.selection.keep_top_k
        regions = regions.reshape([-1, room, *regions.shape[1:]])
        classes = core.cast(found.rows[..., 0], "int64")
        parts = []
        for start in range(0, room, AT_ONCE):
            seen, own = (table[:, start : start + AT_ONCE] for table in (regions, classes))
            logits = self.mask_head.of_classes(seen.flatten(0, 1), own.flatten().clip(min=0))
            parts.append(logits.reshape([classes.shape[0], -1, *logits.shape[1:]]))
        likely = F.sigmoid(core.concat(parts, 1)) * core.cast(classes >= 0, "float32").unsqueeze(-1).unsqueeze(-1)
        return found.rows, found.counts, likely

    def losses(self, image: Any, im_shape: Any, scale_factor: Any, targets: Mapping[str, Any]) -> dict[str, Any]:
        """Return the losses of boxes, and "loss_mask"."""
        features, truth = self.features(image), truth_of(targets, masks=True)
        losses, regions, seen = self.learned(features, im_shape, truth)
        losses["loss_mask"] = self._fitting(features, regions, seen, truth)
        return losses

    def _fitting(self, features: Sequence[Any], regions: Regions, seen: Any, truth: Truth) -> Any:
        """Return the loss of the masks, computed for as few regions as hold those with an object of each image."""
        most = max(int(self.sampling.batch_size_per_im * self.sampling.fg_fraction), 1)
        labels = regions.labels[:, :most]
        needed = core.logical_and(labels >= 0, labels < self.num_classes).sum(1).max()
        rooms = [*(room for room in (int(most * part) for part in PARTS) if room >= LEAST), most]
        *fewer, whole = (functools.partial(self._masks, features, regions, seen, truth, room) for room in rooms)
        if not fewer:
            return whole()
        place = core.add_n([core.cast(needed > room, "int32") for room in rooms[:-1]])
        return core.static.nn.switch_case(place, fewer, whole)  # one branch of the compiled program runs

    def _masks(self, features: Sequence[Any], regions: Regions, seen: Any, truth: Truth, room: int) -> Any:
        """Return the loss of the masks of the first regions of each image."""
        rois, labels, places = (table[:, :room] for table in (regions.rois, regions.labels, regions.places))
        if self.neck is None:
            own = seen.reshape([*regions.labels.shape, *seen.shape[1:]])[:, :room]
            logits = self.mask_head(own.reshape([-1, *seen.shape[1:]]))
        else:
            logits = self.mask_head(self.cut_masks(features, rois))
        return mask_loss(logits, rois, labels, places, truth)


@passes_on(pyramid_parts)
def mask_rcnn_r18_fpn(num_classes: int = 80, **settings: Any) -> MaskRCNN:
    """Return Mask R-CNN on the feature pyramid of ResNet-18.

    Args:
        num_classes: how many classes there are.
        **settings: further arguments of :func:`pyramid_parts` and :class:`FasterRCNN`.
    """
    return _on_pyramid("r18", num_classes, settings)


@passes_on(pyramid_parts)
def mask_rcnn_r50_fpn(num_classes: int = 80, **settings: Any) -> MaskRCNN:
    """Return Mask R-CNN on the feature pyramid of ResNet-50; arguments as of :func:`mask_rcnn_r18_fpn`."""
    return _on_pyramid("r50", num_classes, settings)


@passes_on(pyramid_parts)
def mask_rcnn_r50_vd_fpn(num_classes: int = 80, **settings: Any) -> MaskRCNN:
    """Return Mask R-CNN on the feature pyramid of ResNet-50-vd; arguments as of :func:`mask_rcnn_r18_fpn`."""
    return _on_pyramid("r50_vd", num_classes, settings)


@passes_on(pyramid_parts)
def mask_rcnn_r101_fpn(num_classes: int = 80, **settings: Any) -> MaskRCNN:
    """Return Mask R-CNN on the feature pyramid of ResNet-101; arguments as of :func:`mask_rcnn_r18_fpn`."""
    return _on_pyramid("r101", num_classes, settings)


@passes_on(pyramid_parts)
def mask_rcnn_r101_vd_fpn(num_classes: int = 80, **settings: Any) -> MaskRCNN:
    """Return Mask R-CNN on the feature pyramid of ResNet-101-vd; arguments as of :func:`mask_rcnn_r18_fpn`."""
    return _on_pyramid("r101_vd", num_classes, settings)


@passes_on(pyramid_parts)
def mask_rcnn_x101_vd_64x4d_fpn(num_classes: int = 80, **settings: Any) -> MaskRCNN:
    """Return Mask R-CNN on the feature pyramid of ResNeXt-101-vd; arguments as of :func:`mask_rcnn_r18_fpn`."""
    return _on_pyramid("x101_vd_64x4d", num_classes, settings)


@passes_on(pyramid_parts)
def mask_rcnn_se154_vd_fpn(num_classes: int = 80, **settings: Any) -> MaskRCNN:
    """Return Mask R-CNN on the feature pyramid of SENet-154-vd; arguments as of :func:`mask_rcnn_r18_fpn`."""
    return _on_pyramid("se154_vd", num_classes, settings)


@passes_on(c4_parts)
def mask_rcnn_r50(num_classes: int = 80, **settings: Any) -> MaskRCNN:
    """Return Mask R-CNN on the fourth stage of ResNet-50.

    Args:
        num_classes: how many classes there are.
        **settings: further arguments of :func:`c4_parts` and :class:`FasterRCNN`.
    """
    own, further = divided_c4("r50", settings)
    parts = c4_parts("r50", **own)
    return MaskRCNN(parts.backbone, parts.neck, parts.heads[0], parts.masks, num_classes, **further)


def _on_pyramid(trunk: str, num_classes: int, settings: Mapping[str, Any]) -> MaskRCNN:
    own, further = divided(settings, pyramid_parts)
    parts = pyramid_parts(trunk, 1, **own)
    return MaskRCNN(parts.backbone, parts.neck, parts.heads[0], parts.masks, num_classes, **further)

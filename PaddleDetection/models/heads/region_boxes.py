"""From what the heads of two-stage detectors predict of regions to the boxes of images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Optional

import core
from core.vision.ops import multiclass_nms
from PaddleDetection.models.boxes import from_deltas, original_sizes
from PaddleDetection.models.generations import from_pixels, rows_from_pixels, to_pixels


class Selection(NamedTuple):
    """Which boxes of a class are given.

    Attributes:
        score_threshold: boxes of a class must score above it.
        keep_top_k: so many boxes of an image are given.
        nms_threshold: the largest overlap with a better box of the same class.
        soft: "linear" or "gaussian" lowers the scores of overlapping boxes (Soft-NMS, arXiv 1704.04503); None drops
            them.
        soft_sigma: of gaussian.
        last_pixel: whether boxes end with their last pixel, not behind it, as before 2.0.
    """

    score_threshold: float = 0.05
    keep_top_k: int = 100
    nms_threshold: float = 0.5
    soft: Optional[str] = None
    soft_sigma: float = 0.5
    last_pixel: bool = False


class RegionBoxes(NamedTuple):
    """The boxes of a batch of images.

    Attributes:
        rows: class, score and corners in pixels of the original image (N, K, 6); padded with rows of class -1.
        counts: int32 (N,).
        corners: in pixels of the network's image, within it, (N, K, 4).
    """

    rows: Any
    counts: Any
    corners: Any


def boxes_of_regions(
    likely: Any,
    deltas: Any,
    rois: Any,
    counts: Any,
    im_shape: Any,
    scale_factor: Any,
    weights: Sequence[float],
    selection: Selection,
) -> RegionBoxes:
    """Return the best boxes of each class; boxes without an area in the original image are left out.

    Where boxes end with their last pixel, they are moved, cut off and suppressed as pixels of the original image.

    Args:
        likely: of each region and class (N * R, classes).
        deltas: (N * R, 4 * classes), or (N * R, 4) where all classes have the same box.
        rois: corners of the regions in pixels of the network's image (N, R, 4).
        counts: how many of them there are, (N,).
        im_shape: height and width of the images without their padding (N, 2).
        scale_factor: these divided by the original image's (N, 2).
        weights: factors of the four numbers.
        selection: which boxes are given.
    """
    if selection.last_pixel:
        decoded = decoded_pixels(rois, deltas, scale_factor, weights)
        return boxes_of_pixels(likely, decoded, counts, im_shape, scale_factor, selection)
    images, room = rois.shape[:2]
    classes = likely.shape[1]
    boxes = from_deltas(rois.unsqueeze(2), deltas.reshape([images, room, -1, 4]), weights)
    boxes = within(boxes, im_shape.reshape([images, 1, 1, 2]))
    original, factor = original_sizes(im_shape, scale_factor), both_axes(scale_factor)
    shown = within(boxes / factor.reshape([images, 1, 1, 4]), original.reshape([images, 1, 1, 2]))
    whole = (shown[..., 2:] > shown[..., :2]).all(-1)
    given = (core.arange(room) < core.cast(counts, "int64").unsqueeze(1)).unsqueeze(-1)
    likely = core.where(
        core.logical_and(whole, given).expand([images, room, classes]).reshape([-1, classes]),
        likely,
        core.zeros_like(likely),
    )
    rows, found = _selected(boxes, likely, selection)
    corners = rows[..., 2:]
    final = within(corners / factor.unsqueeze(1), original.unsqueeze(1))
    return RegionBoxes(core.concat([rows[..., :2], final], -1), found, corners)


def decoded_pixels(rois: Any, deltas: Any, scale_factor: Any, weights: Sequence[float]) -> Any:
    """Return first and last pixels of boxes in the original image (N, R, classes or 1, 4).

    Args:
        rois: as of :func:`boxes_of_regions`.
        deltas: likewise.
        scale_factor: likewise.
        weights: likewise.
    """
    pixels = to_pixels(rois) / both_axes(scale_factor).unsqueeze(1)
    return to_pixels(from_deltas(from_pixels(pixels).unsqueeze(2), deltas.reshape([*rois.shape[:2], -1, 4]), weights))


def boxes_of_pixels(
    likely: Any, decoded: Any, counts: Any, im_shape: Any, scale_factor: Any, selection: Selection
) -> RegionBoxes:
    """Return the best boxes of each class, as before 2.0.

    Args:
        likely: as of :func:`boxes_of_regions`.
        decoded: first and last pixels of boxes in the original image (N, R, classes, 4), or (N, R, 1, 4) of all.
        counts: as of :func:`boxes_of_regions`.
        im_shape: likewise.
        scale_factor: likewise.
        selection: likewise.
    """
    images, room = decoded.shape[:2]
    classes = likely.shape[1]
    boxes = within(decoded, original_sizes(im_shape, scale_factor).reshape([images, 1, 1, 2]) - 1)
    given = (core.arange(room) < core.cast(counts, "int64").unsqueeze(1)).unsqueeze(-1).expand([images, room, classes])
    likely = core.where(given.reshape([-1, classes]), likely, core.zeros_like(likely))
    rows, found = _selected(boxes, likely, selection)
    pixels, kept = rows[..., 2:], core.cast(rows[..., :1] >= 0, "float32")
    corners = from_pixels(pixels * both_axes(scale_factor).unsqueeze(1)) * kept
    return RegionBoxes(rows_from_pixels(rows), found, corners)


def _selected(boxes: Any, likely: Any, selection: Selection) -> tuple[Any, Any]:
    """Return rows (N, keep_top_k, 6) and their numbers for boxes (N, R, classes or 1, 4), scores (N * R, classes)."""
    images, room = boxes.shape[:2]
    classes = likely.shape[1]
    rows, found, _ = multiclass_nms(
        boxes.expand([images, room, classes, 4]).reshape([-1, classes, 4]),
        likely,
        selection.score_threshold,
        -1,
        selection.keep_top_k,
        selection.nms_threshold,
        normalized=not selection.last_pixel,
        rois_num=core.full([images], room, "int32"),
        padded=True,
        soft=selection.soft,
        soft_sigma=selection.soft_sigma,
    )
    return rows, found


def both_axes(scale_factor: Any) -> Any:
    """Return the factors of the four numbers of a box (N, 4)."""
    factor = scale_factor.flip(-1)
    return core.concat([factor, factor], -1)


def within(boxes: Any, shape: Any) -> Any:
    """Return boxes cut off at the edges of images, whose height and width broadcast with them."""
    size = shape.flip(-1)
    return core.maximum(core.minimum(boxes, core.concat([size, size], -1)), core.zeros_like(boxes))

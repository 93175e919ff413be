"""The losses of two-stage detectors, of proposals and regions (arXiv 1506.01497) and masks (arXiv 1703.06870).

Rows that only fill a table up count nowhere, forward or backward, whatever they hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Callable, NamedTuple, Optional, Union

import core
from core.nn import functional as F
from core.vision.ops import bbox2delta, generate_mask_target, rpn_anchor_target
from PaddleDetection.models.boxes import by_anchor, of_class, smooth_l1


class Sampling(NamedTuple):
    """Which anchors or regions are learned from.

    Attributes:
        batch_size_per_im: so many of an image.
        fg_fraction: at most this share of them shows objects.
        fg_thresh: those that overlap an object at least so much show it.
        bg_thresh: those that overlap every object less are background.
        ignore_thresh: those that overlap a crowd more are left out; none where it is not positive.
        use_random: draw them; else the first ones are taken.
    """

    batch_size_per_im: int
    fg_fraction: float
    fg_thresh: float
    bg_thresh: float
    ignore_thresh: float = -1.0
    use_random: bool = True


class Truth(NamedTuple):
    """The objects of a batch, padded to G rows, at least one, for each image.

    Attributes:
        boxes: corners in pixels of the network's image (N, G, 4).
        classes: int64 (N, G).
        counts: how many rows are objects, (N,).
        is_crowd: which ones are crowds, int64 (N, G); None: none.
        segm: their masks, as generate_mask_target takes them; None where there are none.
    """

    boxes: Any
    classes: Any
    counts: Any
    is_crowd: Any = None
    segm: Any = None


class Regions(NamedTuple):
    """Regions that are learned from.

    Attributes:
        rois: corners in pixels of the network's image (N, R, 4), those with an object first.
        labels: int64 (N, R): their classes, the number of classes for background, -1 where a row is none.
        boxes: corners of their objects (N, R, 4).
        places: of these among the image's objects, int64 (N, R).
    """

    rois: Any
    labels: Any
    boxes: Any
    places: Any


def rpn_loss(
    found: Sequence[tuple[Any, Any, Any]], truth: Truth, sampling: Sampling, beta: float = 0.0, inside: Any = None
) -> dict[str, Any]:
    """Return the losses of the region proposal network.

    Args:
        found: of each level logits (N, A, H, W), deltas (N, 4 * A, H, W), and anchors (H * W * A, 4).
        truth: the objects.
        sampling: which anchors are learned from.
        beta: differences of boxes below it count by their square; 0: none.
        inside: height and width of the images (N, 2), beyond which no anchor may reach, as before 2.0; None: any may.

    Returns:
        "loss_rpn_cls" and "loss_rpn_reg", sums over the batch divided by the number of anchors that are wanted, or that
        there are, before 2.0.
    """
    scores = core.concat([by_anchor(level[0], 1) for level in found], 1).squeeze(-1)
    deltas = core.concat([by_anchor(level[1], 4) for level in found], 1)
    anchors = core.concat([level[2] for level in found])
    within = None
    if inside is not None:
        limit = inside.flip(-1).unsqueeze(1) + 1  # its last pixel may begin at the image's edge
        within = core.logical_and(anchors[:, :2] >= 0, anchors[:, 2:] < limit).all(-1)
    labels, _, wanted = rpn_anchor_target(
        anchors,
        truth.boxes,
        sampling.batch_size_per_im,
        sampling.fg_thresh,
        sampling.bg_thresh,
        sampling.fg_fraction,
        sampling.use_random,
        sampling.ignore_thresh,
        truth.is_crowd,
        gt_count=truth.counts,
        inside=within,
    )
    positive = labels == 1
    taken = core.cast(labels >= 0, "float32")
    likely = F.binary_cross_entropy_with_logits(scores, core.cast(positive, "float32"), taken, reduction="sum")
    total = sampling.batch_size_per_im * scores.shape[0] if inside is None else taken.sum().clip(min=1.0)
    return {"loss_rpn_cls": likely / total, "loss_rpn_reg": _distance(deltas, wanted, positive, beta).sum() / total}


def bbox_loss(
    scores: Any,
    deltas: Any,
    rois: Any,
    labels: Any,
    boxes: Any,
    weights: Sequence[float],
    beta: Union[float, Callable[[Any], Any]] = 0.0,
) -> tuple[Any, Any]:
    """Return the losses of the regions' classes and boxes, means over the regions that are taken.

    Args:
        scores: logits (R, K + 1), background last.
        deltas: (R, 4 * K), or (R, 4) where all classes have the same box.
        rois: corners of the regions, pixels, (R, 4).
        labels: int64 (R,); K for background, -1 for those that are not taken.
        boxes: corners of their objects (R, 4).
        weights: factors of the four numbers.
        beta: differences below it count by their square; 0: none. Or how much each difference counts, as a function.
    """
    classes = scores.shape[1] - 1
    taken, positive = labels >= 0, core.logical_and(labels >= 0, labels < classes)
    used = core.cast(taken, "float32")
    total = used.sum().clip(min=1.0)
    entropy = F.cross_entropy(scores, labels.clip(min=0), reduction="none").flatten()
    if deltas.shape[1] != 4:
        deltas = of_class(deltas.reshape([-1, classes, 4]), labels.clip(0, classes - 1))
    whole = core.to_tensor([0.0, 0.0, 1.0, 1.0]).expand_as(rois)
    given = positive.unsqueeze(-1)
    wanted = bbox2delta(core.where(given, rois, whole), core.where(given, boxes, whole), weights)
    return (entropy * used).sum() / total, _distance(deltas, wanted, positive, beta).sum() / total


def mask_loss(logits: Any, rois: Any, labels: Any, places: Any, truth: Truth) -> Any:
    """Return the loss of the regions' masks, a mean over the points of regions with an object.

    An image without such a region counts like one whose region is right everywhere, as in PaddleDetection.

    Args:
        logits: (N * P, K, M, M).
        rois: corners of the regions, pixels, (N, P, 4).
        labels: int64 (N, P); K for background, -1 for those that are not taken.
        places: their objects, int64 (N, P).
        truth: the objects.
    """
    classes, size = logits.shape[1:3]
    wanted, weights = generate_mask_target(truth.segm, rois, labels, places, classes, size)
    chosen = of_class(logits, labels.flatten().clip(0, classes - 1))
    apart = F.binary_cross_entropy_with_logits(
        chosen, core.cast(wanted, "float32").reshape([-1, size, size]), reduction="none"
    )
    total = weights.sum(1).clip(min=1.0).sum() * size**2
    return (apart.sum([1, 2]) * weights.flatten()).sum() / total


def truth_of(targets: Any, masks: bool = False) -> Truth:
    """Return the objects of a batch, at least one row for each image.

    Args:
        targets: as :meth:`Detector.losses` takes them.
        masks: whether the objects' masks are needed.

    Raises:
        ValueError: they are needed, and not there.
    """
    boxes, classes = targets["gt_bbox"], core.cast(targets["gt_class"], "int64")
    crowd: Optional[Any] = targets.get("is_crowd")
    segm: Optional[Any] = targets.get("gt_segm")
    if masks and segm is None:
        raise ValueError("the detector learns masks, but the data has no gt_segm: add the transform Poly2Mask")
    images, room = boxes.shape[:2]
    if room == 0:
        boxes, classes = core.zeros([images, 1, 4]), core.zeros([images, 1], "int64")
        crowd = None
        segm = None if segm is None else core.zeros([images, 1, *segm.shape[2:]], segm.dtype)
    return Truth(boxes, classes, targets["gt_count"], crowd, segm if masks else None)


def _distance(found: Any, wanted: Any, positive: Any, beta: Union[float, Callable[[Any], Any]]) -> Any:
    """Return how much differences of deltas (..., 4) count, each number by itself; 0 where rows are not positive."""
    given, zero = positive.unsqueeze(-1).expand_as(found), core.zeros_like(found)
    difference = found - core.where(given, wanted, zero).detach()
    difference = core.where(given, difference, zero)
    return beta(difference) if callable(beta) else smooth_l1(difference, beta)

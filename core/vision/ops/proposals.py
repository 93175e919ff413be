"""Region proposals, made from anchors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

from core.kernels.dispatch.dispatcher import Meta
from core.kernels.dispatch.errors import OperatorError
from core.kernels.dispatch.operator import HostOperator
from core.kernels.dtypes import int32
from core.operators import cast
from core.tensor import Tensor, apply
from core.vision.ops.arguments import floating_of_rank, need_fitting, upcast
from core.vision.ops.padding import IN_PROGRAMS, kept_rows_argument, padded_rows

__all__ = ["generate_proposals"]

LARGEST_GROWTH = np.log(1000.0 / 16.0)
"""No box grows more than this, as a logarithm."""


def _proposed(
    scores: np.ndarray,
    deltas: np.ndarray,
    sizes: np.ndarray,
    anchors: np.ndarray,
    variances: np.ndarray,
    before: int,
    after: int,
    threshold: float,
    smallest: float,
    eta: float,
    plus: float,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return boxes, their scores, and their number per image."""
    from core.kernels.boxes import suppression  # numba loads with the first use
    from core.kernels.numeric import introsort

    flat_anchors, flat_variances = anchors.reshape(-1, 4), variances.reshape(-1, 4)
    rows, ranks, counts = [], [], []
    for image_scores, image_deltas, size in zip(scores, deltas, sizes):
        flat = image_scores.transpose(1, 2, 0).ravel()
        moves = image_deltas.reshape(-1, 4, *image_deltas.shape[1:]).transpose(2, 3, 0, 1).reshape(-1, 4)
        all_of_them = before <= 0 or before >= len(flat)
        best = introsort.descending(flat) if all_of_them else introsort.chosen(flat, before)
        boxes = _moved(flat_anchors[best], flat_variances[best] * moves[best], plus)
        boxes = _inside(boxes, size, plus)
        chosen = _large(boxes, size, max(smallest, 1.0), plus)
        if not chosen.size:
            rows.append(np.zeros((1, 4), boxes.dtype))
            ranks.append(np.zeros((1, 1), boxes.dtype))
            counts.append(1)
            continue
        if threshold > 0:  # of equally good boxes the last one counts as the better one
            ranked = chosen[np.argsort(flat[best[chosen]], kind="stable")[::-1]]
            kept = suppression.suppress(np.ascontiguousarray(boxes[ranked]), threshold, plus, eta)
            chosen = ranked[kept[: after if after > 0 else None]]
        rows.append(boxes[chosen])
        ranks.append(flat[best[chosen]][:, None])
        counts.append(len(chosen))
    return np.concatenate(rows), np.concatenate(ranks), np.array(counts, np.int32)


def _moved(anchors: np.ndarray, moves: np.ndarray, plus: float) -> np.ndarray:
    kind = anchors.dtype.type
    size = anchors[:, 2:] - anchors[:, :2] + kind(plus)
    center = moves[:, :2] * size + (anchors[:, :2] + kind(0.5) * size)
    half = kind(0.5) * np.exp(np.minimum(moves[:, 2:], kind(LARGEST_GROWTH))) * size
    return np.concatenate([center - half, center + half - kind(plus)], axis=1)


def _inside(boxes: np.ndarray, size: np.ndarray, plus: float) -> np.ndarray:
    limit = np.array([size[1], size[0], size[1], size[0]], boxes.dtype) - boxes.dtype.type(plus)
    return np.clip(boxes, 0, limit)


def _large(boxes: np.ndarray, size: np.ndarray, smallest: float, plus: float) -> np.ndarray:
    sides = boxes[:, 2:] - boxes[:, :2] + boxes.dtype.type(plus)
    good = (sides >= smallest).all(-1)
    if plus:
        middle = boxes[:, :2] + sides / 2
        good &= (middle <= size[::-1]).all(-1)
    return np.flatnonzero(good)


def _proposed_padded(*arrays: Any, **options: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return what :func:`_proposed` does with ``after`` rows for each image; those without a proposal are zeros."""
    boxes, ranks, counts = _proposed(*arrays, **options)
    after = options["after"]
    return padded_rows(boxes, counts, after, 0), padded_rows(ranks, counts, after, 0), np.minimum(counts, after)


def _proposed_padded_meta(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
    (images, *_), dtype = metas[0]
    return [((images, options["after"], 4), dtype), ((images, options["after"], 1), dtype), ((images,), int32)]


def _proposed_check(metas: Sequence[Meta], options: dict[str, Any]) -> None:
    scores, deltas, sizes, *anchors = (shape for shape, _ in metas)
    fits = len(scores) == 4
    if fits:
        batch, count, height, width = scores
        fits = deltas == (batch, 4 * count, height, width) and sizes == (batch, 2)
        fits = fits and all(math.prod(shape) == 4 * count * height * width and shape[-1:] == (4,) for shape in anchors)
    need_fitting("generate_proposals", fits, metas, 5)


_generate = HostOperator("generate_proposals", _proposed, check=_proposed_check, differentiable=False)
_generate.instead = IN_PROGRAMS
_generate_padded = HostOperator(
    "generate_proposals_padded",
    _proposed_padded,
    check=_proposed_check,
    infer=_proposed_padded_meta,
    differentiable=False,
)


def generate_proposals(
    scores: Tensor,
    bbox_deltas: Tensor,
    img_size: Tensor,
    anchors: Tensor,
    variances: Tensor,
    pre_nms_top_n: int = 6000,
    post_nms_top_n: int = 1000,
    nms_thresh: float = 0.5,
    min_size: float = 0.1,
    eta: float = 1.0,
    pixel_offset: bool = False,
    return_rois_num: bool = False,
    name: Optional[str] = None,
    *,
    padded: bool = False,
) -> tuple[Tensor, Tensor, Optional[Tensor]]:
    """Make region proposals from the scores and offsets of anchors (Faster R-CNN, Ren et al., arXiv 1506.01497).

    How many boxes there are depends on the data, so a compiled or exported program takes ``padded=True``.

    Args:
        scores: How likely each anchor holds an object (N, A, H, W).
        bbox_deltas: Offsets from anchors (N, 4 * A, H, W).
        img_size: Height and width of each image in pixels (N, 2).
        anchors: Corners x1, y1, x2, y2, shape (H, W, A, 4), or (H * W * A, 4) in that order.
        variances: What offsets are multiplied with, of such a shape.
        pre_nms_top_n: So many of the best anchors are looked at; all when not positive.
        post_nms_top_n: At most so many boxes of an image are returned.
        nms_thresh: The largest intersection over union with a better box that is kept; nothing is suppressed when not
            positive.
        min_size: Smaller boxes are dropped, at least those below one pixel.
        eta: Below 1: nms_thresh, while above 0.5, shrinks by it with each kept box.
        pixel_offset: Whether corners are whole pixels, both of which belong to the box.
        return_rois_num: Return the number of boxes per image too.
        name: Unused, as in Paddle.
        padded: Return post_nms_top_n rows for each image, which must be positive; rows without a proposal are zeros.

    Returns:
        Boxes (kept, 4), their scores (kept, 1), and int32 numbers (N,) or None; an image without proposals has one of
        zeros. Where padded: (N, post_nms_top_n, 4), (N, post_nms_top_n, 1) and (N,).

    Raises:
        OperatorError: shapes do not fit each other, or post_nms_top_n is not positive where padded.
    """
    caller = "generate_proposals"
    scores = floating_of_rank(scores, 4, caller, "scores", "(N, A, H, W)")
    batch, count, height, width = scores.shape
    wanted: dict[str, tuple[Any, list[int]]] = {
        "bbox_deltas": (bbox_deltas, [batch, 4 * count, height, width]),
        "img_size": (img_size, [batch, 2]),
    }
    for label, value in (("anchors", anchors), ("variances", variances)):
        flat = isinstance(value, Tensor) and value.ndim == 2
        wanted[label] = value, [height * width * count, 4] if flat else [height, width, count, 4]
    tensors = [upcast(scores).detach()]
    for label, (tensor, shape) in wanted.items():
        checked = floating_of_rank(tensor, len(shape), caller, label, str(shape))
        if checked.shape != shape:
            raise OperatorError(f"{caller}: {label} has the shape {shape}, but got {checked.shape}")
        tensors.append(cast(checked.detach(), tensors[0].dtype))
    boxes, ranks, counts = apply(
        _generate_padded if padded else _generate,
        *tensors,
        before=int(pre_nms_top_n),
        after=kept_rows_argument(post_nms_top_n, padded, caller, "post_nms_top_n"),
        threshold=float(nms_thresh),
        smallest=float(min_size),
        eta=float(eta),
        plus=1.0 if pixel_offset else 0.0,
    )
    return boxes, ranks, counts if return_rois_num else None

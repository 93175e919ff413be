"""Non-maximum suppression, hard and by matrix."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

from core.kernels.dispatch.dispatcher import Meta
from core.kernels.dispatch.errors import OperatorError
from core.kernels.dispatch.operator import HostOperator
from core.kernels.dtypes import int32, int64
from core.operators import cast
from core.operators._arguments import need_tensor
from core.operators.indexing.gathering import index_argument
from core.tensor import Tensor, apply
from core.vision.ops.arguments import boxes_argument, floating_of_rank, need_fitting, upcast
from core.vision.ops.padding import IN_PROGRAMS, kept_rows_argument, padded_rows

__all__ = ["matrix_nms", "nms"]


def _kept(
    boxes: np.ndarray,
    scores: np.ndarray,
    groups: np.ndarray,
    threshold: float,
    wanted: Optional[tuple[int, ...]],
    top: Optional[int],
) -> np.ndarray:
    """Return the places of boxes that no better one of their group suppresses; without scores they keep their order."""
    from core.kernels.boxes import suppression  # numba loads with the first use
    from core.kernels.numeric import introsort

    found = [np.empty(0, np.int64)]
    for group in wanted if wanted is not None else (None,):
        members = np.arange(len(boxes)) if group is None else np.flatnonzero(groups == group)
        if scores.size:
            members = members[introsort.descending(scores[members])]
        found.append(members[suppression.suppress_crossing(np.ascontiguousarray(boxes[members]), threshold)])
    if wanted is None:
        return found[1][:top]
    kept = np.unique(np.concatenate(found))
    ranks = scores[kept]
    return kept[introsort.descending(ranks) if top is None else introsort.top(ranks, top)]


def _kept_padded(*arrays: Any, **options: Any) -> np.ndarray:
    """Return so many places, those behind the last box that is kept -1."""
    kept = _kept(*arrays, **options)
    return padded_rows(kept[:, None], np.array([len(kept)]), options["top"], -1)[0, :, 0]


def _kept_padded_meta(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
    return [((options["top"],), int64)]


def _kept_check(metas: Sequence[Meta], options: dict[str, Any]) -> None:
    (boxes, _), (scores, kind), (groups, _) = metas
    fits = len(boxes) == 2 and boxes[1] == 4 and {scores, groups} <= {(0,), boxes[:1]} and kind.is_floating
    need_fitting("nms", fits, [metas[0], metas[2]], 1)


_nms = HostOperator("non_maximum_suppression", _kept, check=_kept_check, differentiable=False)
_nms.instead = IN_PROGRAMS
_nms_padded = HostOperator(
    "non_maximum_suppression_padded", _kept_padded, check=_kept_check, infer=_kept_padded_meta, differentiable=False
)


def nms(
    boxes: Tensor,
    iou_threshold: float = 0.3,
    scores: Optional[Tensor] = None,
    category_idxs: Optional[Tensor] = None,
    categories: Optional[Sequence[int]] = None,
    top_k: Optional[int] = None,
    *,
    padded: bool = False,
) -> Tensor:
    """Keep the boxes that overlap no better one too much.

    How many boxes are kept depends on the data, so a compiled or exported program takes ``padded=True``.

    Args:
        boxes: Corners x1, y1, x2, y2, shape (boxes, 4); the best box first where there are no scores.
        iou_threshold: The largest intersection over union with a better box that is kept.
        scores: How good each box is, shape (boxes,).
        category_idxs: The category of each box, integers (boxes,): boxes of different ones do not suppress each other.
        categories: The categories that are kept; needed with category_idxs.
        top_k: Keep only so many of the best.
        padded: Return top_k places, whatever the data: those behind the last kept box are -1.

    Returns:
        int64 places of the kept boxes, the best one first, shape (kept,), or (top_k,) where padded.

    Raises:
        OperatorError: shapes do not fit each other, categories without scores, or no top_k where padded.
    """
    boxes = upcast(boxes_argument(boxes, "nms")).detach()
    count = boxes.shape[0]
    for name, given in (("scores", scores), ("category_idxs", category_idxs)):
        if given is not None and need_tensor(given, "nms", name).shape != [count]:
            raise OperatorError(f"nms: {name} has one number for each of {count} boxes, but got shape {given.shape}")
    if category_idxs is not None and (scores is None or categories is None):
        raise OperatorError("nms: category_idxs needs scores and categories")
    kept_rows_argument(top_k, padded, "nms", "top_k")
    if top_k is not None and not padded and (scores is None or not 0 <= top_k <= count):
        raise OperatorError(f"nms: top_k {top_k} needs scores, and at least as many boxes, of which there are {count}")
    ranks = Tensor(np.zeros(0, np.float32)) if scores is None else upcast(scores).detach()
    groups = Tensor(np.zeros(0, np.int64)) if category_idxs is None else index_argument(category_idxs, "nms")
    wanted = None if category_idxs is None else tuple(int(item) for item in categories or ())
    options = {"threshold": float(iou_threshold), "wanted": wanted, "top": top_k}
    return apply(_nms_padded if padded else _nms, boxes, ranks, groups, **options)


def _decayed(
    boxes: np.ndarray,
    scores: np.ndarray,
    score_threshold: float,
    post_threshold: float,
    first: int,
    last: int,
    gaussian: bool,
    sigma: float,
    background: int,
    plus: float,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return rows of label, score and box, the place of each among all boxes, and their number per image."""
    from core.kernels.boxes import suppression  # numba loads with the first use
    from core.kernels.numeric import introsort

    limits = [boxes.dtype.type(np.float32(number)) for number in (score_threshold, post_threshold)]
    rows, places, counts = [], [], []
    for image, (image_boxes, image_scores) in enumerate(zip(boxes, scores)):
        found, origin = [np.empty((0, 6), boxes.dtype)], [np.empty(0, np.int64)]
        for label, ranks in enumerate(image_scores):
            if label == background:
                continue
            chosen = np.flatnonzero(ranks > limits[0])
            chosen = chosen[introsort.largest(ranks[chosen], first if first > -1 else len(chosen))]
            corners = np.ascontiguousarray(image_boxes[chosen])
            lowered = ranks[chosen] * suppression.decay(corners, plus, gaussian, sigma)
            good = lowered > limits[1]
            labels = np.full(int(good.sum()), label, boxes.dtype)
            found.append(np.column_stack([labels, lowered[good], corners[good]]).astype(boxes.dtype))
            origin.append(chosen[good] + image * boxes.shape[1])
        table, source = np.concatenate(found), np.concatenate(origin)
        best = introsort.largest(table[:, 1], last if last > -1 else len(table))
        rows.append(table[best])
        places.append(source[best])
        counts.append(len(best))
    everything = np.concatenate(rows), np.concatenate(places).astype(np.int32)[:, None]
    return (*everything, np.array(counts, np.int32))


def _decayed_padded(*arrays: Any, **options: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return what :func:`_decayed` does with ``last`` rows for each image; those without a box have the label -1."""
    rows, places, counts = _decayed(*arrays, **options)
    empty = np.where(np.arange(rows.shape[1]) == 0, -1, 0)
    return padded_rows(rows, counts, options["last"], empty), padded_rows(places, counts, options["last"], -1), counts


def _decayed_padded_meta(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
    (images, *_), dtype = metas[0]
    return [((images, options["last"], 6), dtype), ((images, options["last"], 1), int32), ((images,), int32)]


def _decayed_check(metas: Sequence[Meta], options: dict[str, Any]) -> None:
    (boxes, _), (scores, _) = metas
    fits = len(boxes) == len(scores) == 3 and boxes[2] == 4 and (scores[0], scores[2]) == boxes[:2] and boxes[0] > 0
    need_fitting("matrix_nms", fits, metas, 2)


_matrix_nms = HostOperator("matrix_suppression", _decayed, check=_decayed_check, differentiable=False)
_matrix_nms.instead = IN_PROGRAMS
_matrix_nms_padded = HostOperator(
    "matrix_suppression_padded", _decayed_padded, check=_decayed_check, infer=_decayed_padded_meta, differentiable=False
)


def matrix_nms(
    bboxes: Tensor,
    scores: Tensor,
    score_threshold: float,
    post_threshold: float,
    nms_top_k: int,
    keep_top_k: int,
    use_gaussian: bool = False,
    gaussian_sigma: float = 2.0,
    background_label: int = 0,
    normalized: bool = True,
    return_index: bool = False,
    return_rois_num: bool = True,
    name: Optional[str] = None,
    *,
    padded: bool = False,
) -> tuple[Tensor, Optional[Tensor], Optional[Tensor]]:
    """Lower the scores of boxes that overlap better ones of their class (SOLOv2, Wang et al., arXiv 2003.10152).

    How many boxes are kept depends on the data, so a compiled or exported program takes ``padded=True``.

    Args:
        bboxes: Corners x1, y1, x2, y2, shape (N, boxes, 4).
        scores: Shape (N, classes, boxes).
        score_threshold: Boxes of a class must score above it.
        post_threshold: And above this one when lowered.
        nms_top_k: At most so many boxes of a class are looked at; all when -1.
        keep_top_k: At most so many boxes of an image are kept; all when -1.
        use_gaussian: Let the penalty fall as a normal density does, else on a line.
        gaussian_sigma: How fast.
        background_label: A class that is left out; none when -1.
        normalized: Whether corners are not whole pixels, both of which belong to the box.
        return_index: Return places too.
        return_rois_num: Return the number of kept boxes of each image too.
        name: Unused, as in Paddle.
        padded: Return keep_top_k rows for each image, which must be given. Rows without a box have the label -1, score
            and corners 0, and the place -1.

    Returns:
        Rows of label, score and corners (kept, 6), image by image, the best first; int32 numbers (N,) or None; int32
        places among all boxes (kept, 1) or None. Where padded: (N, keep_top_k, 6), (N,) and (N, keep_top_k, 1).

    Raises:
        OperatorError: shapes do not fit each other, or keep_top_k is not positive where padded.
        OperatorTypeError: they are not floating-point.
    """
    bboxes = floating_of_rank(bboxes, 3, "matrix_nms", "bboxes", "(N, boxes, 4)")
    scores = floating_of_rank(scores, 3, "matrix_nms", "scores", "(N, classes, boxes)")
    if bboxes.shape[2] != 4 or [scores.shape[0], scores.shape[2]] != bboxes.shape[:2] or not bboxes.shape[0]:
        raise OperatorError(
            f"matrix_nms: expects bboxes (N, boxes, 4) and scores (N, classes, boxes), got {bboxes.shape} and"
            f" {scores.shape}"
        )
    boxes = upcast(bboxes).detach()
    rows, places, counts = apply(
        _matrix_nms_padded if padded else _matrix_nms,
        *(boxes, cast(scores.detach(), boxes.dtype)),
        score_threshold=float(score_threshold),
        post_threshold=float(post_threshold),
        first=int(nms_top_k),
        last=kept_rows_argument(keep_top_k, padded, "matrix_nms", "keep_top_k"),
        gaussian=bool(use_gaussian),
        sigma=float(gaussian_sigma),
        background=int(background_label),
        plus=0.0 if normalized else 1.0,
    )
    return rows, counts if return_rois_num else None, places if return_index else None

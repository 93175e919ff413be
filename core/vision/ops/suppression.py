"""Non-maximum suppression, hard and by matrix."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

import numpy as np

from core.kernels.errors import OperatorError
from core.kernels.operator import HostOperator
from core.operators import cast
from core.operators.arguments import need_tensor
from core.operators.gathering import index_argument
from core.tensor import Tensor, apply
from core.vision.ops.arguments import boxes_argument, floating_of_rank, widened

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
    from core.kernels import suppression  # numba loads with the first use

    found = []
    for group in wanted if wanted is not None else (None,):
        members = np.arange(len(boxes)) if group is None else np.flatnonzero(groups == group)
        if scores.size:
            members = members[np.argsort(-scores[members], kind="stable")]
        found.append(members[suppression.suppress(np.ascontiguousarray(boxes[members]), threshold)])
    kept = (
        np.unique(np.concatenate(found)) if wanted is not None and found else np.concatenate([*found, np.empty(0, int)])
    )
    if scores.size:
        kept = kept[np.argsort(-scores[kept], kind="stable")]
    return kept[:top].astype(np.int64)


_nms = HostOperator("non_maximum_suppression", _kept, differentiable=False)


def nms(
    boxes: Tensor,
    iou_threshold: float = 0.3,
    scores: Optional[Tensor] = None,
    category_idxs: Optional[Tensor] = None,
    categories: Optional[Sequence[int]] = None,
    top_k: Optional[int] = None,
) -> Tensor:
    """Keep the boxes that overlap no better one too much.

    Args:
        boxes: Corners x1, y1, x2, y2, shape (boxes, 4); the best box first where there are no scores.
        iou_threshold: The largest intersection over union with a better box that is kept.
        scores: How good each box is, shape (boxes,).
        category_idxs: The category of each box, integers (boxes,): boxes of different ones do not suppress each other.
        categories: The categories that are kept; needed with category_idxs.
        top_k: Keep only so many of the best.

    Returns:
        int64 places of the kept boxes, the best one first. How many depends on the data, so it is computed outside
        compiled programs.

    Raises:
        OperatorError: shapes do not fit each other, or categories without scores.
    """
    boxes = widened(boxes_argument(boxes, "nms")).detach()
    count = boxes.shape[0]
    for name, given in (("scores", scores), ("category_idxs", category_idxs)):
        if given is not None and need_tensor(given, "nms", name).shape != [count]:
            raise OperatorError(f"nms: {name} has one number for each of {count} boxes, but got shape {given.shape}")
    if category_idxs is not None and (scores is None or categories is None):
        raise OperatorError("nms: category_idxs needs scores and categories")
    if top_k is not None and (scores is None or not 0 <= top_k <= count):
        raise OperatorError(f"nms: top_k {top_k} needs scores, and at least as many boxes, of which there are {count}")
    ranks = Tensor(np.zeros(0, np.float32)) if scores is None else widened(scores).detach()
    groups = Tensor(np.zeros(0, np.int64)) if category_idxs is None else index_argument(category_idxs, "nms")
    wanted = None if category_idxs is None else tuple(int(item) for item in categories or ())
    return apply(_nms, boxes, ranks, groups, threshold=float(iou_threshold), wanted=wanted, top=top_k)  # type: ignore[no-any-return]


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
    from core.kernels import suppression

    rows, places, counts = [], [], []
    for image, (image_boxes, image_scores) in enumerate(zip(boxes, scores)):
        found, origin = [np.empty((0, 6), boxes.dtype)], [np.empty(0, np.int64)]
        for label, ranks in enumerate(image_scores):
            if label == background:
                continue
            chosen = np.flatnonzero(ranks > score_threshold)
            chosen = chosen[np.argsort(-ranks[chosen], kind="stable")][: first if first > -1 else None]
            corners = np.ascontiguousarray(image_boxes[chosen])
            lowered = ranks[chosen] * suppression.decay(corners, plus, gaussian, sigma)
            good = lowered > post_threshold
            labels = np.full(int(good.sum()), label, boxes.dtype)
            found.append(np.column_stack([labels, lowered[good], corners[good]]).astype(boxes.dtype))
            origin.append(chosen[good] + image * boxes.shape[1])
        table, source = np.concatenate(found), np.concatenate(origin)
        best = np.argsort(-table[:, 1], kind="stable")[: last if last > -1 else None]
        rows.append(table[best])
        places.append(source[best])
        counts.append(len(best))
    everything = np.concatenate(rows), np.concatenate(places).astype(np.int32)[:, None]
    return (*everything, np.array(counts, np.int32))


_matrix_nms = HostOperator("matrix_suppression", _decayed, differentiable=False)


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
) -> tuple[Tensor, Optional[Tensor], Optional[Tensor]]:
    """Lower the scores of boxes that overlap better ones of their class (SOLOv2, Wang et al., arXiv 2003.10152).

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

    Returns:
        Rows of label, score and corners (kept, 6); int32 numbers (N,) or None; int32 places among all boxes (kept, 1)
        or None.

    Raises:
        OperatorError: shapes do not fit each other.
        OperatorTypeError: they are not floating-point.
    """
    bboxes = floating_of_rank(bboxes, 3, "matrix_nms", "bboxes", "(N, boxes, 4)")
    scores = floating_of_rank(scores, 3, "matrix_nms", "scores", "(N, classes, boxes)")
    if bboxes.shape[2] != 4 or [scores.shape[0], scores.shape[2]] != bboxes.shape[:2] or not bboxes.shape[0]:
        raise OperatorError(
            f"matrix_nms: wants bboxes (N, boxes, 4) and scores (N, classes, boxes), got {bboxes.shape} and"
            f" {scores.shape}"
        )
    boxes = widened(bboxes).detach()
    rows, places, counts = apply(
        _matrix_nms,
        *(boxes, cast(scores.detach(), boxes.dtype)),
        score_threshold=float(score_threshold),
        post_threshold=float(post_threshold),
        first=int(nms_top_k),
        last=int(keep_top_k),
        gaussian=bool(use_gaussian),
        sigma=float(gaussian_sigma),
        background=int(background_label),
        plus=0.0 if normalized else 1.0,
    )
    return rows, counts if return_rois_num else None, places if return_index else None

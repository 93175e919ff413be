"""Non-maximum suppression within each of several classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

from core.kernels.dispatch.dispatcher import Meta
from core.kernels.dispatch.errors import OperatorError
from core.kernels.dispatch.operator import HostOperator
from core.kernels.dtypes import int32
from core.operators import cast
from core.tensor import Tensor, apply
from core.vision.ops.arguments import counts_argument, floating_of_rank, need_fitting, upcast
from core.vision.ops.padding import IN_PROGRAMS, kept_rows_argument, padded_rows

__all__ = ["multiclass_nms"]

COORDINATES = (4, 8, 16, 24, 32)
"""Numbers of a box: two corners, or all corners of a polygon."""

Found = tuple[np.ndarray, np.ndarray, np.ndarray]


def _selected(
    boxes: np.ndarray,
    scores: np.ndarray,
    counts: np.ndarray,
    score: float,
    top: int,
    last: int,
    threshold: float,
    eta: float,
    background: int,
    plus: float,
    whole: bool,
    soft: str = "",
    sigma: float = 0.5,
) -> Found:
    """Return rows of label, score and box, the place of each among all boxes, and their number per image."""
    regions = scores.ndim == 2  # each class has boxes of its own
    counts = np.array([len(boxes)]) if whole else counts
    tasks, labels = _tasks(boxes, scores, counts, background)
    if soft:
        from core.kernels.boxes.soft import SoftRule, select_soft  # numba loads with the first use

        kept, lowered = select_soft(tasks, SoftRule(score, top, threshold, soft == "gaussian", sigma, plus))
    else:
        from core.kernels.boxes.multiclass import Rule, select  # numba loads with the first use

        kept = select(tasks, Rule(score, top, threshold, eta, plus))
    rows, places, numbers = [np.empty((0, 2 + boxes.shape[-1]), boxes.dtype)], [np.empty(0, np.int64)], []
    images = len(counts) if regions else len(boxes)
    per_image = kept.counts.reshape(images, len(labels))
    last_of_image = np.cumsum(per_image.sum(axis=1))
    for image, own, end in zip(range(images), per_image, last_of_image):
        mine = slice(end - own.sum(), end)
        place, label = kept.places[mine], np.repeat(labels, own)
        begin = tasks.first[image * len(labels)] if len(labels) else 0
        if soft:
            rank = lowered[mine]
        else:
            rank = scores[begin + place, label] if regions else scores[image, label, place]
        best = np.arange(len(place))
        if -1 < last < len(place):
            best = np.argsort(-rank.astype(np.float32), kind="stable")[:last]
            best = best[np.argsort(label[best], kind="stable")]
        if regions:
            best = best[np.lexsort((place[best], label[best]))]
        place, label, rank = place[best], label[best], rank[best]
        corners = boxes[begin + place, label] if regions else boxes[image, place]
        rows.append(np.concatenate([label[:, None].astype(boxes.dtype), rank[:, None], corners], axis=1))
        places.append((begin + place) * scores.shape[1] + label if regions else place + image * boxes.shape[1])
        numbers.append(len(best))
    found = np.concatenate(places).astype(np.int32)[:, None]
    return np.concatenate(rows), found, np.array(numbers, np.int32)


def _tasks(boxes: np.ndarray, scores: np.ndarray, counts: np.ndarray, background: int) -> tuple[Any, np.ndarray]:
    """Return what is selected from, image by image and class by class, and the classes."""
    from core.kernels.boxes.multiclass import Tasks  # numba loads with the first use

    labels = np.array([label for label in range(scores.shape[1]) if label != background], np.int64)
    if scores.ndim == 2:
        ends = np.cumsum(counts)
        if (counts < 0).any() or counts.sum() != len(boxes):
            raise OperatorError(
                f"multiclass_nms: rois_num adds up to {int(counts.sum())}, but there are {len(boxes)} boxes"
            )
        row, table = np.tile(labels, len(counts)), np.tile(labels, len(counts))
        first, last = np.repeat(ends - counts, len(labels)), np.repeat(ends, len(labels))
        own = np.ascontiguousarray(boxes.transpose(1, 0, 2)), np.ascontiguousarray(scores.T)
        return Tasks(*own, table, row, first, last), labels
    table = np.repeat(np.arange(len(boxes)), len(labels))
    row = table * scores.shape[1] + np.tile(labels, len(boxes))
    first = np.zeros(len(row), np.int64)
    flat = np.ascontiguousarray(scores).reshape(len(scores) * scores.shape[1], scores.shape[2])
    return Tasks(np.ascontiguousarray(boxes), flat, table, row, first, first + boxes.shape[1]), labels


def _padded(*arrays: Any, **options: Any) -> Found:
    """Return what :func:`_selected` does with ``last`` rows for each image; those without a box have the label -1."""
    rows, places, counts = _selected(*arrays, **options)
    empty = np.where(np.arange(rows.shape[1]) == 0, -1, 0)
    return padded_rows(rows, counts, options["last"], empty), padded_rows(places, counts, options["last"], -1), counts


def _padded_meta(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
    (boxes, dtype), (scores, _), (counts, _) = metas
    images, last = (counts if len(scores) == 2 else boxes)[0], options["last"]
    return [((images, last, 2 + boxes[2]), dtype), ((images, last, 1), int32), ((images,), int32)]


def _check(metas: Sequence[Meta], options: dict[str, Any]) -> None:
    (boxes, _), (scores, _), (counts, _) = metas
    fits = len(boxes) == 3 and len(counts) == 1 and boxes[2] in COORDINATES
    if len(scores) == 3:
        fits = fits and (scores[0], scores[2]) == boxes[:2]
    else:
        fits = fits and scores == boxes[:2] and boxes[2] == 4
    need_fitting("multiclass_nms", fits, metas, 2)


_multiclass = HostOperator("multiclass_suppression", _selected, check=_check, differentiable=False)
_multiclass.instead = IN_PROGRAMS
_multiclass_padded = HostOperator(
    "multiclass_suppression_padded", _padded, check=_check, infer=_padded_meta, differentiable=False
)


def multiclass_nms(
    bboxes: Tensor,
    scores: Tensor,
    score_threshold: float,
    nms_top_k: int,
    keep_top_k: int,
    nms_threshold: float = 0.3,
    normalized: bool = True,
    nms_eta: float = 1.0,
    background_label: int = -1,
    return_index: bool = False,
    return_rois_num: bool = True,
    rois_num: Optional[Tensor] = None,
    name: Optional[str] = None,
    *,
    padded: bool = False,
    soft: Optional[str] = None,
    soft_sigma: float = 0.5,
) -> tuple[Tensor, Optional[Tensor], Optional[Tensor]]:
    """Keep, for each class, the boxes that overlap no better one of that class too much (Paddle's multiclass_nms3).

    Soft suppression (Soft-NMS, Bodla et al., arXiv 1704.04503) lowers the scores of overlapping boxes instead, each
    time that a box is kept, and goes on with the best that is left and scores above score_threshold.

    How many boxes are kept depends on the data, so a compiled or exported program takes ``padded=True``.

    Args:
        bboxes: Corners x1, y1, x2, y2, or the 4, 8, 12 or 16 corners of polygons, shape (N, boxes, 4, 8, 16, 24 or 32);
            with scores of two axes, corners for each class, (boxes, classes, 4).
        scores: Shape (N, classes, boxes), or (boxes, classes) where each class has boxes of its own.
        score_threshold: Boxes of a class must score above it.
        nms_top_k: At most so many of the best boxes of a class are looked at; all when -1.
        keep_top_k: At most so many boxes of an image are kept; all when -1.
        nms_threshold: The largest intersection over union with a better box that is kept.
        normalized: Whether corners are not whole pixels, both of which belong to the box.
        nms_eta: Below 1: nms_threshold, while above 0.5, shrinks by it with each kept box of the class.
        background_label: A class that is left out; none when -1.
        return_index: Return places too.
        return_rois_num: Return the number of kept boxes of each image too.
        rois_num: With scores of two axes, how many boxes each image has, integers (N,); one image when None.
        name: Unused, as in Paddle.
        padded: Return keep_top_k rows for each image, which must be given. Rows without a box have the label -1, score
            and corners 0, and the place -1.
        soft: ``linear`` multiplies the scores of boxes that overlap more than nms_threshold by 1 - overlap,
            ``gaussian`` all scores by exp(-overlap² / soft_sigma); None drops boxes. For corners x1, y1, x2, y2 only.
        soft_sigma: How fast the density falls.

    Returns:
        Rows of label, score and corners (kept, 2 + coordinates), image by image and class by class; within a class the
        best first or, with scores of two axes, in the order of the boxes. int32 numbers (N,) or None. int32 places
        (kept, 1) or None: ``image * boxes + box``, or ``box * classes + class`` with scores of two axes. Where padded:
        (N, keep_top_k, 2 + coordinates), (N,) and (N, keep_top_k, 1).

    Raises:
        OperatorError: shapes do not fit each other, rois_num does not add up to the number of boxes, or keep_top_k is
            not positive where padded, or soft suppression cannot be done with these arguments.
        OperatorTypeError: boxes or scores are not floating-point, or rois_num not integers.
    """
    caller = "multiclass_nms"
    bboxes = floating_of_rank(bboxes, 3, caller, "bboxes", "(N, boxes, coordinates)")
    rank = scores.ndim if isinstance(scores, Tensor) and scores.ndim in (2, 3) else 3
    scores = floating_of_rank(scores, rank, caller, "scores", "(N, classes, boxes) or (boxes, classes)")
    wanted = bboxes.shape[:2] if rank == 2 else [bboxes.shape[0], scores.shape[1], bboxes.shape[1]]
    if scores.shape != wanted or bboxes.shape[2] not in (COORDINATES[:1] if rank == 2 else COORDINATES):
        raise OperatorError(
            f"{caller}: expects bboxes (N, boxes, 4, 8, 16, 24 or 32) and scores (N, classes, boxes), or bboxes (boxes,"
            f" classes, 4) and scores (boxes, classes), got {bboxes.shape} and {scores.shape}"
        )
    if soft is not None:
        _need_soft(soft, soft_sigma, nms_eta, bboxes.shape[2])
    if rank == 2 and rois_num is not None:
        images = rois_num.shape[0] if isinstance(rois_num, Tensor) and rois_num.ndim else 1
        counts = counts_argument(rois_num, images, caller, "rois_num")
    else:
        counts = Tensor(np.zeros(1), dtype="int64")
    boxes = upcast(bboxes).detach()
    rows, places, numbers = apply(
        _multiclass_padded if padded else _multiclass,
        *(boxes, cast(scores.detach(), boxes.dtype), counts),
        score=float(score_threshold),
        top=int(nms_top_k),
        last=kept_rows_argument(keep_top_k, padded, caller, "keep_top_k"),
        threshold=float(nms_threshold),
        eta=float(nms_eta),
        background=int(background_label),
        plus=0.0 if normalized else 1.0,
        whole=rois_num is None,
        **({} if soft is None else {"soft": soft, "sigma": float(soft_sigma)}),
    )
    return rows, numbers if return_rois_num else None, places if return_index else None


def _need_soft(soft: str, sigma: float, eta: float, coordinates: int) -> None:
    if soft not in ("linear", "gaussian"):
        raise OperatorError(f"multiclass_nms: soft is 'linear', 'gaussian' or None, got {soft!r}")
    if not sigma > 0:
        raise OperatorError(f"multiclass_nms: soft_sigma must be positive, got {sigma}")
    if eta != 1 or coordinates != 4:
        raise OperatorError(
            f"multiclass_nms: soft={soft!r} takes boxes of 4 coordinates and nms_eta=1, got {coordinates} and {eta}"
        )

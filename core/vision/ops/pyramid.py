"""Region proposals shared out among the levels of a feature pyramid."""

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
from core.vision.ops.arguments import boxes_argument, counts_argument, need_fitting, upcast
from core.vision.ops.padding import IN_PROGRAMS, padded_rows

__all__ = ["distribute_fpn_proposals"]


def _shared_out(
    boxes: np.ndarray, counts: np.ndarray, lowest: int, highest: int, level: int, scale: float, plus: float, whole: bool
) -> tuple[np.ndarray, ...]:
    """Return the boxes of each level, where each box went, and each level's number of boxes per image."""
    counts = np.array([len(boxes)]) if whole else counts
    if (counts < 0).any() or counts.sum() != len(boxes):
        raise OperatorError(
            f"distribute_fpn_proposals: rois_num adds up to {int(counts.sum())}, but there are {len(boxes)} boxes"
        )
    sides = boxes[:, 2:] - boxes[:, :2]
    area = np.where((sides < 0).any(-1), 0, (sides + boxes.dtype.type(plus)).prod(-1))
    found = np.floor(np.log2(np.sqrt(area) / boxes.dtype.type(scale) + boxes.dtype.type(1e-8)) + level)
    found = np.clip(found, lowest, highest).astype(int)
    owner = np.repeat(np.arange(len(counts)), counts)
    members = [np.flatnonzero(found == number) for number in range(lowest, highest + 1)]
    order = np.concatenate(members)
    restored = np.empty((len(boxes), 1), np.int32)
    restored[order, 0] = np.arange(len(boxes))
    numbers = [np.bincount(owner[chosen], minlength=len(counts)).astype(np.int32) for chosen in members]
    return (*[boxes[chosen] for chosen in members], restored, *numbers)


def _shared_out_padded(boxes: np.ndarray, counts: np.ndarray, **options: Any) -> tuple[np.ndarray, ...]:
    """Return what :func:`_shared_out` does with as many rows for each level as there are boxes."""
    found = _shared_out(boxes, counts, **options)
    levels, size = len(found) // 2, len(boxes)
    members, restored, numbers = found[:levels], found[levels], found[levels + 1 :]
    ends = np.cumsum([len(rows) for rows in members])
    level = np.searchsorted(ends, restored, side="right")
    places = restored + level * size - np.concatenate([[0], ends])[level]
    padded = [padded_rows(rows, np.array([len(rows)]), size, 0)[0] for rows in members]
    last = np.arange(len(counts)) == len(counts) - 1
    filled = [(row + last * (size - row.sum())).astype(np.int32) for row in numbers]
    return (*padded, places.astype(np.int32), *filled)


def _shared_out_padded_meta(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
    (boxes, dtype), (counts, _) = metas
    levels = options["highest"] - options["lowest"] + 1
    return [*[(boxes, dtype)] * levels, ((boxes[0], 1), int32), *[(counts, int32)] * levels]


def _shared_out_check(metas: Sequence[Meta], options: dict[str, Any]) -> None:
    (boxes, _), (counts, _) = metas
    need_fitting("distribute_fpn_proposals", len(boxes) == 2 and boxes[1] == 4 and len(counts) == 1, metas, 1)


_distribute = HostOperator("share_out_proposals", _shared_out, check=_shared_out_check, differentiable=False)
_distribute.instead = IN_PROGRAMS
_distribute_padded = HostOperator(
    "share_out_proposals_padded",
    _shared_out_padded,
    check=_shared_out_check,
    infer=_shared_out_padded_meta,
    differentiable=False,
)


def distribute_fpn_proposals(
    fpn_rois: Tensor,
    min_level: int,
    max_level: int,
    refer_level: int,
    refer_scale: int,
    pixel_offset: bool = False,
    rois_num: Optional[Tensor] = None,
    name: Optional[str] = None,
    *,
    padded: bool = False,
) -> tuple[list[Tensor], Tensor, Optional[list[Tensor]]]:
    """Share boxes out among the levels of a feature pyramid by their size (FPN, Lin et al., arXiv 1612.03144).

    How many boxes a level gets depends on the data, so a compiled or exported program takes ``padded=True``.

    Args:
        fpn_rois: Corners x1, y1, x2, y2, shape (boxes, 4).
        min_level: The lowest level.
        max_level: The highest level.
        refer_level: The level of boxes of the size refer_scale.
        refer_scale: Square root of an area in pixels.
        pixel_offset: Whether corners are whole pixels, both of which belong to the box.
        rois_num: How many boxes each image has, integers (N,); one image when None.
        name: Unused, as in Paddle.
        padded: Return as many rows for each level as there are boxes. Rows without a box are zeros, and count as the
            last image's, so that what :func:`roi_align` makes of all levels is brought into the old order as without.

    Returns:
        The boxes of each level, int32 places (boxes, 1) that bring all of them together into the old order again, and
        the int32 numbers (N,) of boxes per image for each level, or None without rois_num.

    Raises:
        OperatorError: shapes or levels do not fit.
    """
    boxes = upcast(boxes_argument(fpn_rois, "distribute_fpn_proposals", "fpn_rois")).detach()
    if not 0 < min_level <= max_level:
        raise OperatorError(f"distribute_fpn_proposals: levels {min_level} to {max_level} are no positive range")
    if rois_num is None:
        counts = Tensor(np.zeros(1), dtype="int64")
    else:
        images = rois_num.shape[0] if isinstance(rois_num, Tensor) and rois_num.ndim else 1
        counts = counts_argument(rois_num, images, "distribute_fpn_proposals", "rois_num")
    found = apply(
        _distribute_padded if padded else _distribute,
        *(boxes, counts),
        lowest=int(min_level),
        highest=int(max_level),
        level=int(refer_level),
        scale=float(refer_scale),
        plus=1.0 if pixel_offset else 0.0,
        whole=rois_num is None,
    )
    levels = max_level - min_level + 1
    shared = [cast(level, fpn_rois.dtype) for level in found[:levels]]
    return shared, found[levels], None if rois_num is None else list(found[levels + 1 :])

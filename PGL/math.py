"""Operations on rows that belong together: those whose segment ids are equal (pgl.math)."""

from __future__ import annotations

from typing import Optional, Union

import numpy as np

import core
from core.geometric import segment_max as segment_max
from core.geometric import segment_mean as segment_mean
from core.geometric import segment_min as segment_min
from core.geometric import segment_sum as segment_sum
from core.operators.graphs.segment import segment_softmax as segment_softmax
from core.tensor import Tensor

_REDUCTIONS = {"SUM": segment_sum, "MEAN": segment_mean, "MAX": segment_max, "MIN": segment_min}


def segment_pool(data: Tensor, segment_ids: Tensor, pool_type: str, name: Optional[str] = None) -> Tensor:
    """Reduce the rows of each segment.

    Args:
        data: Rows, shape [n, ...].
        segment_ids: int32 or int64 [n], never falling: the segment of each row.
        pool_type: ``sum``, ``mean``, ``max`` or ``min``, in any case.
        name: Unused, as in pgl.

    Returns:
        [last id + 1, ...]; segments without rows are 0.

    Raises:
        ValueError: ``pool_type`` is none of the four, or the ids do not fit the data.
    """
    reduce = _REDUCTIONS.get(str(pool_type).upper())
    if reduce is None:
        raise ValueError(f"segment_pool: pool_type {pool_type!r} is unknown: use 'sum', 'mean', 'max' or 'min'")
    result: Tensor = reduce(data, segment_ids, name)
    return result


def segment_padding(data: Tensor, segment_ids: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Lay each segment's rows out in a row of their own, filled up with zeros.

    Args:
        data: Rows, shape [n, ...].
        segment_ids: int32 or int64 [n], never falling: the segment of each row.

    Returns:
        The rows [segments, rows of the longest, ...], the number of rows of each segment, int32 [segments], and where
        each row went, int64 [n, 2]: what ``gather_nd`` takes to bring the rows back.

    Raises:
        ValueError: the ids do not fit the data, or fall.
    """
    ids, counts, within = _places(segment_ids, data.shape[:1], "segment_padding")
    index = core.to_tensor(np.stack([ids, within], 1))
    shape = [counts.size, int(counts.max(initial=0)), *data.shape[1:]]
    return core.scatter_nd(index, data, shape), core.to_tensor(counts.astype(np.int32)), index


def segment_topk(
    x: Tensor,
    scores: Tensor,
    segment_ids: Tensor,
    ratio: Union[float, int],
    min_score: Optional[float] = None,
    return_index: bool = False,
) -> Union[Tensor, tuple[Tensor, Tensor]]:
    """Keep the rows of each segment that have the highest scores.

    Args:
        x: Rows, shape [n, ...].
        scores: [n] or [n, 1].
        segment_ids: int32 or int64 [n], never falling: the segment of each row.
        ratio: Which part of each segment stays, rounded up; where it is an int, how many rows at most.
        min_score: When given, what stays instead are rows with higher scores than it; where none has, the highest.
        return_index: Whether to return which rows they are, too.

    Returns:
        The rows that stay, segment after segment and, unless chosen by ``min_score``, the highest first; equal scores
        in their order. With ``return_index`` also their int64 numbers.

    Raises:
        ValueError: the ids or scores do not fit the rows, or ``ratio`` is negative.
    """
    ids, counts, within = _places(segment_ids, x.shape[:1], "segment_topk")
    numbers = scores.detach().numpy().reshape(-1)
    if numbers.shape != ids.shape:
        raise ValueError(f"segment_topk: scores must have one number for each of {ids.size} rows, got {scores.shape}")
    if min_score is not None:
        highest = np.full(counts.size, -np.inf, numbers.dtype)
        np.maximum.at(highest, ids, numbers)
        chosen = np.flatnonzero(numbers > np.minimum(highest[ids] - numbers.dtype.type(1e-7), min_score))
    else:
        if ratio < 0:
            raise ValueError(
                f"segment_topk: ratio {ratio} is negative: use a part of each segment, or a number of rows"
            )
        order = np.lexsort([-numbers, ids])
        kept = np.minimum(counts, ratio) if isinstance(ratio, int) else np.ceil(np.float32(ratio) * counts.astype("f4"))
        chosen = order[within < kept[ids]]
    index = core.to_tensor(chosen.astype(np.int64))
    rows = core.gather(x, index)
    return (rows, index) if return_index else rows


def _places(segment_ids: Tensor, rows: list[int], caller: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the ids, the number of rows of each segment, and each row's place within its segment."""
    ids = segment_ids.numpy()
    if ids.dtype.kind not in "iu" or list(ids.shape) != rows:
        raise ValueError(
            f"{caller}: segment_ids must hold one integer for each of {rows[0]} rows, got {segment_ids.shape}"
        )
    if ids.size and (ids[0] < 0 or (np.diff(ids) < 0).any()):
        raise ValueError(f"{caller}: segment_ids must start at 0 or above and never fall")
    counts = np.bincount(ids)
    starts = np.cumsum(counts) - counts
    return ids, counts, np.arange(ids.size) - starts[ids]


__all__ = [
    "segment_max", "segment_mean", "segment_min", "segment_padding", "segment_pool", "segment_softmax", "segment_sum",
    "segment_topk",
]  # fmt: skip

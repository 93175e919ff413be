"""Primitives under the pooling of boxes (core.vision.ops): arguments are checked there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.kernels.dispatch.dispatcher import Meta
from core.kernels.dispatch.errors import OperatorError
from core.kernels.dispatch.operator import HostOperator
from core.kernels.dtypes import int64

Pair = tuple[int, int]

AWAY = -1e6
"""A box whose corners all lie here has no samples, for it lies outside of all images."""


def _owners(counts: np.ndarray, batch: int, boxes: int, caller: str) -> np.ndarray:
    """Return the image of each box."""
    if (counts < 0).any() or counts.sum() != boxes:
        raise OperatorError(f"{caller}: boxes_num adds up to {int(counts.sum())}, but there are {boxes} boxes")
    return np.repeat(np.arange(batch, dtype=np.int64), counts)


def _aligned(
    x: np.ndarray,
    boxes: np.ndarray,
    counts: np.ndarray,
    pooled: Pair,
    scale: float,
    ratio: int,
    aligned: bool,
    out: np.ndarray,
) -> None:
    from core.kernels.boxes import box_pooling  # numba loads with the first use

    owner = _owners(counts, len(x), len(boxes), "roi_align")
    box_pooling.align(x, box_pooling.align_grid(boxes, owner, pooled, scale, ratio, aligned), out)


def _aligned_levels(
    *given: np.ndarray, pooled: Pair, scales: Sequence[float], ratio: int, aligned: bool, out: np.ndarray
) -> None:
    from core.kernels.boxes import box_pooling  # numba loads with the first use

    *maps, boxes, levels, counts = given
    owner = _owners(counts, len(maps[0]), len(boxes), "roi_align_levels")
    out[(levels < 0) | (levels >= len(maps))] = 0
    for number, (x, scale) in enumerate(zip(maps, scales)):
        own = np.flatnonzero(levels == number)
        box_pooling.align(x, box_pooling.align_grid(boxes[own], owner[own], pooled, scale, ratio, aligned), out, own)


def _aligned_back(
    gradient: np.ndarray,
    x: np.ndarray,
    boxes: np.ndarray,
    counts: np.ndarray,
    pooled: Pair,
    scale: float,
    ratio: int,
    aligned: bool,
    out: np.ndarray,
) -> None:
    from core.kernels.boxes import box_pooling  # numba loads with the first use

    owner = _owners(counts, len(x), len(boxes), "roi_align")
    box_pooling.align_back(gradient, box_pooling.align_grid(boxes, owner, pooled, scale, ratio, aligned), out)


def _largest(
    x: np.ndarray, boxes: np.ndarray, counts: np.ndarray, pooled: Pair, scale: float, out: np.ndarray
) -> None:
    from core.kernels.boxes import box_pooling  # numba loads with the first use

    owner = _owners(counts, len(x), len(boxes), "roi_pool")
    box_pooling.largest(x, box_pooling.pool_bins(boxes, owner, pooled, scale, x.shape[2:]), out)


def _sensitive(
    x: np.ndarray, boxes: np.ndarray, counts: np.ndarray, pooled: Pair, scale: float, out: np.ndarray
) -> None:
    from core.kernels.boxes import box_pooling  # numba loads with the first use

    owner = _owners(counts, len(x), len(boxes), "psroi_pool")
    bins = box_pooling.position_sensitive_bins(boxes, owner, pooled, scale, x.shape[2:])
    box_pooling.position_sensitive(x, bins, out)


def _sensitive_back(
    gradient: np.ndarray,
    x: np.ndarray,
    boxes: np.ndarray,
    counts: np.ndarray,
    pooled: Pair,
    scale: float,
    out: np.ndarray,
) -> None:
    from core.kernels.boxes import box_pooling  # numba loads with the first use

    owner = _owners(counts, len(x), len(boxes), "psroi_pool")
    bins = box_pooling.position_sensitive_bins(boxes, owner, pooled, scale, x.shape[2:])
    box_pooling.position_sensitive_back(gradient, bins, out)


def _pooled_meta(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
    (shape, dtype), (boxes, _) = metas[:2]
    return [((boxes[0], shape[1], *options["pooled"]), dtype)]


def _levels_meta(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
    return _pooled_meta([metas[0], metas[-3]], options)


def _places_meta(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
    return [(_pooled_meta(metas, options)[0][0], int64)]


def _sensitive_meta(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
    (shape, dtype), (boxes, _) = metas[:2]
    rows, columns = options["pooled"]
    return [((boxes[0], shape[1] // (rows * columns), rows, columns), dtype)]


def _like_second(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
    return [metas[1]]


region_align = HostOperator("region_align", _aligned, infer=_pooled_meta, fills=True)
region_align_levels = HostOperator("region_align_levels", _aligned_levels, infer=_levels_meta, fills=True)
region_align_back = HostOperator("region_align_back", _aligned_back, infer=_like_second, fills=True)
region_largest = HostOperator("region_largest", _largest, infer=_places_meta, fills=True, differentiable=False)
region_sensitive = HostOperator("region_sensitive", _sensitive, infer=_sensitive_meta, fills=True)
region_sensitive_back = HostOperator("region_sensitive_back", _sensitive_back, infer=_like_second, fills=True)

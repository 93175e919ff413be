"""Deformable convolution: kernels whose taps are moved by learned offsets (core.vision.ops)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.kernels.dispatch.dispatcher import Meta
from core.kernels.dispatch.operator import HostOperator
from core.operators.arithmetic.math import floor
from core.operators.creation._constants import positions
from core.operators.creation.creation import cast, full_like
from core.operators.indexing.gathering import take_along_axis
from core.operators.shape._primitives import reshape_exact
from core.operators.shape.manipulation import broadcast_to, transpose
from core.tensor import Tensor

Pair = tuple[int, int]


def _columns(x: np.ndarray, offset: np.ndarray, mask: np.ndarray, out: np.ndarray, **window: Pair) -> None:
    from core.kernels.layers import deformable  # numba loads with the first use

    deformable.columns(x, offset, mask, deformable.Window(**window), out)


def _image_back(
    gradient: np.ndarray, x: np.ndarray, offset: np.ndarray, mask: np.ndarray, out: np.ndarray, **window: Pair
) -> None:
    from core.kernels.layers import deformable  # numba loads with the first use

    deformable.image_back(gradient, offset, mask, deformable.Window(**window), out)


def _places_back(
    gradient: np.ndarray,
    x: np.ndarray,
    offset: np.ndarray,
    mask: np.ndarray,
    out: tuple[np.ndarray, np.ndarray],
    **window: Pair,
) -> None:
    from core.kernels.layers import deformable  # numba loads with the first use

    deformable.places_back(gradient, x, offset, mask, deformable.Window(**window), out)


def _columns_meta(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
    (shape, dtype), (offset, _), _ = metas
    return [((shape[0], offset[4] * offset[5], offset[2] * shape[1]), dtype)]


deformable_columns = HostOperator("deformable_columns", _columns, infer=_columns_meta, fills=True)
deformable_image_back = HostOperator(
    "deformable_image_back", _image_back, infer=lambda metas, options: [metas[1]], fills=True, differentiable=False
)
deformable_places_back = HostOperator(
    "deformable_places_back",
    _places_back,
    infer=lambda metas, options: [metas[2], metas[3]],
    fills=True,
    differentiable=False,
)


def composed_columns(x: Tensor, offset: Tensor, mask: Tensor, **window: Pair) -> Tensor:
    """Compute what ``deformable_columns`` computes with operators that can be differentiated again, slowly.

    Args:
        x: Images [n, channels, height, width].
        offset: How far taps are moved down and to the right, in pixels: [n, groups, taps, 2, rows, columns].
        mask: Weights [n, groups, taps, rows, columns].
        window: ``kernel``, ``stride``, ``padding`` and ``dilation``, each along height and width.

    Returns:
        [n, rows * columns, taps * channels].
    """
    batch, channels, height, width = x.shape
    groups, taps, _, rows, columns = offset.shape[1:]
    each = channels // groups
    down = positions(rows) * window["stride"][0] - window["padding"][0]
    right = positions(columns) * window["stride"][1] - window["padding"][1]
    number = positions(taps)
    across = window["kernel"][1]
    tap_down = reshape_exact(number // across * window["dilation"][0], [taps, 1, 1])
    tap_right = reshape_exact(number % across * window["dilation"][1], [taps, 1, 1])
    y = offset[:, :, :, 0] + cast(tap_down + reshape_exact(down, [rows, 1]), x.dtype)
    z = offset[:, :, :, 1] + cast(tap_right + right, x.dtype)
    inside = (y > -1).logical_and(y < height).logical_and((z > -1).logical_and(z < width))
    top, left = floor(y).detach(), floor(z).detach()
    down_share, right_share = y - top, z - left
    lines = reshape_exact(x, [batch, groups, each, height * width])
    total: Any = 0
    for row, row_share in ((top, 1 - down_share), (top + 1, down_share)):
        for column, column_share in ((left, 1 - right_share), (left + 1, right_share)):
            met = (row >= 0).logical_and(row < height).logical_and((column >= 0).logical_and(column < width))
            weight = row_share * column_share * cast(met.logical_and(inside), x.dtype)
            place = cast(row.clip(0, height - 1), "int64") * width + cast(column.clip(0, width - 1), "int64")
            flat = reshape_exact(place, [batch, groups, 1, taps * rows * columns])
            flat = broadcast_to(flat, [batch, groups, each, taps * rows * columns])
            pixels = reshape_exact(take_along_axis(lines, flat, axis=3), [batch, groups, each, taps, rows, columns])
            total = total + pixels * (weight * mask).unsqueeze(2)
    total = transpose(reshape_exact(total, [batch, channels, taps, rows * columns]), [0, 3, 2, 1])
    return reshape_exact(total, [batch, rows * columns, taps * channels])


def whole_mask(offset: Tensor) -> Tensor:
    """Return a mask of ones for offsets [n, groups, taps, 2, rows, columns]."""
    return full_like(offset[:, :, :, 0].detach(), 1)

"""Changing the size of images and sequences: each axis is one product with a small matrix of weights."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any, Optional, Union

import numpy as np

from core.kernels.dispatch.errors import OperatorError, OperatorTypeError
from core.kernels.dispatch.operator import ConstantOperator
from core.kernels.sizes.dimension import combine, same
from core.operators._arguments import need_tensor, shape_argument
from core.operators.creation._constants import constant
from core.operators.indexing.gathering import take_along
from core.operators.layers.pooling_adaptive import adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d
from core.operators.linear_algebra.linalg import matmul
from core.operators.shape._primitives import reshape_exact
from core.operators.shape.manipulation import transpose
from core.tensor import Tensor

SizeLike = Union[int, Tensor, Sequence[Union[int, Tensor]], None]
ScaleLike = Union[float, Tensor, Sequence[float], None]

_RANKS = {"linear": (3,), "bilinear": (4,), "bicubic": (4,), "trilinear": (5,), "nearest": (3, 4, 5), "area": (3, 4, 5)}
_CUBIC = -0.75
_KEPT_ELEMENTS = 2**18  # of one matrix, at most, in the cache of the latest


def interpolate(
    x: Tensor,
    size: SizeLike = None,
    scale_factor: ScaleLike = None,
    mode: str = "nearest",
    align_corners: bool = False,
    align_mode: int = 0,
    data_format: Optional[str] = None,
    name: Optional[str] = None,
) -> Tensor:
    """Change the size of the spatial axes.

    Args:
        x: Floating-point, shape [N, C, L], [N, C, H, W] or [N, C, D, H, W] (or channels last, see data_format).
        size: The wanted spatial sizes in pixels; one int for all axes.
        scale_factor: Factor on the sizes instead of ``size``; one number or one per axis.
        mode: ``nearest``, ``linear``, ``bilinear``, ``trilinear``, ``bicubic`` or ``area``.
        align_corners: The centres of the corner pixels of input and output coincide, instead of the image borders.
        align_mode: For the linear modes without align_corners: 0 samples at pixel centres, 1 at pixel corners.
        data_format: ``NCW``, ``NCHW``, ``NCDHW`` (the default for the rank), ``NWC``, ``NHWC`` or ``NDHWC``.
        name: Unused, as in Paddle.

    Returns:
        A tensor of x's dtype with the new spatial sizes.

    Raises:
        OperatorError: the mode does not fit the rank, neither or both of size and scale_factor are given, or a size is
            not positive.
    """
    need_tensor(x, "interpolate")
    if mode not in _RANKS:
        raise OperatorError(f"interpolate: mode {mode!r} is none of {', '.join(_RANKS)}")
    if x.ndim not in _RANKS[mode]:
        wanted = " or ".join(f"{rank}-D" for rank in _RANKS[mode])
        raise OperatorError(f"interpolate: mode {mode!r} expects a {wanted} tensor, got shape {x.shape}")
    if align_mode not in (0, 1):
        raise OperatorError(f"interpolate: align_mode is 0 or 1, got {align_mode!r}")
    if not x.dtype.is_floating:
        raise OperatorTypeError(f"interpolate: expects a floating-point tensor, got {x.dtype.name}: cast it to float32")
    axes = _spatial_axes(x.ndim, data_format)
    sizes, scales = _output_sizes([x.shape[axis] for axis in axes], size, scale_factor)
    if mode == "area":
        return _area(x, sizes, channels_last=axes[0] == 1)
    if 0 in x.shape:
        raise OperatorError(f"interpolate: shape {x.shape} has no pixels")
    for axis, wanted_size, scale in zip(axes, sizes, scales):
        have = x.shape[axis]
        place: dict[str, Any] = {"have": have, "wanted": wanted_size, "scale": scale, "align_corners": align_corners}
        if mode == "nearest":
            x = take_along(x, constant(_nearest, **place), axis)
        elif not same(have, wanted_size) or (not align_corners and scale not in (None, 1.0)):
            weights = constant(_interpolation, x.dtype, cubic=mode == "bicubic", align_mode=align_mode, **place)
            x = _apply_along(x, weights, axis)
    return x


def upsample(
    x: Tensor,
    size: SizeLike = None,
    scale_factor: ScaleLike = None,
    mode: str = "nearest",
    align_corners: bool = False,
    align_mode: int = 0,
    data_format: Optional[str] = None,
    name: Optional[str] = None,
) -> Tensor:
    """Change the size of the spatial axes; see :func:`interpolate`."""
    return interpolate(x, size, scale_factor, mode, align_corners, align_mode, data_format)


def _spatial_axes(rank: int, data_format: Optional[str]) -> range:
    first = {3: ("NCW", "NCL"), 4: ("NCHW",), 5: ("NCDHW",)}[rank]
    last = {3: ("NWC", "NLC"), 4: ("NHWC",), 5: ("NDHWC",)}[rank]
    if data_format is None or data_format in first:
        return range(2, rank)
    if data_format in last:
        return range(1, rank - 1)
    raise OperatorError(
        f"interpolate: data_format {data_format!r} does not fit a {rank}-D tensor: use {first[0]} or {last[0]}"
    )


def _output_sizes(have: list[int], size: Any, scale_factor: Any) -> tuple[list[int], list[Optional[float]]]:
    if (size is None) == (scale_factor is None):
        raise OperatorError("interpolate: give either size or scale_factor")

    def per_axis(given: Any, label: str) -> list[Any]:
        if isinstance(given, Tensor):
            given = given.tolist()
        listed = list(given) if isinstance(given, (list, tuple)) else [given] * len(have)
        listed = [item.item() if isinstance(item, Tensor) else item for item in listed]
        if len(listed) == 1:
            listed *= len(have)
        if len(listed) != len(have):
            raise OperatorError(f"interpolate: {label} {given} names {len(listed)} axes, the tensor has {len(have)}")
        return listed

    scales: list[Optional[float]] = [None] * len(have)
    if size is not None:
        sizes = list(shape_argument(per_axis(size, "size"), "interpolate"))
    else:
        scales = [float(item) for item in per_axis(scale_factor, "scale_factor")]
        sizes = [combine("scaled", length, scale or 0) for length, scale in zip(have, scales)]
    if any(length < 1 for length in sizes):
        raise OperatorError(f"interpolate: the output size {sizes} must be positive")
    return sizes, scales


def _ratio(have: int, wanted: int, scale: Optional[float], align_corners: bool) -> float:
    if align_corners:
        return (have - 1) / (wanted - 1) if wanted > 1 else 0.0
    return 1.0 / scale if scale else have / wanted


def _nearest_positions(have: int, wanted: int, scale: Optional[float], align_corners: bool) -> np.ndarray:
    positions = np.arange(wanted) * np.float32(_ratio(have, wanted, scale, align_corners))
    rounded = np.floor(positions + 0.5) if align_corners else np.floor(positions)
    return np.minimum(rounded, have - 1).astype(np.int64)


_nearest = ConstantOperator(
    "nearest_positions", _nearest_positions, lambda have, wanted, scale, align_corners: ([wanted], np.int64)
)


def _weights(
    cubic: bool, have: int, wanted: int, scale: Optional[float], align_corners: bool, align_mode: int
) -> np.ndarray:
    """Return the matrix [wanted, have] whose row i holds the weights of the input pixels in output pixel i."""
    ratio = _ratio(have, wanted, scale, align_corners)
    centred = not align_corners and (cubic or align_mode == 0)
    source = (np.arange(wanted) + 0.5) * ratio - 0.5 if centred else np.arange(wanted) * ratio
    matrix = np.zeros((wanted, have))
    rows = np.arange(wanted)
    if cubic:
        first = np.floor(source)
        for tap in range(-1, 3):
            column = np.clip(first + tap, 0, have - 1).astype(int)
            np.add.at(matrix, (rows, column), _cubic_weight(np.abs(source - first - tap)))
        return matrix
    source = np.maximum(source, 0)
    low = np.minimum(np.floor(source), have - 1).astype(int)
    part = np.minimum(source - low, 1)
    np.add.at(matrix, (rows, low), 1 - part)
    np.add.at(matrix, (rows, np.minimum(low + 1, have - 1)), part)
    return matrix


_latest_weights = functools.lru_cache(maxsize=64)(_weights)


def _kept_weights(
    cubic: bool, have: int, wanted: int, scale: Optional[float], align_corners: bool, align_mode: int
) -> np.ndarray:
    """Return the same; the latest matrices are kept, but not large ones."""
    make = _latest_weights if have * wanted <= _KEPT_ELEMENTS else _weights
    return make(cubic, have, wanted, scale, align_corners, align_mode)


_interpolation = ConstantOperator(
    "interpolation_weights",
    _kept_weights,
    lambda cubic, have, wanted, scale, align_corners, align_mode: ([wanted, have], np.float64),
)


def _cubic_weight(distance: np.ndarray) -> np.ndarray:
    near = ((_CUBIC + 2) * distance - (_CUBIC + 3)) * distance * distance + 1
    far = ((_CUBIC * distance - 5 * _CUBIC) * distance + 8 * _CUBIC) * distance - 4 * _CUBIC
    return np.where(distance <= 1, near, np.where(distance < 2, far, 0))


def _apply_along(x: Tensor, weights: Tensor, axis: int) -> Tensor:
    """Multiply each line of x along an axis with the weights [wanted, have]."""
    shape = x.shape
    if axis == x.ndim - 1:
        return matmul(x, weights, transpose_y=True)
    inner = math.prod(shape[axis + 1 :])
    lines = reshape_exact(x, [math.prod(shape[:axis]), shape[axis], inner])
    return reshape_exact(matmul(weights, lines), [*shape[:axis], weights.shape[0], *shape[axis + 1 :]])


def _area(x: Tensor, sizes: list[int], channels_last: bool) -> Tensor:
    pool: Any = {3: adaptive_avg_pool1d, 4: adaptive_avg_pool2d, 5: adaptive_avg_pool3d}[x.ndim]
    wanted: Any = sizes[0] if x.ndim == 3 else sizes
    if not channels_last:
        return pool(x, wanted)
    rank = x.ndim
    pooled = pool(transpose(x, [0, rank - 1, *range(1, rank - 1)]), wanted)
    return transpose(pooled, [0, *range(2, rank), 1])


__all__ = ["interpolate", "upsample"]

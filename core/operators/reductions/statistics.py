"""Statistics along axes: variance, order statistics, sums that skip NaN, histograms, covariance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional, Union

import numpy as np

from core.kernels.dispatch.dispatcher import Meta
from core.kernels.dispatch.errors import OperatorError
from core.kernels.dispatch.operator import HostOperator
from core.kernels.dtypes import DTypeLike, float32, float64, int64, to_dtype
from core.kernels.sizes.dimension import larger
from core.operators._arguments import AxisLike, axes_argument, axis_argument, floating, need_tensor
from core.operators.arithmetic.logic import isinf, isnan, logical_and
from core.operators.arithmetic.math import add, divide, multiply, sqrt, square, subtract
from core.operators.creation.creation import cast, full_like, narrowed
from core.operators.indexing.gathering import take_along_axis
from core.operators.indexing.masking import where
from core.operators.reductions.reduction import elements, mean, reduced_shape
from core.operators.reductions.reduction import sum as reduce_sum
from core.operators.shape._primitives import reshape_exact
from core.operators.shape.manipulation import transpose
from core.tensor import Tensor, apply


def var(
    x: Tensor, axis: AxisLike = None, unbiased: bool = True, keepdim: bool = False, name: Optional[str] = None
) -> Tensor:
    """Compute the variance along axes.

    Args:
        x: A tensor; integers are converted to the default float type.
        axis: One axis, a list, or None for all.
        unbiased: Divide by the number of elements less 1 (but at least 1) instead of their number.
        keepdim: Keep reduced axes with size 1.
        name: Unused, as in Paddle.

    Returns:
        The variances; 0-D when everything is reduced.

    Raises:
        OperatorIndexError: an axis does not exist.
    """
    kept = floating(need_tensor(x, "var").dtype)
    x = cast(x, kept if kept.size > 2 else float32)
    axes = axes_argument(axis, x.ndim, "var")
    count = elements(x.shape, axes)
    squares = reduce_sum(square(subtract(x, mean(x, axes, True))), axes, keepdim=keepdim)
    if not axes:
        squares = square(subtract(x, x))
    divisor = larger(count - 1, 1) if unbiased else count
    return narrowed(multiply(squares, 1.0 / divisor) if divisor else divide(squares, 0.0), kept)


def std(
    x: Tensor, axis: AxisLike = None, unbiased: bool = True, keepdim: bool = False, name: Optional[str] = None
) -> Tensor:
    """Compute the standard deviation along axes, the root of :func:`var`.

    Args:
        x: A tensor; integers are converted to the default float type.
        axis: One axis, a list, or None for all.
        unbiased: Divide by the number of elements less 1 (but at least 1) instead of their number.
        keepdim: Keep reduced axes with size 1.
        name: Unused, as in Paddle.

    Returns:
        The standard deviations; 0-D when everything is reduced.

    Raises:
        OperatorIndexError: an axis does not exist.
    """
    return sqrt(var(x, axis, unbiased, keepdim))


def nansum(
    x: Tensor, axis: AxisLike = None, dtype: DTypeLike = None, keepdim: bool = False, name: Optional[str] = None
) -> Tensor:
    """Add the elements along axes, NaN counting as 0.

    Args:
        x: A tensor of numbers.
        axis: One axis, a list, or None for all.
        dtype: Convert to this type first.
        keepdim: Keep reduced axes with size 1.
        name: Unused, as in Paddle.

    Returns:
        The sums; 0-D when everything is reduced.

    Raises:
        OperatorIndexError: an axis does not exist.
    """
    x = need_tensor(x, "nansum") if dtype is None else cast(x, to_dtype(dtype))
    return reduce_sum(_without_nan(x), axis, x.dtype if dtype is not None else None, keepdim)


def _without_nan(x: Tensor) -> Tensor:
    return where(isnan(x), full_like(x, 0), x) if x.dtype.is_floating else x


def nanmean(x: Tensor, axis: AxisLike = None, keepdim: bool = False, name: Optional[str] = None) -> Tensor:
    """Average the elements along axes that are not NaN.

    Args:
        x: A tensor of numbers.
        axis: One axis, a list, or None for all.
        keepdim: Keep reduced axes with size 1.
        name: Unused, as in Paddle.

    Returns:
        The means, floating-point; NaN where there is nothing to average.

    Raises:
        OperatorIndexError: an axis does not exist.
    """
    dtype = floating(need_tensor(x, "nanmean").dtype)
    x = cast(x, dtype)
    counted = subtract(full_like(x, 1), cast(isnan(x), dtype))
    return divide(reduce_sum(_without_nan(x), axis, keepdim=keepdim), reduce_sum(counted, axis, keepdim=keepdim))


def _ranks(
    x: np.ndarray, fractions: tuple[float, ...], skip_nan: bool, selected: bool = False
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the positions of the elements around each quantile along the last axis, and the upper one's weight.

    Of equal elements those that Paddle takes: it sorts for quantiles and selects the lower half for medians.
    """
    from core.kernels.numeric import topk  # numba loads with the first use

    x = x.astype(np.float32) if x.dtype == np.float16 else x
    order = topk.sorted_indices(x, -1, False)
    if selected:
        half = x.shape[-1] // 2 + 1
        order[..., :half] = topk.top_indices(x.reshape(-1, x.shape[-1]), half, False).reshape(*x.shape[:-1], half)
    missing = np.isnan(x).sum(-1, keepdims=True) if x.dtype.kind == "f" else np.zeros((*x.shape[:-1], 1), np.int64)
    counted = x.shape[-1] - missing
    rank = np.asarray(fractions, np.float64) * np.maximum(counted - 1, 0)
    lower = np.floor(rank).astype(np.int64)
    weight = rank - lower
    upper = np.minimum(lower + 1, np.maximum(counted - 1, 0))
    spoilt = (counted == 0) if skip_nan else (missing > 0)  # point at a NaN, which is sorted last
    lower, upper = (np.where(spoilt, x.shape[-1] - 1, place) for place in (lower, upper))
    picked = [np.take_along_axis(order, place, axis=-1).astype(np.int64) for place in (lower, upper)]
    return picked[0], picked[1], weight


def _ranks_meta(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
    shape = (*metas[0][0][:-1], len(options["fractions"]))
    return [(shape, int64), (shape, int64), (shape, float64)]


_quantile_ranks = HostOperator("quantile_ranks", _ranks, infer=_ranks_meta, differentiable=False)


def _quantiles(
    x: Tensor, fractions: tuple[float, ...], axis: AxisLike, skip_nan: bool, caller: str, selected: bool = False
) -> tuple[Tensor, tuple[int, ...]]:
    """Return quantiles of a floating-point tensor, of shape [kept axes..., quantiles], and the axes they are over."""
    axes = axes_argument(axis, x.ndim, caller)
    if not elements(x.shape, axes):
        raise OperatorError(f"{caller}: no elements along axis {list(axes)} of a tensor of shape {x.shape}")
    kept = [i for i in range(x.ndim) if i not in axes]
    moved = transpose(x, [*kept, *axes]) if x.ndim else x
    rows = reshape_exact(moved, [*[x.shape[i] for i in kept], elements(x.shape, axes)])
    options = {"fractions": fractions, "skip_nan": skip_nan, **({"selected": True} if selected else {})}
    lower, upper, weight = apply(_quantile_ranks, rows.detach(), **options)
    below, above = (take_along_axis(rows, place, -1) for place in (lower, upper))
    # between infinities the interpolation would be NaN
    alike = logical_and(below == above, isinf(below))
    step = where(alike, full_like(below, 0), subtract(above, below))
    weight = cast(weight, x.dtype)
    return add(below, where(weight == 0, full_like(below, 0), multiply(step, weight))), axes


def _quantile(x: Tensor, q: Any, axis: AxisLike, keepdim: bool, skip_nan: bool, caller: str) -> Tensor:
    need_tensor(x, caller)
    if isinstance(q, Tensor):
        q = q.tolist()
    fractions = tuple(float(value) for value in q) if isinstance(q, (list, tuple)) else (float(q),)
    if not fractions or not all(0 <= value <= 1 for value in fractions):
        raise OperatorError(f"{caller}: q must lie within [0, 1], got {q!r}")
    result, axes = _quantiles(cast(x, float64), fractions, axis, skip_nan, caller)
    last = result.ndim - 1
    result = transpose(result, [last, *range(last)])
    return reshape_exact(
        result, [*([len(fractions)] if isinstance(q, (list, tuple)) else []), *reduced_shape(x.shape, axes, keepdim)]
    )


def quantile(
    x: Tensor, q: Union[float, Sequence[float]], axis: AxisLike = None, keepdim: bool = False
) -> Tensor:
    """Compute quantiles along axes, interpolating between neighbours.

    Args:
        x: A tensor of numbers.
        q: A fraction within [0, 1], or a list of them.
        axis: One axis, a list, or None for all.
        keepdim: Keep reduced axes with size 1.

    Returns:
        A float64 tensor, with an axis in front when q is a list; NaN where an element is NaN.

    Raises:
        OperatorError: a fraction is outside [0, 1], or there are no elements.
        OperatorIndexError: an axis does not exist.
    """
    return _quantile(x, q, axis, keepdim, False, "quantile")


def nanquantile(
    x: Tensor, q: Union[float, Sequence[float]], axis: AxisLike = None, keepdim: bool = False
) -> Tensor:
    """Compute quantiles along axes of the elements that are not NaN.

    Args:
        x: A tensor of numbers.
        q: A fraction within [0, 1], or a list of them.
        axis: One axis, a list, or None for all.
        keepdim: Keep reduced axes with size 1.

    Returns:
        A float64 tensor, with an axis in front when q is a list; NaN where all elements are NaN.

    Raises:
        OperatorError: a fraction is outside [0, 1], or there are no elements.
        OperatorIndexError: an axis does not exist.
    """
    return _quantile(x, q, axis, keepdim, True, "nanquantile")


def median(x: Tensor, axis: Optional[int] = None, keepdim: bool = False, name: Optional[str] = None) -> Tensor:
    """Compute the median along an axis; of an even number, the average of the two in the middle.

    Args:
        x: A tensor of numbers; integers are converted to the default float type.
        axis: One axis, or None for all.
        keepdim: Keep reduced axes with size 1.
        name: Unused, as in Paddle.

    Returns:
        The medians, floating-point; NaN where an element is NaN.

    Raises:
        OperatorError: there are no elements.
        OperatorIndexError: the axis does not exist.
    """
    need_tensor(x, "median")
    if axis is not None:
        axis = axis_argument(axis, x.ndim, "median")
    result, axes = _quantiles(cast(x, floating(x.dtype)), (0.5,), axis, False, "median", selected=True)
    return reshape_exact(result, reduced_shape(x.shape, axes, keepdim))


def nanmedian(x: Tensor, axis: AxisLike = None, keepdim: bool = False, name: Optional[str] = None) -> Tensor:
    """Compute the median along axes of the elements that are not NaN.

    Args:
        x: A tensor of numbers; integers are converted to the default float type.
        axis: One axis, a list, or None for all.
        keepdim: Keep reduced axes with size 1.
        name: Unused, as in Paddle.

    Returns:
        The medians, floating-point; NaN where all elements are NaN.

    Raises:
        OperatorError: there are no elements.
        OperatorIndexError: an axis does not exist.
    """
    need_tensor(x, "nanmedian")
    result, axes = _quantiles(cast(x, floating(x.dtype)), (0.5,), axis, True, "nanmedian", selected=True)
    return reshape_exact(result, reduced_shape(x.shape, axes, keepdim))


__all__ = ["median", "nanmean", "nanmedian", "nanquantile", "nansum", "quantile", "std", "var"]
TENSOR_METHODS = tuple(__all__)

"""Counts and joint statistics of observations: histograms, bins, covariance and correlation."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from core.kernels.dispatch.errors import OperatorError, OperatorTypeError
from core.kernels.dispatch.operator import HostOperator
from core.kernels.dtypes import float32, float64, int64
from core.operators._arguments import floating, need_tensor
from core.operators.arithmetic.math import divide, multiply, sqrt, subtract
from core.operators.arithmetic.rounding import clip
from core.operators.creation.creation import cast
from core.operators.linear_algebra.linalg import matmul
from core.operators.reductions.reduction import mean
from core.operators.reductions.reduction import sum as reduce_sum
from core.operators.shape._primitives import reshape_exact
from core.tensor import Tensor, apply


def _counts(x: np.ndarray, bins: int, low: float, high: float) -> np.ndarray:
    if low == 0 and high == 0 and x.size:
        low, high = float(x.min()), float(x.max())
    if not (np.isfinite(low) and np.isfinite(high)):
        raise OperatorError("histogram: the input is not finite: give min and max")
    if low == high:
        low, high = low - 1, high + 1
    return np.histogram(x.astype(np.float64), bins=bins, range=(low, high))[0].astype(np.int64)


def _bins(x: np.ndarray, *weights: np.ndarray, minlength: int) -> np.ndarray:
    if x.size and x.min() < 0:
        raise OperatorError(f"bincount: the elements must not be negative, got {x.min()}")
    counted = np.bincount(x, weights[0] if weights else None, minlength)
    return counted.astype(np.float32 if weights and weights[0].dtype == np.float32 else counted.dtype, copy=False)


_histogram = HostOperator(
    "histogram", _counts, infer=lambda metas, options: [((options["bins"],), int64)], differentiable=False
)
_bincount = HostOperator("bincount", _bins, differentiable=False)


def histogram(
    input: Tensor, bins: int = 100, min: float = 0, max: float = 0, name: Optional[str] = None  # noqa: A002
) -> Tensor:
    """Count the elements that fall into each of equally wide bins.

    Args:
        input: A tensor of numbers.
        bins: How many bins.
        min: Lower end of the first bin; when min and max are both 0, the smallest and largest element are the ends.
        max: Upper end of the last bin, included. Elements outside are not counted.
        name: Unused, as in Paddle.

    Returns:
        An int64 tensor of shape [bins].

    Raises:
        OperatorError: bins is below 1, min is above max, or the ends are not finite.
    """
    need_tensor(input, "histogram", "input")
    if bins < 1:
        raise OperatorError(f"histogram: bins must be at least 1, got {bins}")
    if min > max:
        raise OperatorError(f"histogram: min {min} is above max {max}")
    wide = cast(input.detach(), float64) if input.dtype.is_floating else input
    return apply(_histogram, wide, bins=int(bins), low=float(min), high=float(max))


def bincount(x: Tensor, weights: Optional[Tensor] = None, minlength: int = 0, name: Optional[str] = None) -> Tensor:
    """Count how often each of the integers 0, 1, 2, ... occurs.

    Args:
        x: An integer tensor of one axis, not negative.
        weights: What each element counts, of x's shape; 1 when None.
        minlength: Least length of the result.
        name: Unused, as in Paddle.

    Returns:
        A tensor of shape [largest element + 1]: int64, or with weights their type (float64 for integers).

    Raises:
        OperatorError: an element is negative, or shapes do not fit.
        OperatorTypeError: x holds no integers.
    """
    need_tensor(x, "bincount")
    if not x.dtype.is_integer:
        raise OperatorTypeError(f"bincount: expects integers, got {x.dtype.name}: cast it to int64")
    if x.ndim != 1 or (weights is not None and need_tensor(weights, "bincount", "weights").shape != x.shape):
        raise OperatorError(
            f"bincount: expects one axis and weights of the same shape, got {x.shape}"
            f"{'' if weights is None else f' and {weights.shape}'}"
        )
    if minlength < 0:
        raise OperatorError(f"bincount: minlength must not be negative, got {minlength}")
    if weights is not None and weights.dtype.size == 2 and weights.dtype.is_floating:
        return cast(bincount(x, cast(weights, float32), minlength), weights.dtype)
    return apply(_bincount, x, *([] if weights is None else [weights.detach()]), minlength=int(minlength))


def cov(
    x: Tensor,
    rowvar: bool = True,
    ddof: bool = True,
    fweights: Optional[Tensor] = None,
    aweights: Optional[Tensor] = None,
    name: Optional[str] = None,
) -> Tensor:
    """Compute the covariance of variables.

    Args:
        x: Observations of shape [variables, observations], or of one variable.
        rowvar: Whether the variables are rows; columns otherwise.
        ddof: Divide by the number of observations less 1 instead of their number.
        fweights: How often each observation counts, integers of shape [observations].
        aweights: How much each observation weighs, of shape [observations].
        name: Unused, as in Paddle.

    Returns:
        A tensor of shape [variables, variables]; 0-D for one variable.

    Raises:
        OperatorError: x has more than 2 axes, or the weights do not fit.
    """
    need_tensor(x, "cov")
    if x.ndim not in (1, 2):
        raise OperatorError(f"cov: expects 1 or 2 axes, got shape {x.shape}")
    x = cast(x, floating(x.dtype))
    rows = reshape_exact(x, [1, x.size]) if x.ndim == 1 else x if rowvar else x.transpose([1, 0])
    weight: Any = None
    for given, label in ((fweights, "fweights"), (aweights, "aweights")):
        if given is not None:
            if need_tensor(given, "cov", label).shape != [rows.shape[1]]:
                raise OperatorError(f"cov: {label} expects shape [{rows.shape[1]}], got {given.shape}")
            part = cast(given, x.dtype)
            weight = part if weight is None else multiply(weight, part)
    if weight is None:
        centred = subtract(rows, mean(rows, 1, True))
        divisor: Any = rows.shape[1] - int(ddof)
        products = matmul(centred, centred, transpose_y=True)
    else:
        total = reduce_sum(weight)
        centred = subtract(rows, divide(reduce_sum(multiply(rows, weight), 1, keepdim=True), total))
        lost: Any = 0.0
        if ddof:
            lost = 1.0 if aweights is None else divide(reduce_sum(multiply(weight, cast(aweights, x.dtype))), total)
        divisor = subtract(total, lost)
        products = matmul(multiply(centred, weight), centred, transpose_y=True)
    result = divide(products, divisor)
    return reshape_exact(result, []) if rows.shape[0] == 1 else result


def corrcoef(x: Tensor, rowvar: bool = True, name: Optional[str] = None) -> Tensor:
    """Compute the correlation coefficients of variables.

    Args:
        x: Observations of shape [variables, observations], or of one variable.
        rowvar: Whether the variables are rows; columns otherwise.
        name: Unused, as in Paddle.

    Returns:
        A tensor of shape [variables, variables], within [-1, 1]; 0-D for one variable.

    Raises:
        OperatorError: x has more than 2 axes.
    """
    covariance = cov(x, rowvar)
    if not covariance.ndim:
        return divide(covariance, covariance)
    size = covariance.shape[0]
    deviation = sqrt(covariance.diagonal())
    scaled = divide(divide(covariance, reshape_exact(deviation, [size, 1])), reshape_exact(deviation, [1, size]))
    return clip(scaled, -1.0, 1.0)


__all__ = ["bincount", "corrcoef", "cov", "histogram"]
TENSOR_METHODS = tuple(__all__)

"""Running sums, products and extremes along an axis, differences of neighbours, and integrals by trapezoids."""

from __future__ import annotations

from typing import Any, Optional, Union

import numpy as np

from core.kernels.dispatch.errors import OperatorError, OperatorTypeError
from core.kernels.dispatch.operator import HostOperator, Operator
from core.kernels.dtypes import DTypeLike, bool_, float32, int64, to_dtype
from core.operators._arguments import axis_argument, floating, need_tensor
from core.operators.arithmetic.logic import logical_xor
from core.operators.arithmetic.math import add, divide, multiply, subtract
from core.operators.creation.creation import assign, cast
from core.operators.indexing.gathering import take_along_axis
from core.operators.indexing.search import index_dtype
from core.operators.indexing.slicing import cut
from core.operators.reductions.reduction import sum as reduce_sum
from core.operators.shape._primitives import reshape_exact
from core.operators.shape.joining import concat
from core.tensor import Tensor, apply


def _positions(x: np.ndarray, axis: int, largest: bool) -> np.ndarray:
    """Return where the running extreme was last met; NaN, once met, stays the extreme."""
    running = (np.maximum if largest else np.minimum).accumulate(x, axis=axis)
    place = np.arange(x.shape[axis]).reshape([-1 if i == axis else 1 for i in range(x.ndim)])
    met = (x == running) | (np.isnan(x) if x.dtype.kind == "f" else False)
    return np.maximum.accumulate(np.where(met, place, 0), axis=axis).astype(np.int64)


def _log_sums(x: np.ndarray, axis: int) -> np.ndarray:
    return np.logaddexp.accumulate(x, axis=axis)


_cumsum = Operator("cumsum", "_np_cumsum", infer=lambda metas, options: [metas[0]])
_cumprod = HostOperator(
    "cumprod", lambda x, axis: np.cumprod(x, axis=axis, dtype=x.dtype), infer=lambda metas, options: [metas[0]]
)
_running_position = HostOperator(
    "running_position", _positions, infer=lambda metas, options: [(metas[0][0], int64)], differentiable=False
)
_logcumsumexp = HostOperator("logcumsumexp", _log_sums, infer=lambda metas, options: [metas[0]])


def _line(x: Tensor, axis: Optional[int], caller: str) -> tuple[Tensor, int]:
    """Return the tensor and its axis; without an axis the elements are in one line."""
    if axis is None:
        return reshape_exact(x, [x.size]), 0
    return x, axis_argument(axis, x.ndim, caller)


def _along(operator: Operator, x: Tensor, axis: int, **options: Any) -> Tensor:
    """Apply a running operator, at least in float32, with a 0-D tensor read as one element."""
    if not x.ndim:
        return reshape_exact(_along(operator, reshape_exact(x, [1]), 0, **options), [])
    if not x.size:
        return assign(x)
    wide = cast(x, float32) if x.dtype.size == 2 else x
    return cast(apply(operator, wide, axis=axis, **options), x.dtype)


def cumsum(x: Tensor, axis: Optional[int] = None, dtype: DTypeLike = None, name: Optional[str] = None) -> Tensor:
    """Sum each element with all before it along an axis.

    Args:
        x: A tensor; bool is summed as int64.
        axis: The axis; the elements are put in one line first when None.
        dtype: Convert to this type first.
        name: Unused, as in Paddle.

    Returns:
        A tensor of x's shape, or of shape [elements] without an axis.

    Raises:
        OperatorIndexError: the axis does not exist.
    """
    need_tensor(x, "cumsum")
    wanted = to_dtype(dtype) if dtype is not None else (int64 if x.dtype is bool_ else x.dtype)
    line, place = _line(cast(x, wanted), axis, "cumsum")
    return _along(_cumsum, line, place)


def cumprod(x: Tensor, dim: Optional[int] = None, dtype: DTypeLike = None, name: Optional[str] = None) -> Tensor:
    """Multiply each element with all before it along an axis.

    Args:
        x: A tensor of numbers.
        dim: The axis; the elements are put in one line first when None.
        dtype: Convert to this type first.
        name: Unused, as in Paddle.

    Returns:
        A tensor of x's shape, or of shape [elements] without an axis.

    Raises:
        OperatorIndexError: the axis does not exist.
    """
    need_tensor(x, "cumprod")
    wanted = to_dtype(dtype) if dtype is not None else (int64 if x.dtype is bool_ else x.dtype)
    line, place = _line(cast(x, wanted), dim, "cumprod")
    return _along(_cumprod, line, place)


_EXTREME_DOC = """Find the {which} element so far along an axis, and where it was last met.

    Args:
        x: A tensor of numbers.
        axis: The axis; the elements are put in one line first when None.
        dtype: Type of the positions, int64 or int32.
        name: Unused, as in Paddle.

    Returns:
        The running extremes and their positions, two tensors of x's shape (or [elements] without an axis).

    Raises:
        OperatorIndexError: the axis does not exist.
        OperatorTypeError: x is a bool tensor, or the dtype is another one.
    """


def _running_extreme(caller: str, largest: bool) -> Any:
    def function(
        x: Tensor, axis: Optional[int] = None, dtype: DTypeLike = "int64", name: Optional[str] = None
    ) -> tuple[Tensor, Tensor]:
        need_tensor(x, caller)
        if x.dtype is bool_:
            raise OperatorTypeError(f"{caller}: expects numbers, got a bool tensor: cast it to int64")
        position_dtype = index_dtype(dtype, caller)
        line, place = _line(x, axis, caller)
        shape = line.shape
        row = line if shape else reshape_exact(line, [1])
        if not x.size:
            return assign(line), cast(line.detach(), position_dtype)
        wide = cast(row, float32) if x.dtype.size == 2 else row
        position = apply(_running_position, wide, axis=place, largest=largest)
        values = reshape_exact(take_along_axis(row, position, place), shape)
        return values, cast(reshape_exact(position, shape), position_dtype)

    function.__name__ = function.__qualname__ = caller
    function.__doc__ = _EXTREME_DOC.format(which="largest" if largest else "smallest")
    return function


cummax = _running_extreme("cummax", True)
cummin = _running_extreme("cummin", False)


def logcumsumexp(x: Tensor, axis: Optional[int] = None, dtype: DTypeLike = None, name: Optional[str] = None) -> Tensor:
    """Compute the logarithm of the running sum of exponentials along an axis, without overflow.

    Args:
        x: A floating-point tensor.
        axis: The axis; the elements are put in one line first when None.
        dtype: Convert to this type first.
        name: Unused, as in Paddle.

    Returns:
        A tensor of x's shape, or of shape [elements] without an axis.

    Raises:
        OperatorIndexError: the axis does not exist.
        OperatorTypeError: the elements are not floating-point.
    """
    need_tensor(x, "logcumsumexp")
    x = x if dtype is None else cast(x, to_dtype(dtype))
    if not x.dtype.is_floating:
        kind = x.dtype.name
        raise OperatorTypeError(f"logcumsumexp: expects a floating-point tensor, got {kind}: cast it to float32")
    line, place = _line(x, axis, "logcumsumexp")
    return _along(_logcumsumexp, line, place)


def diff(
    x: Tensor,
    n: int = 1,
    axis: int = -1,
    prepend: Optional[Tensor] = None,
    append: Optional[Tensor] = None,
    name: Optional[str] = None,
) -> Tensor:
    """Subtract each element from the next along an axis, n times over.

    Args:
        x: A tensor of at least 1 axis; of bool elements it tells where neighbours differ.
        n: How often, at least 1.
        axis: The axis.
        prepend: Joined to the front first.
        append: Joined to the end first.
        name: Unused, as in Paddle.

    Returns:
        A tensor with n fewer elements along the axis.

    Raises:
        OperatorError: x is 0-D, or n is below 1.
    """
    need_tensor(x, "diff")
    if not x.ndim or n < 1:
        raise OperatorError(f"diff: expects at least 1 axis and n of at least 1, got shape {x.shape} and n={n}")
    place = axis_argument(axis, x.ndim, "diff")
    parts = [part for part in (prepend, x, append) if part is not None]
    x = concat(parts, axis=place) if len(parts) > 1 else x
    for _ in range(min(n, x.shape[place])):
        size = x.shape[place]
        after, before = cut(x, place, 1, size), cut(x, place, 0, size - 1)
        x = logical_xor(after, before) if x.dtype is bool_ else subtract(after, before)
    return x


def _trapezoids(y: Tensor, x: Optional[Tensor], dx: Union[float, Tensor, None], axis: int, caller: str) -> Tensor:
    need_tensor(y, caller)
    if x is not None and dx is not None:
        raise OperatorError(f"{caller}: give x or dx, not both")
    if not y.ndim:
        raise OperatorError(f"{caller}: expects at least 1 axis, got a 0-D tensor")
    y = cast(y, floating(y.dtype))
    place, size = axis_argument(axis, y.ndim, caller), y.shape[axis]
    step: Any = 1.0 if dx is None else dx
    if x is not None:
        x = cast(need_tensor(x, caller), y.dtype)
        step = diff(x, axis=-1 if x.ndim == 1 else place)
        if x.ndim == 1:
            step = reshape_exact(step, [x.shape[0] - 1 if i == place else 1 for i in range(y.ndim)])
    return divide(multiply(add(cut(y, place, min(1, size), size), cut(y, place, 0, max(size - 1, 0))), step), 2.0)


def trapezoid(
    y: Tensor,
    x: Optional[Tensor] = None,
    dx: Union[float, Tensor, None] = None,
    axis: int = -1,
    name: Optional[str] = None,
) -> Tensor:
    """Integrate along an axis by the trapezoidal rule.

    Args:
        y: Values of the function; at least 1 axis.
        x: Where they stand, one axis or y's shape; equally spaced when None.
        dx: Distance of neighbours when x is None; 1 when both are None.
        axis: The axis.
        name: Unused, as in Paddle.

    Returns:
        A tensor without the axis.

    Raises:
        OperatorError: both x and dx are given, or y is 0-D.
    """
    return reduce_sum(_trapezoids(y, x, dx, axis, "trapezoid"), axis=axis)


def cumulative_trapezoid(
    y: Tensor,
    x: Optional[Tensor] = None,
    dx: Union[float, Tensor, None] = None,
    axis: int = -1,
    name: Optional[str] = None,
) -> Tensor:
    """Integrate up to each point along an axis by the trapezoidal rule.

    Args:
        y: Values of the function; at least 1 axis.
        x: Where they stand, one axis or y's shape; equally spaced when None.
        dx: Distance of neighbours when x is None; 1 when both are None.
        axis: The axis.
        name: Unused, as in Paddle.

    Returns:
        A tensor with one element fewer along the axis.

    Raises:
        OperatorError: both x and dx are given, or y is 0-D.
    """
    return cumsum(_trapezoids(y, x, dx, axis, "cumulative_trapezoid"), axis=axis)


__all__ = [
    "cummax", "cummin", "cumprod", "cumsum", "cumulative_trapezoid", "diff", "logcumsumexp", "trapezoid",
]  # fmt: skip
TENSOR_METHODS = tuple(__all__)
IN_PLACE_METHODS = ("cumprod", "cumsum")

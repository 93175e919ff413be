"""Reductions: from many elements along axes to one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Callable, Optional

from core.kernels.dispatch.dispatcher import Meta
from core.kernels.dispatch.errors import OperatorError, OperatorTypeError
from core.kernels.dispatch.operator import Operator
from core.kernels.dtypes import DType, DTypeLike, bool_, float32, int64, to_dtype
from core.kernels.sizes.dimension import is_known, same_shape
from core.operators._arguments import AxisLike, axes_argument, floating, need_tensor
from core.operators._size_zero import constant_result
from core.operators.arithmetic.math import exp, log
from core.operators.arithmetic.rounding import clip
from core.operators.creation.creation import cast, filled, narrowed
from core.operators.shape._primitives import reshape_exact
from core.tensor import Tensor, apply


def reduced_shape(shape: Sequence[int], axes: Sequence[int], keepdim: bool) -> tuple[int, ...]:
    """Return the shape after reducing axes (counted from the front)."""
    if keepdim:
        return tuple([1 if i in axes else size for i, size in enumerate(shape)])
    return tuple([size for i, size in enumerate(shape) if i not in axes])


def _infer(dtype: Optional[DType] = None) -> Callable[[Sequence[Meta], dict[str, Any]], Sequence[Meta]]:
    def infer(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
        shape, own = metas[0]
        return [(reduced_shape(shape, options["axis"], options["keepdims"]), dtype or own)]

    return infer


_sum = Operator("sum", "_np_sum", infer=_infer())
_max = Operator("max", "_np_max", infer=_infer())
_min = Operator("min", "_np_min", infer=_infer())
# needs a custom operator: the engine gives each of several equal extremes the full gradient, and divides a product by
# its zeros
_amax = Operator("amax", "_np_max", infer=_infer(), needs_custom_operator=True)
_amin = Operator("amin", "_np_min", infer=_infer(), needs_custom_operator=True)
_prod = Operator("prod", "_np_prod", infer=_infer(), needs_custom_operator=True)
_all = Operator("all", "_np_all", infer=_infer(bool_), differentiable=False)
_any = Operator("any", "_np_any", infer=_infer(bool_), differentiable=False)


def _reduce(
    operator: Operator,
    x: Tensor,
    axis: AxisLike,
    keepdim: bool,
    identity: Optional[float],
    dtype: Optional[DType] = None,
) -> Tensor:
    """Apply a reduction; half precision is accumulated in float32, nothing at all gives the identity."""
    caller = operator.name
    axes = axes_argument(axis, x.ndim, caller)
    if not axes:
        return reshape_exact(x if dtype is None else cast(x, dtype), x.shape)
    if x.size == 0:
        shape = reduced_shape(x.shape, axes, keepdim)
        if identity is None:
            if 0 not in shape:
                raise OperatorError(f"{caller}: no elements along axis {list(axes)} of a tensor of shape {x.shape}")
            identity = 0.0
        if dtype is not None or not x.dtype.is_floating:
            return filled(shape, identity, dtype or x.dtype)
        return constant_result([x], shape, identity)
    if x.dtype.size == 2 and dtype is None:
        return narrowed(_reduce(operator, cast(x, float32), axes, keepdim, identity), x.dtype)
    return apply(operator, x, axis=axes, keepdims=bool(keepdim))


def _numbers(x: Tensor, caller: str) -> Tensor:
    need_tensor(x, caller)
    if x.dtype is bool_:
        fix = "cast it to int64, or use any() or all()"
        raise OperatorTypeError(f"{caller}: expects numbers, got a bool tensor: {fix}")
    return x


def sum(  # noqa: A001 - Paddle's name
    x: Tensor, axis: AxisLike = None, dtype: DTypeLike = None, keepdim: bool = False, name: Optional[str] = None
) -> Tensor:
    """Add the elements along axes.

    Args:
        x: Any tensor; bool and int32 are summed as int64.
        axis: One axis, a list, or None for all.
        dtype: Convert to this type first.
        keepdim: Keep reduced axes with size 1.
        name: Unused, as in Paddle.

    Returns:
        The sums; 0-D when everything is reduced and keepdim is False; 0 over no elements.

    Raises:
        OperatorIndexError: an axis does not exist.
    """
    need_tensor(x, "sum")
    if dtype is not None:
        x = cast(x, dtype)
    elif x.dtype is bool_ or x.dtype == "int32":
        x = cast(x, int64)
    return _reduce(_sum, x, axis, keepdim, 0.0)


def mean(x: Tensor, axis: AxisLike = None, keepdim: bool = False, name: Optional[str] = None) -> Tensor:
    """Average the elements along axes.

    Args:
        x: Any tensor; integers and bool are averaged in the default float type.
        axis: One axis, a list, or None for all.
        keepdim: Keep reduced axes with size 1.
        name: Unused, as in Paddle.

    Returns:
        The means, floating-point; 0-D when everything is reduced; NaN over no elements.

    Raises:
        OperatorIndexError: an axis does not exist.
    """
    need_tensor(x, "mean")
    kept = floating(x.dtype)
    x = cast(x, kept if kept.size > 2 else float32)
    axes = axes_argument(axis, x.ndim, "mean")
    count = elements(x.shape, axes)
    if not count:
        return narrowed(_reduce(_sum, x, axes, keepdim, float("nan")), kept)
    total = _reduce(_sum, x, axes, keepdim, 0.0)
    return narrowed(total * (1.0 / count) if not is_known(count, 1) else total, kept)


def elements(shape: Sequence[int], axes: Sequence[int]) -> int:
    """Return how many elements are reduced into one."""
    count = 1
    for axis in axes:
        count *= shape[axis]
    return count


_EXTREME_DOC = """Take the {which} element along axes.

    Args:
        x: A tensor of numbers.
        axis: One axis, a list, or None for all.
        keepdim: Keep reduced axes with size 1.
        name: Unused, as in Paddle.

    Returns:
        The extremes, in x's dtype; 0-D when everything is reduced; NaN where an element is NaN. {gradient}

    Raises:
        OperatorError: there is no element to choose from.
        OperatorIndexError: an axis does not exist.
        OperatorTypeError: x is a bool tensor.
    """


def _extreme(operator: Operator, which: str, gradient: str) -> Any:
    def function(x: Tensor, axis: AxisLike = None, keepdim: bool = False, name: Optional[str] = None) -> Tensor:
        return _reduce(operator, _numbers(x, operator.name), axis, keepdim, None)

    function.__name__ = function.__qualname__ = operator.name
    function.__doc__ = _EXTREME_DOC.format(which=which, gradient=gradient)
    return function


_WHOLE = "Each of several equal extremes gets the whole gradient."
_SHARED = "Several equal extremes share the gradient equally."
max = _extreme(_max, "largest", _WHOLE)  # noqa: A001 - Paddle's name
min = _extreme(_min, "smallest", _WHOLE)  # noqa: A001 - Paddle's name
amax = _extreme(_amax, "largest", _SHARED)
amin = _extreme(_amin, "smallest", _SHARED)


def prod(
    x: Tensor, axis: AxisLike = None, keepdim: bool = False, dtype: DTypeLike = None, name: Optional[str] = None
) -> Tensor:
    """Multiply the elements along axes.

    Args:
        x: A tensor of numbers.
        axis: One axis, a list, or None for all.
        keepdim: Keep reduced axes with size 1.
        dtype: Convert to this type first.
        name: Unused, as in Paddle.

    Returns:
        The products; 0-D when everything is reduced; 1 over no elements.

    Raises:
        OperatorIndexError: an axis does not exist.
    """
    need_tensor(x, "prod")
    x = _numbers(x if dtype is None else cast(x, to_dtype(dtype)), "prod")
    return _reduce(_prod, x, axis, keepdim, 1.0)


def all(x: Tensor, axis: AxisLike = None, keepdim: bool = False, name: Optional[str] = None) -> Tensor:  # noqa: A001
    """Tell whether all elements along axes are true (not 0).

    Args:
        x: Any tensor.
        axis: One axis, a list, or None for all.
        keepdim: Keep reduced axes with size 1.
        name: Unused, as in Paddle.

    Returns:
        A bool tensor; True over no elements.

    Raises:
        OperatorIndexError: an axis does not exist.
    """
    return _reduce(_all, need_tensor(x, "all"), axis, keepdim, 1, bool_)


def any(x: Tensor, axis: AxisLike = None, keepdim: bool = False, name: Optional[str] = None) -> Tensor:  # noqa: A001
    """Tell whether any element along axes is true (not 0).

    Args:
        x: Any tensor.
        axis: One axis, a list, or None for all.
        keepdim: Keep reduced axes with size 1.
        name: Unused, as in Paddle.

    Returns:
        A bool tensor; False over no elements.

    Raises:
        OperatorIndexError: an axis does not exist.
    """
    return _reduce(_any, need_tensor(x, "any"), axis, keepdim, 0, bool_)


def count_nonzero(x: Tensor, axis: AxisLike = None, keepdim: bool = False, name: Optional[str] = None) -> Tensor:
    """Count the elements along axes that are not 0.

    Args:
        x: Any tensor.
        axis: One axis, a list, or None for all.
        keepdim: Keep reduced axes with size 1.
        name: Unused, as in Paddle.

    Returns:
        An int64 tensor of counts.

    Raises:
        OperatorIndexError: an axis does not exist.
    """
    need_tensor(x, "count_nonzero")
    return sum(x if x.dtype is bool_ else x != 0, axis, int64, keepdim)


def logsumexp(x: Tensor, axis: AxisLike = None, keepdim: bool = False, name: Optional[str] = None) -> Tensor:
    """Compute the logarithm of the sum of exponentials along axes, without overflow.

    Args:
        x: A floating-point tensor.
        axis: One axis, a list, or None for all.
        keepdim: Keep reduced axes with size 1.
        name: Unused, as in Paddle.

    Returns:
        A tensor of x's dtype; 0-D when everything is reduced; minus infinity over no elements.

    Raises:
        OperatorIndexError: an axis does not exist.
        OperatorTypeError: x is not floating-point.
    """
    need_tensor(x, "logsumexp")
    if not x.dtype.is_floating:
        raise OperatorTypeError(f"logsumexp: expects a floating-point tensor, got {x.dtype.name}: cast it to float32")
    axes = axes_argument(axis, x.ndim, "logsumexp")
    if not elements(x.shape, axes):
        return _reduce(_sum, x, axes, keepdim, float("-inf"))
    wide = cast(x, float32) if x.dtype.size == 2 else x
    largest = 3e38 if wide.dtype is float32 else 1e308
    shift = clip(max(wide, axes, True), -largest, largest).detach()  # infinite extremes must not give inf - inf
    total = log(sum(exp(wide - shift), axes, keepdim=True)) + shift
    return narrowed(total if keepdim else reshape_exact(total, reduced_shape(x.shape, axes, False)), x.dtype)


def unbroadcast(gradient: Tensor, shape: Sequence[int]) -> Tensor:
    """Sum a gradient over the axes that broadcasting had added or repeated, back to the original shape."""
    have = gradient.shape
    if same_shape(have, shape):
        return gradient
    offset = len(have) - len(shape)
    axes = [i for i in range(len(have)) if i < offset or (is_known(shape[i - offset], 1) and not is_known(have[i], 1))]
    if axes:
        gradient = sum(gradient, axis=axes, keepdim=True)
    return reshape_exact(gradient, shape) if not same_shape(gradient.shape, shape) else gradient


__all__ = ["all", "amax", "amin", "any", "count_nonzero", "logsumexp", "max", "mean", "min", "prod", "sum"]
TENSOR_METHODS = tuple(__all__)

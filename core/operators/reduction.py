"""Reductions: from many elements along axes to one."""

from __future__ import annotations

from typing import Any, Optional, Sequence

from core.kernels.door import Meta
from core.kernels.dtypes import DTypeLike, int64
from core.kernels.operator import Operator
from core.operators.arguments import AxisLike, axes_argument, need_tensor
from core.operators.creation import cast, filled
from core.operators.manipulation import reshape_exact
from core.tensor import Tensor, apply


def _reduced(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
    shape, dtype = metas[0]
    return [(reduced_shape(shape, options["axis"], options["keepdims"]), dtype)]


def reduced_shape(shape: Sequence[int], axes: Sequence[int], keepdim: bool) -> tuple[int, ...]:
    """Return the shape after reducing axes (counted from the front)."""
    if keepdim:
        return tuple([1 if i in axes else size for i, size in enumerate(shape)])
    return tuple([size for i, size in enumerate(shape) if i not in axes])


_sum = Operator("sum", "_np_sum", infer=_reduced)


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
    elif x.dtype.kind == "b" or x.dtype == "int32":
        x = cast(x, int64)
    axes = axes_argument(axis, x.ndim, "sum")
    if not axes:
        return reshape_exact(x, x.shape)
    if x.size == 0:
        return filled(reduced_shape(x.shape, axes, keepdim), 0, x.dtype)
    return apply(_sum, x, axis=axes, keepdims=bool(keepdim))



__all__ = ["sum"]
TENSOR_METHODS = tuple(__all__)

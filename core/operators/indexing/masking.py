"""Masks: choosing, keeping and replacing elements by truth values, and turning numbers into masks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Optional, Union

import numpy as np

from core.kernels.dispatch.dispatcher import Meta
from core.kernels.dispatch.errors import OperatorError, OperatorTypeError
from core.kernels.dispatch.operator import HostOperator, Operator
from core.kernels.dtypes import DTypeLike, bfloat16, bool_, float32, int64, to_dtype
from core.kernels.sizes.dimension import Dimension
from core.operators._arguments import (
    Scalar,
    as_tensor,
    broadcast_shape,
    check_broadcast,
    common_dtype,
    is_number,
    need_tensor,
    number_tensor,
    scalar_dtype,
)
from core.operators._size_zero import constant_result
from core.operators.creation._constants import positions
from core.operators.creation.creation import cast
from core.operators.indexing.gathering import check_range, index_argument, take_rows
from core.operators.shape._primitives import reshape_exact
from core.operators.shape.joining import split_sizes, unbind
from core.operators.shape.manipulation import broadcast_to, unsqueeze
from core.tensor import Tensor, apply


def _one_hot_meta(metas: Sequence[Meta], options: dict[str, Any]) -> Sequence[Meta]:
    return [((*metas[0][0], options["depth"]), options["dtype"])]


def _positions(mask: np.ndarray) -> np.ndarray:
    return np.argwhere(mask).astype(np.int64)


_where = Operator(
    "where",
    "_npi_where",
    check=check_broadcast("where"),
    infer=lambda metas, options: [(broadcast_shape(*[shape for shape, _ in metas], caller="where"), metas[1][1])],
)
_where_same = Operator("where_same", "where", infer=lambda metas, options: metas[1:2])
_nonzero = HostOperator("nonzero", _positions, differentiable=False)
_one_hot = Operator("one_hot", "_npx_one_hot", infer=_one_hot_meta, differentiable=False)


def where(
    condition: Tensor,
    x: Union[Tensor, Scalar, None] = None,
    y: Union[Tensor, Scalar, None] = None,
    name: Optional[str] = None,
) -> Any:
    """Take x where the condition is true, y elsewhere.

    Args:
        condition: A bool tensor, or numbers, of which those that are not 0 count as true.
        x: A tensor or number; the three shapes broadcast.
        y: A tensor or number; when both are None the positions of true elements are returned.
        name: Unused, as in Paddle.

    Returns:
        A tensor of the broadcast shape in the common type of x and y, or :func:`nonzero` of the condition as a tuple.

    Raises:
        OperatorError: only one of x and y is given, or the shapes do not broadcast.
        OperatorTypeError: the condition is no Tensor.
    """
    if need_tensor(condition, "where", "condition").dtype is not bool_:
        condition = condition != 0
    if x is None and y is None:
        return nonzero(condition, as_tuple=True)
    if x is None or y is None:
        raise OperatorError("where: give both x and y, or neither")
    if is_number(x) and isinstance(y, Tensor):
        x = number_tensor(x, scalar_dtype(y.dtype, x))  # type: ignore[arg-type]  # is_number says so
    elif is_number(y) and isinstance(x, Tensor):
        y = number_tensor(y, scalar_dtype(x.dtype, y))  # type: ignore[arg-type]  # is_number says so
    first, second = as_tensor(x, "where"), as_tensor(y, "where")
    dtype = common_dtype(first.dtype, second.dtype)
    first, second = cast(first, dtype), cast(second, dtype)
    shape = broadcast_shape(condition.shape, first.shape, second.shape, caller="where")
    if 0 in shape:  # the engine divides by zero there, which ends the process
        return constant_result([first, second], shape)
    if dtype is bfloat16:  # whose gradient the engine lacks
        return cast(where(condition, cast(first, float32), cast(second, float32)), bfloat16)
    if len(shape) > MAXIMUM_AXES:
        mask, one, other = [
            reshape_exact(broadcast_to(t, shape), [math.prod(shape)]) for t in (condition, first, second)
        ]
        return reshape_exact(where(mask, one, other), shape)
    return apply(_where, condition, first, second)


MAXIMUM_AXES = 5  # the engine's choice counts no further, and says so late


def nonzero(x: Tensor, as_tuple: bool = False) -> Any:
    """Find the positions of elements that are not 0 (or are true).

    Args:
        x: A tensor of at least one axis.
        as_tuple: Return one tensor per axis.

    Returns:
        int64 of shape [count, rank], or a tuple of ``rank`` tensors of shape [count, 1].

    Raises:
        OperatorError: x is 0-D.
    """
    if need_tensor(x, "nonzero").ndim == 0:
        raise OperatorError("nonzero: x is 0-D, it has no positions: reshape it to [1]")
    found = apply(_nonzero, x)
    if not as_tuple:
        return found
    return tuple(split_sizes(found, [1] * x.ndim, 1))


def nonzero_columns(mask: Tensor) -> list[Tensor]:
    """Return the positions of true elements as one tensor of shape [count] per axis."""
    found = apply(_nonzero, mask)
    return unbind(found, 1)


def masked_select(x: Tensor, mask: Tensor, name: Optional[str] = None) -> Tensor:
    """Take the elements where a mask is true.

    Args:
        x: Any tensor.
        mask: bool; the shapes broadcast.
        name: Unused, as in Paddle.

    Returns:
        A 1-D tensor of the chosen elements in order.

    Raises:
        OperatorTypeError: the mask is not bool.
        OperatorError: the shapes do not broadcast.
    """
    _bool_mask(mask, "masked_select")
    shape = broadcast_shape(need_tensor(x, "masked_select").shape, mask.shape, caller="masked_select")
    flat_mask = reshape_exact(broadcast_to(mask, shape), [math.prod(shape)])
    flat = reshape_exact(broadcast_to(x, shape), flat_mask.shape)
    return take_rows(flat, nonzero_columns(flat_mask)[0])


def _bool_mask(mask: Any, caller: str) -> Tensor:
    if need_tensor(mask, caller, "mask").dtype.kind != "b":
        raise OperatorTypeError(f"{caller}: mask must be bool, got {mask.dtype.name}: compare it with something")
    return mask


def masked_fill(x: Tensor, mask: Tensor, value: Union[Scalar, Tensor], name: Optional[str] = None) -> Tensor:
    """Replace elements by a number where a mask is true.

    Args:
        x: Any tensor.
        mask: bool; the shapes broadcast.
        value: A number or a tensor of one element.
        name: Unused, as in Paddle.

    Returns:
        A tensor of the broadcast shape and x's type.

    Raises:
        OperatorTypeError: the mask is not bool.
        OperatorError: the shapes do not broadcast.
    """
    _bool_mask(mask, "masked_fill")
    number = as_tensor(value, "masked_fill")
    if number.size != 1:
        raise OperatorError(f"masked_fill: value must be one number, got shape {number.shape}")
    return where(mask, reshape_exact(cast(number, need_tensor(x, "masked_fill").dtype), []), x)


def one_hot(x: Tensor, num_classes: int, name: Optional[str] = None) -> Tensor:
    """Turn class numbers into rows of zeros with a single one.

    Args:
        x: Integers of any shape; 0 <= x < num_classes.
        num_classes: Length of a row.
        name: Unused, as in Paddle.

    Returns:
        A tensor of the default float type and shape x.shape + [num_classes].

    Raises:
        OperatorIndexError: a class number is out of range.
        OperatorTypeError: x does not hold integers.
    """
    index = index_argument(x, "one_hot", "x")
    depth = num_classes if isinstance(num_classes, Dimension) else int(num_classes)
    if depth < 1:
        raise OperatorError(f"one_hot: num_classes must be at least 1, got {depth}")
    check_range(index, depth, "one_hot", name="class")
    return apply(_one_hot, index, depth=depth, dtype=to_dtype("float32"))


def sequence_mask(
    x: Tensor, maxlen: Optional[int] = None, dtype: DTypeLike = "int64", name: Optional[str] = None
) -> Tensor:
    """Turn lengths into rows of ones followed by zeros.

    Args:
        x: Integer lengths of any shape.
        maxlen: Length of a row; the largest length when None.
        dtype: Type of the result.
        name: Unused, as in Paddle.

    Returns:
        A tensor of shape x.shape + [maxlen].

    Raises:
        OperatorTypeError: x does not hold integers.
    """
    lengths = cast(index_argument(x, "sequence_mask", "x"), int64)
    if isinstance(maxlen, Tensor):
        maxlen = int(maxlen.item())
    if maxlen is None:
        maxlen = int(lengths.numpy().max(initial=0))
    steps = positions(maxlen)
    return cast(steps < unsqueeze(lengths, -1), dtype)


__all__ = ["masked_fill", "masked_select", "nonzero", "one_hot", "sequence_mask", "where"]
TENSOR_METHODS = ("masked_fill", "masked_select", "nonzero", "where")
IN_PLACE_METHODS = ("masked_fill",)

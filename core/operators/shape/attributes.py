"""What a tensor is: its sizes, type and number of elements, as tensors and as Python values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

from core.kernels.dtypes import int32, int64
from core.operators import _arguments as arguments
from core.operators._arguments import need_tensor
from core.operators.shape._sizes import size_tensor
from core.tensor import Tensor


def numel(x: Tensor, name: Optional[str] = None) -> Tensor:
    """Count the elements.

    Args:
        x: Any tensor.
        name: Unused, as in Paddle.

    Returns:
        A 0-D int64 tensor.

    Raises:
        OperatorTypeError: x is no Tensor.
    """
    return size_tensor(need_tensor(x, "numel").size, int64)


def shape(input: Tensor) -> Tensor:  # noqa: A002 - Paddle's name
    """Return the sizes of all axes as a tensor.

    Args:
        input: Any tensor.

    Returns:
        An int32 tensor of shape [rank].

    Raises:
        OperatorTypeError: the input is no Tensor.
    """
    return size_tensor(need_tensor(input, "shape", "input").shape, int32)


def rank(input: Tensor) -> Tensor:  # noqa: A002 - Paddle's name
    """Count the axes.

    Args:
        input: Any tensor.

    Returns:
        A 0-D int32 tensor.

    Raises:
        OperatorTypeError: the input is no Tensor.
    """
    return Tensor(need_tensor(input, "rank", "input").ndim, dtype=int32)


def tolist(x: Tensor) -> Any:
    """Return nested lists of Python numbers, or one number for a 0-D tensor; see :func:`Tensor.tolist`."""
    return need_tensor(x, "tolist").tolist()


def is_floating_point(x: Tensor) -> bool:
    """Tell whether the elements are real floating-point numbers.

    Args:
        x: Any tensor.

    Returns:
        True for float16, bfloat16, float32 and float64.

    Raises:
        OperatorTypeError: x is no Tensor.
    """
    return need_tensor(x, "is_floating_point").dtype.is_floating


def is_integer(x: Tensor) -> bool:
    """Tell whether the elements are integers.

    Args:
        x: Any tensor.

    Returns:
        True for integer types, False for floats and bool.

    Raises:
        OperatorTypeError: x is no Tensor.
    """
    return need_tensor(x, "is_integer").dtype.is_integer


def broadcast_shape(x_shape: Sequence[int], y_shape: Sequence[int]) -> list[int]:
    """Return the shape that an operation on tensors of two shapes gives.

    Args:
        x_shape: One shape.
        y_shape: The other.

    Returns:
        The shape as a list.

    Raises:
        OperatorError: two sizes of one axis differ and neither is 1.
    """
    return list(arguments.broadcast_shape(x_shape, y_shape, caller="broadcast_shape"))


__all__ = ["broadcast_shape", "is_floating_point", "is_integer", "numel", "rank", "shape", "tolist"]
TENSOR_METHODS = ("is_integer", "numel", "rank")

"""Other views of the same elements: expanded, reshaped like another tensor, lifted to more axes."""

from __future__ import annotations

from typing import Any, Optional

from core.kernels.dispatch.errors import OperatorTypeError
from core.kernels.dtypes import DType
from core.operators._arguments import ShapeLike, as_tensor, need_tensor
from core.operators.shape._primitives import reshape_exact
from core.operators.shape.manipulation import broadcast_to, reshape
from core.tensor import Tensor


def expand(x: Tensor, shape: ShapeLike, name: Optional[str] = None) -> Tensor:
    """Repeat axes of size 1 to reach a shape; see :func:`broadcast_to`."""
    return broadcast_to(x, shape)


def expand_as(x: Tensor, y: Tensor, name: Optional[str] = None) -> Tensor:
    """Repeat axes of size 1 to reach another tensor's shape; see :func:`broadcast_to`."""
    return broadcast_to(x, need_tensor(y, "expand_as", "y").shape)


def view(x: Tensor, shape_or_dtype: Any, name: Optional[str] = None) -> Tensor:
    """Give the elements another shape.

    Args:
        x: Any tensor.
        shape_or_dtype: New sizes, as for :func:`reshape`.
        name: Unused, as in Paddle.

    Returns:
        A tensor of the new shape.

    Raises:
        OperatorTypeError: a dtype is given: the bits of a tensor cannot be read as another type here.
    """
    if isinstance(shape_or_dtype, (str, DType)):
        raise OperatorTypeError("view: reading the bits as another dtype is not supported: use cast for conversion")
    return reshape(x, shape_or_dtype)


def view_as(x: Tensor, other: Tensor, name: Optional[str] = None) -> Tensor:
    """Give the elements another tensor's shape; see :func:`reshape`."""
    return reshape(x, need_tensor(other, "view_as", "other").shape)


def _at_least(inputs: tuple[Any, ...], rank: int) -> Any:
    lifted = []
    for value in inputs:
        x = as_tensor(value, f"atleast_{rank}d")
        shape = x.shape
        if rank == 3 and len(shape) in (1, 2):
            shape = [*shape, 1]
        lifted.append(reshape_exact(x, [1] * (rank - len(shape)) + shape) if x.ndim < rank else x)
    return lifted[0] if len(lifted) == 1 else lifted


def atleast_1d(*inputs: Any, name: Optional[str] = None) -> Any:
    """Make 0-D tensors 1-D.

    Args:
        *inputs: Tensors, numbers or arrays.
        name: Unused, as in Paddle.

    Returns:
        One tensor, or a list of them for several inputs.

    Raises:
        OperatorTypeError: an input is neither Tensor nor numeric.
    """
    return _at_least(inputs, 1)


def atleast_2d(*inputs: Any, name: Optional[str] = None) -> Any:
    """Lift tensors to at least two axes, (n,) to (1, n).

    Args:
        *inputs: Tensors, numbers or arrays.
        name: Unused, as in Paddle.

    Returns:
        One tensor, or a list of them for several inputs.

    Raises:
        OperatorTypeError: an input is neither Tensor nor numeric.
    """
    return _at_least(inputs, 2)


def atleast_3d(*inputs: Any, name: Optional[str] = None) -> Any:
    """Lift tensors to at least three axes, (n,) to (1, n, 1) and (m, n) to (m, n, 1).

    Args:
        *inputs: Tensors, numbers or arrays.
        name: Unused, as in Paddle.

    Returns:
        One tensor, or a list of them for several inputs.

    Raises:
        OperatorTypeError: an input is neither Tensor nor numeric.
    """
    return _at_least(inputs, 3)


__all__ = ["atleast_1d", "atleast_2d", "atleast_3d", "expand", "expand_as", "view", "view_as"]
TENSOR_METHODS = tuple(__all__)

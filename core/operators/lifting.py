"""Lifting tensors of few axes to more."""

from __future__ import annotations

from typing import Any, Optional

from core.operators.arguments import as_tensor
from core.operators.manipulation import reshape_exact


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


__all__ = ["atleast_1d", "atleast_2d", "atleast_3d"]
TENSOR_METHODS = tuple(__all__)

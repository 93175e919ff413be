"""Checks of boxes and images that the operators of this package share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.kernels.dispatch.dispatcher import Meta
from core.kernels.dispatch.errors import OperatorError, OperatorTypeError
from core.kernels.dtypes import float32, float64, int64
from core.operators import cast
from core.operators._arguments import need_tensor
from core.tensor import Tensor


def floating_of_rank(value: Any, rank: int, caller: str, name: str, axes: str) -> Tensor:
    """Return a floating-point tensor of a given rank.

    Args:
        value: What was given.
        rank: Its number of axes.
        caller: The function's name, for the message.
        name: The argument's name.
        axes: What the axes mean, for the message.

    Raises:
        OperatorError: the rank is another.
        OperatorTypeError: it is no floating-point Tensor.
    """
    tensor = need_tensor(value, caller, name)
    if not tensor.dtype.is_floating:
        raise OperatorTypeError(f"{caller}: {name} must be floating-point, got {tensor.dtype.name}: cast it to float32")
    if tensor.ndim != rank:
        raise OperatorError(f"{caller}: {name} has the shape {axes}, but got {tensor.shape}")
    return tensor


def boxes_argument(value: Any, caller: str, name: str = "boxes") -> Tensor:
    """Return boxes x1, y1, x2, y2 of shape [boxes, 4].

    Raises:
        OperatorError: the shape is another.
        OperatorTypeError: they are no floating-point Tensor.
    """
    tensor = floating_of_rank(value, 2, caller, name, "[boxes, 4]")
    if tensor.shape[1] != 4:
        raise OperatorError(f"{caller}: {name} has the shape [boxes, 4], but got {tensor.shape}")
    return tensor


def counts_argument(value: Any, images: int, caller: str, name: str = "boxes_num", of: str = "images") -> Tensor:
    """Return one number of each image, or of each of something else, as int64 of shape [images].

    Raises:
        OperatorError: there is not one number for each.
        OperatorTypeError: they are no integers.
    """
    tensor = need_tensor(value, caller, name)
    if not tensor.dtype.is_integer:
        raise OperatorTypeError(f"{caller}: {name} must hold integers, got {tensor.dtype.name}: cast it to int32")
    if tensor.shape != [images]:
        raise OperatorError(f"{caller}: {name} holds one number for each of {images} {of}, but got {tensor.shape}")
    return cast(tensor, int64)


def upcast(tensor: Tensor) -> Tensor:
    """Return a half-precision tensor as float32: our kernels compute in float32 and float64."""
    return cast(tensor, float32) if tensor.dtype.size < 4 else tensor


def numbers_argument(value: Any, caller: str, name: str) -> list[float]:
    """Return one number, or a list of them, as a list of floats.

    Args:
        value: What was given.
        caller: The function's name, for the message.
        name: The argument's name.

    Raises:
        OperatorTypeError: it is neither.
    """
    try:
        return [float(item) for item in (value if isinstance(value, (list, tuple)) else [value])]
    except (TypeError, ValueError):
        raise OperatorTypeError(f"{caller}: {name} is a number or a list of numbers, got {value!r}") from None


def need_fitting(caller: str, fits: bool, metas: Sequence[Meta], numbers: int) -> None:
    """Refuse what a kernel would read beyond the end of: programs from files bring inputs that no function checked.

    Args:
        caller: The operator's name, for the message.
        fits: Whether the shapes fit each other.
        metas: Shapes and types of the inputs.
        numbers: So many inputs, the first ones, are of one floating-point type; the others are int64.

    Raises:
        OperatorError: shapes or types do not fit.
    """
    kind = metas[0][1]
    good = fits and kind in (float32, float64) and all(dtype is kind for _, dtype in metas[:numbers])
    if not good or any(dtype is not int64 for _, dtype in metas[numbers:]):
        given = ", ".join(f"{dtype.name}{list(shape)}" for shape, dtype in metas)
        raise OperatorError(f"{caller}: inputs do not fit each other: {given}")

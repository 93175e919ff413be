"""Pooling over windows: maxima and averages."""

from __future__ import annotations

from typing import Any, Optional

from core.kernels.dispatch.errors import OperatorError
from core.operators.layers._pooling_primitives import pool
from core.operators.layers._windows import PaddingLike, Sizes, sizes_argument
from core.tensor import Tensor


def max_pool1d(
    x: Tensor,
    kernel_size: Sizes,
    stride: Optional[Sizes] = None,
    padding: PaddingLike = 0,
    return_mask: bool = False,
    ceil_mode: bool = False,
    name: Optional[str] = None,
) -> Any:
    """Take the largest element of each window along one axis.

    Args:
        x: Shape (N, C, L), floating-point.
        kernel_size: Size of a window.
        stride: Step between windows; the kernel size when None.
        padding: Positions around x that are never the largest: an int, (before, after), ``SAME`` or ``VALID``.
        return_mask: Also return where the largest elements stand.
        ceil_mode: Let a last window that reaches over the end count.
        name: Unused, as in Paddle.

    Returns:
        Shape (N, C, (L + padding - kernel_size) // stride + 1); with return_mask also int32 positions of that shape.

    Raises:
        OperatorError: the window does not fit, or an argument has the wrong form.
        OperatorTypeError: x is no floating-point Tensor.
    """
    return pool("max", 1, x, kernel_size, stride, padding, ceil_mode, "NCL", return_mask=return_mask)


def max_pool2d(
    x: Tensor,
    kernel_size: Sizes,
    stride: Optional[Sizes] = None,
    padding: PaddingLike = 0,
    return_mask: bool = False,
    ceil_mode: bool = False,
    data_format: str = "NCHW",
    name: Optional[str] = None,
) -> Any:
    """Take the largest element of each window of images.

    Args:
        x: Shape (N, C, H, W), or (N, H, W, C) for ``NHWC``; floating-point.
        kernel_size: Size of a window, one int or one per axis.
        stride: Step between windows; the kernel size when None.
        padding: As for :func:`core.nn.functional.conv2d`; padded positions are never the largest.
        return_mask: Also return where the largest elements stand (``NCHW`` only).
        ceil_mode: Let last windows that reach over the end count.
        data_format: ``NCHW`` or ``NHWC``.
        name: Unused, as in Paddle.

    Returns:
        Shape (N, C, H', W') in x's layout; with return_mask also int32 positions in the flattened plane.

    Raises:
        OperatorError: the window does not fit, or an argument has the wrong form.
        OperatorTypeError: x is no floating-point Tensor.
    """
    return pool("max", 2, x, kernel_size, stride, padding, ceil_mode, data_format, return_mask=return_mask)


def max_pool3d(
    x: Tensor,
    kernel_size: Sizes,
    stride: Optional[Sizes] = None,
    padding: PaddingLike = 0,
    return_mask: bool = False,
    ceil_mode: bool = False,
    data_format: str = "NCDHW",
    name: Optional[str] = None,
) -> Any:
    """Take the largest element of each window of volumes, (N, C, D, H, W) or ``NDHWC``; see :func:`max_pool2d`."""
    return pool("max", 3, x, kernel_size, stride, padding, ceil_mode, data_format, return_mask=return_mask)


def avg_pool1d(
    x: Tensor,
    kernel_size: Sizes,
    stride: Optional[Sizes] = None,
    padding: PaddingLike = 0,
    exclusive: bool = True,
    ceil_mode: bool = False,
    name: Optional[str] = None,
) -> Tensor:
    """Average each window along one axis.

    Args:
        x: Shape (N, C, L), floating-point.
        kernel_size: Size of a window.
        stride: Step between windows; the kernel size when None.
        padding: Zeros around x: an int, (before, after), ``SAME`` or ``VALID``.
        exclusive: Divide by the elements of x in the window, and not by the window's size.
        ceil_mode: Let a last window that reaches over the end count.
        name: Unused, as in Paddle.

    Returns:
        Shape (N, C, (L + padding - kernel_size) // stride + 1).

    Raises:
        OperatorError: the window does not fit, or an argument has the wrong form.
        OperatorTypeError: x is no floating-point Tensor.
    """
    return pool("avg", 1, x, kernel_size, stride, padding, ceil_mode, "NCL", exclusive)


def avg_pool2d(
    x: Tensor,
    kernel_size: Sizes,
    stride: Optional[Sizes] = None,
    padding: PaddingLike = 0,
    ceil_mode: bool = False,
    exclusive: bool = True,
    divisor_override: Optional[float] = None,
    data_format: str = "NCHW",
    name: Optional[str] = None,
) -> Tensor:
    """Average each window of images.

    Args:
        x: Shape (N, C, H, W), or (N, H, W, C) for ``NHWC``; floating-point.
        kernel_size: Size of a window, one int or one per axis.
        stride: Step between windows; the kernel size when None.
        padding: Zeros around x, as for :func:`core.nn.functional.conv2d`.
        ceil_mode: Let last windows that reach over the end count.
        exclusive: Divide by the elements of x in the window, and not by the window's size.
        divisor_override: Divide by this instead: the average is multiplied by the window's size over it, as in Paddle.
        data_format: ``NCHW`` or ``NHWC``.
        name: Unused, as in Paddle.

    Returns:
        Shape (N, C, H', W') in x's layout.

    Raises:
        OperatorError: the window does not fit, or an argument has the wrong form.
        OperatorTypeError: x is no floating-point Tensor.
    """
    averages = pool("avg", 2, x, kernel_size, stride, padding, ceil_mode, data_format, exclusive)
    return _override(averages, kernel_size, 2, divisor_override)


def avg_pool3d(
    x: Tensor,
    kernel_size: Sizes,
    stride: Optional[Sizes] = None,
    padding: PaddingLike = 0,
    ceil_mode: bool = False,
    exclusive: bool = True,
    divisor_override: Optional[float] = None,
    data_format: str = "NCDHW",
    name: Optional[str] = None,
) -> Tensor:
    """Average each window of volumes, shape (N, C, D, H, W) or (N, D, H, W, C); see :func:`avg_pool2d`."""
    averages = pool("avg", 3, x, kernel_size, stride, padding, ceil_mode, data_format, exclusive)
    return _override(averages, kernel_size, 3, divisor_override)


def _override(averages: Tensor, kernel_size: Sizes, rank: int, divisor: Optional[float]) -> Tensor:
    if divisor is None:
        return averages
    if divisor == 0:
        raise OperatorError(f"avg_pool{rank}d: divisor_override must not be 0")
    window = 1
    for size in sizes_argument(kernel_size, rank, f"avg_pool{rank}d", "kernel_size"):
        window *= size
    return averages * (window / divisor)


__all__ = ["avg_pool1d", "avg_pool2d", "avg_pool3d", "max_pool1d", "max_pool2d", "max_pool3d"]

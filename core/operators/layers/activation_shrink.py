"""Activations that replace small elements by 0: shrinking and thresholds."""

from __future__ import annotations

from typing import Optional

from core.kernels.dispatch.errors import OperatorError
from core.operators._methods import in_place
from core.operators.arithmetic.math import abs as absolute
from core.operators.arithmetic.math import maximum, minimum
from core.operators.indexing.masking import where
from core.operators.layers._activation_primitives import floating_tensor
from core.tensor import Tensor


def hardshrink(x: Tensor, threshold: float = 0.5, name: Optional[str] = None) -> Tensor:
    """Replace elements within [-threshold, threshold] by 0.

    Args:
        x: A floating-point tensor of any shape.
        threshold: Half the width of what is replaced.
        name: Unused, as in Paddle.

    Returns:
        A tensor of the same shape.

    Raises:
        OperatorTypeError: x is no floating-point Tensor.
    """
    return _keep_where(absolute(floating_tensor(x, "hardshrink")) > float(threshold), x)


def softshrink(x: Tensor, threshold: float = 0.5, name: Optional[str] = None) -> Tensor:
    """Move elements towards 0 by the threshold, those within it to 0.

    Args:
        x: A floating-point tensor of any shape.
        threshold: How far, not negative.
        name: Unused, as in Paddle.

    Returns:
        A tensor of the same shape.

    Raises:
        OperatorError: the threshold is negative.
    """
    if threshold < 0:
        raise OperatorError(f"softshrink: the threshold must not be negative, got {threshold}")
    floating_tensor(x, "softshrink")
    return maximum(x - float(threshold), 0.0) + minimum(x + float(threshold), 0.0)


def thresholded_relu(x: Tensor, threshold: float = 1.0, name: Optional[str] = None) -> Tensor:
    """Replace elements at or below the threshold by 0.

    Args:
        x: A floating-point tensor of any shape.
        threshold: The largest element that becomes 0.
        name: Unused, as in Paddle.

    Returns:
        A tensor of the same shape.

    Raises:
        OperatorTypeError: x is no floating-point Tensor.
    """
    return _keep_where(floating_tensor(x, "thresholded_relu") > float(threshold), x)


def thresholded_relu_(x: Tensor, threshold: float = 1.0, name: Optional[str] = None) -> Tensor:
    """Compute :func:`thresholded_relu` and move x to the result."""
    return in_place(x, thresholded_relu(x, threshold), "thresholded_relu_")


def _keep_where(condition: Tensor, x: Tensor) -> Tensor:
    return where(condition, x, x * 0.0)


__all__ = ["hardshrink", "softshrink", "thresholded_relu", "thresholded_relu_"]

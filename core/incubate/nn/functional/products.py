"""A product of matrices, a shift and an activation in one call."""

from __future__ import annotations

from typing import Callable, Optional

from core.nn import functional as F
from core.operators import add, matmul
from core.tensor import Tensor

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {"relu": F.relu, "gelu": F.gelu}


def activated(x: Tensor, activation: str, caller: str) -> Tensor:
    """Return an activation of a tensor.

    Args:
        x: any floating-point tensor.
        activation: ``relu`` or ``gelu``.
        caller: the function that was given the name, for messages.

    Raises:
        ValueError: there is no such activation.
    """
    if activation not in ACTIVATIONS:
        raise ValueError(f"{caller}: activation must be one of {', '.join(ACTIVATIONS)}, got {activation!r}")
    return ACTIVATIONS[activation](x)


def fused_matmul_bias(
    x: Tensor,
    y: Tensor,
    bias: Optional[Tensor] = None,
    transpose_x: bool = False,
    transpose_y: bool = False,
    name: Optional[str] = None,
) -> Tensor:
    """Multiply matrices and add a bias.

    Args:
        x: (..., rows, inner).
        y: (inner, columns).
        bias: (columns,), or None.
        transpose_x: whether x is (..., inner, rows).
        transpose_y: whether y is (columns, inner).
        name: unused, as in Paddle.

    Returns:
        (..., rows, columns).

    Raises:
        OperatorError: the shapes do not fit.
    """
    product = matmul(x, y, transpose_x=transpose_x, transpose_y=transpose_y)
    return product if bias is None else add(product, bias)


def fused_linear(
    x: Tensor,
    weight: Tensor,
    bias: Optional[Tensor] = None,
    transpose_weight: bool = False,
    name: Optional[str] = None,
) -> Tensor:
    """Multiply by a matrix and add a bias.

    Args:
        x: (..., in_features).
        weight: (in_features, out_features).
        bias: (out_features,), or None.
        transpose_weight: whether the weight is (out_features, in_features).
        name: unused, as in Paddle.

    Returns:
        (..., out_features).

    Raises:
        OperatorError: the shapes do not fit.
    """
    return fused_matmul_bias(x, weight, bias, False, transpose_weight)


def fused_linear_activation(
    x: Tensor,
    y: Tensor,
    bias: Tensor,
    trans_x: bool = False,
    trans_y: bool = False,
    activation: Optional[str] = None,
) -> Tensor:
    """Multiply by a matrix, add a bias and apply an activation.

    Args:
        x: (..., in_features).
        y: (in_features, out_features).
        bias: (out_features,).
        trans_x: whether the last two axes of x are exchanged.
        trans_y: whether y is (out_features, in_features).
        activation: ``relu``, ``gelu`` or None.

    Returns:
        (..., out_features).

    Raises:
        OperatorError: the shapes do not fit.
        ValueError: there is no such activation.
    """
    result = fused_matmul_bias(x, y, bias, trans_x, trans_y)
    return result if activation in (None, "none") else activated(result, str(activation), "fused_linear_activation")

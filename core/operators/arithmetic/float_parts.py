"""Floating-point numbers and their parts: mantissa and exponent, the next number."""

from __future__ import annotations

from typing import Optional

import numpy as np

from core.kernels.dispatch.errors import OperatorTypeError
from core.kernels.dispatch.operator import HostOperator
from core.kernels.dtypes import float32
from core.operators._arguments import broadcast_shape, floating, need_tensor
from core.operators.arithmetic.math import operand_pair, pow
from core.operators.creation.creation import cast
from core.operators.shape.manipulation import broadcast_to
from core.tensor import Tensor, apply

_nextafter = HostOperator(
    "nextafter", lambda x, y: np.nextafter(x, y), infer=lambda metas, options: [metas[0]], differentiable=False
)
_exponents = HostOperator(
    "exponents",
    lambda x: np.frexp(x)[1].astype(x.dtype),
    infer=lambda metas, options: [metas[0]],
    differentiable=False,
)


def nextafter(x: Tensor, y: Tensor, name: Optional[str] = None) -> Tensor:
    """Return the next number after x towards y.

    Args:
        x: A float32 or float64 tensor.
        y: A tensor whose shape broadcasts with x's.
        name: Unused, as in Paddle.

    Returns:
        A tensor of the broadcast shape.

    Raises:
        OperatorError: the shapes do not broadcast.
        OperatorTypeError: the tensors are 16-bit.
    """
    first, second = operand_pair(x, y, "nextafter")
    dtype = floating(first.dtype)
    if dtype.size == 2:
        raise OperatorTypeError(f"nextafter: x must be float32 or float64, got {dtype.name}: cast it to float32")
    shape = broadcast_shape(first.shape, second.shape)
    return apply(_nextafter, broadcast_to(cast(first, dtype), shape), broadcast_to(cast(second, dtype), shape))


def frexp(x: Tensor, name: Optional[str] = None) -> tuple[Tensor, Tensor]:
    """Split numbers into a mantissa within [0.5, 1) and a power of 2.

    Args:
        x: A floating-point tensor.
        name: Unused, as in Paddle.

    Returns:
        Mantissas and exponents, two tensors of x's shape and dtype with ``x == mantissa * 2 ** exponent``.

    Raises:
        OperatorTypeError: x is no Tensor.
    """
    x = cast(need_tensor(x, "frexp"), floating(x.dtype))
    wide = cast(x, float32) if x.dtype.size == 2 else x
    exponent = apply(_exponents, wide.detach())
    half = pow(2.0, -exponent * 0.5)  # in two steps: 2 to the power -exponent may overflow
    return cast(wide * half * half, x.dtype), cast(exponent, x.dtype)


__all__ = ["frexp", "nextafter"]
TENSOR_METHODS = ("frexp", "nextafter")

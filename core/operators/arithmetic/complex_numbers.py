"""Functions of complex numbers that real ones have too."""

from __future__ import annotations

import math
from typing import Optional

from core.kernels.dispatch.errors import OperatorTypeError
from core.operators._arguments import need_tensor
from core.operators.arithmetic.complex_tensor import ComplexTensor
from core.operators.creation.creation import assign, zeros_like
from core.operators.indexing.masking import where
from core.tensor import Tensor


def is_complex(x: Tensor) -> bool:
    """Return whether the elements are complex numbers.

    Args:
        x: A tensor.

    Returns:
        Whether its type is complex64 or complex128.
    """
    return need_tensor(x, "is_complex").dtype.kind == "c"


def conj(x: Tensor, name: Optional[str] = None) -> Tensor:
    """Return the complex conjugate, which of real numbers is their copy.

    Args:
        x: A tensor.
        name: Unused, as in Paddle.

    Returns:
        A tensor of x's shape and element type.
    """
    return x.conj() if isinstance(x, ComplexTensor) else assign(need_tensor(x, "conj"))


def angle(x: Tensor, name: Optional[str] = None) -> Tensor:
    """Compute the angle between each number and the positive real axis: of real ones pi for negative ones, else 0.

    Args:
        x: A floating-point or complex tensor.
        name: Unused, as in Paddle.

    Returns:
        A tensor of x's shape and the type of its parts; that of real numbers has no gradient, which would be 0.

    Raises:
        OperatorTypeError: the elements are integers or bool.
    """
    if isinstance(x, ComplexTensor):
        return x.angle()
    if not need_tensor(x, "angle").dtype.is_floating:
        raise OperatorTypeError(f"angle: x must be floating-point, got {x.dtype.name}: cast it to float32")
    angles: Tensor = where(x < 0, math.pi, zeros_like(x))
    return angles


__all__ = ["angle", "conj", "is_complex"]
TENSOR_METHODS = tuple(__all__)

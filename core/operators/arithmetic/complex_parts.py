"""Complex numbers and their parts (paddle.complex, real, imag, as_complex, as_real).

Complex tensors are pairs of real ones (core.operators.arithmetic.complex_tensor): the engine has no complex element
types.
"""

from __future__ import annotations

from typing import Optional

from core.kernels.dispatch.errors import OperatorError, OperatorTypeError
from core.operators._arguments import need_tensor
from core.operators.arithmetic.complex_tensor import WHOLE, ComplexTensor
from core.operators.arithmetic.math import cos, multiply, sin
from core.operators.shape.joining import broadcast_tensors
from core.tensor import Tensor

__all__: list[str] = []  # of operators on real tensors: core takes these functions from here by name
TENSOR_METHODS = ("as_complex", "as_real", "imag", "polar", "real")


def real(x: Tensor, name: Optional[str] = None) -> Tensor:
    """Return the real parts of complex numbers.

    Args:
        x: A complex tensor.
        name: Unused, as in Paddle.

    Returns:
        A tensor of x's shape, float32 or float64.

    Raises:
        OperatorTypeError: the elements are not complex.
    """
    return _need_complex(x, "real").real()


def imag(x: Tensor, name: Optional[str] = None) -> Tensor:
    """Return the imaginary parts of complex numbers.

    Args:
        x: A complex tensor.
        name: Unused, as in Paddle.

    Returns:
        A tensor of x's shape, float32 or float64.

    Raises:
        OperatorTypeError: the elements are not complex.
    """
    return _need_complex(x, "imag").imag()


def complex(real: Tensor, imag: Tensor, name: Optional[str] = None) -> ComplexTensor:  # noqa: A001 - Paddle's name
    """Make complex numbers of their parts.

    Args:
        real: Real parts, float32 or float64.
        imag: Imaginary parts, of the same type, of a shape that fits by broadcasting.
        name: Unused, as in Paddle.

    Returns:
        A complex64 or complex128 tensor of the common shape.

    Raises:
        OperatorTypeError: the types differ or are others.
    """
    for part, its_name in ((real, "real"), (imag, "imag")):
        if need_tensor(part, "complex", its_name).dtype not in WHOLE:
            raise OperatorTypeError(f"complex: {its_name} must be float32 or float64, got {part.dtype.name}")
    if real.dtype is not imag.dtype:
        raise OperatorTypeError(f"complex: real is {real.dtype.name} but imag is {imag.dtype.name}")
    if real.shape != imag.shape:
        real, imag = broadcast_tensors([real, imag])
    return ComplexTensor(real, imag)


def as_complex(x: Tensor, name: Optional[str] = None) -> ComplexTensor:
    """Make complex numbers of a tensor whose last axis has their two parts.

    Args:
        x: float32 or float64, of shape (..., 2).
        name: Unused, as in Paddle.

    Returns:
        A complex64 or complex128 tensor without that axis.

    Raises:
        OperatorError: the last axis is of another size.
        OperatorTypeError: the type is another one.
    """
    if not need_tensor(x, "as_complex").ndim or x.shape[-1] != 2:
        raise OperatorError(f"as_complex: the last axis must have size 2, but the shape is {x.shape}")
    return complex(x[..., 0], x[..., 1])


def as_real(x: Tensor, name: Optional[str] = None) -> Tensor:
    """Return both parts of complex numbers along a new last axis of size 2.

    Args:
        x: A complex tensor.
        name: Unused, as in Paddle.

    Returns:
        A float32 or float64 tensor of shape (..., 2).

    Raises:
        OperatorTypeError: the elements are not complex.
    """
    return _need_complex(x, "as_real").as_real()


def polar(abs: Tensor, angle: Tensor, name: Optional[str] = None) -> ComplexTensor:  # noqa: A002 - Paddle's names
    """Make complex numbers of their magnitudes and angles.

    Args:
        abs: Magnitudes, float32 or float64.
        angle: Angles to the positive real axis in radians, of the same type, of a shape that fits by broadcasting.
        name: Unused, as in Paddle.

    Returns:
        A complex64 or complex128 tensor of the common shape.

    Raises:
        OperatorTypeError: the types differ or are others.
    """
    for part, its_name in ((abs, "abs"), (angle, "angle")):
        if need_tensor(part, "polar", its_name).dtype not in WHOLE:
            raise OperatorTypeError(f"polar: {its_name} must be float32 or float64, got {part.dtype.name}")
    return complex(multiply(abs, cos(angle)), multiply(abs, sin(angle)))


def _need_complex(x: Tensor, caller: str) -> ComplexTensor:
    if not isinstance(need_tensor(x, caller), ComplexTensor):
        raise OperatorTypeError(f"{caller}: x must be complex64 or complex128, got {x.dtype.name}")
    assert isinstance(x, ComplexTensor)
    return x

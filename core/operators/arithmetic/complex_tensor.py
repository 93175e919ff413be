"""Complex tensors: a pair of real ones, so that every operator of the engine, gradient and program serves them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Callable, Optional

import numpy as np

from core.kernels.dispatch.errors import OperatorTypeError
from core.kernels.dtypes import NOT_FOR_COMPLEX, DType, DTypeLike, complex64, complex128, float32, float64
from core.kernels.place import current_place
from core.kernels.printing import elements_text
from core.operators.arithmetic.binary import atan2
from core.operators.arithmetic.logic import logical_and
from core.operators.arithmetic.math import add, divide, multiply, neg, sqrt, subtract
from core.operators.creation.creation import assign, cast, register_complex, to_tensor, zeros_like
from core.operators.indexing.masking import where
from core.operators.linear_algebra.linalg import matmul
from core.operators.reductions import reduction
from core.operators.shape import arrangement, expansion, manipulation
from core.operators.shape.joining import stack
from core.tensor import Tensor

PARTS = {complex64: float32, complex128: float64}
WHOLE = {float32: complex64, float64: complex128}


class ComplexTensor(Tensor):
    """Complex numbers, kept as a tensor of their real and one of their imaginary parts.

    What :mod:`core.fft` returns. It has arithmetic, matrix products, indexing, and the methods below; other operators
    take its parts, ``real()`` and ``imag()``. Gradients flow through both parts; they begin at something real.

    Args:
        real: Real parts, float32 or float64.
        imag: Imaginary parts, of the same shape and type.
    """

    def __init__(self, real: Tensor, imag: Tensor) -> None:
        self._real, self._imag = real, imag
        self._grad = None
        self._hooks = None
        self._name = None
        self.persistable = False

    @property
    def _value(self) -> Any:  # type: ignore[override]  # a pair of tensors has no single value
        raise OperatorTypeError(NOT_FOR_COMPLEX)

    # what it is

    @property
    def name(self) -> str:
        """The name of the real parts."""
        return self._real.name

    @name.setter
    def name(self, name: str) -> None:
        self._real.name = name

    @property
    def shape(self) -> list[int]:
        """The size of each axis."""
        return self._real.shape

    @property
    def dtype(self) -> DType:
        """complex64 or complex128."""
        return WHOLE[self._real.dtype]

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return self._real.ndim

    @property
    def is_leaf(self) -> bool:
        """Whether both parts were made by the user."""
        return self._real.is_leaf and self._imag.is_leaf

    @property
    def stop_gradient(self) -> bool:
        """Whether no gradient flows into either part."""
        return self._real.stop_gradient and self._imag.stop_gradient

    @stop_gradient.setter
    def stop_gradient(self, stop: bool) -> None:
        self._real.stop_gradient = self._imag.stop_gradient = stop

    # reading

    def numpy(self) -> np.ndarray:
        """Return the elements as a new numpy array."""
        real = self._real.numpy()
        numbers = np.empty(real.shape, self.dtype.numpy)
        numbers.real, numbers.imag = real, self._imag.numpy()
        return numbers

    def __len__(self) -> int:
        return len(self._real)

    def __iter__(self) -> Iterator[Tensor]:
        return (ComplexTensor(real, imag) for real, imag in zip(self._real, self._imag))

    def __repr__(self) -> str:
        head = f"Tensor(shape={self.shape}, dtype={self.dtype.name}"
        if not self._real._is_initialized():
            return f"{head}, traced, stop_gradient={self.stop_gradient})"
        body = elements_text(self.numpy())
        return f"{head}, place={current_place()}, stop_gradient={self.stop_gradient},\n       {body})"

    def __deepcopy__(self, memo: dict[int, Any]) -> ComplexTensor:
        return ComplexTensor(self._real.__deepcopy__(memo), self._imag.__deepcopy__(memo))

    def __reduce__(self) -> tuple[Any, ...]:
        return ComplexTensor, (self._real, self._imag)

    def backward(self, grad_tensor: Optional[Tensor] = None, retain_graph: bool = False) -> None:
        """Refuse: a gradient begins at something real.

        Raises:
            OperatorTypeError: always.
        """
        raise OperatorTypeError("backward of a complex tensor: take something real first, such as abs() or real()")

    # parts

    def real(self) -> Tensor:
        """Return the real parts."""
        return assign(self._real)

    def imag(self) -> Tensor:
        """Return the imaginary parts."""
        return assign(self._imag)

    def conj(self) -> ComplexTensor:
        """Return the conjugates."""
        return ComplexTensor(assign(self._real), neg(self._imag))

    def abs(self) -> Tensor:
        """Return the magnitudes; that of 0 has the gradient 0."""
        squares = add(multiply(self._real, self._real), multiply(self._imag, self._imag))
        is_zero = squares == 0
        return where(is_zero, zeros_like(squares), sqrt(where(is_zero, squares * 0 + 1, squares)))

    __abs__ = abs

    def angle(self) -> Tensor:
        """Return the angles to the positive real axis, from -pi to pi."""
        return atan2(self._imag, self._real)

    def is_complex(self) -> bool:
        """Return True."""
        return True

    def as_real(self) -> Tensor:
        """Return both parts along a new last axis of size 2."""
        return stack([self._real, self._imag], axis=-1)

    def astype(self, dtype: DTypeLike) -> ComplexTensor:
        """Convert to complex64 or complex128.

        Args:
            dtype: The type, or its name.

        Raises:
            OperatorTypeError: it is another one.
        """
        for wanted, part in PARTS.items():
            if wanted == dtype:
                return ComplexTensor(cast(self._real, part), cast(self._imag, part))
        raise OperatorTypeError(f"astype: complex numbers become complex64 or complex128, not {dtype}: take real()")

    cast = astype

    def detach(self) -> ComplexTensor:
        """Return the same numbers, that no gradient flows through."""
        return ComplexTensor(self._real.detach(), self._imag.detach())

    def clone(self) -> ComplexTensor:
        """Return a copy that gradients flow through."""
        return ComplexTensor(assign(self._real), assign(self._imag))

    # arithmetic

    def __neg__(self) -> ComplexTensor:
        return ComplexTensor(neg(self._real), neg(self._imag))

    def __add__(self, other: Any) -> ComplexTensor:
        real, imag, first = self._beside(other)
        return ComplexTensor(add(first._real, real), add(first._imag, imag))

    __radd__ = __add__

    def __sub__(self, other: Any) -> ComplexTensor:
        real, imag, first = self._beside(other)
        return ComplexTensor(subtract(first._real, real), subtract(first._imag, imag))

    def __rsub__(self, other: Any) -> ComplexTensor:
        return (-self) + other

    def __mul__(self, other: Any) -> ComplexTensor:
        return self._product(other, multiply)

    __rmul__ = __mul__

    def __matmul__(self, other: Any) -> ComplexTensor:
        return self._product(other, matmul)

    def __rmatmul__(self, other: Any) -> ComplexTensor:
        return as_complex_tensor(other, self.dtype)._product(self, matmul)

    matmul = __matmul__

    def __truediv__(self, other: Any) -> ComplexTensor:
        real, imag, first = self._beside(other)
        scale = add(multiply(real, real), multiply(imag, imag))
        product = first * ComplexTensor(real, neg(imag))
        return ComplexTensor(divide(product._real, scale), divide(product._imag, scale))

    def __rtruediv__(self, other: Any) -> ComplexTensor:
        return as_complex_tensor(other, self.dtype) / self

    def __pow__(self, exponent: Any) -> ComplexTensor:
        if isinstance(exponent, bool) or not isinstance(exponent, int) or exponent < 1:
            raise OperatorTypeError(f"a complex tensor is raised to ints from 1 on, not {exponent!r}")
        result = self
        for _ in range(exponent - 1):
            result = result * self
        return result

    def __eq__(self, other: Any) -> Tensor:  # type: ignore[override]  # Paddle compares by element
        real, imag, first = self._beside(other)
        return logical_and(first._real == real, first._imag == imag)

    def __ne__(self, other: Any) -> Tensor:  # type: ignore[override]  # Paddle compares by element
        return ~(self == other)

    __hash__ = Tensor.__hash__

    def _beside(self, other: Any) -> tuple[Tensor, Tensor, ComplexTensor]:
        """Return the other operand's parts and this one, in the wider of their types."""
        second = as_complex_tensor(other, self.dtype)
        first = self
        if second.dtype is not first.dtype:
            first, second = first.astype(complex128), second.astype(complex128)
        return second._real, second._imag, first

    def _product(self, other: Any, times: Callable[[Tensor, Tensor], Tensor]) -> ComplexTensor:
        real, imag, first = self._beside(other)
        return ComplexTensor(
            subtract(times(first._real, real), times(first._imag, imag)),
            add(times(first._real, imag), times(first._imag, real)),
        )

    def __getitem__(self, index: Any) -> ComplexTensor:
        return ComplexTensor(self._real[index], self._imag[index])

    def __setitem__(self, index: Any, value: Any) -> None:
        given = as_complex_tensor(value, self.dtype).astype(self.dtype)
        self._real[index], self._imag[index] = given._real, given._imag

    @property
    def T(self) -> ComplexTensor:
        """The numbers with all axes in reverse order."""
        return self.transpose(list(range(self.ndim))[::-1])


def as_complex_tensor(value: Any, dtype: DType) -> ComplexTensor:
    """Return a number, array or tensor as a complex tensor.

    Args:
        value: It; real or complex.
        dtype: The type of what Python's numbers become.

    Raises:
        OperatorTypeError: it is none of them.
    """
    if isinstance(value, ComplexTensor):
        return value
    if isinstance(value, (bool, int, float, complex)):
        part = PARTS[dtype]
        return ComplexTensor(to_tensor(complex(value).real, part), to_tensor(complex(value).imag, part))
    if isinstance(value, np.ndarray) and value.dtype.kind == "c":
        return from_data(value)
    if not isinstance(value, Tensor):
        try:
            value = to_tensor(value)
        except TypeError:
            raise OperatorTypeError(f"a complex tensor does not go with {type(value).__name__}") from None
    real = value if value.dtype is float64 else cast(value, float32)
    return ComplexTensor(real, zeros_like(real).detach())


def from_data(data: Any, dtype: DTypeLike = None, stop_gradient: bool = True) -> ComplexTensor:
    """Return a complex tensor that holds a copy of numbers.

    Args:
        data: A complex number, array or tensor.
        dtype: complex64 or complex128; the data's when it is None, complex64 of a Python number.
        stop_gradient: True when no gradient is wanted.
    """
    array = data.numpy() if isinstance(data, Tensor) else np.asarray(data)
    if dtype is None and isinstance(data, complex):
        array = array.astype(np.complex64)
    parts = [np.ascontiguousarray(part).reshape(array.shape) for part in (array.real, array.imag)]
    found = ComplexTensor(to_tensor(parts[0]), to_tensor(parts[1]))
    found = found if dtype is None else found.astype(dtype).detach()
    found.stop_gradient = stop_gradient
    return found


def _on_parts(name: str, function: Callable[..., Tensor]) -> Callable[..., ComplexTensor]:
    def method(self: ComplexTensor, *args: Any, **kwargs: Any) -> ComplexTensor:
        return ComplexTensor(function(self._real, *args, **kwargs), function(self._imag, *args, **kwargs))

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"Apply :func:`core.{name}` to both parts."
    return method


_LINEAR: Sequence[tuple[Any, Sequence[str]]] = (
    (manipulation, ("flatten", "reshape", "squeeze", "transpose", "unsqueeze")),
    (expansion, ("expand",)),
    (arrangement, ("flip", "moveaxis", "roll", "tile")),
    (reduction, ("sum", "mean")),
)
for _module, _names in _LINEAR:
    for _name in _names:
        setattr(ComplexTensor, _name, _on_parts(_name, getattr(_module, _name)))

register_complex(from_data)

"""Element types: Paddle's names, numpy's types and the engine's type numbers in one table."""

from __future__ import annotations

import contextlib
from typing import Any, Union

import numpy as np

DTypeLike = Union["DType", str, type, np.dtype, None]


class DType:
    """One element type, such as ``core.float32``; equal to its name and to the numpy type of the same name."""

    __slots__ = ("name", "code", "numpy", "kind", "size")

    def __init__(self, name: str, code: int, numpy_type: np.dtype, kind: str, size: int) -> None:
        self.name = name
        self.code = code
        self.numpy = numpy_type
        self.kind = kind
        self.size = size

    @property
    def is_floating(self) -> bool:
        """Whether this is a real floating-point type (the types that gradients flow through)."""
        return self.kind == "f"

    @property
    def is_integer(self) -> bool:
        """Whether this is an integer type; bool is not one."""
        return self.kind == "i"

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if isinstance(other, DType):
            return False
        if isinstance(other, str):
            return other.rpartition(".")[2] == self.name
        if isinstance(other, (np.dtype, type)):
            try:
                return self is not bfloat16 and np.dtype(other) == self.numpy
            except TypeError:
                return False
        return False

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return f"paddle.{self.name}"

    def __reduce__(self) -> tuple[Any, ...]:
        return to_dtype, (self.name,)


float32 = DType("float32", 0, np.dtype("float32"), "f", 4)
float64 = DType("float64", 1, np.dtype("float64"), "f", 8)
float16 = DType("float16", 2, np.dtype("float16"), "f", 2)
bfloat16 = DType("bfloat16", 12, np.dtype("uint16"), "f", 2)
uint8 = DType("uint8", 3, np.dtype("uint8"), "i", 1)
int8 = DType("int8", 5, np.dtype("int8"), "i", 1)
int32 = DType("int32", 4, np.dtype("int32"), "i", 4)
int64 = DType("int64", 6, np.dtype("int64"), "i", 8)
bool_ = DType("bool", 7, np.dtype("bool"), "b", 1)
int16 = DType("int16", -1, np.dtype("int16"), "i", 2)
"""To be compared with: the engine has no such elements, so no tensor has this type."""

# types of pairs of tensors, of which the engine has the parts (core.operators.arithmetic.complex_tensor)
complex64 = DType("complex64", -1, np.dtype("complex64"), "c", 8)
complex128 = DType("complex128", -1, np.dtype("complex128"), "c", 16)
NOT_FOR_COMPLEX = (
    "this operation does not take complex tensors: use their methods, or their parts, real() and imag(), of which"
    " complex() makes them"
)

ALL = (float32, float64, float16, bfloat16, uint8, int8, int32, int64, bool_)
BY_NAME = {dtype.name: dtype for dtype in ALL}
BY_CODE = {dtype.code: dtype for dtype in ALL}
BY_NUMPY = {dtype.numpy: dtype for dtype in ALL if dtype is not bfloat16}

# the engine has no 16-bit integers and no unsigned types above 8 bits: arrays of those become the next wider type
_UPCAST = {"int16": int32, "uint16": int32, "uint32": int64, "uint64": int64}


def to_dtype(dtype: DTypeLike) -> DType:
    """Return the DType that a name, numpy type, Python type or DType stands for.

    Raises:
        TypeError: the type is unknown or the engine has no such elements.
    """
    if isinstance(dtype, DType) and dtype.code >= 0:
        return dtype
    if dtype in (complex64, complex128):
        raise TypeError(NOT_FOR_COMPLEX)
    if isinstance(dtype, str):
        name = dtype.rpartition(".")[2]
        if name in BY_NAME:
            return BY_NAME[name]
    as_numpy: Any = None
    with contextlib.suppress(TypeError):
        as_numpy = None if isinstance(dtype, DType) else np.dtype(dtype)
    if as_numpy in BY_NUMPY and dtype is not None:
        return BY_NUMPY[as_numpy]
    raise TypeError(f"unknown dtype {dtype!r}: use one of {', '.join(BY_NAME)}")


def dtype_of_numpy(array: np.ndarray) -> DType:
    """Return the DType that holds the elements of a numpy array (int16 is held as int32, for instance)."""
    found = BY_NUMPY.get(array.dtype) or _UPCAST.get(array.dtype.name)
    if found is None:
        raise TypeError(f"an array of {array.dtype} cannot become a Tensor: convert it to one of {', '.join(BY_NAME)}")
    return found


_FLOAT_ORDER = {float64: 3, float32: 2}


def promote(first: DType, second: DType) -> DType:
    """Return the type of an operation on two types: floats over integers over bool, wider over narrower.

    float16 with bfloat16 gives float32; uint8 with a signed type gives the smallest signed type that holds both.
    """
    if first is second:
        return first
    if first.kind != second.kind:
        if first.kind == "f" or (first.kind == "i" and second.kind == "b"):
            return first
        return second
    if first.kind == "f":
        if {first, second} == {float16, bfloat16}:
            return float32
        return first if _FLOAT_ORDER.get(first, 1) > _FLOAT_ORDER.get(second, 1) else second
    return BY_NUMPY.get(np.promote_types(first.numpy, second.numpy), int32)

"""Small results that NumPy computed: the engine has no array of them until one of its operators reads them."""

from __future__ import annotations

import ctypes
from typing import Any, Optional

import numpy as np

from core.kernels.dtypes import BY_NUMPY, DType, float16, int64
from core.kernels.engine import engine
from core.kernels.engine.engine import Array
from core.kernels.engine.startup import _LIB, MXNetError

MOST_BYTES = 2**17
"""Up to here NumPy keeps what it computes, and what the user gives. Most operators gain still more; but the larger a
result is, the more a second thread of the engine's helps, and the more it costs to hand it over."""

_codes = {dtype.numpy.num: dtype.code for dtype in BY_NUMPY.values()} | {np.dtype("longlong").num: int64.code}
_kept = frozenset(dtype for dtype in BY_NUMPY.values() if dtype is not float16)
_Memory = ctypes.c_char * 2**35  # more than an engine's array has: it is only said where memory begins


class HostArray:
    """Elements in NumPy's memory, which nobody writes, so that reshapes and slices may share it.

    Whoever shares a value shares this object. A write gives it other memory, NumPy's or the engine's.

    Attributes:
        numbers: The elements; None once the engine has an array of them, which is then the only memory.
    """

    __slots__ = ("numbers", "_array")

    def __init__(self, numbers: np.ndarray) -> None:
        self.numbers: Optional[np.ndarray] = numbers
        self._array: Optional[Array] = None

    def on_engine(self) -> Array:
        """Return the engine's array, the same one each time; from the first time on the elements are there alone."""
        if self._array is None:
            with engine.turn:
                if self._array is None:
                    numbers = self.numbers
                    assert numbers is not None
                    self._array = engine.from_few(numbers, _codes[numbers.dtype.num])
                    self.numbers = None
        return self._array


def write(held: Any, source: Any) -> None:
    """Give an eager value's memory, in which it is shared, the elements of other memory of its shape and type.

    Args:
        held: What the value holds.
        source: What holds the elements; nobody else does.
    """
    if type(held) is HostArray and type(source) is HostArray and source.numbers is not None:
        with engine.turn:
            if held.numbers is not None:
                held.numbers = source.numbers  # what reads the old ones, or shares them as a view, keeps them
                return
    engine.copy_into(on_engine(held), on_engine(source))


def on_engine(held: Any) -> Any:
    """Return the engine's array of what a value holds; symbols of a graph and None as they are."""
    return held.on_engine() if type(held) is HostArray else held


def readable(held: Any, shape: tuple[int, ...], dtype: DType) -> np.ndarray:
    """Return the elements of what an eager value holds without a copy, to be read at once.

    :data:`engine.engine_lock` is held meanwhile: another thread's program may lay the memory out otherwise.

    Args:
        held: A :class:`HostArray`, or an engine array on a CPU with no write pending.
        shape: Its shape, of at least one element.
        dtype: Its type, not bfloat16.
    """
    if type(held) is HostArray:
        numbers = held.numbers
        if numbers is not None:
            return numbers
        held = held.on_engine()
    pointer = ctypes.c_void_p()
    if _LIB.MXNDArrayGetData(held.handle, ctypes.byref(pointer)):
        raise MXNetError(engine.last_error())
    memory: Any = _Memory.from_address(pointer.value or 0)
    return np.ndarray(shape, dtype.numpy, memory)


def is_kept(count: int, dtype: DType) -> bool:
    """Return whether NumPy's memory holds so many elements of a type: on CPUs, where nothing runs later; not none."""
    return 0 < count * dtype.size <= MOST_BYTES and dtype in _kept and engine.on_cpu() and engine.COMPUTES_AT_ONCE


def from_numpy(data: np.ndarray, dtype: DType) -> Any:
    """Return a copy of elements in a type, in NumPy's memory or the engine's."""
    if not is_kept(data.size, dtype):
        return engine.from_numpy(data, dtype)
    return HostArray(np.array(data, dtype.numpy, order="C"))


def view(held: Any, shape: tuple[int, ...], dtype: DType) -> np.ndarray:
    """Return the elements of an eager value without a copy, to be read at once; see :func:`engine.view`."""
    numbers = held.numbers if type(held) is HostArray else None
    return engine.view(on_engine(held), shape, dtype) if numbers is None else numbers


def to_numpy(held: Any, shape: tuple[int, ...], dtype: DType) -> np.ndarray:
    """Return a copy of the elements of an eager value; any thread may ask for it at any time."""
    numbers = held.numbers if type(held) is HostArray else None
    return engine.to_numpy(on_engine(held), shape, dtype) if numbers is None else numbers.copy()

"""Records of what a pickle describes: data types, arrays, objects by their attributes, and names that are called.

They take the place of numpy's own classes while a pickle is read, check what they are given, and run nothing.
"""

from __future__ import annotations

import pickle
from typing import Any, Callable, Literal, NamedTuple, Optional, Protocol, Union

import numpy

from core.weights.limits import array_bytes

_ARRAY_KINDS = "biufcSU"


class DataType:
    """The record of a ``numpy.dtype`` in a pickle: a type code, then its byte order."""

    __slots__ = ("value",)

    def __init__(self, code: Any, *_flags: Any) -> None:
        if isinstance(code, bytes):
            code = code.decode("latin1")
        if not isinstance(code, str) or len(code) > 16:
            raise pickle.UnpicklingError(f"a numpy data type is described by {type(code).__name__}, not by a type code")
        try:
            self.value = numpy.dtype(code)
        except (TypeError, ValueError, SyntaxError):
            raise pickle.UnpicklingError(f"unknown numpy data type {code!r}") from None
        if self.value.kind not in _ARRAY_KINDS or self.value.subdtype is not None or self.value.itemsize == 0:
            raise pickle.UnpicklingError(f"an array of data type {code!r} is not an array of plain numbers")

    def __setstate__(self, state: Any) -> None:
        if not isinstance(state, tuple) or len(state) < 5 or state[2:5] != (None, None, None):
            raise pickle.UnpicklingError("a structured numpy data type is not admitted")
        if state[1] not in ("<", ">", "=", "|"):
            raise pickle.UnpicklingError(f"unknown byte order {state[1]!r} of a numpy data type")
        if state[1] in "<>":
            self.value = self.value.newbyteorder(state[1])


class Content(Protocol):
    """What an array is made of."""

    @property
    def size(self) -> int:
        """How many bytes it has."""

    def array(self) -> numpy.ndarray:
        """Return it, writable and in native byte order."""


class _Content(NamedTuple):
    """What an array is made of; the description fits the bytes, which several arrays may share."""

    shape: tuple[int, ...]
    dtype: numpy.dtype
    order: Literal["C", "F"]
    raw: Union[str, bytes, bytearray]

    @property
    def size(self) -> int:
        """How many bytes it has."""
        return len(self.raw)

    def array(self) -> numpy.ndarray:
        """Return a writable array in native byte order."""
        raw = self.raw
        if isinstance(raw, str):  # Python 2 wrote its bytes as text
            try:
                raw = raw.encode("latin1")
            except UnicodeEncodeError:
                raise pickle.UnpicklingError("the content of a numpy array is text, not bytes") from None
        flat = numpy.frombuffer(raw, self.dtype)
        return flat.astype(self.dtype.newbyteorder("=")).reshape(self.shape, order=self.order)


class ArrayRecord:
    """The record of a ``numpy.ndarray`` in a pickle: shape, data type and bytes."""

    __slots__ = ("content",)

    def __init__(self) -> None:
        self.content: Optional[Content] = None

    def __setstate__(self, state: Any) -> None:
        if not isinstance(state, tuple) or len(state) not in (4, 5):
            raise pickle.UnpicklingError("the state of a numpy array has an unknown form")
        shape, dtype, is_fortran, raw = state[-4:]
        self.content = array_content(shape, dtype, bool(is_fortran), raw)


def array_content(shape: Any, dtype: Any, is_fortran: bool, raw: Any) -> _Content:
    """Return what a pickle describes as an array, after checking that the description fits its bytes."""
    if not isinstance(dtype, DataType):
        raise pickle.UnpicklingError("the data type of a numpy array has an unknown form")
    if not isinstance(shape, tuple) or not all(type(extent) is int and extent >= 0 for extent in shape):
        raise pickle.UnpicklingError("the shape of a numpy array is not a tuple of sizes")
    needed = array_bytes(shape, dtype.value.itemsize)
    if not isinstance(raw, (str, bytes, bytearray)):
        raise pickle.UnpicklingError(f"the content of a numpy array is {type(raw).__name__}, not bytes")
    if needed != len(raw):
        raise pickle.UnpicklingError(
            f"an array of shape {shape} and data type {dtype.value} needs {needed} bytes, the file holds {len(raw)}"
        )
    return _Content(shape, dtype.value, "F" if is_fortran else "C", raw)


class Attributes:
    """The record of an object that a pickle describes by its attributes alone."""

    value: dict[str, Any]
    __slots__ = ("value",)

    def __setstate__(self, state: Any) -> None:
        if not isinstance(state, dict) or not all(isinstance(name, str) for name in state):
            raise pickle.UnpicklingError("the state of a sparse matrix has an unknown form")
        self.value = state


class Constructor:
    """A placeholder for a global name. It has neither a dictionary nor a state, so a pickle can only call it."""

    __slots__ = ("_function", "_name")

    def __init__(self, name: str, function: Callable[..., Any]) -> None:
        self._name = name
        self._function = function

    def __call__(self, *arguments: Any) -> Any:
        """Return what the function makes of the arguments."""
        try:
            return self._function(*arguments)
        except TypeError as error:
            raise pickle.UnpicklingError(f"{self._name} is called in an unknown form ({error})") from None

    def __setstate__(self, _state: Any) -> None:
        raise pickle.UnpicklingError(f"the file tries to change {self._name}")

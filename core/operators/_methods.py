"""The table that attaches operator functions to Tensor: methods, in-place methods and Python operators."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from types import ModuleType
from typing import Any, Callable

import numpy as np

import core.left_types as left_types
from core.kernels.data import default_dtype
from core.kernels.dispatch import dispatcher
from core.kernels.dtypes import int32, int64
from core.operators.arithmetic import division, logic, math
from core.operators.creation.creation import cast
from core.operators.linear_algebra import linalg
from core.tensor import Tensor

OPERATORS: dict[str, Callable[..., Any]] = {
    "__add__": math.add,
    "__sub__": math.subtract,
    "__mul__": math.multiply,
    "__truediv__": math.true_divide,
    "__floordiv__": division.floor_divide,
    "__mod__": division.remainder,
    "__pow__": math.pow,
    "__matmul__": linalg.matmul,
    "__and__": logic.bitwise_and,
    "__or__": logic.bitwise_or,
    "__xor__": logic.bitwise_xor,
    "__eq__": logic.equal,
    "__ne__": logic.not_equal,
    "__lt__": logic.less_than,
    "__le__": logic.less_equal,
    "__gt__": logic.greater_than,
    "__ge__": logic.greater_equal,
}

REVERSED: dict[str, Callable[..., Any]] = {
    "__radd__": math.add,
    "__rsub__": math.subtract,
    "__rmul__": math.multiply,
    "__rtruediv__": math.true_divide,
    "__rfloordiv__": division.floor_divide,
    "__rmod__": division.remainder,
    "__rpow__": math.pow,
    "__rmatmul__": linalg.matmul,
    "__rand__": logic.bitwise_and,
    "__ror__": logic.bitwise_or,
    "__rxor__": logic.bitwise_xor,
}

UNARY: dict[str, Callable[..., Any]] = {"__neg__": math.neg, "__abs__": math.abs, "__invert__": logic.bitwise_not}

_OF_ARRAYS: dict[np.ufunc, str] = {
    np.add: "__radd__",
    np.subtract: "__rsub__",
    np.multiply: "__rmul__",
    np.true_divide: "__rtruediv__",
    np.floor_divide: "__rfloordiv__",
    np.remainder: "__rmod__",
    np.power: "__rpow__",
    np.matmul: "__rmatmul__",
    np.bitwise_and: "__rand__",
    np.bitwise_or: "__ror__",
    np.bitwise_xor: "__rxor__",
    np.equal: "__eq__",
    np.not_equal: "__ne__",
    np.less: "__gt__",
    np.less_equal: "__ge__",
    np.greater: "__lt__",
    np.greater_equal: "__le__",
}
"""For numpy's function behind ``array * tensor`` the method of the tensor that computes it."""

_WHOLE = (int32, int64)
_FOREIGN = (str, dict, set, type(None))


def _array_ufunc(self: Tensor, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
    """Compute ``array * tensor`` as a Tensor, with its gradient; any other function of numpy as one of arrays."""
    name = _OF_ARRAYS.get(ufunc) if method == "__call__" and not options else None
    if name is not None and not isinstance(inputs[0], Tensor) and np.asarray(inputs[0]).dtype.kind in "biuf":
        return getattr(inputs[1], name)(inputs[0])
    if any(isinstance(place, Tensor) for place in options.get("out", ())):
        return NotImplemented
    return getattr(ufunc, method)(*[np.asarray(x) if isinstance(x, Tensor) else x for x in inputs], **options)


_KEEPING = (math.true_divide, division.floor_divide, division.remainder, math.pow)


def _array_operand(function: Callable[..., Any], array: np.ndarray, tensor: Tensor) -> Any:
    """Return an array as Paddle reads it beside a tensor: in its type, where the operator promotes none."""
    if function is linalg.matmul:
        return Tensor(array, dtype=tensor.dtype)
    if function in _KEEPING and array.dtype.kind == "f":
        if tensor.dtype.is_floating:
            return Tensor(array, dtype=tensor.dtype)
        if function is math.true_divide:
            return Tensor(array, dtype=default_dtype())
    return array


def _binary_method(function: Callable[..., Any], is_reversed: bool) -> Callable[..., Any]:
    def method(self: Tensor, other: Any) -> Any:
        if not isinstance(other, Tensor):
            if isinstance(other, _FOREIGN):
                return NotImplemented
            if isinstance(other, np.ndarray):
                other = _array_operand(function, other, self)
        if left_types.kept and self.dtype in _WHOLE and isinstance(other, Tensor) and other.dtype is not self.dtype:
            other = cast(other, self.dtype)
        return function(other, self) if is_reversed else function(self, other)

    return method


def in_place(tensor: Tensor, result: Tensor, name: str) -> Tensor:
    """Move a handle to the value that an in-place operation computed.

    Raises:
        RuntimeError: the tensor is a leaf that needs a gradient, or the shape would change.
    """
    if tensor.is_leaf and not tensor.stop_gradient and dispatcher.is_recording():
        raise RuntimeError(
            f"{name}: a leaf tensor that needs a gradient cannot be changed in place: use the form without the"
            " underscore, or no_grad()"
        )
    value = result._value
    if not tensor.stop_gradient and not dispatcher.is_recording():
        value.requires_grad = True
    tensor._rebind(value)
    return tensor


def _in_place_method(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def method(self: Tensor, *arguments: Any, **options: Any) -> Tensor:
        return in_place(self, function(self, *arguments, **options), f"{name}_")

    method.__name__ = f"{name}_"
    method.__wrapped__ = function  # type: ignore[attr-defined]  # whose signature it has
    parameters = inspect.signature(function).parameters
    if "out" in parameters:  # the result has its place already
        kept = [parameter for parameter in parameters.values() if parameter.name != "out"]
        method.__signature__ = inspect.Signature(kept)  # type: ignore[attr-defined]  # inspect reads it
    method.__doc__ = f"Compute :func:`core.{name}` and move this tensor to the result.\n\n{function.__doc__}"
    return method


def attach(families: Sequence[ModuleType]) -> None:
    """Give Tensor its methods: TENSOR_METHODS and IN_PLACE_METHODS of each family, and Python's operators."""
    for family in families:
        for name in getattr(family, "TENSOR_METHODS", ()):
            setattr(Tensor, name, getattr(family, name))
        for name in getattr(family, "IN_PLACE_METHODS", ()):
            setattr(Tensor, f"{name}_", _in_place_method(name, getattr(family, name)))
    for name, function in OPERATORS.items():
        setattr(Tensor, name, _binary_method(function, False))
    for name, function in REVERSED.items():
        setattr(Tensor, name, _binary_method(function, True))
    for name, function in UNARY.items():
        setattr(Tensor, name, function)
    Tensor.__array_ufunc__ = _array_ufunc  # type: ignore[attr-defined]  # numpy looks for it

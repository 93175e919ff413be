"""The table that attaches operator functions to Tensor: methods, in-place methods and Python operators."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from types import ModuleType
from typing import Any, Callable

from core.kernels import door
from core.operators import division, linalg, logic, math
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

_FOREIGN = (str, dict, set, type(None))


def _binary_method(function: Callable[..., Any], is_reversed: bool) -> Callable[..., Any]:
    def method(self: Tensor, other: Any) -> Any:
        if isinstance(other, _FOREIGN):
            return NotImplemented
        return function(other, self) if is_reversed else function(self, other)

    return method


def in_place(tensor: Tensor, result: Tensor, name: str) -> Tensor:
    """Move a handle to the value that an in-place operation computed.

    Raises:
        RuntimeError: the tensor is a leaf that needs a gradient, or the shape would change.
    """
    if tensor.is_leaf and not tensor.stop_gradient and door.state.gradients:
        raise RuntimeError(
            f"{name}: a leaf tensor that needs a gradient cannot be changed in place: use the form without the"
            " underscore, or no_grad()"
        )
    value = result._value
    if not door.state.gradients and not tensor.stop_gradient:
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
        method.__signature__ = inspect.Signature(kept)  # type: ignore[attr-defined]
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

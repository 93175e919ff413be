"""Element-wise operators on few elements, by NumPy: an engine call costs more than the arithmetic of thousands.

Sums, products, quotients and square roots are those of the engine bit for bit. Curved functions of float32 are computed
in float64 and rounded once, because NumPy's own of float32 are up to four units of the last digit off; those of float64
stay with the engine, whose are the better ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Optional

import numpy as np

from core.kernels.dispatch.lowering import Call, lowers_small
from core.kernels.dispatch.operator import NumpyKernel, Operator
from core.kernels.dtypes import DType, bool_, float32, float64, int32, int64
from core.kernels.engine.host_array import is_kept

Function = Callable[..., Any]

FLOATS, NUMBERS = (float32, float64), (float32, float64, int32, int64)
MOST_CURVED = 2**12
"""Elements of a curved function: with more, computing in float64 costs what the engine's call does."""
SILENT: Any = [8192, 0, None]
"""NumPy's buffer size, and that no overflow, division by zero or NaN is reported, whatever the user has set."""


def kernel(function: Function, shape: tuple[int, ...]) -> NumpyKernel:
    """Return what computes a result of a shape: NumPy gives numbers instead of arrays without axes."""
    if shape:
        return NumpyKernel(function)
    return NumpyKernel(lambda *inputs: np.asarray(function(*inputs)))


def _broadcast(call: Call) -> Optional[tuple[int, ...]]:
    first, second = call.shape(0), call.shape(1)
    if first == second:
        return first
    shape = np.broadcast_shapes(first, second)
    return shape if is_kept(math.prod(shape), call.dtype()) else None


def _silent(function: Function) -> Function:
    return lambda x, y: function(x, y, extobj=SILENT)


_PAIRS: dict[str, Function] = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "equal": np.equal,
    "not_equal": np.not_equal,
    "less_than": np.less,
    "less_equal": np.less_equal,
    "greater_than": np.greater,
    "greater_equal": np.greater_equal,
}


def _of_pair(name: str, function: Function, dtypes: tuple[DType, ...]) -> None:
    silent = _silent(function)

    @lowers_small(name)
    def lowering(call: Call) -> Optional[Operator]:
        shape = _broadcast(call) if call.dtype() in dtypes and call.dtype(1) is call.dtype() else None
        return None if shape is None else kernel(silent, shape)


for _name, _function in _PAIRS.items():
    _of_pair(_name, _function, NUMBERS)
_of_pair("divide", np.true_divide, FLOATS)


def _of_number(name: str, function: Function) -> None:
    """Serve the forms with a number, which the engine converts to the tensor's type."""

    def constant(call: Call) -> Optional[np.ndarray]:
        if call.dtype() not in FLOATS:
            return None
        with np.errstate(all="ignore"):
            return np.asarray(call.attributes["scalar"], call.dtype().numpy)

    @lowers_small(f"{name}_scalar")
    def scalar(call: Call) -> Optional[Operator]:
        number = constant(call)
        return None if number is None else kernel(lambda x: function(x, number, extobj=SILENT), call.shape())

    @lowers_small(f"{name}_reverse_scalar")
    def reverse(call: Call) -> Optional[Operator]:
        number = constant(call)
        return None if number is None else kernel(lambda x: function(number, x, extobj=SILENT), call.shape())


for _name in (*_PAIRS, "divide"):
    _of_number(_name, _PAIRS.get(_name, np.true_divide))


def _of_one(name: str, function: Function, dtypes: tuple[DType, ...] = FLOATS, most: float = math.inf) -> None:
    @lowers_small(name)
    def lowering(call: Call) -> Optional[Operator]:
        return kernel(function, call.shape()) if call.dtype() in dtypes and call.size() <= most else None


def _one(function: Function) -> Function:
    return lambda x: function(x, extobj=SILENT)


def _curved(function: Function) -> Function:
    def through_float64(x: np.ndarray) -> np.ndarray:
        return function(x, np.empty_like(x), dtype=np.float64, casting="unsafe", extobj=SILENT)

    return through_float64


_of_one("neg", _one(np.negative), NUMBERS)
_of_one("abs", _one(np.absolute))
_of_one("sqrt", _one(np.sqrt))
_of_one("square", _one(np.square))
_of_one("reciprocal", lambda x: np.true_divide(x.dtype.type(1), x, extobj=SILENT))
_exp = _curved(np.exp)
_of_one("exp", _exp, (float32,), MOST_CURVED)
for _name, _function in (("log", np.log), ("log1p", np.log1p), ("sin", np.sin), ("cos", np.cos), ("tanh", np.tanh)):
    _of_one(_name, _curved(_function), (float32,), MOST_CURVED)

_ONE, _ZERO = np.float32(1), np.float32(0)


def _sigmoid(x: np.ndarray) -> np.ndarray:
    result = _exp(np.negative(x))
    np.add(result, _ONE, result, extobj=SILENT)
    return np.true_divide(_ONE, result, result, extobj=SILENT)


def _relu(x: np.ndarray) -> np.ndarray:
    result = np.fmax(x, _ZERO, np.empty_like(x), extobj=SILENT)  # which makes 0 of NaN
    return np.add(result, _ZERO, result, extobj=SILENT)  # and 0 of -0


_of_one("sigmoid", _sigmoid, (float32,), MOST_CURVED)
_of_one("relu", _relu, (float32,))


@lowers_small("sigmoid_backward")
def _sigmoid_backward(call: Call) -> Optional[Operator]:
    def compute(gradient: np.ndarray, y: np.ndarray) -> np.ndarray:
        slope = np.subtract(one, y, np.empty_like(y), extobj=SILENT)
        np.multiply(y, slope, slope, extobj=SILENT)
        return np.multiply(gradient, slope, slope, extobj=SILENT)

    one = np.asarray(1, call.dtype().numpy)
    return NumpyKernel(compute) if call.dtype() in FLOATS else None


@lowers_small("tanh_backward")
def _tanh_backward(call: Call) -> Optional[Operator]:
    def compute(gradient: np.ndarray, y: np.ndarray, x: np.ndarray) -> np.ndarray:
        slope = np.square(y, np.empty_like(y), extobj=SILENT)
        np.subtract(one, slope, slope, extobj=SILENT)
        return np.multiply(gradient, slope, slope, extobj=SILENT)

    one = np.asarray(1, call.dtype().numpy)
    return NumpyKernel(compute) if call.dtype() in FLOATS else None


@lowers_small("relu_backward")
def _relu_backward(call: Call) -> Optional[Operator]:
    def compute(gradient: np.ndarray, y: np.ndarray) -> np.ndarray:
        return np.where(np.greater(y, _ZERO, extobj=SILENT), gradient, _ZERO)

    return kernel(compute, call.shape()) if call.dtype() is float32 else None


@lowers_small("cast")
def _cast(call: Call) -> Optional[Operator]:
    """Where every number of the old type has one way to become a number of the new one."""
    old, new = call.dtype(), call.attributes["dtype"]
    wider = {bool_: NUMBERS, int32: (int64, *FLOATS), int64: FLOATS, float32: (float64,)}
    if new not in wider.get(old, ()):
        return None
    return NumpyKernel(lambda x: x.astype(new.numpy))

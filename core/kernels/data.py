"""What becomes a tensor: numbers, nested lists and arrays, and the default type of Python floats."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.kernels.dispatch.errors import OperatorError
from core.kernels.dtypes import DType, DTypeLike, dtype_of_numpy, float32, to_dtype


def numpy_of(data: Any, dtype: DTypeLike) -> tuple[np.ndarray, DType]:
    """Return data as a numpy array, and the element type that a tensor of it has.

    Args:
        data: Numbers, nested lists of them, or arrays; tensors inside lists are read.
        dtype: The wanted type; None takes the array's own, the default float type for Python floats.

    Raises:
        ValueError: the nested lists are ragged.
        TypeError: the data is not numeric.
    """
    is_numpy = isinstance(data, (np.ndarray, np.generic))
    if not is_numpy:
        data = _without_tensors(data)
    try:
        array = np.asarray(data)
    except OperatorError:
        raise
    except ValueError:
        raise ValueError("to_tensor: the nested lists have different lengths at one level: pad them first") from None
    if array.dtype == object or array.dtype.kind in "USMmc":
        raise TypeError(f"to_tensor: {_describe(data)} cannot become a Tensor: give numbers")
    if dtype is not None:
        return array, to_dtype(dtype)
    if array.dtype == np.float64 and not is_numpy:
        return array, default_dtype()
    return array, dtype_of_numpy(array)


def _describe(data: Any) -> str:
    text = repr(data)
    return text if len(text) < 60 else f"an object of type {type(data).__name__}"


def _without_tensors(data: Any) -> Any:
    if isinstance(data, (list, tuple)) and any(isinstance(item, (list, tuple)) or _readable(item) for item in data):
        return [_without_tensors(item) for item in data]
    return data.as_float_numpy() if _readable(data) else data


def _readable(item: Any) -> bool:
    return hasattr(item, "as_float_numpy")


_default: list[DType] = [float32]


def default_dtype() -> DType:
    """Return the type of Python floats and of new parameters."""
    return _default[0]


def set_default_dtype(d: DTypeLike) -> None:
    """Choose the type of Python floats and of new parameters.

    Args:
        d: float16, bfloat16, float32 or float64.

    Raises:
        TypeError: the type is not a floating-point type.
    """
    wanted = to_dtype(d)
    if not wanted.is_floating:
        raise TypeError(f"set_default_dtype: {wanted.name} is not a floating-point type")
    _default[0] = wanted


def get_default_dtype() -> str:
    """Return the name of the type of Python floats and new parameters."""
    return _default[0].name

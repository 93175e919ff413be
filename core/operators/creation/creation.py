"""Making tensors: from data, filled with a number, and ranges."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Callable, Optional, Union

import numpy as np

from core.kernels.dispatch import dispatcher
from core.kernels.dispatch.dispatcher import Value
from core.kernels.dispatch.errors import OperatorError
from core.kernels.dispatch.operator import ConstantOperator, Operator
from core.kernels.dtypes import DType, DTypeLike, bfloat16, float32, int64, to_dtype
from core.kernels.engine import engine
from core.kernels.place import check_place
from core.kernels.sizes.dimension import Dimension, contains_dimension
from core.operators._arguments import Scalar, ShapeLike, need_tensor, shape_argument
from core.operators._full import full_of
from core.operators.shape._primitives import broadcast_to, reshape_exact
from core.tensor import Tensor, apply, default_dtype

_cast = Operator(
    "cast", "Cast", attributes=lambda metas, options: {"dtype": options["dtype"].name}, lacks=None
)
_half_cast = Operator(
    "half_cast", "amp_cast", attributes=lambda metas, options: {"dtype": options["dtype"].name}, lacks=None
)
_HALF_CAST_AXES = 6  # as many as oneDNN knows
_identity = Operator("assign", "_copy")


def range_length(start: float, end: float, step: float) -> int:
    """Return how many numbers ``np.arange`` gives."""
    return max(math.ceil((end - start) / step), 0)


def _arange_form(start: float, end: float, step: float) -> tuple[Sequence[int], Any]:
    return [range_length(start, end, step)], np.result_type(*[np.asarray(n).dtype for n in (start, end, step)])


def _listed_form(numbers: Any) -> tuple[Sequence[int], Any]:
    _check_numbers(numbers)
    array = np.array(numbers)
    return array.shape, array.dtype


def _check_numbers(numbers: Any) -> None:
    """Make sure that nested tuples hold numbers only: text would make numpy's array as wide as the longest.

    Raises:
        TypeError: something else is in them.
    """
    for item in numbers if isinstance(numbers, tuple) else (numbers,):
        if isinstance(item, tuple):
            _check_numbers(item)
        elif not isinstance(item, (int, float)):
            raise TypeError(f"numbers: {str(item)[:60]!r} is no number")


_arange = ConstantOperator("arange", lambda start, end, step: np.arange(start, end, step), _arange_form)
_linspace = ConstantOperator(
    "linspace", lambda start, stop, num: np.linspace(start, stop, num), lambda start, stop, num: ([num], np.float64)
)
_listed = ConstantOperator("numbers", lambda numbers: np.array(numbers), _listed_form)
_eye = ConstantOperator(
    "eye", lambda rows, columns: np.eye(rows, columns), lambda rows, columns: ([rows, columns], np.float64)
)


_FROM_COMPLEX: list[Callable[[Any, DTypeLike, bool], Tensor]] = []
"""What makes a tensor of complex data, registered by core.operators.arithmetic.complex_tensor."""


def register_complex(from_data: Callable[[Any, DTypeLike, bool], Tensor]) -> None:
    """Register what makes a tensor of complex data: from the data, a type and ``stop_gradient``."""
    _FROM_COMPLEX[:] = [from_data]


def to_tensor(data: Any, dtype: DTypeLike = None, place: Any = None, stop_gradient: bool = True) -> Tensor:
    """Make a tensor holding a copy of the data.

    Args:
        data: A number, nested lists, numpy array or Tensor; complex numbers as one number or a numpy array.
        dtype: Element type; Python floats become the default float type, ints int64, numpy arrays keep theirs.
        place: The device, by name or as a place: the current one.
        stop_gradient: True when no gradient is wanted.

    Returns:
        A leaf tensor of the data's shape.

    Raises:
        TypeError: the data is not numeric.
        ValueError: the nested lists are ragged.
        RuntimeError: the place is another device than the current one.
    """
    if place is not None:
        check_place(place)
    if contains_dimension(data) and dispatcher.is_tracing():
        return cast(apply(_listed, numbers=_as_tuple(data)), int64 if dtype is None else dtype)
    kind = getattr(getattr(data, "dtype", None), "kind", "c" if isinstance(data, complex) else None)
    if kind == "c":
        return _FROM_COMPLEX[0](data, dtype, stop_gradient)
    return Tensor(data, dtype=dtype, stop_gradient=stop_gradient)


def _as_tuple(data: Any) -> Any:
    return tuple([_as_tuple(item) for item in data]) if isinstance(data, (list, tuple)) else data


def full(
    shape: ShapeLike, fill_value: Union[Scalar, Tensor], dtype: DTypeLike = None, name: Optional[str] = None
) -> Tensor:
    """Make a tensor of one repeated number.

    Args:
        shape: Size of each axis; an int means one axis.
        fill_value: The number, or a tensor of one element.
        dtype: Element type; the default float type when None, whatever the number is.
        name: Unused, as in Paddle.

    Returns:
        A tensor of that shape.

    Raises:
        OperatorError: a size is negative.
    """
    if isinstance(fill_value, Tensor):
        fill_value = fill_value.item()
    wanted = default_dtype() if dtype is None else to_dtype(dtype)
    return filled(shape_argument(shape, "full"), fill_value, wanted)


def filled(shape: tuple[int, ...], number: Union[Scalar, Dimension], dtype: DType) -> Tensor:
    """Make a tensor of one repeated number from arguments that are already checked."""
    if any(size < 0 for size in shape):
        raise OperatorError(f"full: shape {list(shape)} has a negative size")
    if isinstance(number, Dimension):
        return apply(full_of, shape=shape, value=number, dtype=dtype)
    if dtype is int64 and abs(number) > 2**53 or not np.isfinite(number):
        if contains_dimension(shape):
            return apply(broadcast_to, Tensor(number, dtype=dtype), shape=shape)
        return Tensor(np.full(shape, number), dtype=dtype)
    return apply(full_of, shape=shape, value=float(number), dtype=dtype)


def zeros(shape: ShapeLike, dtype: DTypeLike = None, name: Optional[str] = None) -> Tensor:
    """Make a tensor of zeros.

    Args:
        shape: Size of each axis.
        dtype: Element type; the default float type when None.
        name: Unused, as in Paddle.

    Returns:
        A tensor of that shape.
    """
    return filled(shape_argument(shape, "zeros"), 0, to_dtype(dtype) if dtype is not None else default_dtype())


def ones(shape: ShapeLike, dtype: DTypeLike = None, name: Optional[str] = None) -> Tensor:
    """Make a tensor of ones.

    Args:
        shape: Size of each axis.
        dtype: Element type; the default float type when None.
        name: Unused, as in Paddle.

    Returns:
        A tensor of that shape.
    """
    return filled(shape_argument(shape, "ones"), 1, to_dtype(dtype) if dtype is not None else default_dtype())


def full_like(x: Tensor, fill_value: Scalar, dtype: DTypeLike = None, name: Optional[str] = None) -> Tensor:
    """Make a tensor of one repeated number with the shape of another tensor.

    Args:
        x: Gives shape, and dtype when None is given.
        fill_value: The number.
        dtype: Element type.
        name: Unused, as in Paddle.

    Returns:
        A tensor of x's shape.
    """
    need_tensor(x, "full_like")
    return filled(tuple(x.shape), fill_value, to_dtype(dtype) if dtype is not None else x.dtype)


def zeros_like(x: Tensor, dtype: DTypeLike = None, name: Optional[str] = None) -> Tensor:
    """Make a tensor of zeros with the shape of another tensor; see :func:`full_like`."""
    return full_like(x, 0, dtype)


def ones_like(x: Tensor, dtype: DTypeLike = None, name: Optional[str] = None) -> Tensor:
    """Make a tensor of ones with the shape of another tensor; see :func:`full_like`."""
    return full_like(x, 1, dtype)


def empty(shape: ShapeLike, dtype: DTypeLike = None, name: Optional[str] = None) -> Tensor:
    """Make a tensor whose content is not specified (zeros here, so that no run depends on chance).

    Args:
        shape: Size of each axis.
        dtype: Element type; the default float type when None.
        name: Unused, as in Paddle.

    Returns:
        A tensor of that shape.
    """
    return zeros(shape, dtype)


def empty_like(x: Tensor, dtype: DTypeLike = None, name: Optional[str] = None) -> Tensor:
    """Make a tensor with the shape of another one, content not specified; see :func:`empty`."""
    return zeros_like(x, dtype)


def arange(
    start: Union[Scalar, Tensor] = 0,
    end: Union[Scalar, Tensor, None] = None,
    step: Union[Scalar, Tensor] = 1,
    dtype: DTypeLike = None,
    name: Optional[str] = None,
) -> Tensor:
    """Make the numbers from start (included) to end (excluded) at equal steps.

    Args:
        start: First number; the end when it is the only argument.
        end: Where to stop.
        step: Difference of neighbours, not 0.
        dtype: Element type; int64 when all numbers are ints, else the default float type.
        name: Unused, as in Paddle.

    Returns:
        A tensor of shape [ceil((end - start) / step)].

    Raises:
        OperatorError: the step is 0.
    """
    numbers: list[Any] = [value.item() if isinstance(value, Tensor) else value for value in (start, end, step)]
    if numbers[1] is None:
        numbers[:2] = [0, numbers[0]]
    if numbers[2] == 0:
        raise OperatorError("arange: the step is 0")
    if contains_dimension(numbers):
        all_ints = all(value.is_whole if isinstance(value, Dimension) else isinstance(value, int) for value in numbers)
        wanted = to_dtype(dtype) if dtype is not None else int64 if all_ints else default_dtype()
        return cast(apply(_arange, start=numbers[0], end=numbers[1], step=numbers[2]), wanted)
    if not all(math.isfinite(value) for value in numbers):
        raise OperatorError(f"arange: start, end and step must be finite, got {numbers}")
    engine.check_count([max(math.ceil((numbers[1] - numbers[0]) / numbers[2]), 0)])
    if dtype is None:
        all_ints = all(isinstance(value, (int, np.integer)) for value in numbers)
        dtype = int64 if all_ints else default_dtype()
    return Tensor(np.arange(*numbers), dtype=to_dtype(dtype))


def linspace(
    start: Union[Scalar, Tensor],
    stop: Union[Scalar, Tensor],
    num: Union[int, Tensor],
    dtype: DTypeLike = None,
    name: Optional[str] = None,
) -> Tensor:
    """Make equally spaced numbers from start to stop, both included.

    Args:
        start: First number.
        stop: Last number.
        num: How many, at least 1.
        dtype: Element type; the default float type when None.
        name: Unused, as in Paddle.

    Returns:
        A tensor of shape [num].

    Raises:
        OperatorError: num is below 1.
    """
    first, last, count = [value.item() if isinstance(value, Tensor) else value for value in (start, stop, num)]
    wanted = to_dtype(dtype) if dtype is not None else default_dtype()
    if contains_dimension([first, last, count]):
        return cast(apply(_linspace, start=first, stop=last, num=count), wanted)
    if count < 1:
        raise OperatorError(f"linspace: num must be at least 1, got {count}")
    return Tensor(np.linspace(first, last, int(count)), dtype=wanted)


def eye(
    num_rows: int, num_columns: Optional[int] = None, dtype: DTypeLike = None, name: Optional[str] = None
) -> Tensor:
    """Make a matrix with ones on the diagonal.

    Args:
        num_rows: Rows.
        num_columns: Columns; as many as rows when None.
        dtype: Element type; the default float type when None.
        name: Unused, as in Paddle.

    Returns:
        A tensor of shape [num_rows, num_columns].
    """
    wanted = to_dtype(dtype) if dtype is not None else default_dtype()
    columns = num_rows if num_columns is None else num_columns
    if contains_dimension([num_rows, columns]):
        return cast(apply(_eye, rows=num_rows, columns=columns), wanted)
    engine.check_count([num_rows, columns])
    return Tensor(np.eye(num_rows, columns), dtype=wanted)


def cast(x: Tensor, dtype: DTypeLike) -> Tensor:
    """Convert the elements to another type.

    Args:
        x: Any tensor.
        dtype: The type to convert to; floats become integers by cutting off the fraction, and bfloat16 by rounding to
            the nearest.

    Returns:
        A tensor of the same shape; x itself when it already has the type.

    Raises:
        TypeError: the type is unknown.
    """
    wanted = to_dtype(dtype)
    need_tensor(x, "cast")
    if x.dtype is wanted:
        return x
    if x.dtype is bfloat16 and wanted is not float32:
        return cast(_through_half_cast(x, float32), wanted)
    if x.dtype is bfloat16:
        return _through_half_cast(x, wanted)
    if wanted is bfloat16:
        return _through_half_cast(cast(x, float32), wanted)
    return apply(_cast, x, dtype=wanted)


def _through_half_cast(x: Tensor, wanted: DType) -> Tensor:
    """Convert between float32 and bfloat16 by oneDNN, which rounds, many times as fast as the engine cuts off."""
    if x.size == 0:
        return apply(_cast, x, dtype=wanted)
    if 1 <= x.ndim <= _HALF_CAST_AXES:
        return apply(_half_cast, x, dtype=wanted)
    return reshape_exact(apply(_half_cast, reshape_exact(x, [x.size]), dtype=wanted), x.shape)


def narrowed(x: Tensor, dtype: DType) -> Tensor:
    """Return what was computed in float32 in the 16-bit type that was given; under mixed precision it stays float32."""
    return x if dtype.size == 2 and dispatcher.is_mixed() else cast(x, dtype)


def assign(x: Any, output: Optional[Tensor] = None) -> Tensor:
    """Copy a tensor or array; gradients flow through the copy.

    Args:
        x: A Tensor, number, list or numpy array.
        output: Receives the copy when given; a parameter goes on needing a gradient.

    Returns:
        The copy; of shape [1] for a number.
    """
    if not isinstance(x, Tensor):
        x = Tensor([x] if np.isscalar(x) else x)
    copied = apply(_identity, x)
    if output is None:
        return copied
    value, before = copied._value, output._value
    if before.is_trainable_leaf and not (value.requires_grad or value.traced):
        value = Value(value.held, value.meta, requires_grad=True)
    output._rebind(value)
    return output


def clone(x: Tensor, name: Optional[str] = None) -> Tensor:
    """Return a copy that gradients flow through; see :func:`assign`."""
    return assign(x)


def astype(x: Tensor, dtype: DTypeLike) -> Tensor:
    """Convert the elements to another type; see :func:`cast`."""
    return cast(x, dtype)


__all__ = [
    "arange", "assign", "cast", "clone", "empty", "empty_like", "eye", "full", "full_like", "linspace", "ones",
    "ones_like", "to_tensor", "zeros", "zeros_like",
]  # fmt: skip
TENSOR_METHODS = ("astype", "cast", "clone")
IN_PLACE_METHODS = ("cast",)

"""What operator families share: reading arguments, and the checks that precede the engine."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import Any, Optional, Union

import numpy as np

from core.kernels.dispatch.dispatcher import Meta
from core.kernels.dispatch.errors import OperatorError, OperatorIndexError, OperatorTypeError
from core.kernels.dtypes import DType, int64, promote
from core.kernels.sizes.dimension import Dimension, all_ints, is_known, larger
from core.operators._full import full_of
from core.tensor import Tensor, apply, default_dtype

Scalar = Union[int, float, bool]
IntOrTensor = Union[int, Tensor]
ShapeLike = Union[int, Tensor, Sequence[IntOrTensor]]
AxisLike = Union[int, Sequence[int], None]


def as_tensor(value: Any, caller: str, dtype: Optional[DType] = None) -> Tensor:
    """Return a Tensor as it is, or turn a number or array into one.

    Raises:
        OperatorTypeError: the value is neither.
    """
    if isinstance(value, Tensor):
        return value
    if isinstance(value, Dimension):
        return number_tensor(value, dtype)
    if isinstance(value, (numbers.Number, np.ndarray, np.generic, list, tuple)):
        return Tensor(value, dtype=dtype)
    raise OperatorTypeError(f"{caller}: expected a Tensor, got {type(value).__name__}")


def number_tensor(value: Any, dtype: Optional[DType] = None) -> Tensor:
    """Return a 0-D tensor of a number, which may be an unknown size."""
    if not isinstance(value, Dimension):
        return Tensor(value, dtype=dtype)
    return apply(full_of, shape=(), value=value, dtype=dtype or (int64 if value.is_whole else default_dtype()))


def need_tensor(value: Any, caller: str, name: str = "x") -> Tensor:
    """Return the value if it is a Tensor.

    Raises:
        OperatorTypeError: it is not.
    """
    if not isinstance(value, Tensor):
        raise OperatorTypeError(f"{caller}: {name} must be a Tensor, got {type(value).__name__}: use to_tensor()")
    return value


def optional_tensor(value: Any, caller: str, name: str) -> Optional[Tensor]:
    """Return the value if it is a Tensor or None.

    Raises:
        OperatorTypeError: it is neither.
    """
    return None if value is None else need_tensor(value, caller, name)


def is_number(value: Any) -> bool:
    """Return whether the value is a Python or numpy number (bool included), or an unknown size."""
    return isinstance(value, (numbers.Number, np.generic, np.bool_, Dimension))


def shape_argument(shape: ShapeLike, caller: str) -> tuple[int, ...]:
    """Return a shape as a tuple of Python ints (or unknown sizes, while such are traced); tensors in it are read."""
    if isinstance(shape, (list, tuple)) and all_ints(shape):
        return tuple(shape)
    if isinstance(shape, Tensor):
        shape = shape.tolist()
    if isinstance(shape, (numbers.Integral, np.integer, Dimension)):
        shape = (shape,)  # type: ignore[assignment]  # a lone size is a tensor's, a numpy number or a placeholder
    try:
        shape = [size.item() if isinstance(size, Tensor) else size for size in shape]  # type: ignore[union-attr,misc]  # whatever is no sequence raises TypeError below
        return tuple([size if isinstance(size, Dimension) else int(size) for size in shape])
    except OperatorError:
        raise
    except (TypeError, ValueError):
        raise OperatorTypeError(f"{caller}: a shape is a list of ints, got {shape!r}") from None


def axis_argument(axis: Any, rank: int, caller: str) -> int:
    """Return one axis counted from the front.

    Raises:
        OperatorIndexError: the tensor has no such axis.
    """
    if isinstance(axis, Tensor):
        axis = axis.item()
    if isinstance(axis, bool) or not isinstance(axis, (int, np.integer)):
        raise OperatorTypeError(f"{caller}: axis must be an int, got {axis!r}")
    limit = max(rank, 1)
    if not -limit <= axis < limit:
        raise OperatorIndexError(f"{caller}: axis {axis} is outside a tensor of {rank} dimensions")
    return int(axis) % limit


def axes_argument(axis: Any, rank: int, caller: str) -> tuple[int, ...]:
    """Return axes counted from the front, in rising order; None or an empty list means all of them.

    Raises:
        OperatorError: an axis is named twice or does not exist.
    """
    if isinstance(axis, Tensor):
        axis = axis.tolist()
    if axis is None or (isinstance(axis, (list, tuple)) and not axis):
        return tuple(range(rank))
    if not isinstance(axis, (list, tuple)):
        axis = [axis]
    axes = [axis_argument(item, rank, caller) for item in axis]
    if rank == 0:
        return ()
    if len(set(axes)) != len(axes):
        raise OperatorError(f"{caller}: axis {list(axis)} names one axis twice")
    return tuple(sorted(axes))


def broadcast_shape(*shapes: Sequence[int], caller: str = "broadcast") -> tuple[int, ...]:
    """Return the shape that several shapes broadcast to.

    Raises:
        OperatorError: two sizes of one axis differ and neither is 1.
    """
    rank = max([len(shape) for shape in shapes], default=0)
    result = [1] * rank
    for shape in shapes:
        for i, size in enumerate(shape, start=rank - len(shape)):
            if is_known(size, 1):
                continue
            if isinstance(size, Dimension) or isinstance(result[i], Dimension):
                result[i] = size if is_known(result[i], 1) else larger(result[i], size)  # the engine checks each run
            elif result[i] not in (1, size):
                listed = " and ".join(str(list(shape)) for shape in shapes)
                raise OperatorError(f"{caller}: shapes {listed} do not broadcast: sizes {result[i]} and {size} differ")
            else:
                result[i] = size
    return tuple(result)


def common_dtype(*dtypes: DType) -> DType:
    """Return the type that an operation on all of these computes in."""
    result = dtypes[0]
    for dtype in dtypes[1:]:
        result = promote(result, dtype)
    return result


def scalar_dtype(tensor_dtype: DType, scalar: Scalar) -> DType:
    """Return the type of an operation between a tensor and a Python number: the number is weak.

    An int with a float tensor keeps the float type; a float with an int tensor gives the default float type.
    """
    if isinstance(scalar, (bool, np.bool_)):
        return tensor_dtype
    if isinstance(scalar, (int, np.integer)) or (isinstance(scalar, Dimension) and scalar.is_whole):
        return int64 if tensor_dtype.kind == "b" else tensor_dtype
    return tensor_dtype if tensor_dtype.is_floating else default_dtype()


def floating(dtype: DType) -> DType:
    """Return the type itself if it is floating, else the default float type."""
    return dtype if dtype.is_floating else default_dtype()


def check_broadcast(name: str) -> Any:
    """Return a check that all inputs broadcast."""

    def check(metas: Sequence[Meta], attributes: dict[str, Any]) -> None:
        shapes = [shape for shape, _ in metas]
        check_alternations(broadcast_shape(*shapes, caller=name), shapes, name)

    return check


MAXIMUM_ALTERNATIONS = 5


def check_alternations(result: Sequence[int], shapes: Sequence[Sequence[int]], caller: str) -> None:
    """Refuse a broadcast that the engine refuses late: neighbouring axes count as one where the same inputs repeat.

    Raises:
        OperatorError: more than five groups of axes remain.
    """
    if len(result) <= MAXIMUM_ALTERNATIONS:
        return
    padded = [(*[1] * (len(result) - len(shape)), *shape) for shape in shapes]
    patterns = [tuple(shape[i] == 1 for shape in padded) for i, size in enumerate(result) if size != 1]
    groups = len(patterns) and 1 + sum(one != next_one for one, next_one in zip(patterns, patterns[1:]))
    if groups > MAXIMUM_ALTERNATIONS:
        listed = " and ".join(str(list(shape)) for shape in shapes)
        raise OperatorError(
            f"{caller}: {listed} broadcast to {list(result)} along {groups} separate groups of axes, where the engine"
            f" knows {MAXIMUM_ALTERNATIONS}: expand() a few axes first"
        )


def check_floating(name: str) -> Any:
    """Return a check that the first input is floating-point."""

    def check(metas: Sequence[Meta], attributes: dict[str, Any]) -> None:
        dtype = metas[0][1]
        if not dtype.is_floating:
            raise OperatorTypeError(f"{name}: expects a floating-point tensor, got {dtype.name}: cast it to float32")

    return check

"""Further functions of two or more operands: extremes that skip NaN, angles, interpolation, sums of many."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional, Union

from core.kernels.dispatch.errors import OperatorError, OperatorTypeError
from core.kernels.dispatch.operator import Operator
from core.kernels.dtypes import float32, float64, int64
from core.operators._arguments import (
    Scalar,
    as_tensor,
    broadcast_shape,
    check_broadcast,
    common_dtype,
    floating,
    need_tensor,
)
from core.operators._methods import in_place
from core.operators.arithmetic.logic import isnan
from core.operators.arithmetic.math import Operand, add, maximum, minimum, multiply, operand_pair, pow, subtract
from core.operators.creation.creation import arange, assign, cast
from core.operators.indexing.gathering import check_range, index_select
from core.operators.indexing.masking import where
from core.operators.layers._activations import ACTIVATIONS
from core.operators.reductions.reduction import logsumexp
from core.operators.shape._primitives import reshape_exact
from core.operators.shape.joining import stack
from core.operators.shape.manipulation import broadcast_to
from core.tensor import Tensor, apply

_atan2 = Operator("atan2", "_npi_arctan2", check=check_broadcast("atan2"))
_hypot = Operator("hypot", "_npi_hypot", check=check_broadcast("hypot"))
_add_n = Operator("add_n", "add_n", attributes=lambda metas, options: {"num_args": len(metas)})

_PAIR_DOC = """{summary}

    Args:
        x: A tensor of numbers.
        y: A tensor of numbers; the shapes broadcast.
        name: Unused, as in Paddle.

    Returns:
        {returns}

    Raises:
        OperatorError: the shapes do not broadcast.
    """


def _documented(summary: str, returns: str) -> Any:
    def attach(function: Any) -> Any:
        function.__doc__ = _PAIR_DOC.format(summary=summary, returns=returns)
        return function

    return attach


_COMMON = "A tensor of the broadcast shape, in the operands' common type."
_FLOATING = "A floating-point tensor of the broadcast shape."


@_documented("Take the larger of two elements; where one is NaN, the other.", _COMMON)
def fmax(x: Operand, y: Operand, name: Optional[str] = None) -> Tensor:  # noqa: D103
    first, second = operand_pair(x, y, "fmax")
    if not first.dtype.is_floating:
        return maximum(first, second)
    return maximum(where(isnan(second), first, second), where(isnan(first), second, first))


@_documented("Take the smaller of two elements; where one is NaN, the other.", _COMMON)
def fmin(x: Operand, y: Operand, name: Optional[str] = None) -> Tensor:  # noqa: D103
    first, second = operand_pair(x, y, "fmin")
    if not first.dtype.is_floating:
        return minimum(first, second)
    return minimum(where(isnan(second), first, second), where(isnan(first), second, first))


def _angle(operator: Operator, x: Operand, y: Operand, caller: str) -> Tensor:
    first, second = operand_pair(x, y, caller)
    dtype = first.dtype if first.dtype.is_floating else float64
    wide = float32 if dtype.size == 2 else dtype
    return cast(apply(operator, cast(first, wide), cast(second, wide)), dtype)


@_documented("Compute the angle in radians, within [-pi, pi], of the point with ordinate x and abscissa y.", _FLOATING)
def atan2(x: Operand, y: Operand, name: Optional[str] = None) -> Tensor:  # noqa: D103
    return _angle(_atan2, x, y, "atan2")


@_documented("Compute the length of the hypotenuse over two legs.", _FLOATING)
def hypot(x: Operand, y: Operand, name: Optional[str] = None) -> Tensor:  # noqa: D103
    return _angle(_hypot, x, y, "hypot")


@_documented("Step from 0 to 1 where x passes 0; at 0 itself take y.", _COMMON)
def heaviside(x: Operand, y: Operand, name: Optional[str] = None) -> Tensor:  # noqa: D103
    first, second = operand_pair(x, y, "heaviside")
    return where(first == 0, second, cast(first > 0, first.dtype))


@_documented("Compute the logarithm of exp(x) + exp(y) without overflow.", _FLOATING)
def logaddexp(x: Operand, y: Operand, name: Optional[str] = None) -> Tensor:  # noqa: D103
    first, second = operand_pair(x, y, "logaddexp")
    dtype = floating(first.dtype)
    shape = broadcast_shape(first.shape, second.shape)
    return logsumexp(stack([broadcast_to(cast(first, dtype), shape), broadcast_to(cast(second, dtype), shape)]), axis=0)


@_documented("Multiply x by 2 to the power y.", _FLOATING)
def ldexp(x: Operand, y: Operand, name: Optional[str] = None) -> Tensor:  # noqa: D103
    first, second = as_tensor(x, "ldexp"), as_tensor(y, "ldexp")
    dtype = floating(first.dtype)
    return multiply(cast(first, dtype), pow(2.0, cast(second, dtype)))


def lerp(x: Tensor, y: Tensor, weight: Union[Scalar, Tensor], name: Optional[str] = None) -> Tensor:
    """Interpolate: ``x + weight * (y - x)``.

    Args:
        x: The value at weight 0; floating-point.
        y: The value at weight 1; the shapes broadcast.
        weight: A number, or a tensor that broadcasts.
        name: Unused, as in Paddle.

    Returns:
        A tensor of the broadcast shape.

    Raises:
        OperatorError: the shapes do not broadcast.
    """
    need_tensor(x, "lerp")
    return add(x, multiply(subtract(y, x), weight))


def add_n(inputs: Union[Tensor, Sequence[Tensor]], name: Optional[str] = None) -> Tensor:
    """Add many tensors of one shape in one pass.

    Args:
        inputs: A tensor, or a list of tensors of one shape.
        name: Unused, as in Paddle.

    Returns:
        A tensor of that shape, in the common type.

    Raises:
        OperatorError: the list is empty, or the shapes differ.
    """
    if isinstance(inputs, Tensor):
        return assign(inputs)
    parts = [need_tensor(part, "add_n", f"inputs[{i}]") for i, part in enumerate(inputs)]
    if not parts or any(part.shape != parts[0].shape for part in parts):
        raise OperatorError(f"add_n: expects tensors of one shape, got {[part.shape for part in parts]}")
    if len(parts) == 1:
        return assign(parts[0])
    dtype = common_dtype(*[part.dtype for part in parts])
    return apply(_add_n, *[cast(part, int64 if dtype.kind == "b" else dtype) for part in parts])


def scale(
    x: Tensor,
    scale: Union[Scalar, Tensor] = 1.0,
    bias: float = 0.0,
    bias_after_scale: bool = True,
    act: Optional[str] = None,
    name: Optional[str] = None,
) -> Tensor:
    """Multiply by a factor and add a bias: ``scale * x + bias``, or ``scale * (x + bias)``.

    Args:
        x: A tensor of numbers.
        scale: The factor, a number or a tensor of one element.
        bias: The bias.
        bias_after_scale: Whether the bias is added last.
        act: Name of an activation to apply to the result, such as ``relu``.
        name: Unused, as in Paddle.

    Returns:
        A tensor of x's shape and dtype.

    Raises:
        OperatorError: the activation is unknown.
        OperatorTypeError: x holds integers and the factor or the bias has a fraction.
    """
    need_tensor(x, "scale")
    factor: Any = reshape_exact(scale, []) if isinstance(scale, Tensor) else scale
    if not x.dtype.is_floating:
        for number in (factor, bias):
            if not isinstance(number, Tensor) and not float(number).is_integer():
                raise OperatorTypeError(f"scale: {number} has a fraction, but x is {x.dtype.name}: cast x to float32")
        factor, bias = factor if isinstance(factor, Tensor) else int(factor), int(bias)
    result = x if bias_after_scale or bias == 0 else add(x, bias)
    result = multiply(result, factor) if isinstance(factor, Tensor) or factor != 1 else result
    result = add(result, bias) if bias_after_scale and bias != 0 else result
    result = cast(result, x.dtype)
    if act is not None:
        if act not in ACTIVATIONS:
            raise OperatorError(f"scale: there is no activation {act!r}: use one of {', '.join(sorted(ACTIVATIONS))}")
        return ACTIVATIONS[act](result)
    return assign(result) if result is x else result


def multiplex(inputs: Sequence[Tensor], index: Tensor, name: Optional[str] = None) -> Tensor:
    """Choose row i of the result from row i of the tensor that ``index[i]`` names.

    Args:
        inputs: At least 2 tensors of one shape [rows, ...].
        index: int32 or int64 of shape [rows, 1] (or [rows]), each the position of a tensor.
        name: Unused, as in Paddle.

    Returns:
        A tensor of the inputs' shape.

    Raises:
        OperatorError: shapes differ, or the index does not fit.
        OperatorIndexError: an index names no tensor.
    """
    need_tensor(index, "multiplex", "index")
    for i, part in enumerate(inputs):
        need_tensor(part, "multiplex", f"inputs[{i}]")
    if len(inputs) < 2 or any(part.shape != inputs[0].shape or not part.ndim for part in inputs):
        shapes = [part.shape for part in inputs]
        raise OperatorError(f"multiplex: expects at least 2 tensors of one shape, got {shapes}")
    shape = inputs[0].shape
    if index.size != shape[0] or index.ndim not in (1, 2) or not index.dtype.is_integer:
        raise OperatorError(f"multiplex: expects one integer per row, shape [{shape[0]}, 1], got {index.shape}")
    check_range(index, len(inputs), "multiplex")
    position = add(multiply(reshape_exact(cast(index, int64), [shape[0]]), shape[0]), arange(shape[0]))
    return index_select(reshape_exact(stack(list(inputs)), [len(inputs) * shape[0], *shape[1:]]), position)


def increment(x: Tensor, value: float = 1.0, name: Optional[str] = None) -> Tensor:
    """Add a number to a tensor of one element, in place.

    Args:
        x: A tensor of one element.
        value: The number.
        name: Unused, as in Paddle.

    Returns:
        x itself.

    Raises:
        OperatorError: there is more than one element.
    """
    if need_tensor(x, "increment").size != 1:
        raise OperatorError(f"increment: expects a tensor of one element, got shape {x.shape}")
    return in_place(x, add(x, value if x.dtype.is_floating else int(value)), "increment")


__all__ = [
    "add_n", "atan2", "fmax", "fmin", "heaviside", "hypot", "increment", "ldexp", "lerp", "logaddexp",
    "multiplex", "scale",
]  # fmt: skip
TENSOR_METHODS = tuple(__all__)
IN_PLACE_METHODS = ("hypot", "ldexp", "lerp", "scale")

"""Comparisons, truth and bits; nothing here has a gradient."""

from __future__ import annotations

from typing import Any, Optional

from core.kernels.dispatch.errors import OperatorTypeError
from core.kernels.dispatch.operator import Operator
from core.kernels.dtypes import bool_, float32
from core.operators._arguments import as_tensor, broadcast_shape, check_broadcast, common_dtype, need_tensor
from core.operators.arithmetic.math import BinaryOperator, Operand, _binary
from core.operators.creation.creation import cast, full_like
from core.operators.shape.manipulation import broadcast_to
from core.tensor import Tensor, apply

_TRUTH = "A bool tensor of the broadcast shape."


def _comparison(name: str, engine_name: str, swapped_name: str, summary: str) -> Any:
    operator = BinaryOperator(
        name, engine_name, f"{engine_name}_scalar", f"{swapped_name}_scalar", differentiable=False
    )
    function = _binary(operator, summary, _TRUTH, lambda dtype: dtype)
    function.__module__ = __name__
    return function


equal = _comparison("equal", "_npi_equal", "_npi_equal", "Tell where x equals y.")
not_equal = _comparison("not_equal", "_npi_not_equal", "_npi_not_equal", "Tell where x differs from y.")
less_than = _comparison("less_than", "_npi_less", "_npi_greater", "Tell where x is below y.")
less_equal = _comparison("less_equal", "_npi_less_equal", "_npi_greater_equal", "Tell where x is at most y.")
greater_than = _comparison("greater_than", "_npi_greater", "_npi_less", "Tell where x is above y.")
greater_equal = _comparison("greater_equal", "_npi_greater_equal", "_npi_less_equal", "Tell where x is at least y.")

_LOGICAL_DOC = """{summary} Every number but 0 counts as true.

    Args:
        x: Any tensor.
        y: A tensor whose shape broadcasts with x's.
        out: Receives the result when given.
        name: Unused, as in Paddle.

    Returns:
        A bool tensor of the broadcast shape.

    Raises:
        OperatorError: the shapes do not broadcast.
    """

_BITWISE_DOC = """{summary} Bool tensors are combined as truth values.

    Args:
        x: An integer or bool tensor, or an int.
        y: The same; the shapes broadcast.
        out: Receives the result when given.
        name: Unused, as in Paddle.

    Returns:
        A tensor of the broadcast shape, in the operands' common type.

    Raises:
        OperatorError: the shapes do not broadcast.
        OperatorTypeError: an operand is floating-point.
    """


def _given(result: Tensor, out: Optional[Tensor]) -> Tensor:
    if out is None:
        return result
    out._rebind(result._value)
    return out


def _truth(value: Any, caller: str) -> Tensor:
    x = as_tensor(value, caller)
    return x if x.dtype is bool_ else not_equal(x, 0)


def _combined(bits: Operator, first: Tensor, second: Tensor, caller: str) -> Tensor:
    if first.dtype is bool_ and first.shape != second.shape:  # the engine's kernels broadcast all types but bool
        shape = broadcast_shape(first.shape, second.shape, caller=caller)
        first, second = broadcast_to(first, shape), broadcast_to(second, shape)
    return apply(bits, first, second)


def _logical(name: str, bits: Operator, summary: str) -> Any:
    def function(x: Operand, y: Operand, out: Optional[Tensor] = None, name: Optional[str] = None) -> Tensor:
        return _given(_combined(bits, _truth(x, caller), _truth(y, caller), caller), out)

    caller = name
    function.__name__ = function.__qualname__ = name
    function.__doc__ = _LOGICAL_DOC.format(summary=summary)
    return function


def _bitwise(name: str, bits: Operator, summary: str) -> Any:
    def function(x: Operand, y: Operand, out: Optional[Tensor] = None, name: Optional[str] = None) -> Tensor:
        like = x if isinstance(x, Tensor) else y
        weak = like.dtype if isinstance(like, Tensor) and like.dtype.is_integer else None
        first = as_tensor(x, caller, weak if isinstance(x, int) and x is not True and x is not False else None)
        second = as_tensor(y, caller, weak if isinstance(y, int) and y is not True and y is not False else None)
        for operand in (first, second):
            _need_bits(operand, caller)
        dtype = common_dtype(first.dtype, second.dtype)
        return _given(_combined(bits, cast(first, dtype), cast(second, dtype), caller), out)

    caller = name
    function.__name__ = function.__qualname__ = name
    function.__doc__ = _BITWISE_DOC.format(summary=summary)
    return function


def _need_bits(x: Tensor, caller: str) -> None:
    if x.dtype.is_floating:
        raise OperatorTypeError(f"{caller}: expects integers or bools, got {x.dtype.name}: cast it to int64")


def _bits(name: str, engine_name: str) -> Operator:
    return Operator(name, engine_name, check=check_broadcast(name), differentiable=False)


_and = _bits("bitwise_and", "_npi_bitwise_and")
_or = _bits("bitwise_or", "_npi_bitwise_or")
_xor = _bits("bitwise_xor", "_npi_bitwise_xor")
_not = Operator("bitwise_not", "_npi_bitwise_not", differentiable=False)

logical_and = _logical("logical_and", _and, "Tell where both are true.")
logical_or = _logical("logical_or", _or, "Tell where at least one is true.")
logical_xor = _logical("logical_xor", _xor, "Tell where exactly one is true.")
bitwise_and = _bitwise("bitwise_and", _and, "Keep the bits that both have.")
bitwise_or = _bitwise("bitwise_or", _or, "Keep the bits that at least one has.")
bitwise_xor = _bitwise("bitwise_xor", _xor, "Keep the bits that exactly one has.")


def logical_not(x: Tensor, out: Optional[Tensor] = None, name: Optional[str] = None) -> Tensor:
    """Tell where x is false (0).

    Args:
        x: Any tensor.
        out: Receives the result when given.
        name: Unused, as in Paddle.

    Returns:
        A bool tensor of x's shape.

    Raises:
        OperatorTypeError: x is no Tensor.
    """
    need_tensor(x, "logical_not")
    return _given(apply(_not, x) if x.dtype is bool_ else equal(x, 0), out)


def bitwise_not(x: Tensor, out: Optional[Tensor] = None, name: Optional[str] = None) -> Tensor:
    """Turn every bit over; a bool tensor is negated.

    Args:
        x: An integer or bool tensor.
        out: Receives the result when given.
        name: Unused, as in Paddle.

    Returns:
        A tensor of x's shape and dtype.

    Raises:
        OperatorTypeError: x is floating-point.
    """
    _need_bits(need_tensor(x, "bitwise_not"), "bitwise_not")
    return _given(apply(_not, x), out)


_STATE_DOC = """Tell where x is {what}; integers never are{but}.

    Args:
        x: Any tensor.
        name: Unused, as in Paddle.

    Returns:
        A bool tensor of x's shape.

    Raises:
        OperatorTypeError: x is no Tensor.
    """


def _state(name: str, engine_name: str, what: str, integers: bool) -> Any:
    operator = Operator(name, engine_name, differentiable=False)

    def function(x: Tensor, name: Optional[str] = None) -> Tensor:
        need_tensor(x, operator.name)
        if not x.dtype.is_floating:
            return full_like(x, integers, bool_)
        return apply(operator, cast(x, float32) if x.dtype.size == 2 else x)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = _STATE_DOC.format(what=what, but="" if not integers else " anything else").replace(
        "integers never are anything else", "integers always are"
    )
    return function


isnan = _state("isnan", "_npi_isnan", "NaN", False)
isinf = _state("isinf", "_npi_isinf", "plus or minus infinity", False)
isfinite = _state("isfinite", "_npi_isfinite", "finite", True)


__all__ = [
    "bitwise_and", "bitwise_not", "bitwise_or", "bitwise_xor", "equal", "greater_equal",
    "greater_than", "isfinite", "isinf", "isnan", "less_equal", "less_than",
    "logical_and", "logical_not", "logical_or", "logical_xor", "not_equal",
]  # fmt: skip
TENSOR_METHODS = tuple(__all__)
IN_PLACE_METHODS = (
    "bitwise_and", "bitwise_not", "bitwise_or", "bitwise_xor", "equal", "greater_equal", "greater_than", "less_equal",
    "less_than", "logical_and", "logical_not", "logical_or", "logical_xor", "not_equal",
)  # fmt: skip

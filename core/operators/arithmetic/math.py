"""Element-wise arithmetic: two operands that broadcast, and functions of one operand."""

from __future__ import annotations

from typing import Any, Callable, Optional, Union

from core.kernels.dispatch.errors import OperatorTypeError
from core.kernels.dispatch.operator import Operator
from core.kernels.dtypes import DType, bfloat16, bool_, float32, int64
from core.kernels.sizes.dimension import Dimension
from core.operators._arguments import (
    Scalar,
    as_tensor,
    broadcast_shape,
    check_broadcast,
    common_dtype,
    floating,
    is_number,
    number_tensor,
    scalar_dtype,
)
from core.operators.arithmetic._integer_kernels import integer_operator, integer_power, integer_quotient
from core.operators.creation.creation import assign, cast, narrowed
from core.tensor import Tensor, apply

Operand = Union[Tensor, Scalar]


class BinaryOperator:
    """An element-wise operator of two operands, in its tensor and number forms.

    Args:
        name: Our name.
        engine_name: The engine's operator on two tensors.
        scalar_name: The engine's operator on a tensor and a number; None where a number becomes a tensor.
        reverse_name: The same with the number on the left.
        differentiable: False where no gradient exists.
        swapped: Give the engine y before x: the first of two equal elements gets its gradient, in Paddle the second.
        same_shape: The engine's operator on two tensors of one shape, where it is faster.
        integers: The operator for integers, where the engine computes those through floating point.
    """

    def __init__(
        self,
        name: str,
        engine_name: str,
        scalar_name: Optional[str] = None,
        reverse_name: Optional[str] = None,
        differentiable: bool = True,
        swapped: bool = False,
        integers: Optional[Operator] = None,
        same_shape: Optional[str] = None,
        lacks: tuple[DType, ...] = (),
    ) -> None:
        def with_number(suffix: str, engine: Optional[str]) -> Optional[Operator]:
            if engine is None:
                return None
            return Operator(
                f"{name}_{suffix}", engine, differentiable=differentiable, attributes=_scalar_attributes, lacks=lacks
            )

        self.name = name
        self.swapped = swapped
        self.integers = integers
        check = check_broadcast(name)
        in_order = (lambda metas, options: check(metas[::-1], options)) if swapped else check
        self.tensors = Operator(
            name, engine_name, check=in_order, differentiable=differentiable, same_shape=same_shape, lacks=lacks
        )
        self.scalar = with_number("scalar", scalar_name)
        self.reverse = with_number("reverse_scalar", reverse_name)

    def __call__(self, x: Operand, y: Operand, dtype_of: Callable[[DType], DType] = lambda dtype: dtype) -> Tensor:
        """Compute in the operands' common type, passed through ``dtype_of``."""
        if isinstance(x, Tensor) and isinstance(y, Tensor):
            dtype = x._value.meta[1]
            if dtype is y._value.meta[1] and dtype is dtype_of(dtype):
                operator = self.integers if self.integers is not None and not dtype.is_floating else self.tensors
                return apply(operator, y, x) if self.swapped else apply(operator, x, y)
        x_number, y_number = is_number(x), is_number(y)
        if x_number and y_number:
            x, x_number = as_tensor(x, self.name), False
        if y_number and isinstance(x, Tensor):
            dtype = dtype_of(scalar_dtype(x.dtype, y))  # type: ignore[arg-type]  # is_number says so
            if self.scalar is not None and self._takes_numbers(dtype):
                return apply(self.scalar, cast(x, dtype), scalar=_number(y, dtype))
            return self._apply(cast(x, dtype), number_tensor(y, dtype))
        if x_number and isinstance(y, Tensor):
            dtype = dtype_of(scalar_dtype(y.dtype, x))  # type: ignore[arg-type]  # is_number says so
            if self.reverse is not None and self._takes_numbers(dtype):
                return apply(self.reverse, cast(y, dtype), scalar=_number(x, dtype))
            return self._apply(number_tensor(x, dtype), cast(y, dtype))
        first, second = as_tensor(x, self.name), as_tensor(y, self.name)
        dtype = dtype_of(common_dtype(first.dtype, second.dtype))
        return self._apply(cast(first, dtype), cast(second, dtype))

    def _takes_numbers(self, dtype: DType) -> bool:
        """Whether the engine's form with a number is exact: it passes the number, and int64, through a double."""
        return dtype.is_floating or (dtype.is_integer and dtype is not int64 and self.integers is None)

    def _apply(self, x: Tensor, y: Tensor) -> Tensor:
        operator = self.integers if self.integers is not None and not x.dtype.is_floating else self.tensors
        return apply(operator, y, x) if self.swapped else apply(operator, x, y)


class _Division(BinaryOperator):
    """Division, for which the engine has no bfloat16 kernel (its error would come late): through float32."""

    def __call__(self, x: Operand, y: Operand, dtype_of: Callable[[DType], DType] = lambda dtype: dtype) -> Tensor:
        types = [t.dtype for t in (x, y) if isinstance(t, Tensor)]
        if not any(dtype is bfloat16 for dtype in types):
            return super().__call__(x, y, dtype_of)
        wide = [cast(t, float32) if isinstance(t, Tensor) and t.dtype is bfloat16 else t for t in (x, y)]
        result = super().__call__(wide[0], wide[1], dtype_of)
        mixed = any(dtype.is_floating and dtype is not bfloat16 for dtype in types)
        return result if mixed else narrowed(result, bfloat16)


def _scalar_attributes(metas: Any, options: dict[str, Any]) -> dict[str, Any]:
    return {"scalar": options["scalar"], "is_int": metas[0][1].kind != "f"}


def _number(value: Any, dtype: DType) -> Any:
    if isinstance(value, Dimension):
        return value
    if isinstance(value, complex):
        raise OperatorTypeError(f"the number {value!r} is complex, but the tensor is {dtype.name}: use core.complex()")
    if dtype.is_integer and not float(value).is_integer():
        raise OperatorTypeError(f"the number {value!r} is no integer, but the tensor's dtype is {dtype.name}")
    return float(value)


def _arithmetic(dtype: DType) -> DType:
    return int64 if dtype.kind == "b" else dtype


_add = BinaryOperator("add", "_npi_add", "_npi_add_scalar", "_npi_add_scalar", same_shape="elemwise_add")
_subtract = BinaryOperator("subtract", "_npi_subtract", "_npi_subtract_scalar", "_npi_rsubtract_scalar")
_multiply = BinaryOperator(
    "multiply", "_npi_multiply", "_npi_multiply_scalar", "_npi_multiply_scalar", same_shape="elemwise_mul"
)
multiply_gradient = Operator(  # of products that broadcast: the gradient of an operand, summed to its shape
    "multiply_gradient", None, infer=lambda metas, options: [(options["shape"], metas[0][1])], differentiable=False
)
_divide = _Division("divide", "_npi_true_divide", "_npi_true_divide_scalar", "_npi_rtrue_divide_scalar")
_power = BinaryOperator(
    "pow",
    "_npi_power",
    "_npi_power_scalar",
    "_npi_rpower_scalar",
    integers=integer_operator("pow", integer_power),
)
# in bfloat16 the engine's lose NaN
_maximum = BinaryOperator(
    "maximum", "_npi_maximum", "_npi_maximum_scalar", "_npi_maximum_scalar", swapped=True, lacks=(bfloat16,)
)
_minimum = BinaryOperator(
    "minimum", "_npi_minimum", "_npi_minimum_scalar", "_npi_minimum_scalar", swapped=True, lacks=(bfloat16,)
)

_BINARY_DOC = """{summary}

    Args:
        x: A tensor, or a number.
        y: A tensor, or a number; the shapes broadcast.
        name: Unused, as in Paddle.

    Returns:
        {returns}

    Raises:
        OperatorError: the shapes do not broadcast.
    """


def _binary(
    operator: BinaryOperator, summary: str, returns: str, dtype_of: Callable[[DType], DType] = _arithmetic
) -> Any:
    def function(x: Operand, y: Operand, name: Optional[str] = None) -> Tensor:
        return operator(x, y, dtype_of)

    function.__name__ = function.__qualname__ = operator.name
    function.__doc__ = _BINARY_DOC.format(summary=summary, returns=returns)
    return function


_COMMON = "A tensor of the broadcast shape, in the operands' common type."

add = _binary(_add, "Add two tensors element by element.", _COMMON)
subtract = _binary(_subtract, "Subtract y from x element by element.", _COMMON)
_product = _binary(_multiply, "", _COMMON)
true_divide = _binary(
    _divide,
    "Divide x by y element by element; integers are divided as floats.",
    "A floating-point tensor of the broadcast shape.",
    floating,
)


def multiply(x: Operand, y: Operand, name: Optional[str] = None) -> Tensor:  # noqa: D103 - it is put together below
    result: Tensor = _product(x, y)
    if result.dtype is int64 and isinstance(x, Tensor) and isinstance(y, Tensor) and x.dtype is y.dtype is bool_:
        return cast(result, bool_)
    return result


multiply.__doc__ = _BINARY_DOC.format(summary="Multiply two tensors element by element.", returns=_COMMON)

_divide_integers = integer_operator("divide", integer_quotient)


def divide(x: Operand, y: Operand, name: Optional[str] = None) -> Tensor:
    """Divide x by y element by element; unlike ``x / y``, which divides integers as floats, it cuts their fraction off.

    Args:
        x: A tensor, or a number.
        y: A tensor, or a number; the shapes broadcast.
        name: Unused, as in Paddle.

    Returns:
        A tensor of the broadcast shape, in the operands' common type.

    Raises:
        OperatorError: the shapes do not broadcast, or an integer is divided by 0.
    """
    if any(isinstance(operand, Tensor) and operand.dtype.is_integer for operand in (x, y)):
        first, second = operand_pair(x, y, "divide")
        if first.dtype.is_integer:
            return apply(_divide_integers, first, second)
    result: Tensor = true_divide(x, y)
    return result


_CHOSEN = f"{_COMMON} Of two equal elements y's gets the gradient."
maximum = _binary(_maximum, "Take the larger of two elements; NaN where either is NaN.", _CHOSEN)
minimum = _binary(_minimum, "Take the smaller of two elements; NaN where either is NaN.", _CHOSEN)
pow = _binary(_power, "Raise x to the power y element by element.", _COMMON)  # noqa: A001 - Paddle's name


def _integer_abs(x: Tensor) -> Tensor:
    if x.dtype.kind == "c":
        return x.abs()
    return assign(x) if x.dtype.name in ("bool", "uint8") else maximum(x, neg(x))


def operand_pair(x: Operand, y: Operand, caller: str) -> tuple[Tensor, Tensor]:
    """Return two operands as tensors of their common type; a number takes the type of the tensor beside it.

    Raises:
        OperatorError: the shapes do not broadcast.
    """
    if is_number(y) and isinstance(x, Tensor):
        y = number_tensor(y, scalar_dtype(x.dtype, y))  # type: ignore[arg-type]  # is_number says so
    elif is_number(x) and isinstance(y, Tensor):
        x = number_tensor(x, scalar_dtype(y.dtype, x))  # type: ignore[arg-type]  # is_number says so
    first, second = as_tensor(x, caller), as_tensor(y, caller)
    broadcast_shape(first.shape, second.shape, caller=caller)
    dtype = common_dtype(first.dtype, second.dtype)
    return cast(first, dtype), cast(second, dtype)


_UNARY_DOC = """{summary}

    Args:
        x: A tensor of any shape{integers}.
        name: Unused, as in Paddle.

    Returns:
        A {kind} tensor of the same shape.

    Raises:
        OperatorTypeError: x is no Tensor.
    """


def _unary(
    name: str,
    engine_name: str,
    summary: str,
    to_float: bool = True,
    differentiable: bool = True,
    integers: Optional[Callable[[Tensor], Tensor]] = None,
    single: bool = False,
) -> Any:
    """Define a function of one operand; ``integers`` serves where the engine passes integers through floating point."""
    operator = Operator(name, engine_name, differentiable=differentiable, single=single)

    def function(x: Tensor, name: Optional[str] = None) -> Tensor:
        if not isinstance(x, Tensor):
            raise OperatorTypeError(f"{operator.name}: x must be a Tensor, got {type(x).__name__}: use to_tensor()")
        if integers is not None and not x.dtype.is_floating:
            return integers(x)
        if not to_float and x.dtype.kind == "b":
            x = cast(x, int64)
        return apply(operator, cast(x, floating(x.dtype)) if to_float else x)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = _UNARY_DOC.format(
        summary=summary,
        integers="; integers are converted to the default float type" if to_float else "",
        kind="floating-point" if to_float else "same-typed",
    )
    return function


exp = _unary("exp", "_npi_exp", "Compute e to the power x.")
expm1 = _unary("expm1", "_npi_expm1", "Compute e to the power x, minus 1, exactly for small x.")
log = _unary("log", "_npi_log", "Compute the natural logarithm.")
log2 = _unary("log2", "_npi_log2", "Compute the logarithm to base 2.")
log10 = _unary("log10", "_npi_log10", "Compute the logarithm to base 10.")
log1p = _unary("log1p", "_npi_log1p", "Compute the natural logarithm of 1 + x, exactly for small x.")
sqrt = _unary("sqrt", "_npi_sqrt", "Compute the square root; NaN below 0.")
rsqrt = _unary("rsqrt", "rsqrt", "Compute 1 over the square root.")
square = _unary("square", "_npi_square", "Compute x times x.", to_float=False, integers=lambda x: multiply(x, x))
reciprocal = _unary("reciprocal", "_npi_reciprocal", "Compute 1 over x.")
abs = _unary(  # noqa: A001 - Paddle's name
    "abs", "_npi_absolute", "Compute the absolute value.", to_float=False, integers=lambda x: _integer_abs(x)
)
neg = _unary("neg", "_npi_negative", "Change the sign.", to_float=False)
sin = _unary("sin", "_npi_sin", "Compute the sine of angles in radians.")
cos = _unary("cos", "_npi_cos", "Compute the cosine of angles in radians.")
tan = _unary("tan", "_npi_tan", "Compute the tangent of angles in radians.")
asin = _unary("asin", "_npi_arcsin", "Compute the angle in radians, within [-pi/2, pi/2], whose sine is x.")
acos = _unary("acos", "_npi_arccos", "Compute the angle in radians, within [0, pi], whose cosine is x.")
atan = _unary("atan", "_npi_arctan", "Compute the angle in radians, within (-pi/2, pi/2), whose tangent is x.")
sinh = _unary("sinh", "_npi_sinh", "Compute the hyperbolic sine.")
cosh = _unary("cosh", "_npi_cosh", "Compute the hyperbolic cosine.")
asinh = _unary("asinh", "_npi_arcsinh", "Compute the inverse hyperbolic sine.")
acosh = _unary("acosh", "_npi_arccosh", "Compute the inverse hyperbolic cosine; NaN below 1.")
atanh = _unary("atanh", "_npi_arctanh", "Compute the inverse hyperbolic tangent; NaN outside [-1, 1].")
erf = _unary("erf", "erf", "Compute the Gauss error function.", single=True)
erfinv = _unary(
    "erfinv", "erfinv", "Compute the inverse of the Gauss error function; NaN outside [-1, 1].", single=True
)


def _to_integers(name: str, summary: str) -> Any:
    return _unary(name, f"_npi_{name}", summary, to_float=False, differentiable=False, integers=assign)


floor = _to_integers("floor", "Round down to an integer value.")
ceil = _to_integers("ceil", "Round up to an integer value.")
_trunc = _to_integers("trunc", "Cut off the fraction.")
sign = _unary("sign", "_npi_sign", "Return -1, 0 or 1 by the sign.", to_float=False, differentiable=False)


def trunc(input: Tensor, name: Optional[str] = None) -> Tensor:
    """Cut off the fraction.

    Args:
        input: Input of any shape.
        name: Unused, as in Paddle.

    Returns:
        A tensor of the input's shape and element type.
    """
    result: Tensor = _trunc(input)
    return result


__all__ = [
    "abs", "acos", "acosh", "add", "asin", "asinh", "atan", "atanh", "ceil", "cos", "cosh", "divide", "erf", "erfinv",
    "exp", "expm1", "floor", "log", "log10", "log1p", "log2", "maximum", "minimum", "multiply", "neg", "pow",
    "reciprocal", "rsqrt", "sign", "sin", "sinh", "sqrt", "square", "subtract", "tan", "trunc",
]  # fmt: skip
TENSOR_METHODS = tuple(__all__)
IN_PLACE_METHODS = tuple(name for name in __all__ if name not in ("maximum", "minimum", "sign"))

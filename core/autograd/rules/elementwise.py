"""Rules of the element-wise operators (core.operators.arithmetic.math, creation)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Optional

from core import operators as ops
from core.autograd.context import Context, rule
from core.kernels.dtypes import float32, float64
from core.kernels.sizes.dimension import contains_dimension
from core.operators.arithmetic.bessel import bessel_i
from core.operators.arithmetic.math import multiply_gradient
from core.operators.layers.dropout import drop_elements
from core.operators.reductions.reduction import unbroadcast
from core.tensor import Tensor, apply

Gradients = Sequence[Optional[Tensor]]


def pair(context: Context, first: Any, second: Any) -> Gradients:
    """Compute the gradients of two broadcast operands, each only if needed, summed back to the operands' shapes."""
    x, y = context.inputs
    return (
        _summed_like(first(), x) if context.needs[0] else None,
        _summed_like(second(), y) if context.needs[1] else None,
    )


def _has_shape_of(gradient: Tensor, x: Tensor) -> bool:
    """Return whether two tensors without unknown sizes have one shape."""
    one, other = gradient._value, x._value
    return one.meta[0] == other.meta[0] and one.second is None and other.second is None


def _summed_like(gradient: Tensor, x: Tensor) -> Tensor:
    return gradient if _has_shape_of(gradient, x) else unbroadcast(gradient, x.shape)


@rule("cast", "half_cast")
def _cast(context: Context, gradient: Tensor) -> Gradients:
    return (ops.cast(gradient, context.inputs[0].dtype),)


@rule("drop_elements")
def _drop_elements(context: Context, gradient: Tensor) -> Gradients:
    return apply(drop_elements, gradient, context.inputs[1], p=context.p, scale=context.scale), None


@rule("assign", "add_scalar", "subtract_scalar", "add_reverse_scalar")
def _identity(context: Context, gradient: Tensor) -> Gradients:
    return (gradient,)


@rule("add")
def _add(context: Context, gradient: Tensor) -> Gradients:
    return pair(context, lambda: gradient, lambda: gradient)


@rule("subtract")
def _subtract(context: Context, gradient: Tensor) -> Gradients:
    return pair(context, lambda: gradient, lambda: -gradient)


@rule("neg", "subtract_reverse_scalar")
def _negated(context: Context, gradient: Tensor) -> Gradients:
    return (-gradient,)


@rule("multiply")
def _multiply(context: Context, gradient: Tensor) -> Gradients:
    x, y = context.inputs
    return (
        _product_summed(context, gradient, y, x) if context.needs[0] else None,
        _product_summed(context, gradient, x, y) if context.needs[1] else None,
    )


def _product_summed(context: Context, gradient: Tensor, other: Tensor, x: Tensor) -> Tensor:
    """Return gradient * other, summed to x's shape, which had been broadcast: in one go, where nothing follows it."""
    if _has_shape_of(gradient, x):
        return gradient * other
    shape = x.shape
    known = not contains_dimension([gradient.shape, shape])
    plain = gradient.dtype in (float32, float64) and gradient.size
    if context.create_graph or not known or not plain or gradient.shape == list(shape):
        return unbroadcast(gradient * other, shape)
    return apply(multiply_gradient, gradient, other, shape=tuple(shape))


@rule("multiply_scalar", "multiply_reverse_scalar")
def _multiply_scalar(context: Context, gradient: Tensor) -> Gradients:
    return (gradient * context.scalar,)


@rule("divide")
def _divide(context: Context, gradient: Tensor) -> Gradients:
    x, y = context.inputs
    return pair(context, lambda: gradient / y, lambda: -gradient * x / (y * y))


@rule("divide_scalar")
def _divide_scalar(context: Context, gradient: Tensor) -> Gradients:
    return (gradient / context.scalar,)


@rule("divide_reverse_scalar")
def _divide_reverse_scalar(context: Context, gradient: Tensor) -> Gradients:
    x = context.inputs[0]
    return (gradient * (-context.scalar) / (x * x),)


@rule("pow")
def _pow(context: Context, gradient: Tensor) -> Gradients:
    x, y = context.inputs
    return pair(
        context,
        lambda: gradient * y * ops.pow(x, y - 1),
        lambda: gradient * context.outputs[0] * ops.log(ops.maximum(x, 1e-38)) * ops.cast(x > 0, x.dtype),
    )


@rule("pow_scalar")
def _pow_scalar(context: Context, gradient: Tensor) -> Gradients:
    exponent = context.scalar
    if exponent == 0:
        return (gradient * 0.0,)
    return (gradient * (exponent * ops.pow(context.inputs[0], exponent - 1)),)


@rule("pow_reverse_scalar")
def _pow_reverse_scalar(context: Context, gradient: Tensor) -> Gradients:
    return (gradient * context.outputs[0] * math.log(context.scalar),)


def _share(context: Context, chosen: Tensor, gradient: Tensor) -> Tensor:
    return gradient * ops.cast(chosen, gradient.dtype)


@rule("maximum")
def _maximum(context: Context, gradient: Tensor) -> Gradients:
    y, x = context.inputs
    return pair(context, lambda: _share(context, y >= x, gradient), lambda: _share(context, y < x, gradient))


@rule("minimum")
def _minimum(context: Context, gradient: Tensor) -> Gradients:
    y, x = context.inputs
    return pair(context, lambda: _share(context, y <= x, gradient), lambda: _share(context, y > x, gradient))


@rule("maximum_scalar", "maximum_reverse_scalar")
def _maximum_scalar(context: Context, gradient: Tensor) -> Gradients:
    return (_share(context, context.inputs[0] >= context.scalar, gradient),)


@rule("minimum_scalar", "minimum_reverse_scalar")
def _minimum_scalar(context: Context, gradient: Tensor) -> Gradients:
    return (_share(context, context.inputs[0] <= context.scalar, gradient),)


@rule("clip")
def _clip(context: Context, gradient: Tensor) -> Gradients:
    x = context.inputs[0]
    outside = ops.cast(x < context.a_min, x.dtype) + ops.cast(x > context.a_max, x.dtype)
    return (gradient * (1.0 - outside),)


@rule("nan_to_num")
def _nan_to_num(context: Context, gradient: Tensor) -> Gradients:
    return (_share(context, ops.isfinite(context.inputs[0]), gradient),)


def _unary(name: str, derivative: Any) -> None:
    """Attach the rule gradient * derivative(x, y), where y is the output."""

    def apply_rule(context: Context, gradient: Tensor) -> Gradients:
        return (gradient * derivative(context.inputs[0], context.outputs[0]),)

    rule(name)(apply_rule)


_unary("exp", lambda x, y: y)
_unary("expm1", lambda x, y: y + 1.0)
_unary("log", lambda x, y: 1.0 / x)
_unary("log2", lambda x, y: 1.0 / (x * math.log(2.0)))
_unary("log10", lambda x, y: 1.0 / (x * math.log(10.0)))
_unary("log1p", lambda x, y: 1.0 / (x + 1.0))
_unary("sqrt", lambda x, y: 0.5 / y)
_unary("rsqrt", lambda x, y: -0.5 * y / x)
_unary("square", lambda x, y: 2.0 * x)
_unary("reciprocal", lambda x, y: -(y * y))
_unary("abs", lambda x, y: ops.sign(x))
_unary("sin", lambda x, y: ops.cos(x))
_unary("cos", lambda x, y: -ops.sin(x))
_unary("tan", lambda x, y: 1.0 + y * y)
_unary("asin", lambda x, y: ops.rsqrt(1.0 - x * x))
_unary("acos", lambda x, y: -ops.rsqrt(1.0 - x * x))
_unary("atan", lambda x, y: 1.0 / (1.0 + x * x))
_unary("sinh", lambda x, y: ops.cosh(x))
_unary("cosh", lambda x, y: ops.sinh(x))
_unary("asinh", lambda x, y: ops.rsqrt(x * x + 1.0))
_unary("acosh", lambda x, y: ops.rsqrt(x * x - 1.0))
_unary("atanh", lambda x, y: 1.0 / (1.0 - x * x))
_unary("erf", lambda x, y: ops.exp(-(x * x)) * (2.0 / math.sqrt(math.pi)))
_unary("erfinv", lambda x, y: ops.exp(y * y) * (math.sqrt(math.pi) / 2.0))


@rule("remainder")
def _remainder(context: Context, gradient: Tensor) -> Gradients:
    x, y = context.inputs
    return pair(context, lambda: gradient, lambda: -gradient * ops.floor(x / y))


@rule("atan2")
def _atan2(context: Context, gradient: Tensor) -> Gradients:
    x, y = context.inputs
    square = x * x + y * y
    return pair(context, lambda: gradient * y / square, lambda: -gradient * x / square)


@rule("hypot")
def _hypot(context: Context, gradient: Tensor) -> Gradients:
    x, y = context.inputs
    length = context.outputs[0]
    return pair(context, lambda: gradient * x / length, lambda: gradient * y / length)


@rule("add_n")
def _add_n(context: Context, gradient: Tensor) -> Gradients:
    return [gradient for _ in context.inputs]


@rule("lgamma")
def _lgamma(context: Context, gradient: Tensor) -> Gradients:
    return (gradient * ops.digamma(context.inputs[0]),)


@rule("bessel_i")
def _bessel_i(context: Context, gradient: Tensor) -> Gradients:
    x, order, scaled = context.inputs[0], context.order, context.scaled
    slope = 0.5 * (bessel_i(x, abs(order - 1), scaled) + bessel_i(x, order + 1, scaled))
    return (gradient * (slope - ops.sign(x) * context.outputs[0] if scaled else slope),)


@rule("polygamma")
def _polygamma(context: Context, gradient: Tensor) -> Gradients:
    return (gradient * ops.polygamma(context.inputs[0], context.order + 1),)

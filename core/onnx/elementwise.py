"""Element by element: arithmetic, comparison, logic, choice."""

from __future__ import annotations

import math
from typing import Any, Callable

import numpy as np

from core.kernels.dtypes import DType, bool_, int32, int64
from core.onnx.graph import Graph, Input, Operand

Converter = Callable[..., Any]

SMALL_INTEGERS = ("uint8", "int8")


def upcast(graph: Graph, x: Operand) -> Input:
    """Return small integers as int32: runtimes have few kernels for them, and the low bits come out the same."""
    return graph.cast(x, int32) if x.dtype.name in SMALL_INTEGERS else x


def narrowed(graph: Graph, result: str, dtype: DType) -> str:
    """Return a result of widened operands in their own type again."""
    return graph.cast(result, dtype) if dtype.name in SMALL_INTEGERS else result


def unary(operator: str) -> Converter:
    """Return the converter to one node of one input."""

    def convert(graph: Graph, x: Operand) -> str:
        return narrowed(graph, graph.node(operator, upcast(graph, x)), x.dtype)

    return convert


def binary(operator: str) -> Converter:
    """Return the converter to one node of two inputs."""

    def convert(graph: Graph, x: Operand, y: Operand) -> str:
        return narrowed(graph, graph.node(operator, upcast(graph, x), upcast(graph, y)), x.dtype)

    return convert


def with_scalar(operator: str, reverse: bool = False) -> Converter:
    """Return the converter of an operator on a tensor and a number, on the left where ``reverse``."""

    def convert(graph: Graph, x: Operand, scalar: Any) -> str:
        number = graph.scalar(scalar, int32 if x.dtype.name in SMALL_INTEGERS else x.dtype)
        pair = (number, upcast(graph, x)) if reverse else (upcast(graph, x), number)
        return narrowed(graph, graph.node(operator, *pair), x.dtype)

    return convert


# comparison ---------------------------------------------------------------------------------------------------------


def comparison(operator: str, negated: bool = False) -> Converter:
    """Return the converter of a comparison of two tensors."""

    def convert(graph: Graph, x: Operand, y: Operand) -> str:
        return _compare(graph, operator, negated, _comparable(graph, x), _comparable(graph, y))

    return convert


def comparison_with_scalar(operator: str, negated: bool = False, reverse: bool = False) -> Converter:
    """Return the converter of a comparison of a tensor and a number, on the left where ``reverse``."""

    def convert(graph: Graph, x: Operand, scalar: Any) -> str:
        dtype = int32 if x.dtype is bool_ or x.dtype.name in SMALL_INTEGERS else x.dtype
        pair: tuple[Input, Input] = (_comparable(graph, x), graph.scalar(scalar, dtype))
        return _compare(graph, operator, negated, *(pair[::-1] if reverse else pair))

    return convert


def _comparable(graph: Graph, x: Operand) -> Input:
    return graph.cast(x, int32) if x.dtype is bool_ else upcast(graph, x)


def _compare(graph: Graph, operator: str, negated: bool, x: Input, y: Input) -> str:
    result = graph.node(operator, x, y)
    return graph.node("Not", result) if negated else result


# logic --------------------------------------------------------------------------------------------------------------


def logical(on_bool: str, on_bits: str) -> Converter:
    """Return the converter of an operator on truth values, or on the bits of integers."""

    def convert(graph: Graph, *operands: Operand) -> str:
        if operands[0].dtype is bool_:
            return graph.node(on_bool, *operands)
        graph.need_version(18, f"{on_bits} of integers")
        return graph.node(on_bits, *operands)

    return convert


def where(graph: Graph, condition: Operand, x: Operand, y: Operand) -> str:
    """Choose between two tensors by truth values, or by whether numbers differ from 0."""
    mask: Input = condition if condition.dtype is bool_ else graph.cast(condition, bool_)
    if x.dtype is not bool_:
        return narrowed(graph, graph.node("Where", mask, upcast(graph, x), upcast(graph, y)), x.dtype)
    return graph.cast(graph.node("Where", mask, graph.cast(x, int32), graph.cast(y, int32)), bool_)


def isfinite(graph: Graph, x: Operand) -> str:
    """Tell where x is a number."""
    return graph.node("Not", graph.node("Or", graph.node("IsInf", x), graph.node("IsNaN", x)))


# arithmetic of several nodes ----------------------------------------------------------------------------------------


def identity(graph: Graph, x: Operand) -> Operand:
    """Return the tensor itself: no node is needed."""
    return x


def cast(graph: Graph, x: Operand, dtype: DType) -> str:
    """Convert to another element type."""
    return graph.cast(x, dtype)


def add_n(graph: Graph, *operands: Operand) -> str:
    """Add several tensors."""
    total: Input = operands[0]
    for operand in operands[1:]:
        total = graph.node("Add", total, operand)
    return total if isinstance(total, str) else graph.node("Identity", total)


def square(graph: Graph, x: Operand) -> str:
    """Multiply by itself."""
    return graph.node("Mul", x, x)


def rsqrt(graph: Graph, x: Operand) -> str:
    """Compute 1 / sqrt(x)."""
    return graph.node("Reciprocal", graph.node("Sqrt", x))


def logarithm(base: float) -> Converter:
    """Return the converter of the logarithm to a base."""

    def convert(graph: Graph, x: Operand) -> str:
        return graph.node("Div", graph.node("Log", x), graph.number(math.log(base), x.dtype))

    return convert


def log1p_of(graph: Graph, x: Input, dtype: DType) -> str:
    """Compute log(1 + x) so that a small x keeps its digits: what adding 1 lost is made up for by a ratio."""
    one = graph.number(1, dtype)
    above = graph.node("Add", x, one)
    logarithm = graph.node("Log", above)
    ratio = graph.node("Div", graph.node("Mul", logarithm, x), graph.node("Sub", above, one))
    small = graph.node("Where", graph.node("Equal", above, one), x, ratio)
    return graph.node("Where", graph.node("Less", x, one), small, logarithm)


def log1p(graph: Graph, x: Operand) -> str:
    """Compute log(1 + x)."""
    return log1p_of(graph, x, x.dtype)


def expm1(graph: Graph, x: Operand) -> str:
    """Compute exp(x) - 1 as tanh(x / 2) * (exp(x) + 1), in which nothing cancels."""
    half = graph.node("Mul", x, graph.number(0.5, x.dtype))
    above = graph.node("Add", graph.node("Exp", x), graph.number(1, x.dtype))
    return graph.node("Mul", graph.node("Tanh", half), above)


def trunc(graph: Graph, x: Operand) -> str:
    """Cut off the fraction."""
    return graph.node("Where", _is_negative(graph, x), graph.node("Ceil", x), graph.node("Floor", x))


def round_half_away(graph: Graph, x: Operand) -> str:
    """Round to the nearest integer; a half goes away from 0 (ONNX's own Round takes it to the even neighbour)."""
    size = graph.node("Abs", x)
    below = graph.node("Floor", size)
    half = graph.node("GreaterOrEqual", graph.node("Sub", size, below), graph.number(0.5, x.dtype))
    rounded = graph.node("Add", below, graph.cast(half, x.dtype))
    return graph.node("Where", _is_negative(graph, x), graph.node("Neg", rounded), rounded)


def _is_negative(graph: Graph, x: Operand) -> str:
    return graph.node("Less", x, graph.number(0, x.dtype))


def clip(graph: Graph, x: Operand, a_min: Any, a_max: Any) -> str:
    """Limit to a range."""
    bounds = [None if bound is None else graph.scalar(bound, x.dtype) for bound in (a_min, a_max)]
    return graph.node("Clip", x, *bounds)


def leaky_relu(graph: Graph, x: Operand, slope: float) -> str:
    """Multiply negative elements by the slope."""
    return graph.node("LeakyRelu", x, alpha=slope)


def hard_sigmoid(graph: Graph, x: Operand, slope: float, offset: float) -> str:
    """Compute slope * x + offset, limited to [0, 1]."""
    return graph.node("HardSigmoid", x, alpha=slope, beta=offset)


def hard_swish(graph: Graph, x: Operand) -> str:
    """Compute x times the hard sigmoid of slope 1 / 6 and offset 1 / 2."""
    return graph.node("Mul", x, hard_sigmoid(graph, x, 1.0 / 6.0, 0.5))


def swish(graph: Graph, x: Operand) -> str:
    """Compute x * sigmoid(x)."""
    return graph.node("Mul", x, graph.node("Sigmoid", x))


def gelu(graph: Graph, x: Operand) -> str:
    """Compute x / 2 * (1 + erf(x / sqrt(2)))."""
    inner = graph.node("Erf", graph.node("Div", x, graph.number(math.sqrt(2), x.dtype)))
    doubled = graph.node("Mul", x, graph.node("Add", inner, graph.number(1, x.dtype)))
    return graph.node("Mul", doubled, graph.number(0.5, x.dtype))


def logistic_loss(graph: Graph, x: Operand, label: Operand) -> str:
    """Compute max(x, 0) - x * label + log(1 + exp(-|x|))."""
    linear = graph.node("Sub", graph.node("Relu", x), graph.node("Mul", x, label))
    decay = graph.node("Exp", graph.node("Neg", graph.node("Abs", x)))
    return graph.node("Add", linear, log1p_of(graph, decay, x.dtype))


def hypot(graph: Graph, x: Operand, y: Operand) -> str:
    """Compute sqrt(x * x + y * y); the larger one is taken out so that no square overflows."""
    first, second = graph.node("Abs", x), graph.node("Abs", y)
    larger, smaller = graph.node("Max", first, second), graph.node("Min", first, second)
    is_zero = graph.node("Equal", larger, graph.number(0, x.dtype))
    divisor = graph.node("Where", is_zero, graph.number(1, x.dtype), larger)
    ratio = graph.node("Div", smaller, divisor)
    root = graph.node("Sqrt", graph.node("Add", graph.node("Mul", ratio, ratio), graph.number(1, x.dtype)))
    return graph.node("Mul", larger, root)


def atan2(graph: Graph, y: Operand, x: Operand) -> str:
    """Compute the angle of the point (x, y)."""
    zero, dtype = graph.number(0, x.dtype), x.dtype
    at_origin = graph.node("And", graph.node("Equal", x, zero), graph.node("Equal", y, zero))
    divisor = graph.node("Where", at_origin, graph.number(1, dtype), x)
    angle = graph.node("Atan", graph.node("Div", y, divisor))
    half_turn = graph.node("Where", _is_negative(graph, y), graph.number(-math.pi, dtype), graph.number(math.pi, dtype))
    return graph.node("Add", angle, graph.node("Where", _is_negative(graph, x), half_turn, zero))


def remainder(graph: Graph, x: Operand, y: Operand) -> str:
    """Compute the remainder of floats with the sign of the divisor (ONNX's has the sign of the dividend)."""
    rest = graph.node("Mod", x, y, fmod=1)
    zero = graph.number(0, x.dtype)
    other_side = graph.node("Xor", graph.node("Less", rest, zero), graph.node("Less", y, zero))
    wrong = graph.node("And", other_side, graph.node("Not", graph.node("Equal", rest, zero)))
    return graph.node("Where", wrong, graph.node("Add", rest, y), rest)


def remainder_integers(graph: Graph, x: Operand, y: Operand) -> str:
    """Compute the remainder of integers with the sign of the divisor."""
    return graph.node("Mod", x, y)


def divide_integers(graph: Graph, x: Operand, y: Operand) -> str:
    """Divide integers and cut off."""
    return narrowed(graph, graph.node("Div", upcast(graph, x), upcast(graph, y)), x.dtype)


def floor_divide_integers(graph: Graph, x: Operand, y: Operand) -> str:
    """Divide integers and round down."""
    wide = (upcast(graph, x), upcast(graph, y))
    whole = graph.node("Sub", wide[0], graph.node("Mod", *wide))
    return narrowed(graph, graph.node("Div", whole, wide[1]), x.dtype)


def pow_integers(graph: Graph, base: Operand, exponent: Operand) -> str:
    """Raise integers to integer powers exactly, by squaring (runtimes go through float64).

    Powers above 63 differ from smaller ones only for the bases -1, 0 and 1, where what counts is whether they are even.
    """
    zero, one, two = (np.int64(number) for number in (0, 1, 2))
    square: str = graph.cast(base, int64)
    power = graph.cast(exponent, int64)
    is_unit = graph.node("Equal", graph.node("Abs", square), one)
    cut_off = graph.node("And", graph.node("Less", power, zero), graph.node("Not", is_unit))
    rest = graph.node("Abs", power)
    parity = graph.node("Add", np.int64(62), graph.node("Mod", rest, two))
    rest = graph.node("Where", graph.node("Greater", rest, np.int64(63)), parity, rest)
    result: Input = one
    for _ in range(6):
        is_odd = graph.node("Equal", graph.node("Mod", rest, two), one)
        result = graph.node("Mul", result, graph.node("Where", is_odd, square, one))
        square = graph.node("Mul", square, square)
        rest = graph.node("Div", rest, two)
    return graph.cast(graph.node("Where", cut_off, zero, result), base.dtype)


def nan_to_num(graph: Graph, x: Operand, nan: float, highest: float, lowest: float) -> str:
    """Replace NaN and the two infinities by numbers."""
    result = graph.node("Where", graph.node("IsNaN", x), graph.number(nan, x.dtype), x)
    above = graph.node("IsInf", result, detect_negative=0)
    result = graph.node("Where", above, graph.number(highest, x.dtype), result)
    below = graph.node("IsInf", result, detect_positive=0)
    return graph.node("Where", below, graph.number(lowest, x.dtype), result)

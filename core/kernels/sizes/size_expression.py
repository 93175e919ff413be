"""Arithmetic on sizes, some of them unknown: expressions and their simplification."""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any, Callable

import numpy as np

from core.kernels.dispatch.errors import UnknownSizeError, user_line
from core.kernels.sizes.size_text import axis_name, operation_text

if TYPE_CHECKING:
    from core.kernels.dispatch.dispatcher import Value

HYPOTHESES = (0, 1)
LARGEST = 2**31
"""No whole number that an exported program holds for its sizes, or works out from them, is beyond it."""
MAXIMUM_DEPTH = 64
MAXIMUM_PARTS = 10_000
"""Of one expression: how deep its operations may be nested, and how many there may be, with their numbers and sizes."""

ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "%": operator.mod,
    "/": operator.truediv,
    "power": math.pow,
    "min": min,
    "max": max,
    "scaled": lambda size, factor: int(size * factor),
}
"""Every operation that an expression can hold: what tracing records is what exported files name and readers accept.

``power`` is one of floats, whose cost is bounded (whole powers become products); ``scaled`` is the whole part of a
product.
"""


class Expression:
    """An unknown size, or arithmetic on unknown sizes.

    Attributes:
        sign: ``"size"`` for the size of an axis, otherwise the arithmetic operation.
        parts: ``(value, axis)`` of a size; otherwise the two operands, expressions or numbers.
        sizes: What it is in each of the two shape hypotheses.
        depth: How many operations are nested in each other, 1 for the size of an axis.
        count: How many operations, numbers and sizes are in it.
    """

    __slots__ = ("sign", "parts", "sizes", "depth", "count")

    def __init__(self, sign: str, parts: tuple[Any, Any], sizes: tuple[Any, Any]) -> None:
        self.sign = sign
        self.parts = parts
        self.sizes = sizes
        self.depth = self.count = 1
        if sign != "size":
            inner = [part for part in parts if isinstance(part, Expression)]
            self.depth += max([part.depth for part in inner])
            self.count += sum([part.count for part in inner]) + len(parts) - len(inner)

    @property
    def is_whole(self) -> bool:
        """Whether it is a whole number for every size: no division or float is in it."""
        if self.sign in ("/", "power"):
            return False
        return self.sign in ("size", "scaled") or all(is_whole(part) for part in self.parts)

    def leaves(self) -> list[tuple[Value, int]]:
        """Return the ``(value, axis)`` pairs whose sizes this depends on."""
        if self.sign == "size":
            return [self.parts]
        return [leaf for part in self.parts for leaf in leaves_of(part)]

    def evaluate(self, size: Callable[[Value, int], Any]) -> Any:
        """Return the number, or an expression of another trace, that this is where axes have the given sizes.

        Args:
            size: Gives the size of a value's axis.
        """
        if self.sign == "size":
            return size(*self.parts)
        first, second = [part.evaluate(size) if isinstance(part, Expression) else part for part in self.parts]
        return combine(self.sign, first, second)

    def to_literal(self, number_of: Callable[[Value], Any]) -> list[Any]:
        """Return this as nested lists that JSON can hold.

        Args:
            number_of: Gives the name or number under which a value is known.
        """
        if self.sign == "size":
            return ["size", number_of(self.parts[0]), self.parts[1]]
        return [self.sign, *[p.to_literal(number_of) if isinstance(p, Expression) else p for p in self.parts]]

    def __repr__(self) -> str:
        if self.sign == "size":
            return axis_name(*self.parts)
        first, second = [
            f"({part})" if isinstance(part, Expression) and part.sign not in ("size", "min", "max") else str(part)
            for part in self.parts
        ]
        return operation_text(self.sign, first, second)


def is_operand(value: Any) -> bool:
    """Return whether a value is a number or an unknown size."""
    return isinstance(value, (int, float, np.number, Expression))


def combine(sign: str, first: Any, second: Any) -> Any:
    """Return the result of one operation on sizes: a number where both are numbers, otherwise an Expression.

    Args:
        sign: An operation of :data:`ARITHMETIC`.
        first: A number or Expression.
        second: A number or Expression.

    Raises:
        UnknownSizeError: an operand is an infinite number that does not vanish, or the expression grows too large.
    """
    compute = ARITHMETIC[sign]
    if not isinstance(first, Expression) and not isinstance(second, Expression):
        return compute(first, second)
    if not is_operand(first) or not is_operand(second):
        return NotImplemented  # a tensor computes with it
    first, second = plain(first), plain(second)
    simple = _simplified(sign, first, second)
    if simple is not None:
        return simple
    for part in (first, second):
        if isinstance(part, float) and not math.isfinite(part):
            raise UnknownSizeError(
                f"{user_line()}: {operation_text(sign, str(first), str(second))} computes with {part}, which a program"
                " for unknown sizes cannot hold: use a finite number"
            )
    try:
        sizes = [compute(number(first, hypothesis), number(second, hypothesis)) for hypothesis in HYPOTHESES]
    except OverflowError:
        raise UnknownSizeError(
            f"{user_line()}: {operation_text(sign, str(first), str(second))} is too large a number at the sizes with"
            " which this program is traced: compute it with tensors, or give smaller examples in the InputSpec"
        ) from None
    kind = type(first if isinstance(first, Expression) else second)
    result = kind(sign, (first, second), (sizes[0], sizes[1]))
    if result.depth > MAXIMUM_DEPTH or result.count > MAXIMUM_PARTS:
        raise UnknownSizeError(
            f"{user_line()}: a size that is unknown while this program is being traced is worked out in more than"
            f" {MAXIMUM_DEPTH} steps that build on each other, or in {MAXIMUM_PARTS:,}: make a tensor of"
            " a size and compute with that (core.full([1], size)), or give the size in the InputSpec"
        )
    return result


def plain(operand: Any) -> Any:
    """Return an operand as an int, float or Expression: numbers of NumPy and bools become numbers of Python."""
    if isinstance(operand, np.number):
        operand = operand.item()
    return int(operand) if isinstance(operand, bool) else operand


def _simplified(sign: str, first: Any, second: Any) -> Any:
    """Return the result where no new expression is needed, otherwise None."""
    if is_known(second, 0) and sign in ("+", "-"):
        return first
    if is_known(first, 0) and sign == "+":
        return second
    if is_known(second, 1) and (sign == "*" or (sign == "//" and is_whole(first))):
        return first
    if is_known(first, 1) and sign == "*":
        return second
    if sign in ("min", "max"):
        return _extreme(sign, first, second)
    if sign in ("+", "-") and isinstance(first, Expression) and first.sign in ("+", "-"):
        inner = first.parts[1]
        if isinstance(inner, int) and isinstance(second, int):  # (x + 2) - 1 is x + 1
            total = (inner if first.sign == "+" else -inner) + (second if sign == "+" else -second)
            return combine("+" if total >= 0 else "-", first.parts[0], abs(total))
    if sign == "-" and same(first, second):
        return 0
    if sign == "//":
        return quotient(first, second)
    if sign == "%" and quotient(first, second) is not None:
        return 0
    return None


def _extreme(sign: str, first: Any, second: Any) -> Any:
    for one, other in ((first, second), (second, first)):
        if same(one, other):
            return one
        if not isinstance(one, Expression):
            low, high = bounds(other)
            if one <= low:
                return one if sign == "min" else other
            if one >= high:
                return other if sign == "min" else one
    return None


def quotient(first: Any, second: Any) -> Any:
    """Return first / second where it is exact for every size, because the factors of second are among those of first.

    Args:
        first: A size.
        second: A size.

    Returns:
        A size, or None where the division may leave a remainder.
    """
    if not is_whole(first) or not is_whole(second):
        return None
    number, factors = _product(first)
    divisor, others = _product(second)
    for factor in others:
        found = next((i for i, candidate in enumerate(factors) if same(candidate, factor)), None)
        if found is None:
            return None
        del factors[found]
    if divisor == 0 or number % divisor:
        return None
    result: Any = number // divisor
    for factor in factors:
        result = combine("*", factor, result)
    return result


def is_whole(size: Any) -> bool:
    """Return whether a size or number is a whole number for every size of the axes."""
    return size.is_whole if isinstance(size, Expression) else isinstance(size, int)


def _product(size: Any) -> tuple[Any, list[Any]]:
    """Return a size as a number and the unknown factors that multiply it."""
    if not isinstance(size, Expression):
        return size, []
    if size.sign != "*":
        return 1, [size]
    (first, some), (second, more) = _product(size.parts[0]), _product(size.parts[1])
    return first * second, some + more


def same(first: Any, second: Any) -> bool:
    """Return whether two sizes are equal whatever the unknown sizes turn out to be, as far as their form shows."""
    if not isinstance(first, Expression) or not isinstance(second, Expression):
        return not isinstance(first, Expression) and not isinstance(second, Expression) and bool(first == second)
    if first is second:
        return True
    if first.sign == "*" and second.sign == "*":
        (number, factors), (other, others) = _product(first), _product(second)
        return number == other and len(factors) == len(others) and is_known(quotient(first, second), 1)
    if first.sign != second.sign:
        return False
    if first.sign == "size":
        return first.parts[0] is second.parts[0] and first.parts[1] == second.parts[1]
    return same(first.parts[0], second.parts[0]) and same(first.parts[1], second.parts[1])


def bounds(size: Any) -> tuple[float, float]:
    """Return what a size is never below, and never above; an axis holds 1 to 2**31 elements in every run."""
    if not isinstance(size, Expression):
        return float(size), float(size)
    if size.sign == "size":
        return 1.0, float(LARGEST)
    (low, high), (least, most) = bounds(size.parts[0]), bounds(size.parts[1])
    if size.sign == "+":
        return low + least, high + most
    if size.sign == "-":
        return low - most, high - least
    if size.sign in ("min", "max"):
        return ARITHMETIC[size.sign](low, least), ARITHMETIC[size.sign](high, most)
    if size.sign in ("*", "scaled") and math.isfinite((high - low) * (most - least)):
        corners = [ARITHMETIC[size.sign](one, other) for one in (low, high) for other in (least, most)]
        return float(min(corners)), float(max(corners))
    if size.sign == "*" and low >= 0 and least >= 0:
        return low * least, math.inf
    if size.sign in ("//", "/", "%") and low >= 0 and least > 0:
        return 0.0, most if size.sign == "%" else high / least
    return -math.inf, math.inf


def number(size: Any, hypothesis: int) -> Any:
    """Return what a size or number is under one of the two shape hypotheses."""
    return size.sizes[hypothesis] if isinstance(size, Expression) else size


def is_known(size: Any, number: int) -> bool:
    """Return whether a size is known and is this number, without a decision that later runs would have to obey."""
    return not isinstance(size, (Expression, float)) and size == number


def leaves_of(size: Any) -> list[tuple[Value, int]]:
    """Return the ``(value, axis)`` pairs that a size or number depends on."""
    return size.leaves() if isinstance(size, Expression) else []

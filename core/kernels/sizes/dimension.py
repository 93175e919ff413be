"""Unknown sizes as symbols: what ``x.shape[0]`` is while a program for any batch size is being traced.

A :class:`Dimension` is "the size of this axis of that value", or arithmetic on such sizes. The trace that it belongs to
runs under two shape hypotheses: each unknown size has two numbers, and whatever depends on it is worked out for both.
Where both agree a size is an ordinary int; where they differ it stays a symbol, until a program is replayed on real
sizes.

A Dimension never turns into an int in silence, because that number would be frozen into the program.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Callable, Union

from core.kernels.dispatch.errors import OperatorError, UnknownSizeError, user_line
from core.kernels.sizes.size_attributes import agree as agree
from core.kernels.sizes.size_attributes import all_ints as all_ints
from core.kernels.sizes.size_attributes import ceiling as ceiling
from core.kernels.sizes.size_attributes import contains_dimension as contains_dimension
from core.kernels.sizes.size_attributes import evaluated as evaluated
from core.kernels.sizes.size_attributes import example as example
from core.kernels.sizes.size_attributes import in_hypothesis as in_hypothesis
from core.kernels.sizes.size_attributes import larger as larger
from core.kernels.sizes.size_attributes import power
from core.kernels.sizes.size_attributes import same_shape as same_shape
from core.kernels.sizes.size_attributes import smaller as smaller
from core.kernels.sizes.size_attributes import transformed as transformed
from core.kernels.sizes.size_expression import ARITHMETIC as ARITHMETIC
from core.kernels.sizes.size_expression import LARGEST as LARGEST
from core.kernels.sizes.size_expression import Expression as Expression
from core.kernels.sizes.size_expression import bounds, combine, is_operand
from core.kernels.sizes.size_expression import is_known as is_known
from core.kernels.sizes.size_expression import quotient as quotient
from core.kernels.sizes.size_expression import same as same
from core.kernels.sizes.size_guard import COMPARISONS as COMPARISONS
from core.kernels.sizes.size_guard import Guard as Guard
from core.kernels.sizes.size_guard import decide
from core.kernels.sizes.size_text import operation_text as operation_text
from core.kernels.sizes.size_text import shape_text as shape_text

if TYPE_CHECKING:
    from core.kernels.dispatch.dispatcher import Value


class Dimension(Expression):
    """An unknown size, or arithmetic on unknown sizes: in user code like a number, but it never turns into one."""

    __slots__ = ()

    # arithmetic

    def __add__(self, other: Any) -> Any:
        return combine("+", self, other)

    def __radd__(self, other: Any) -> Any:
        return combine("+", other, self)

    def __sub__(self, other: Any) -> Any:
        return combine("-", self, other)

    def __rsub__(self, other: Any) -> Any:
        return combine("-", other, self)

    def __mul__(self, other: Any) -> Any:
        return combine("*", self, other)

    def __rmul__(self, other: Any) -> Any:
        return combine("*", other, self)

    def __floordiv__(self, other: Any) -> Any:
        return combine("//", self, other)

    def __rfloordiv__(self, other: Any) -> Any:
        return combine("//", other, self)

    def __mod__(self, other: Any) -> Any:
        return combine("%", self, other)

    def __rmod__(self, other: Any) -> Any:
        return combine("%", other, self)

    def __truediv__(self, other: Any) -> Any:
        return combine("/", self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return combine("/", other, self)

    def __pow__(self, other: Any) -> Any:
        return power(self, other)

    def __rpow__(self, other: Any) -> Any:
        return power(other, self)

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __neg__(self) -> Any:
        return combine("-", 0, self)

    def __pos__(self) -> Dimension:
        return self

    def __abs__(self) -> Any:
        return self if bounds(self)[0] >= 0 else combine("max", self, -self)

    def __trunc__(self) -> Any:
        return self if self.is_whole else combine("scaled", self, 1)

    def __floor__(self) -> Any:
        if self.is_whole:
            return self
        lower = self.parts[0] // self.parts[1] if self.sign == "/" else self // 1
        return math.trunc(lower)

    def __ceil__(self) -> Any:
        if self.is_whole:
            return self
        return -math.floor(-self.parts[0] / self.parts[1] if self.sign == "/" else -self)

    def __round__(self, digits: Any = None) -> Any:
        raise self._refuse("a rounded number (math.floor and math.ceil give sizes)")

    # comparison: decided in both shape hypotheses, and kept as a condition on the sizes of later runs

    def __eq__(self, other: object) -> bool:
        return decide("==", self, other) if is_operand(other) else False

    def __ne__(self, other: object) -> bool:
        return decide("!=", self, other) if is_operand(other) else True

    def __lt__(self, other: Any) -> Any:
        return decide("<", self, other) if is_operand(other) else NotImplemented

    def __le__(self, other: Any) -> Any:
        return decide("<=", self, other) if is_operand(other) else NotImplemented

    def __gt__(self, other: Any) -> Any:
        return decide(">", self, other) if is_operand(other) else NotImplemented

    def __ge__(self, other: Any) -> Any:
        return decide(">=", self, other) if is_operand(other) else NotImplemented

    def __bool__(self) -> bool:
        return decide("!=", self, 0)

    # what would freeze the number

    def _refuse(self, use: str) -> UnknownSizeError:
        return UnknownSizeError(
            f"{user_line()}: {self} is unknown while this program is being traced, so it cannot become {use}: a number"
            " would be frozen into the program; compute with it as it is (+ - * // %), use tensor operators, or give"
            " the size in the InputSpec"
        )

    def __index__(self) -> int:
        raise self._refuse("an index, a range or the length of a list")

    def __int__(self) -> int:
        raise self._refuse("an int")

    def __float__(self) -> float:
        raise self._refuse("a float")

    def __hash__(self) -> int:
        raise self._refuse("a key of a dict, a set or a cache")

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise self._refuse("a numpy array")

    def __deepcopy__(self, _: Any) -> Dimension:
        return self


Size = Union[int, Dimension]


def symbolic_shape(value: Value) -> list[Any]:
    """Return a value's shape: ints where both shape hypotheses agree, Dimensions where they differ."""
    if value.second is None:
        return list(value.meta[0])
    return [
        first if first == second else Dimension("size", (value, axis), (first, second))
        for axis, (first, second) in enumerate(zip(value.meta[0], value.second[0]))
    ]


def from_literal(literal: Any, value_of: Callable[[Any], Value]) -> Any:
    """Read what :meth:`Dimension.to_literal` wrote.

    Args:
        literal: Nested lists, or a number.
        value_of: Gives the value that is known under a name or number.

    Raises:
        ValueError: the literal is damaged, or a number on the way is undefined or beyond :data:`LARGEST`.
    """
    if isinstance(literal, (int, float)):
        return literal
    if isinstance(literal, (list, tuple)) and len(literal) == 3:
        sign, first, second = literal
        if sign == "size":
            return symbolic_shape(value_of(first))[second]
        if sign in ARITHMETIC:
            return _within_bounds(sign, from_literal(first, value_of), from_literal(second, value_of))
    raise ValueError(f"{literal!r} is no expression of sizes: the file is damaged")


def _within_bounds(sign: str, first: Any, second: Any) -> Any:
    text = f"a size is worked out as {operation_text(sign, str(first), str(second))}"
    try:
        result = combine(sign, first, second)
    except ArithmeticError as error:
        raise OperatorError(f"{text}: {error}") from None
    if isinstance(result, int) and abs(result) > LARGEST:
        raise OperatorError(f"{text}, which is beyond 2**31")
    return result

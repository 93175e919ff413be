"""Unknown sizes as symbols: what ``x.shape[0]`` is while a program for any batch size is being traced.

A :class:`Dimension` is "the size of this axis of that value", or arithmetic on such sizes. The trace that it belongs to
runs in two worlds: each unknown size has two numbers, and whatever depends on it is worked out for both. Where the two
worlds agree a size is an ordinary int; where they differ it stays a symbol, until a program is replayed on real sizes.

A Dimension never turns into an int in silence, because that number would be frozen into the program.
"""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any, Callable, Union

import numpy as np

from core.kernels import door
from core.kernels.errors import UnknownSizeError, user_line

if TYPE_CHECKING:
    from core.kernels.door import Value

WORLDS = (0, 1)

ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "%": operator.mod,
    "/": operator.truediv,
    "**": operator.pow,
    "min": min,
    "max": max,
    "scaled": lambda size, factor: int(size * factor),
}
COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class Dimension:
    """An unknown size, or arithmetic on unknown sizes.

    Attributes:
        sign: ``"size"`` for the size of an axis, otherwise the arithmetic operation.
        parts: ``(value, axis)`` of a size; otherwise the two operands, Dimensions or numbers.
        sizes: What it is in each of the two worlds.
    """

    __slots__ = ("sign", "parts", "sizes")

    def __init__(self, sign: str, parts: tuple[Any, Any], sizes: tuple[Any, Any]) -> None:
        self.sign = sign
        self.parts = parts
        self.sizes = sizes

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
        return combine("**", self, other)

    def __rpow__(self, other: Any) -> Any:
        return combine("**", other, self)

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __neg__(self) -> Any:
        return combine("-", 0, self)

    def __pos__(self) -> Dimension:
        return self

    def __floor__(self) -> Any:
        return self.parts[0] // self.parts[1] if self.sign == "/" else self // 1

    def __ceil__(self) -> Any:
        return -(-self.parts[0] // self.parts[1]) if self.sign == "/" else -(-self // 1)

    # comparison: decided in both worlds, and kept as a condition on the sizes of later runs

    def __eq__(self, other: object) -> bool:
        return _decide("==", self, other) if _is_operand(other) else False

    def __ne__(self, other: object) -> bool:
        return _decide("!=", self, other) if _is_operand(other) else True

    def __lt__(self, other: Any) -> Any:
        return _decide("<", self, other) if _is_operand(other) else NotImplemented

    def __le__(self, other: Any) -> Any:
        return _decide("<=", self, other) if _is_operand(other) else NotImplemented

    def __gt__(self, other: Any) -> Any:
        return _decide(">", self, other) if _is_operand(other) else NotImplemented

    def __ge__(self, other: Any) -> Any:
        return _decide(">=", self, other) if _is_operand(other) else NotImplemented

    def __bool__(self) -> bool:
        return _decide("!=", self, 0)

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

    # reading

    @property
    def is_whole(self) -> bool:
        """Whether it is a whole number for every size: no division or float is in it."""
        if self.sign in ("/", "**"):
            return False
        return self.sign in ("size", "scaled") or all(
            part.is_whole if isinstance(part, Dimension) else isinstance(part, int) for part in self.parts
        )

    def leaves(self) -> list[tuple[Value, int]]:
        """Return the ``(value, axis)`` pairs whose sizes this depends on."""
        if self.sign == "size":
            return [self.parts]
        return [leaf for part in self.parts for leaf in _leaves(part)]

    def evaluate(self, size: Callable[[Value, int], Any]) -> Any:
        """Return the number, or an expression of another trace, that this is where axes have the given sizes.

        Args:
            size: Gives the size of a value's axis.
        """
        if self.sign == "size":
            return size(*self.parts)
        first, second = [part.evaluate(size) if isinstance(part, Dimension) else part for part in self.parts]
        return combine(self.sign, first, second)

    def to_literal(self, number_of: Callable[[Value], Any]) -> list[Any]:
        """Return this as nested lists that JSON can hold.

        Args:
            number_of: Gives the name or number under which a value is known.
        """
        if self.sign == "size":
            return ["size", number_of(self.parts[0]), self.parts[1]]
        return [self.sign, *[p.to_literal(number_of) if isinstance(p, Dimension) else p for p in self.parts]]

    def __repr__(self) -> str:
        if self.sign == "size":
            return axis_name(*self.parts)
        first, second = [
            f"({part})" if isinstance(part, Dimension) and part.sign not in ("size", "min", "max") else str(part)
            for part in self.parts
        ]
        if self.sign == "scaled":
            return f"int({first} * {second})"
        if self.sign in ("min", "max"):
            return f"{self.sign}({first}, {second})"
        return f"{first} {self.sign} {second}"


Size = Union[int, Dimension]


def _is_operand(value: Any) -> bool:
    return isinstance(value, (int, float, np.number, Dimension))


def combine(sign: str, first: Any, second: Any) -> Any:
    """Return the result of one operation on sizes: a number where both are numbers, otherwise a Dimension.

    Args:
        sign: One of ``+ - * // % / ** min max scaled``; ``scaled`` is the whole part of a size times a float.
        first: A number or Dimension.
        second: A number or Dimension.
    """
    compute = ARITHMETIC[sign]
    if not isinstance(first, Dimension) and not isinstance(second, Dimension):
        return compute(first, second)
    if not _is_operand(first) or not _is_operand(second):
        return NotImplemented  # a tensor computes with it
    first, second = [part.item() if isinstance(part, np.number) else part for part in (first, second)]
    simple = _simplified(sign, first, second)
    if simple is not None:
        return simple
    sizes = [compute(in_world(first, world), in_world(second, world)) for world in WORLDS]
    return Dimension(sign, (first, second), (sizes[0], sizes[1]))


def _simplified(sign: str, first: Any, second: Any) -> Any:
    """Return the result where no new expression is needed, otherwise None."""
    if is_known(second, 0) and sign in ("+", "-"):
        return first
    if is_known(first, 0) and sign == "+":
        return second
    if is_known(second, 1) and sign in ("*", "//", "**"):
        return first
    if is_known(first, 1) and sign == "*":
        return second
    if sign in ("min", "max"):
        return _extreme(sign, first, second)
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
        if not isinstance(one, Dimension) and one <= lowest(other):
            return one if sign == "min" else other
    return None


def quotient(first: Any, second: Any) -> Any:
    """Return first / second where it is exact for every size, because the factors of second are among those of first.

    Args:
        first: A size.
        second: A size.

    Returns:
        A size, or None where the division may leave a remainder.
    """
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


def _product(size: Any) -> tuple[Any, list[Any]]:
    """Return a size as a number and the unknown factors that multiply it."""
    if not isinstance(size, Dimension):
        return size, []
    if size.sign != "*":
        return 1, [size]
    (first, some), (second, more) = _product(size.parts[0]), _product(size.parts[1])
    return first * second, some + more


def same(first: Any, second: Any) -> bool:
    """Return whether two sizes are equal whatever the unknown sizes turn out to be, as far as their form shows."""
    if not isinstance(first, Dimension) or not isinstance(second, Dimension):
        return not isinstance(first, Dimension) and not isinstance(second, Dimension) and bool(first == second)
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


def lowest(size: Any) -> float:
    """Return a bound that a size is never below; the size of an axis is at least 1 in every run."""
    if not isinstance(size, Dimension):
        return float(size)
    if size.sign == "size":
        return 1.0
    first, second = lowest(size.parts[0]), lowest(size.parts[1])
    if size.sign in ("+", "min", "max"):
        return float(ARITHMETIC[size.sign](first, second))
    if size.sign == "*" and min(first, second) >= 0:
        return first * second
    if size.sign in ("//", "/", "%", "scaled") and first >= 0 and second > 0:
        return 0.0
    return -math.inf


def agree(first: Any, second: Any) -> bool:
    """Return whether two shapes are equal in both worlds, for shapes that cannot but be equal in later runs too."""
    return all(in_world(list(first), world) == in_world(list(second), world) for world in WORLDS)


def same_shape(first: Any, second: Any) -> bool:
    """Return whether two shapes are equal in the sense of :func:`same`."""
    return len(first) == len(second) and all(same(one, other) for one, other in zip(first, second))


def larger(first: Any, second: Any) -> Any:
    """Return the larger of two sizes, without a decision that later runs would have to obey."""
    return combine("max", first, second)


def smaller(first: Any, second: Any) -> Any:
    """Return the smaller of two sizes, without a decision that later runs would have to obey."""
    return combine("min", first, second)


def example(size: Any) -> Any:
    """Return a number for a size, only to choose the faster of two ways whose results are the same for every size."""
    return in_world(size, 0)


def ceiling(size: Any, parts: int) -> Any:
    """Return size / parts, rounded up."""
    return size if parts == 1 else -(-size // parts)


def is_known(size: Any, number: int) -> bool:
    """Return whether a size is known and is this number, without a decision that later runs would have to obey."""
    return not isinstance(size, Dimension) and size == number


class Guard:
    """A comparison of sizes that the traced Python code decided: a program holds only where it comes out the same.

    Attributes:
        sign: The comparison.
        first: A Dimension or number.
        second: A Dimension or number.
        outcome: What it was while tracing.
        line: ``file:line`` of the user's code.
        text: The comparison as the message shows it.
        position: How many operations had been noted down before it.
    """

    __slots__ = ("sign", "first", "second", "outcome", "line", "text", "position")

    def __init__(
        self, sign: str, first: Any, second: Any, outcome: bool, line: str, text: str, position: int
    ) -> None:
        self.sign = sign
        self.first = first
        self.second = second
        self.outcome = outcome
        self.line = line
        self.text = text
        self.position = position

    def check(self, size: Callable[[Value, int], Any]) -> None:
        """Make sure that the comparison comes out as it did while tracing.

        Args:
            size: Gives the size of a value's axis.

        Raises:
            UnknownSizeError: it does not.
        """
        first, second = evaluated(self.first, size), evaluated(self.second, size)
        if COMPARISONS[self.sign](first, second) != self.outcome:
            raise UnknownSizeError(
                f"{self.line}: the program was traced for sizes where {self.text} is {self.outcome}, but here"
                f" {first} {self.sign} {second} is {not self.outcome}: make a program for these sizes, with another"
                " InputSpec"
            )

    def __repr__(self) -> str:
        return f"<guard {self.text} is {self.outcome}>"


def _decide(sign: str, first: Any, second: Any) -> bool:
    if same(first, second):
        return bool(COMPARISONS[sign](0, 0))
    if not isinstance(second, Dimension):  # what holds for every size is no condition
        bound = lowest(first)
        if second < bound or (second == bound and sign in ("<", ">=")):
            return sign in ("!=", ">", ">=")
    elif not isinstance(first, Dimension):
        bound = lowest(second)
        if first < bound or (first == bound and sign in (">", "<=")):
            return sign in ("!=", "<", "<=")
    outcomes = [bool(COMPARISONS[sign](in_world(first, world), in_world(second, world))) for world in WORLDS]
    if outcomes[0] != outcomes[1]:
        in_each = [f"{in_world(first, world)} {sign} {in_world(second, world)}" for world in WORLDS]
        raise UnknownSizeError(
            f"{user_line()}: whether {first} {sign} {second} depends on a size that is unknown while this program is"
            f" being traced ({in_each[0]} is {outcomes[0]}, {in_each[1]} is {outcomes[1]}): give the size in the"
            " InputSpec, or examples on one side of the comparison"
        )
    text = f"{first} {sign} {second}"
    trace = door.state.trace
    owners = {id(value.traced): value.traced for size in (first, second) for value, _ in _leaves(size)}
    if len(owners) == 1:  # in a branch or loop: a comparison of sizes from outside is a condition there
        (trace,) = owners.values()
    elif trace is not None:
        first, second = trace.captured_sizes([first, second])
    if trace is not None and not any(
        known.sign == sign and same(known.first, first) and same(known.second, second) for known in trace.guards
    ):
        trace.guards.append(Guard(sign, first, second, outcomes[0], user_line(), text, len(trace.operations)))
    return outcomes[0]


def _leaves(size: Any) -> list[tuple[Value, int]]:
    return size.leaves() if isinstance(size, Dimension) else []


# sizes in nested attributes


def contains_dimension(item: Any) -> bool:
    """Return whether a Dimension stands anywhere in nested lists, tuples and dicts."""
    if isinstance(item, (tuple, list)):
        return any(contains_dimension(part) for part in item)
    if isinstance(item, dict):
        return any(contains_dimension(part) for part in item.values())
    return isinstance(item, Dimension)


def transformed(item: Any, change: Callable[[Dimension], Any]) -> Any:
    """Return nested lists, tuples and dicts with each Dimension replaced by what ``change`` makes of it."""
    if isinstance(item, Dimension):
        return change(item)
    if isinstance(item, (tuple, list)):
        return type(item)([transformed(part, change) for part in item])
    if isinstance(item, dict):
        return {key: transformed(part, change) for key, part in item.items()}
    return item


def in_world(item: Any, world: int) -> Any:
    """Return nested lists, tuples and dicts with each Dimension replaced by its number in one of the two worlds."""
    return transformed(item, lambda dimension: dimension.sizes[world])


def evaluated(item: Any, size: Callable[[Value, int], Any]) -> Any:
    """Return nested lists, tuples and dicts with each Dimension replaced by its number at given sizes."""
    return transformed(item, lambda dimension: dimension.evaluate(size))


def from_literal(literal: Any, value_of: Callable[[Any], Value]) -> Any:
    """Read what :meth:`Dimension.to_literal` wrote.

    Args:
        literal: Nested lists, or a number.
        value_of: Gives the value that is known under a name or number.

    Raises:
        ValueError: the literal is damaged.
    """
    if isinstance(literal, (int, float)):
        return literal
    if isinstance(literal, (list, tuple)) and len(literal) == 3:
        sign, first, second = literal
        if sign == "size":
            return symbolic_shape(value_of(first))[second]
        if sign in ARITHMETIC:
            return combine(sign, from_literal(first, value_of), from_literal(second, value_of))
    raise ValueError(f"{literal!r} is no expression of sizes: the file is damaged")


# shapes of traced values


def symbolic_shape(value: Value) -> list[Any]:
    """Return a value's shape: ints where both worlds agree, Dimensions where they differ."""
    if value.second is None:
        return list(value.meta[0])
    return [
        first if first == second else Dimension("size", (value, axis), (first, second))
        for axis, (first, second) in enumerate(zip(value.meta[0], value.second[0]))
    ]


def axis_name(value: Value, axis: int) -> str:
    """Return how to call the size of an axis: by the input that it comes from, where that is plain."""
    assert value.second is not None
    sizes = (value.meta[0][axis], value.second[0][axis])
    trace = door.state.trace
    while trace is not None:
        for variable, label in zip(trace.variables, trace.labels):
            pairs = list(zip(variable.meta[0], variable.second[0])) if variable.second is not None else []
            if variable is value or sizes in pairs:
                return f"{label}.shape[{axis if variable is value else pairs.index(sizes)}]"
        trace = trace.outer
    return f"the size of axis {axis} of a tensor of shape {shape_text(value)}"


def shape_text(value: Value) -> str:
    """Return a traced value's shape as text, with ? for unknown sizes."""
    if value.second is None:
        return str(list(value.meta[0]))
    pairs = zip(value.meta[0], value.second[0])
    return f"[{', '.join(str(first) if first == second else '?' for first, second in pairs)}]"

"""Guards: comparisons of unknown sizes that traced Python code decided."""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any, Callable, Optional

from core.kernels.dispatch import dispatcher
from core.kernels.dispatch.errors import UnknownSizeError, user_line
from core.kernels.sizes.size_attributes import evaluated
from core.kernels.sizes.size_expression import HYPOTHESES, Expression, bounds, leaves_of, number, plain, same

if TYPE_CHECKING:
    from core.kernels.dispatch.dispatcher import Value

COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class Guard:
    """A comparison of sizes that the traced Python code decided: a program holds only where it comes out the same.

    Attributes:
        sign: The comparison.
        first: An unknown size or number.
        second: An unknown size or number.
        outcome: What it was while tracing.
        line: ``file:line`` of the user's code.
        text: The comparison as the message shows it.
        position: How many operations had been recorded before it.
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


def decide(sign: str, first: Any, second: Any) -> bool:
    """Return the outcome of a comparison, and keep it as a guard of the running trace unless it always holds.

    Raises:
        UnknownSizeError: the two shape hypotheses decide differently.
    """
    first, second = plain(first), plain(second)
    if same(first, second):
        return bool(COMPARISONS[sign](0, 0))
    sides = [0 if isinstance(side, Expression) else side for side in (first, second)]
    if not all(math.isfinite(side) for side in sides):  # every size compares alike with an infinite number
        return bool(COMPARISONS[sign](*sides))
    always = _always(sign, first, second)
    if always is not None:
        return always
    outcomes = [bool(COMPARISONS[sign](number(first, which), number(second, which))) for which in HYPOTHESES]
    if outcomes[0] != outcomes[1]:
        in_each = [f"{number(first, which)} {sign} {number(second, which)}" for which in HYPOTHESES]
        raise UnknownSizeError(
            f"{user_line()}: whether {first} {sign} {second} depends on a size that is unknown while this program is"
            f" being traced ({in_each[0]} is {outcomes[0]}, {in_each[1]} is {outcomes[1]}): give the size in the"
            " InputSpec, or examples on one side of the comparison"
        )
    text = f"{first} {sign} {second}"
    trace = dispatcher.state.trace
    owners = {id(value.traced): value.traced for size in (first, second) for value, _ in leaves_of(size)}
    if len(owners) == 1:  # in a branch or loop: a comparison of sizes from outside is a condition there
        (trace,) = owners.values()
    elif trace is not None:
        first, second = trace.captured_sizes([first, second])
    if trace is not None and not any(
        known.sign == sign and same(known.first, first) and same(known.second, second) for known in trace.guards
    ):
        trace.guards.append(Guard(sign, first, second, outcomes[0], user_line(), text, len(trace.operations)))
    return outcomes[0]


def _always(sign: str, first: Any, second: Any) -> Optional[bool]:
    """Return the outcome of a comparison that is the same for every size, and so no condition; None if it is not."""
    (low, high), (least, most) = bounds(first), bounds(second)
    if high < least or (high == least and sign in ("<=", ">")):
        return sign in ("<", "<=", "!=")
    if low > most or (low == most and sign in ("<", ">=")):
        return sign in (">", ">=", "!=")
    return None

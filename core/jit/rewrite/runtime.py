"""What rewritten code calls: it looks at a condition when the code runs, and only then decides.

A condition that is a tensor, while a program is traced, becomes a control-flow operator of it. Everything else is plain
Python, as if nothing had been rewritten.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Sequence
from typing import Any, Optional

from core.jit.control_flow import conditionals
from core.jit.control_flow.loops import while_loop
from core.jit.control_flow.operators import Assert
from core.jit.control_flow.ranges import iterated_by_control_flow
from core.jit.control_flow.speculation import undone
from core.jit.control_flow.variables import UNDEFINED, State
from core.jit.rewrite import calls
from core.jit.rewrite.printing import Text, spell
from core.kernels.dispatch import dispatcher
from core.kernels.dispatch.errors import OperatorError
from core.kernels.dtypes import bool_
from core.operators.arithmetic.logic import logical_and, logical_not, logical_or
from core.operators.shape._sizes import SizeTensor
from core.tensor import Tensor

MAXIMUM_GUARDED = 4096
_CONVERSIONS: dict[str, Callable[[Any], str]] = {"r": repr, "s": str, "a": ascii}

Values = Sequence[Any]


def is_traced(item: Any) -> bool:
    """Return whether this is a tensor whose value only a run of the program will know."""
    if isinstance(item, SizeTensor) and item.is_constant:
        return False
    return isinstance(item, Tensor) and dispatcher.state.trace is not None


class Helpers:
    """The helpers of one file's functions.

    Args:
        file: Its name, for messages.
    """

    undefined = UNDEFINED

    def __init__(self, file: str) -> None:
        self.file = file

    def at(self, line: int) -> str:
        """Return ``file:line``."""
        return f"{self.file}:{line}"

    call = staticmethod(calls.call)

    # variables

    @staticmethod
    def read(variable: Callable[[], Any]) -> Any:
        """Return a variable's value, ``undefined`` where it has none."""
        try:
            return variable()
        except (NameError, AttributeError):
            return UNDEFINED

    # statements

    def if_(
        self,
        test: Any,
        true: Callable[[], None],
        false: Callable[[], None],
        get: Callable[[], Values],
        set_: Callable[[Values], None],
        names: Sequence[str],
        carried: Collection[str],
        needed: Collection[str],
        line: int,
    ) -> None:
        """Run an ``if`` statement."""
        if is_traced(test):
            state = State(names, get, set_, carried, needed)
            conditionals.conditional(test, true, false, state, self.at(line))
        elif test:
            true()
        else:
            false()

    def while_(
        self,
        test: Callable[[], Any],
        body: Callable[[], None],
        stops: Optional[Callable[[], Values]],
        get: Callable[[], Values],
        set_: Callable[[Values], None],
        names: Sequence[str],
        carried: Collection[str],
        needed: Collection[str],
        line: int,
    ) -> None:
        """Run a ``while`` loop; from the iteration on whose condition is a tensor it is a control-flow operator."""
        proceed = test if stops is None else lambda: self._all([lambda: self.clear(*stops()), test], line)
        while True:
            if dispatcher.state.trace is None:
                answer = proceed()
            else:
                with undone() as forget:
                    answer = proceed()
                    if not is_traced(answer):
                        forget.keep()
                if is_traced(answer):
                    while_loop(proceed, body, State(names, get, set_, carried, needed), self.at(line))
                    return
            if not answer:
                return
            body()

    def for_(
        self,
        iterable: Any,
        body: Callable[[Any], None],
        stops: Optional[Callable[[], Values]],
        get: Callable[[], Values],
        set_: Callable[[Values], None],
        names: Sequence[str],
        carried: Collection[str],
        needed: Collection[str],
        line: int,
    ) -> None:
        """Run a ``for`` loop: an operator where a tensor says how many iterations there are, otherwise unrolled."""
        state = State(names, get, set_, carried, needed)
        loop = iterated_by_control_flow(iterable)
        if loop is not None:
            clear = (lambda: True) if stops is None else (lambda: self.clear(*stops()))
            proceed = lambda more: self._all([clear, lambda: more], line)  # noqa: E731
            loop.iterate(body, proceed, state, self.at(line))
            return
        guarded = 0
        for item in iterable:
            clear_now: Any = True if stops is None else self.clear(*stops())
            if is_traced(clear_now):
                guarded += 1
                if guarded > MAXIMUM_GUARDED:
                    raise OperatorError(
                        f"{self.at(line)}: this loop ends by a break that depends on a tensor, and was unrolled"
                        f" {MAXIMUM_GUARDED} times: use while, which becomes one loop in the program"
                    )
                guard = functools.partial(body, item)
                conditionals.conditional(clear_now, guard, lambda: None, state, self.at(line))
            else:
                body(item)
            if stops is not None and self.clear(*stops()) is False:
                return

    def assert_(self, test: Any, message: Optional[Callable[[], Any]], line: int) -> None:
        """Run an ``assert`` statement."""
        if not is_traced(test):
            assert test, "" if message is None else message()
            return
        conditionals.one_element(test, self.at(line))
        pieces, tensors = ([], []) if message is None else spell(message(), str)
        operator = Assert({}, {"pieces": pieces, "line": self.at(line)})
        conditionals.note(operator, [test._value, *[tensor._value for tensor in tensors]], [])

    def raising(self, line: int) -> None:
        """Refuse to raise where only a run of the program would know whether to."""
        if conditionals.in_branch():
            raise OperatorError(
                f"{self.at(line)}: an exception cannot be raised in a branch that depends on a tensor: the program is"
                " traced through every branch; use assert, which is checked when the program runs"
            )

    @staticmethod
    def clear(*flags: Any) -> Any:
        """Return whether no exit was taken."""
        traced = [flag for flag in flags if is_traced(flag)]
        if any(flag is True for flag in flags):
            return False
        if not traced:
            return True
        answer = traced[0]
        for flag in traced[1:]:
            answer = logical_or(answer, flag)
        return logical_not(answer)

    @staticmethod
    def text(*parts: Any) -> str:
        """Return an f-string that is printed: literals, and ``(value, conversion, specification)`` triples."""
        pieces: list[Optional[str]] = []
        tensors: list[Tensor] = []
        for part in parts:
            if isinstance(part, str):
                pieces.append(part)
                continue
            value, conversion, specification = part
            if is_traced(value) and not specification:
                pieces.append(None)
                tensors.append(value)
            else:
                shown = _CONVERSIONS[conversion](value) if conversion else value
                pieces.append(format(shown, specification))
        return Text(pieces, tensors) if tensors else "".join([piece or "" for piece in pieces])

    # expressions

    def choose(self, test: Any, true: Callable[[], Any], false: Callable[[], Any], line: int) -> Any:
        """Evaluate ``true() if test else false()``."""
        if is_traced(test):
            return self._select(test, true, false, "the conditional expression", line)
        return true() if test else false()

    def and_(self, line: int, as_test: bool, first: Any, *operands: Callable[[], Any]) -> Any:
        """Evaluate ``and``: the first operand that is false, or the last."""
        return self._all([lambda: first, *operands], line, as_test)

    def or_(self, line: int, as_test: bool, first: Any, *operands: Callable[[], Any]) -> Any:
        """Evaluate ``or``: the first operand that is true, or the last."""
        return self._joined([lambda: first, *operands], line, as_test, until=True)

    def _all(self, operands: Sequence[Callable[[], Any]], line: int, as_test: bool = True) -> Any:
        return self._joined(operands, line, as_test, until=False)

    def _joined(self, operands: Sequence[Callable[[], Any]], line: int, as_test: bool, until: bool) -> Any:
        first, *rest = operands
        value = first()
        if not rest:
            return value
        if not is_traced(value):
            return value if bool(value) is until else self._joined(rest, line, as_test, until)
        conditionals.one_element(value, self.at(line))

        def further() -> Any:
            return self._joined(rest, line, as_test, until)

        with undone() as forget:
            other = further()
            simple = not forget.acts() and (as_test or is_bool(value) and is_bool(other))
            if simple:
                forget.keep()
        if simple:  # nothing happens when it is evaluated in vain
            join = logical_or if until else logical_and
            return join(self._truth(value, line), self._truth(other, line))
        if as_test:
            value, further_value = self._truth(value, line), further
            further = lambda: self._truth(further_value(), line)  # noqa: E731
        name = "the value of 'or'" if until else "the value of 'and'"
        sides = ((lambda: value), further) if until else (further, (lambda: value))
        return self._select(value, *sides, name, line)

    def not_(self, value: Any, line: int) -> Any:
        """Evaluate ``not``."""
        return logical_not(self._truth(value, line)) if is_traced(value) else not value

    def compare(self, line: int, left: Any, *pairs: tuple[Callable[[Any, Any], Any], Callable[[], Any]]) -> Any:
        """Evaluate a chain of comparisons."""
        (comparison, operand), *rest = pairs
        right = operand()
        answer = comparison(left, right)
        if not rest:
            return answer
        return self._all([lambda: answer, lambda: self.compare(line, right, *rest)], line, as_test=False)

    def _truth(self, value: Any, line: int) -> Tensor:
        return conditionals.truth(value, self.at(line))

    def _select(self, test: Tensor, true: Callable[[], Any], false: Callable[[], Any], name: str, line: int) -> Any:
        box: list[Any] = [UNDEFINED]

        def put(value: Callable[[], Any]) -> Callable[[], None]:
            def act() -> None:
                box[0] = value()

            return act

        def fill(values: Values) -> None:
            box[:] = values

        state = State([name], lambda: list(box), fill, [name], [name])
        conditionals.conditional(test, put(true), put(false), state, self.at(line))
        return box[0]


def is_bool(value: Any) -> bool:
    """Return whether a value is a bool, or a 0-D tensor of one."""
    return isinstance(value, bool) or (isinstance(value, Tensor) and value.dtype is bool_ and value.ndim == 0)

"""Iteration whose number of steps only a run of the program knows: ``range(tensor)``, and tensors of unknown length."""

from __future__ import annotations

from typing import Any, Callable, NoReturn, Optional

from core.jit.control_flow.conditionals import one_element
from core.jit.control_flow.loops import while_loop
from core.jit.control_flow.variables import State
from core.kernels.dispatch.errors import OperatorError, OperatorTypeError, user_line
from core.kernels.dtypes import int64
from core.kernels.sizes.dimension import Dimension
from core.operators.creation.creation import cast, full
from core.operators.indexing.gathering import index_select
from core.operators.shape.manipulation import reshape
from core.tensor import Tensor


class TensorRange:
    """``range`` with a tensor, or an unknown size, among its arguments.

    Args:
        arguments: What ``range`` was called with.
    """

    def __init__(self, *arguments: Any) -> None:
        if not 1 <= len(arguments) <= 3:
            raise TypeError(f"range expected 1 to 3 arguments, got {len(arguments)}")
        for argument in arguments:
            if isinstance(argument, Tensor):
                one_element(argument, user_line())
                if argument.dtype.kind not in "iu":
                    raise OperatorTypeError(
                        f"{user_line()}: range() expects integers, got a tensor of {argument.dtype.name}: cast it"
                    )
        start, stop, step = (0, *arguments, 1) if len(arguments) == 1 else (*arguments, 1)[:3]
        if not isinstance(step, int):
            raise OperatorTypeError(f"{user_line()}: the step of range() must be a Python int here")
        if step == 0:
            raise ValueError("range() arg 3 must not be zero")
        self.start, self.stop = _number(start), _number(stop)
        self.step = step

    def __iter__(self) -> NoReturn:
        raise OperatorError(
            f"{user_line()}: the length of this range depends on a tensor: iterate over it by a for statement only, not"
            " in a comprehension or a call"
        )

    def item(self, index: Tensor) -> Tensor:
        """Return the number at a position."""
        return self.start + index * self.step

    def more(self, index: Tensor) -> Tensor:
        """Return whether there is a number at a position."""
        item = self.item(index)
        return item < self.stop if self.step > 0 else item > self.stop

    def iterate(self, body: Callable[[Any], None], proceed: Callable[[Tensor], Any], state: State, line: str) -> None:
        """Run a loop over the numbers.

        Args:
            body: One iteration.
            proceed: Adds to "there is another" whether the loop was left early.
            state: The loop's variables.
            line: ``file:line`` of the loop.
        """
        iterate(self.item, self.more, body, proceed, state, line)


class Rows:
    """A tensor whose first axis has an unknown size, iterated over row by row.

    Args:
        tensor: The tensor.
    """

    def __init__(self, tensor: Tensor) -> None:
        self.tensor = tensor
        self.count = _number(tensor.shape[0])

    def item(self, index: Tensor) -> Tensor:
        """Return the row at a position."""
        row = index_select(self.tensor, reshape(index, [1]), 0)
        return reshape(row, self.tensor.shape[1:])

    def iterate(self, body: Callable[[Any], None], proceed: Callable[[Tensor], Any], state: State, line: str) -> None:
        """Run a loop over the rows."""
        iterate(self.item, lambda index: index < self.count, body, proceed, state, line)


def iterated_by_control_flow(iterable: Any) -> Optional[Any]:
    """Return what runs a loop over the object as a control-flow operator; None where its length is a Python number."""
    if isinstance(iterable, TensorRange):
        return iterable
    if isinstance(iterable, Tensor) and iterable.ndim and isinstance(iterable.shape[0], Dimension):
        return Rows(iterable)
    return None


def iterate(
    item: Callable[[Tensor], Any],
    more: Callable[[Tensor], Tensor],
    body: Callable[[Any], None],
    proceed: Callable[[Tensor], Any],
    state: State,
    line: str,
) -> None:
    """Run a loop over positions 0, 1, 2 ... as a control-flow operator."""
    counter = [full([], 0, int64)]
    name = "the loop's counter"

    def get() -> list[Any]:
        return [*state.get(), counter[0]]

    def put(values: Any) -> None:
        state.set(values[:-1])
        counter[0] = values[-1]

    def step() -> None:
        body(item(counter[0]))
        counter[0] = counter[0] + 1

    whole = State([*state.names, name], get, put, [*state.carried, name], state.needed)
    while_loop(lambda: proceed(more(counter[0])), step, whole, line)


def _number(bound: Any) -> Any:
    if isinstance(bound, Tensor):
        return cast(reshape(bound, []), int64)
    return full([], bound, int64)

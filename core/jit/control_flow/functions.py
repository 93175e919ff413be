"""A loop in the form of a function, for loops that are values and for code below this layer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Optional

from core.jit.control_flow.variables import UNDEFINED, State
from core.jit.rewrite import call
from core.jit.rewrite.runtime import Helpers
from core.kernels.dispatch.errors import user_line
from core.tensor import register


class Box:
    """One value that branches give, as a variable."""

    def __init__(self, label: str) -> None:
        self.value: Any = UNDEFINED
        self.state = State([label], lambda: [self.value], self._fill, [label], [label])

    def _fill(self, values: Sequence[Any]) -> None:
        (self.value,) = values

    def taking(self, function: Callable[[], Any]) -> Callable[[], None]:
        """Return a function that keeps what the given one returns."""

        def take() -> None:
            self.value = function()

        return take


def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Sequence[Any],
    is_test: bool = False,
    name: Optional[str] = None,
) -> list[Any]:
    """Renew variables while a condition on them holds.

    Args:
        cond: Takes the variables, returns a tensor of one element or a bool.
        body: Takes the variables, returns their next values in a list or tuple (or one value).
        loop_vars: The first values.
        is_test: Unused.
        name: Unused.

    Returns:
        The last values.

    Raises:
        ValueError: there are no variables, or the body returns another number of them.
    """
    if not loop_vars:
        raise ValueError("while_loop: expects at least one variable in loop_vars")
    box = Box("loop_vars")
    box.value = list(loop_vars)
    test, step = call(cond), call(body)

    def iterate() -> None:
        found = step(*box.value)
        values = list(found) if isinstance(found, (list, tuple)) else [found]
        if len(values) != len(loop_vars):
            raise ValueError(f"while_loop: the body returns {len(values)} values for {len(loop_vars)} variables")
        box.value = values

    file, _, line = user_line().rpartition(":")
    state = box.state
    Helpers(file).while_(
        lambda: test(*box.value),
        iterate,
        None,
        state.get,
        state.set,
        state.names,
        state.carried,
        state.needed,
        int(line),
    )
    return box.value


register("while_loop", while_loop)

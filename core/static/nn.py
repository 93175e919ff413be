"""Control flow in the form of functions (paddle.static.nn): for branches and loops that are values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Optional, Union

from core.jit.control_flow.conditionals import conditional
from core.jit.control_flow.variables import UNDEFINED, State
from core.jit.rewrite import call
from core.jit.rewrite.runtime import Helpers
from core.kernels.dispatch import dispatcher
from core.kernels.dispatch.errors import user_line
from core.tensor import Tensor

Branch = Optional[Callable[[], Any]]


def cond(
    pred: Any,
    true_fn: Branch = None,
    false_fn: Branch = None,
    name: Optional[str] = None,
    return_names: Optional[Sequence[str]] = None,
) -> Any:
    """Return what one of two functions returns.

    Args:
        pred: A tensor of one element, or a bool.
        true_fn: Called where the condition holds; None stands for a function that returns None.
        false_fn: Called where it does not.
        name: Unused.
        return_names: What to call the results in messages.

    Returns:
        What the function returned; inside a program both return the same structure of the same shapes and dtypes.
    """
    true, false = call(true_fn or _nothing), call(false_fn or _nothing)
    if dispatcher.state.trace is None or not isinstance(pred, Tensor):
        return true() if pred else false()
    label = "the result of cond" if not return_names else f"the result {', '.join(return_names)}"
    box = _Box(label)
    conditional(pred, box.taking(true), box.taking(false), box.state, user_line())
    return box.value


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
    box = _Box("loop_vars")
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


def case(
    pred_fn_pairs: Sequence[tuple[Any, Callable[[], Any]]],
    default: Branch = None,
    name: Optional[str] = None,
) -> Any:
    """Return what the first function returns whose condition holds.

    Args:
        pred_fn_pairs: ``(condition, function)`` pairs.
        default: Called where no condition holds; the last function when None, as in Paddle.
        name: Unused.

    Returns:
        What the function returned.

    Raises:
        ValueError: there are no pairs.
    """
    if not pred_fn_pairs:
        raise ValueError("case: expects at least one (condition, function) pair")
    (pred, function), *rest = pred_fn_pairs
    if not rest:
        return cond(pred, function, default or function)
    return cond(pred, function, lambda: case(rest, default))


def switch_case(
    branch_index: Any,
    branch_fns: Union[Mapping[int, Callable[[], Any]], Sequence[Any]],
    default: Branch = None,
    name: Optional[str] = None,
) -> Any:
    """Return what the function with a given number returns.

    Args:
        branch_index: An integer tensor of one element, or an int.
        branch_fns: Functions by number: a dict, ``(number, function)`` pairs, or a list numbered from 0.
        default: Called for any other number; the function with the largest number when None, as in Paddle.
        name: Unused.

    Returns:
        What the function returned.

    Raises:
        ValueError: there are no functions.
    """
    pairs: Any = branch_fns.items() if isinstance(branch_fns, Mapping) else enumerate(branch_fns)
    table: dict[int, Callable[[], Any]] = {}
    for number, item in pairs:
        key, function = item if isinstance(item, (tuple, list)) else (number, item)
        table[key] = function
    if not table:
        raise ValueError("switch_case: expects at least one function")
    last = default or table[max(table)]
    return case([(branch_index == number, function) for number, function in sorted(table.items())], last)


class _Box:
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


def _nothing() -> None:
    return None

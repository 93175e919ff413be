"""Control flow in the form of functions (paddle.static.nn): for branches and loops that are values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Optional, Union

from core.jit.control_flow.conditionals import conditional
from core.jit.control_flow.functions import Box
from core.jit.control_flow.functions import while_loop as while_loop
from core.jit.rewrite import call
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
    box = Box(label)
    conditional(pred, box.taking(true), box.taking(false), box.state, user_line())
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


def _nothing() -> None:
    return None

"""Switching the record of operations on and off."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Iterator
from typing import Any, Callable, Optional

from core.kernels.dispatch.dispatcher import set_gradients, state


class set_grad_enabled:
    """Record operations, or do not, inside a ``with`` block or a decorated function.

    Args:
        mode: Whether to record.
    """

    def __init__(self, mode: bool) -> None:
        self.mode = mode
        self._previous: list[bool] = []

    def __enter__(self) -> set_grad_enabled:
        self._previous.append(state.gradients)
        set_gradients(self.mode)
        return self

    def __exit__(self, *_: object) -> None:
        set_gradients(self._previous.pop())

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return the function running in this mode; a generator function runs each step in it."""
        if not inspect.isgeneratorfunction(function):

            @functools.wraps(function)
            def whole(*arguments: Any, **options: Any) -> Any:
                with self:
                    return function(*arguments, **options)

            return whole

        @functools.wraps(function)
        def steps(*arguments: Any, **options: Any) -> Iterator[Any]:
            generator = function(*arguments, **options)
            while True:
                with self:
                    try:
                        item = next(generator)
                    except StopIteration:
                        return
                yield item

        return steps


class _NoGrad(set_grad_enabled):
    def __init__(self) -> None:
        super().__init__(False)


def no_grad(func: Optional[Callable[..., Any]] = None) -> Any:
    """Compute without recording: results have ``stop_gradient=True``.

    Args:
        func: The function to decorate; without it, the result serves a ``with`` block or decorates with parentheses.

    Returns:
        A context manager that is also a decorator, or the decorated function.
    """
    mode = _NoGrad()
    return mode if func is None else mode(func)


class enable_grad(set_grad_enabled):
    """Record operations inside a ``no_grad`` region. A ``with`` block or a decorator."""

    def __init__(self) -> None:
        super().__init__(True)


def is_grad_enabled() -> bool:
    """Return whether operations are recorded now."""
    return state.gradients

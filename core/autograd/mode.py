"""Switching the record of operations on and off."""

from __future__ import annotations

import contextlib
import functools
import inspect
from typing import Any, Callable, Iterator

from core.kernels import door


class set_grad_enabled(contextlib.ContextDecorator):
    """Record operations, or do not, inside a ``with`` block or a decorated function.

    Args:
        mode: Whether to record.
    """

    def __init__(self, mode: bool) -> None:
        self.mode = mode
        self._previous: list[bool] = []

    def __enter__(self) -> "set_grad_enabled":
        self._previous.append(door.state.gradients)
        door.state.gradients = self.mode
        return self

    def __exit__(self, *_: object) -> None:
        door.state.gradients = self._previous.pop()

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        if not inspect.isgeneratorfunction(function):
            return super().__call__(function)

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


class no_grad(set_grad_enabled):
    """Compute without recording: results have ``stop_gradient=True``. A ``with`` block or a decorator."""

    def __init__(self, func: Any = None) -> None:
        super().__init__(False)

    def __new__(cls, func: Any = None) -> Any:
        made = super().__new__(cls)
        if func is None:
            return made
        made.__init__()
        return made(func)


class enable_grad(set_grad_enabled):
    """Record operations inside a ``no_grad`` region. A ``with`` block or a decorator."""

    def __init__(self) -> None:
        super().__init__(True)


def is_grad_enabled() -> bool:
    """Return whether operations are recorded now."""
    return door.state.gradients

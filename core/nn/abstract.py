"""Abstract construction: parameters that have a shape and an element type, and no memory."""

from __future__ import annotations

import threading


class _Depth(threading.local):
    value = 0


_depth = _Depth()


class LazyGuard:
    """Build models inside a ``with`` block without allocating or drawing their parameters.

    Such a parameter knows its shape and dtype, so counting parameters costs nothing for a model of any size. It gets
    memory from ``parameter.initialize()``, ``layer.materialize()`` (all of them), ``set_value`` or
    ``set_state_dict``; reading its value before that raises.

    Example:
        >>> with core.LazyGuard():
        ...     layer = core.nn.Linear(1_000_000, 1_000_000)
        >>> layer.weight.shape
        [1000000, 1000000]
    """

    def __enter__(self) -> LazyGuard:
        _depth.value += 1
        return self

    def __exit__(self, *_: object) -> None:
        _depth.value -= 1


def abstract() -> LazyGuard:
    """Return a :class:`LazyGuard`: ``with core.nn.abstract(): model = build()``."""
    return LazyGuard()


def building_abstractly() -> bool:
    """Whether the current thread is inside a :class:`LazyGuard` block."""
    return _depth.value > 0

"""The handle that a registered hook is removed with."""

from __future__ import annotations

import itertools
from collections import OrderedDict
from typing import Any, Callable

_serial = itertools.count()


class HookRemoveHelper:
    """Returned by every ``register_*_hook``.

    Args:
        hooks: The table that holds the hook.
        key: Its key there.
    """

    def __init__(self, hooks: OrderedDict[int, Callable[..., Any]], key: int) -> None:
        self._hooks = hooks
        self._hook_id = key

    @classmethod
    def register(cls, hooks: OrderedDict[int, Callable[..., Any]], hook: Callable[..., Any]) -> HookRemoveHelper:
        """Put a hook at the end of a table and return its handle.

        Args:
            hooks: The table.
            hook: The function.
        """
        key = next(_serial)
        hooks[key] = hook
        return cls(hooks, key)

    def remove(self) -> None:
        """Take the hook away; a second call does nothing."""
        self._hooks.pop(self._hook_id, None)

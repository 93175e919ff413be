"""The switch of compilation, and a look at rewritten source (paddle.jit.ProgramTranslator)."""

from __future__ import annotations

from typing import Any, Callable, Optional

from core.jit.rewrite import convert, rewritten_source


class ProgramTranslator:
    """Turns ``to_static`` on and off for the whole process; there is one instance.

    Example:
        >>> core.jit.ProgramTranslator().enable(False)  # compiled functions run eagerly: to debug them line by line
    """

    enable_to_static = True
    _instance: Optional[ProgramTranslator] = None

    def __new__(cls) -> ProgramTranslator:
        """Return the one instance."""
        if cls._instance is None:
            cls._instance = super().__new__(cls)
        return cls._instance

    @classmethod
    def get_instance(cls) -> ProgramTranslator:
        """Return the one instance."""
        return cls()

    def enable(self, enable_to_static: bool) -> None:
        """Switch compilation on or off; functions already compiled keep their programs for later.

        Args:
            enable_to_static: Whether functions made by ``to_static`` run compiled.

        Raises:
            TypeError: it is no bool.
        """
        if not isinstance(enable_to_static, bool):
            raise TypeError(f"enable: expects True or False, got {enable_to_static!r}")
        ProgramTranslator.enable_to_static = enable_to_static

    def get_code(self, dygraph_func: Callable[..., Any]) -> str:
        """Return the source that a function is rewritten to before it is traced.

        Args:
            dygraph_func: A Python function or method, or what ``to_static`` made of one.

        Raises:
            ValueError: its source is not available, or it needs no rewriting.
        """
        return rewritten_source(getattr(dygraph_func, "function", dygraph_func))

    def get_func(self, dygraph_func: Callable[..., Any]) -> Callable[..., Any]:
        """Return the rewritten function itself; called outside a program it behaves as the original.

        Args:
            dygraph_func: A Python function or method, or what ``to_static`` made of one.
        """
        return convert(getattr(dygraph_func, "function", dygraph_func))


def enable_to_static(enable_to_static_bool: bool) -> None:
    """Switch compilation on or off for the whole process.

    Args:
        enable_to_static_bool: Whether functions made by ``to_static`` run compiled.
    """
    ProgramTranslator().enable(enable_to_static_bool)

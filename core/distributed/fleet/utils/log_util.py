"""The logger of fleet, and its level."""

from __future__ import annotations

import logging
from typing import Any, Union

logger = logging.getLogger("core.distributed.fleet")


def set_log_level(level: Union[int, str]) -> None:
    """Set from which level on messages of fleet are shown.

    Args:
        level: a name such as ``"INFO"``, or a number of :mod:`logging`.

    Raises:
        TypeError: it is neither text nor number.
        ValueError: there is no level of that name.
    """
    if isinstance(level, bool) or not isinstance(level, (str, int)):
        raise TypeError(f"set_log_level: level must be a name or a number, not {type(level).__name__}")
    logger.setLevel(level.upper() if isinstance(level, str) else level)


def get_log_level_code() -> int:
    """Return the level as a number."""
    return logger.getEffectiveLevel()


def get_log_level_name() -> str:
    """Return the level's name."""
    return logging.getLevelName(get_log_level_code())


def layer_to_str(base: str, *args: Any, **kwargs: Any) -> str:
    """Return a call as text, such as ``Linear(3, 4, bias_attr=False)``.

    Args:
        base: the name of what is called.
        *args: its arguments.
        **kwargs: its arguments with names.
    """
    given = [*map(str, args), *(f"{name}={value}" for name, value in kwargs.items())]
    return f"{base}({', '.join(given)})"

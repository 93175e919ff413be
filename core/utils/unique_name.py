"""Names that are unique within a process (paddle.utils.unique_name)."""

from __future__ import annotations

import importlib
from typing import Any

__all__ = ["generate", "generate_with_ignorable_key", "guard", "switch"]  # noqa: F822


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"core.utils.unique_name has no attribute {name!r}")
    return getattr(importlib.import_module("core.nn.naming"), name)

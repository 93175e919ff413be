"""What describes a static program (paddle.static): so far InputSpec."""

from __future__ import annotations

import importlib
from typing import Any

__all__ = ["InputSpec"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return getattr(importlib.import_module("core.jit.input_spec"), name)
    raise AttributeError(f"core.static has no attribute {name!r}")

"""What describes a static program, and control flow in the form of functions (paddle.static)."""

from __future__ import annotations

import importlib
from typing import Any

__all__ = ["InputSpec", "nn"]


def __getattr__(name: str) -> Any:
    if name == "nn":
        return importlib.import_module("core.static.nn")
    if name in __all__:
        return getattr(importlib.import_module("core.jit.input_spec"), name)
    raise AttributeError(f"core.static has no attribute {name!r}")

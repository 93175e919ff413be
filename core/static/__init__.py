"""What describes a static program, and control flow in the form of functions (paddle.static)."""

from __future__ import annotations

import importlib
from typing import Any

__all__ = ["InputSpec", "Variable", "amp", "nn"]


def __getattr__(name: str) -> Any:
    if name in ("amp", "nn"):
        return importlib.import_module(f"core.static.{name}")
    if name == "Variable":
        return importlib.import_module("core.tensor").Tensor
    if name in __all__:
        return getattr(importlib.import_module("core.jit.input_spec"), name)
    raise AttributeError(f"core.static has no attribute {name!r}")

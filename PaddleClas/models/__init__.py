"""The models: ``PaddleClas.models.ResNet18()`` and so on, each loaded when it is first asked for."""

from __future__ import annotations

from typing import Any

from PaddleClas.models.registry import MODELS, create_model, entry_function, list_models

__all__ = ["create_model", "entry_function", "list_models"]


def __getattr__(name: str) -> Any:
    if name in MODELS:
        return entry_function(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}; PaddleClas.list_models() has all models")


def __dir__() -> list[str]:
    return sorted([*__all__, *MODELS])

"""The models: ``PGL.models.GCN(...)`` and so on, each loaded when it is first asked for."""

from __future__ import annotations

from typing import Any

from PGL.models.registry import MODELS, create_model, list_models, model_class

__all__ = ["create_model", "list_models", "model_class"]


def __getattr__(name: str) -> Any:
    if name in MODELS:
        return model_class(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}; PGL.models.list_models() has all models")


def __dir__() -> list[str]:
    return sorted([*__all__, *MODELS])

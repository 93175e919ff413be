"""The networks: ``PaddleGAN.models.DCGenerator(...)`` and so on, each loaded when it is first asked for."""

from __future__ import annotations

from typing import Any

from PaddleGAN.models.registry import MODELS, create_discriminator, create_generator, entry, list_models

__all__ = ["create_discriminator", "create_generator", "list_models"]


def __getattr__(name: str) -> Any:
    if name in MODELS:
        return entry(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}; PaddleGAN.list_models() has all networks")


def __dir__() -> list[str]:
    return sorted([*__all__, *MODELS])

"""Families of public operators: what users call as ``core.*``, ``core.nn.functional.*`` and as Tensor methods.

Each family lists its public names in ``__all__`` and its Tensor methods in ``TENSOR_METHODS`` and ``IN_PLACE_METHODS``.
"""

from __future__ import annotations

import importlib
from typing import Any

from core.operators import methods

FAMILIES = tuple(
    importlib.import_module(f"core.operators.{name}")
    for name in (
        "activation",
        "arrangement",
        "common",
        "convolution",
        "creation",
        "diagonals",
        "distinct",
        "gathering",
        "grids",
        "joining",
        "linalg",
        "logic",
        "loss",
        "manipulation",
        "masking",
        "math",
        "normalization",
        "padding",
        "pixels",
        "pooling",
        "random",
        "reduction",
        "resampling",
        "rounding",
        "sampling",
        "scattering",
        "search",
        "slicing",
        "subscript",
        "views",
    )
)


def __getattr__(name: str) -> Any:
    for family in FAMILIES:
        if name in family.__all__:
            globals()[name] = found = getattr(family, name)
            return found
    raise AttributeError(f"core.operators has no operator {name!r}")


def __dir__() -> list[str]:
    return sorted(name for family in FAMILIES for name in family.__all__)


methods.attach(FAMILIES)

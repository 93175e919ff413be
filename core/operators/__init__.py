"""Families of public operators: what users call as ``core.*``, ``core.nn.functional.*`` and as Tensor methods.

A family is a module that lists its public names in ``__all__``, and its Tensor methods in ``TENSOR_METHODS`` and
``IN_PLACE_METHODS``; it is found by itself. A module whose name begins with an underscore holds primitives and helpers.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable, Iterator
from typing import Any

from core.kernels import lowerings as lowerings
from core.operators import _half_precision as _half_precision
from core.operators import _methods
from core.tensor import Tensor


def _public_modules(folders: Iterable[str], package: str) -> Iterator[str]:
    for module in pkgutil.iter_modules(folders, f"{package}."):
        name = module.name.rpartition(".")[2]
        if module.ispkg:
            yield from _public_modules([f"{folder}/{name}" for folder in folders], module.name)
        elif not name.startswith("_"):
            yield module.name


FAMILIES = tuple(
    module
    for module in map(importlib.import_module, sorted(_public_modules(__path__, __name__)))
    if hasattr(module, "__all__")
)


# bound last: some functions have the name of the module they are in
globals().update({name: getattr(family, name) for family in FAMILIES for name in family.__all__})


def __getattr__(name: str) -> Any:
    if name.endswith("_") and not name.startswith("_") and hasattr(Tensor, name):
        return getattr(Tensor, name)  # Paddle has every in-place method as a function too
    raise AttributeError(f"core.operators has no operator {name!r}")


def __dir__() -> list[str]:
    return sorted(name for family in FAMILIES for name in family.__all__)


_methods.attach(FAMILIES)

"""Families of public operators: what users call as ``core.*``, ``core.nn.functional.*`` and as Tensor methods.

Each family lists its public names in ``__all__`` and its Tensor methods in ``TENSOR_METHODS`` and ``IN_PLACE_METHODS``.
"""

from __future__ import annotations

import importlib
from typing import Any

from core.kernels import lowerings as lowerings
from core.operators import half_precision as half_precision
from core.operators import methods
from core.tensor import Tensor

FAMILIES = tuple(
    importlib.import_module(f"core.operators.{name}")
    for name in (
        "activation",
        "arrangement",
        "attention",
        "bessel",
        "closeness",
        "combination",
        "common",
        "complex_numbers",
        "complex_parts",
        "contraction",
        "convolution",
        "counting",
        "creation",
        "decompositions",
        "diagonals",
        "distinct",
        "division",
        "factors",
        "gathering",
        "index_writing",
        "grids",
        "joining",
        "lifting",
        "linalg",
        "logic",
        "loss",
        "manipulation",
        "masking",
        "math",
        "matrix_products",
        "message_passing",
        "normalization",
        "norms",
        "number_parts",
        "padding",
        "partition",
        "pixels",
        "placing",
        "pooling",
        "random",
        "reduction",
        "resampling",
        "rounding",
        "running",
        "sampling",
        "scattering",
        "search",
        "slicing",
        "solvers",
        "sorting",
        "sparse_rows",
        "special",
        "statistics",
        "storage",
        "subscript",
        "views",
    )
)


# bound last: some functions have the name of the module they stand in
globals().update({name: getattr(family, name) for family in FAMILIES for name in family.__all__})


def __getattr__(name: str) -> Any:
    if name.endswith("_") and not name.startswith("_") and hasattr(Tensor, name):
        return getattr(Tensor, name)  # Paddle has every in-place method as a function too
    raise AttributeError(f"core.operators has no operator {name!r}")


def __dir__() -> list[str]:
    return sorted(name for family in FAMILIES for name in family.__all__)


methods.attach(FAMILIES)

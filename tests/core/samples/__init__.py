"""One or more example calls of every public operator, by family.

Each family file holds ``SAMPLES``: name -> list of functions that take a :class:`Draw` and return ``(args, kwargs)``.
The reflection tests call them all: eagerly, compiled, forward and backward, and with hostile inputs.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Sequence
from typing import Any, Callable

import numpy as np

import core
from core.jit import tree


class Draw:
    """Seeded example tensors."""

    def __init__(self, seed: int = 0) -> None:
        self.generator = np.random.default_rng(seed)

    def f(self, *shape: int, low: float = 0.2, high: float = 0.9, dtype: str = "float32") -> core.Tensor:
        """Floats that need a gradient, by default inside every function's domain and away from its corners."""
        values = self.generator.uniform(low, high, shape)
        return core.to_tensor(values, dtype=dtype, stop_gradient=False)

    def i(self, *shape: int, low: int = 0, high: int = 3, dtype: str = "int64") -> core.Tensor:
        """Integers from low to high - 1."""
        return core.to_tensor(self.generator.integers(low, high, shape), dtype=dtype)

    def b(self, *shape: int) -> core.Tensor:
        """Booleans."""
        return core.to_tensor(self.generator.integers(0, 2, shape).astype(bool))


Sample = Callable[[Draw], tuple[Sequence[Any], dict[str, Any]]]


def all_samples() -> dict[str, list[Sample]]:
    """Return the samples of all families."""
    found: dict[str, list[Sample]] = {}
    for module in pkgutil.iter_modules(__path__):
        for name, samples in importlib.import_module(f"{__name__}.{module.name}").SAMPLES.items():
            if name in found:
                raise ValueError(f"samples of {name!r} stand in two files")
            found[name] = samples
    return found


def cases() -> list[tuple[str, int]]:
    """Return (name, number of its example) for every example call of an operator that does not work in place."""
    samples = all_samples()
    return [(name, i) for name in sorted(samples) if not name.endswith("_") for i in range(len(samples[name]))]


def cases_with_tensors(differentiated: bool = False) -> list[tuple[str, int]]:
    """Return those of :func:`cases` that are given tensors.

    Args:
        differentiated: Leave out what gets no tensor that needs a gradient, too.
    """
    samples, found = all_samples(), []
    for name, index in cases():
        tensors, _ = tree.flatten(samples[name][index](Draw()))
        if any(not (differentiated and tensor.stop_gradient) for tensor in tensors):
            found.append((name, index))
    return found


def call(*args: Any, **kwargs: Any) -> tuple[Sequence[Any], dict[str, Any]]:
    """Write a call the way it is made."""
    return args, kwargs

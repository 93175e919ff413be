"""How operators reach kernels of ours: which tensors they take, and code that is loaded with its first call."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any, Callable, Optional

import numpy as np

from core.kernels import door, engine
from core.kernels.dtypes import float32
from core.tensor import Tensor


def kernel(module: str, name: str) -> Callable[..., None]:
    """Return a function of a module of core.kernels, which loads, and numba with it, when it is first called."""

    def run(*arrays: np.ndarray, **options: Any) -> None:
        getattr(importlib.import_module(f"core.kernels.{module}"), name)(*arrays, **options)

    return run


def gradient_of_first(function: Callable[..., None]) -> Callable[..., None]:
    """Return what a :class:`HostOperator` of one result takes as ``gradients`` where its first input alone has one.

    Args:
        function: Takes the gradient of the result, the inputs, and the attributes; writes into ``out``.
    """

    def into(
        gradients: Sequence[np.ndarray],
        inputs: Sequence[np.ndarray],
        outputs: Sequence[np.ndarray],
        out: Sequence[Optional[np.ndarray]],
        **options: Any,
    ) -> None:
        if out[0] is not None:
            function(gradients[0], *inputs, out=out[0], **options)

    return into


def is_for_our_kernel(*tensors: Tensor) -> bool:
    """Return whether all tensors are float32 and in memory where our kernels can write."""
    return engine.on_cpu() and all(tensor.dtype is float32 for tensor in tensors)


def is_exported_or_mixed() -> bool:
    """Return whether what runs is noted down for other run times, which know no kernels of ours, or is in 16 bits."""
    trace = door.state.trace
    return door.state.precision is not None or (trace is not None and trace.symbolic)

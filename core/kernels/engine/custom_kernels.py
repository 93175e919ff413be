"""How operators reach custom kernels: code that is loaded with its first call, and how gradients are written."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any, Callable, Optional

import numpy as np


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

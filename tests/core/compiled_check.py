"""Compares a function run eagerly with the same function compiled, values and gradients."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

import core
from core.jit import to_static


def check_compiled(function: Callable[..., Any], *arrays: np.ndarray, tolerance: float = 1e-5) -> None:
    """Assert that eager and compiled runs give the same outputs and the same gradients of a weighted sum of them.

    Args:
        function: Takes tensors, returns one tensor or a list of them.
        arrays: Inputs; the floating-point ones are differentiated.
        tolerance: Allowed relative difference.
    """
    eager, compiled = _run(function, arrays), _run(to_static(function), arrays)
    assert len(eager) == len(compiled)
    for expected, got in zip(eager, compiled):
        np.testing.assert_allclose(got, expected, rtol=tolerance, atol=tolerance)


def _run(function: Callable[..., Any], arrays: Any) -> list[np.ndarray]:
    tensors = [core.to_tensor(array, stop_gradient=array.dtype.kind != "f") for array in arrays]
    outputs = function(*tensors)
    outputs = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
    results = [output.numpy() for output in outputs]
    terms = []
    for output in outputs:
        if not output.stop_gradient:
            weights = np.arange(1, output.size + 1, dtype=output.dtype.numpy).reshape(output.shape)
            terms.append((output * core.to_tensor(weights)).sum())
    if terms:
        sum(terms[1:], terms[0]).backward()
        results += [np.zeros(tensor.shape) if tensor.grad is None else tensor.grad.numpy() for tensor in tensors]
    return results

"""Compares a function run eagerly with the same function compiled: values, gradients, and how many programs it took."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Callable

import numpy as np

import core
from core.jit import to_static

Inputs = Sequence[Any]


def run(function: Callable[..., Any], inputs: Inputs, parameters: Sequence[core.Tensor] = ()) -> list[np.ndarray]:
    """Return a function's outputs, and the gradients of a weighted sum of those that have one.

    Args:
        function: Takes tensors; returns tensors and numbers, nested in lists, tuples and dicts.
        inputs: Arrays, which become tensors (floats with a gradient), or anything else.
        parameters: Further tensors to differentiate.
    """
    tensors = [
        core.to_tensor(item, stop_gradient=item.dtype.kind != "f") if isinstance(item, np.ndarray) else item
        for item in inputs
    ]
    for parameter in parameters:
        parameter.clear_gradient(set_to_zero=False)
    outputs = flatten(function(*tensors))
    results = [item.numpy() if isinstance(item, core.Tensor) else np.asarray(item) for item in outputs]
    loss = None
    for i, item in enumerate(outputs):
        if isinstance(item, core.Tensor) and not item.stop_gradient:
            weights = np.linspace(1 + i, 2 + i, item.size, dtype=item.dtype.numpy).reshape(item.shape)
            term = (item * core.to_tensor(weights)).sum()
            loss = term if loss is None else loss + term
    if loss is not None:
        loss.backward()
    for tensor in [*[t for t in tensors if isinstance(t, core.Tensor)], *parameters]:
        results.append(np.zeros(tensor.shape) if tensor.grad is None else tensor.grad.numpy())
    return results


def check(
    function: Callable[..., Any],
    *cases: Inputs,
    parameters: Sequence[core.Tensor] = (),
    programs: int = 1,
    tolerance: float = 1e-6,
) -> Any:
    """Assert that eager and compiled runs agree on every case, with one program for all of them.

    Args:
        function: What to compile.
        cases: Inputs that take different branches or numbers of iterations.
        parameters: Further tensors to differentiate.
        programs: How many programs the cases should need.
        tolerance: Allowed difference, relative to the largest number of an array.

    Returns:
        The compiled function.
    """
    compiled = to_static(function)
    for case in cases:
        expected, got = run(function, case, parameters), run(compiled, case, parameters)
        assert len(expected) == len(got)
        for one, other in zip(expected, got):
            assert one.shape == other.shape
            np.testing.assert_allclose(other, one, rtol=0, atol=tolerance * max(1.0, np.abs(one).max(initial=0)))
    assert sum(len(kept) for kept in compiled.programs.values()) == programs
    return compiled


def flatten(result: Any) -> list[Any]:
    """Return the tensors and numbers of a nested result."""
    if isinstance(result, dict):
        result = list(result.values())
    if isinstance(result, (list, tuple)):
        return [leaf for item in result for leaf in flatten(item)]
    return [] if result is None or isinstance(result, str) else [result]


def vector(*numbers: float) -> np.ndarray:
    """Return a float32 array."""
    return np.array(numbers, dtype="float32")

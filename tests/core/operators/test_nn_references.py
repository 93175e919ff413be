"""Outputs and first gradients of nn.functional against stored answers of Paddle 2.6.2, in float64."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Optional

import numpy as np
import pytest

import core
from core.nn import functional as F
from core.tensor import Tensor
from tests.core.operators.nn_cases import CASES, cotangent

REFERENCES = np.load(Path(__file__).with_name("nn_references.npz"))
TOLERANCE = 1e-7  # the original keeps some factors of float64 kernels in float32


def run(name: str, compiled: bool, dtype: str) -> tuple[list[Tensor], list[Optional[np.ndarray]]]:
    """Return a case's outputs, and the gradients of its inputs by the weighted sum of the outputs."""
    function, arrays = CASES[name]
    tensors = [
        core.to_tensor(array, dtype=dtype if array.dtype.kind == "f" else None, stop_gradient=array.dtype.kind != "f")
        for array in arrays
    ]

    def call(*inputs: Tensor) -> Any:
        return function(F, *inputs)

    outputs = (core.jit.to_static(call) if compiled else call)(*tensors)
    outputs = list(outputs) if isinstance(outputs, (tuple, list)) else [outputs]
    total = None
    for i, output in enumerate(outputs):
        if not output.stop_gradient:
            term = (output * core.to_tensor(cotangent(output.shape, i), dtype=output.dtype)).sum()
            total = term if total is None else total + term
    if total is not None:
        total.backward()
    return outputs, [None if tensor.grad is None else tensor.grad.numpy() for tensor in tensors]


@pytest.mark.parametrize("name", CASES)
def test_agrees_with_paddle(name: str) -> None:
    outputs, gradients = run(name, compiled=False, dtype="float64")
    for i, output in enumerate(outputs):
        expected = REFERENCES[f"{name}/output{i}"]
        assert tuple(output.shape) == expected.shape
        assert output.dtype.name == expected.dtype.name
        tolerance = 1e-5 if expected.dtype == "float32" else TOLERANCE  # float32 cases: the original has no float64
        np.testing.assert_allclose(output.numpy(), expected, rtol=tolerance, atol=tolerance)
    for i, gradient in enumerate(gradients):
        expected = REFERENCES.get(f"{name}/gradient{i}")
        if expected is not None:
            assert gradient is not None, f"input {i} has no gradient"
            np.testing.assert_allclose(gradient, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("name", CASES)
def test_compiled_agrees_with_eager(name: str) -> None:
    outputs, gradients = run(name, compiled=False, dtype="float32")
    compiled_outputs, compiled_gradients = run(name, compiled=True, dtype="float32")
    for eager, compiled in zip(outputs, compiled_outputs):
        assert eager.shape == compiled.shape
        np.testing.assert_allclose(compiled.numpy(), eager.numpy(), rtol=3e-5, atol=3e-5)
    for eager, compiled in zip(gradients, compiled_gradients):
        if eager is None:  # the engine gives zeros where the record ends
            assert compiled is None or not compiled.any()
        else:
            np.testing.assert_allclose(compiled, eager, rtol=3e-5, atol=3e-5 * max(1.0, np.abs(eager).max()))

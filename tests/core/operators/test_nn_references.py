"""Outputs and first gradients of nn.functional against stored answers of Paddle 2.6.2, in float64."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import core
from core.nn import functional as F
from tests.core.operators.nn_cases import CASES, cotangent

REFERENCES = np.load(Path(__file__).with_name("nn_references.npz"))
TOLERANCE = 1e-7  # the original keeps some factors of float64 kernels in float32


@pytest.mark.parametrize("name", CASES)
def test_agrees_with_paddle(name: str) -> None:
    function, arrays = CASES[name]
    tensors = [core.to_tensor(array, stop_gradient=array.dtype.kind != "f") for array in arrays]
    outputs = function(F, *tensors)
    outputs = outputs if isinstance(outputs, (tuple, list)) else [outputs]
    total = None
    for i, output in enumerate(outputs):
        expected = REFERENCES[f"{name}/output{i}"]
        assert tuple(output.shape) == expected.shape
        assert output.dtype.name == expected.dtype.name
        tolerance = 1e-5 if expected.dtype == "float32" else TOLERANCE  # float32 cases: the original has no float64
        np.testing.assert_allclose(output.numpy(), expected, rtol=tolerance, atol=tolerance)
        if not output.stop_gradient:
            term = (output * core.to_tensor(cotangent(output.shape, i))).sum()
            total = term if total is None else total + term
    if total is not None:
        total.backward()
    for i, tensor in enumerate(tensors):
        expected = REFERENCES.get(f"{name}/gradient{i}")
        if expected is not None:
            assert tensor.grad is not None, f"input {i} has no gradient"
            np.testing.assert_allclose(tensor.grad.numpy(), expected, rtol=tolerance, atol=tolerance)

"""3-D convolutions, eager and compiled, against PyTorch's: outputs, and gradients of first and second order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import core
from core.nn import functional as F
from tests.parity.operators.volume_cases import CASES, STORED, arrays, thinned
from tests.parity.stored import stored_arrays

TOLERANCE = 1e-5
"""Of the largest number of an array."""


@pytest.fixture(scope="module")
def stored() -> dict[str, np.ndarray]:
    return stored_arrays(STORED)


@pytest.mark.parametrize("compiled", [False, True], ids=["eager", "compiled"])
@pytest.mark.parametrize("name", CASES)
def test_convolutions_are_pytorch_s(name: str, compiled: bool, stored: dict[str, np.ndarray]) -> None:
    case, given = CASES[name], arrays(name)
    x, kernel, bias = (core.to_tensor(given[key], stop_gradient=False) for key in ("x", "kernel", "bias"))

    def call(x: Any, kernel: Any, bias: Any) -> Any:
        return F.conv3d(x, kernel, bias, case.stride, case.padding, case.dilation, case.groups)

    y = (core.jit.to_static(call) if compiled else call)(x, kernel, bias)
    first = core.grad((y * y).sum(), [x, kernel, bias], create_graph=True)
    product = (first[0] * core.to_tensor(given["along x"])).sum() + (
        first[1] * core.to_tensor(given["along kernel"])
    ).sum()
    second = core.grad(product, [x, kernel])
    found = {"y": y, **dict(zip(("x", "kernel", "bias"), first)), **dict(zip(("xx", "kernel kernel"), second))}
    for key, tensor in found.items():
        expected = stored[f"{name}: {key}"]
        error = np.abs(thinned(tensor.numpy()) - expected).max() / np.abs(expected).max()
        assert error <= TOLERANCE, f"{key}: {error:.1e}"

"""Slices that cut the blocks of channels in which oneDNN leaves a convolution's result: its own ends the process."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import core
from core import nn

PARTS = {
    "first": (slice(None), slice(0, 3)),
    "rest": (slice(None), slice(3, None)),
    "corner": (slice(0, 1), slice(5, 26), slice(1, 7), slice(2, None)),
    "other": (slice(None), slice(1, 40, 3)),
}


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("name", PARTS)
def test_of_a_convolution(name: str, compiled: bool) -> None:
    core.seed(0)
    conv = nn.Conv2D(32, 48, 1, bias_attr=False)
    x = core.randn([2, 32, 8, 8])

    def call(x: Any) -> Any:
        return conv(x)[PARTS[name]]

    found = core.jit.to_static(call)(x) if compiled else call(x)
    weight = conv.weight.numpy()[:, :, 0, 0].astype(np.float64)
    wanted = np.einsum("oc,nchw->nohw", weight, x.numpy())[PARTS[name]]
    np.testing.assert_allclose(found.numpy(), wanted, rtol=1e-4, atol=1e-5)
    found.sum().backward()
    ones = np.zeros((2, 48, 8, 8))
    ones[PARTS[name]] = 1.0
    gradient = np.einsum("nohw,nchw->oc", ones, x.numpy())
    np.testing.assert_allclose(conv.weight.grad.numpy()[:, :, 0, 0], gradient, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("compiled", [False, True])
def test_of_a_convolution_of_volumes(compiled: bool) -> None:
    core.seed(0)
    conv = nn.Conv3D(16, 32, 1, bias_attr=False)
    x = core.randn([1, 16, 4, 4, 4])
    call = core.jit.to_static(lambda x: conv(x)[:, 2:13]) if compiled else lambda x: conv(x)[:, 2:13]
    wanted = np.einsum("oc,ncdhw->nodhw", conv.weight.numpy()[:, :, 0, 0, 0], x.numpy())[:, 2:13]
    np.testing.assert_allclose(call(x).numpy(), wanted, rtol=1e-4, atol=1e-5)

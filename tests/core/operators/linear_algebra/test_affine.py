"""Linear maps through the engine's fused kernel agree with the composed float64 computation, eager and compiled."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import core
from core.nn import functional as F

RNG = np.random.default_rng(0)
ARRAYS = (RNG.standard_normal((4, 200, 256)), RNG.standard_normal((256, 128)), RNG.standard_normal(128))


def run(dtype: str, create_graph: bool = False, compiled: bool = False, frozen: tuple[int, ...] = ()) -> list[Any]:
    """Return the result and the gradients of the sum of its squares."""
    tensors = [core.to_tensor(array, dtype=dtype, stop_gradient=i in frozen) for i, array in enumerate(ARRAYS)]
    result = (core.jit.to_static(lambda *given: F.linear(*given)) if compiled else F.linear)(*tensors)
    wanted = [tensor for i, tensor in enumerate(tensors) if i not in frozen]
    return [result, *core.grad((result * result).sum(), wanted, create_graph=create_graph)]


@pytest.mark.parametrize(
    "options",
    [{}, {"create_graph": True}, {"compiled": True}, {"frozen": (0,)}, {"frozen": (1,)}, {"frozen": (0, 1)}],
    ids=str,
)
def test_fused_linear(options: dict[str, Any]) -> None:
    expected = run("float64", frozen=options.get("frozen", ()))
    for actual, exact in zip(run("float32", **options), expected):
        np.testing.assert_allclose(actual.numpy(), exact.numpy(), rtol=0, atol=3e-6 * np.abs(exact.numpy()).max())


def test_second_derivative_of_fused_linear() -> None:
    def second(dtype: str) -> np.ndarray:
        x, w, b = [core.to_tensor(array, dtype=dtype, stop_gradient=False) for array in ARRAYS]
        y = F.linear(x, w, b)
        (dx,) = core.grad((y * y).sum(), x, create_graph=True)
        (dw,) = core.grad((dx * dx).sum(), w)
        return dw.numpy()

    exact = second("float64")
    np.testing.assert_allclose(second("float32"), exact, rtol=0, atol=1e-5 * np.abs(exact).max())


def test_a_tuple_stands_for_its_first_tensor() -> None:  # official models hand on what an attention layer returns
    x, w = core.ones([2, 3]), core.ones([3, 4])
    np.testing.assert_array_equal(F.linear((x, None), w).numpy(), np.full((2, 4), 3.0))
    np.testing.assert_array_equal(core.jit.to_static(F.linear)((x, x * 2), w).numpy(), np.full((2, 4), 3.0))

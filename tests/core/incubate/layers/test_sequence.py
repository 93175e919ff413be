"""Fluid's operators on sequences against stored outputs and gradients of paddlepaddle 1.8.5."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from core.incubate import layers
from core.kernels.dispatch.errors import OperatorError
from tests.core.compiled_check import check_compiled
from tests.core.gradient_check import check_gradients
from tests.parity.stored import stored_arrays

STORED = stored_arrays(Path(__file__).parents[3] / "parity" / "fluid" / "references.npz")
T = core.to_tensor
LENGTHS = T(np.array([4, 0, 2, 1]))


def case_of(name: str) -> dict[str, Any]:
    return {key.partition("/")[2]: value for key, value in STORED.items() if key.startswith(f"{name}/")}


@pytest.mark.parametrize("kind", ["sum", "average", "sqrt", "max", "last", "first"])
def test_pooling_is_fluids(kind: str) -> None:
    case = case_of(f"pool {kind}")
    x = T(case["x"], stop_gradient=False)
    y = layers.sequence_pool(x, kind, LENGTHS)
    np.testing.assert_allclose(y.numpy(), case["out/y"], atol=1e-6)
    (y * T(np.arange(1, 5, dtype="float32").reshape(4, 1))).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), case["grad/x"], atol=1e-6)
    assert layers.sequence_pool(x, kind, LENGTHS, pad_value=7.0).numpy()[1].tolist() == [7, 7]


ROWS = np.arange(1, 5, dtype="float32").reshape(1, 4, 1)  # what Fluid's outputs were multiplied by


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_convolution_is_fluids(size: int) -> None:
    case = case_of(f"conv {size}")
    layer = layers.SequenceConv(2, 3, size, act="tanh")
    layer.set_state_dict({"weight": T(case["weights/w"]), "bias": T(case["weights/b"])})
    x = T(case["x"], stop_gradient=False)
    y = layer(x, LENGTHS)
    np.testing.assert_allclose(y.numpy(), case["out/y"], atol=1e-6)
    (y * T(ROWS)).sum().backward()
    for got, key in ((x, "x"), (layer.weight, "w"), (layer.bias, "b")):
        np.testing.assert_allclose(got.grad.numpy(), case[f"grad/{key}"], atol=1e-5)


@pytest.mark.parametrize("name", ["softmax", "reverse", "expand"])
def test_other_operators_are_fluids(name: str) -> None:
    case = case_of(name)
    x = T(case["x"], stop_gradient=False)
    if name == "expand":
        y = layers.sequence_expand(x, 4, LENGTHS)
    else:
        y = getattr(layers, f"sequence_{name}")(x, T(np.array([4, 2, 1])))
    np.testing.assert_allclose(y.numpy(), case["out/y"], atol=1e-6)
    (y * T(ROWS)).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), case["grad/x"], atol=1e-6)


def everything(x: Any, weight: Any) -> Any:
    lengths = T(np.array([3, 0, 1]))
    pooled = [layers.sequence_pool(x, kind, lengths) for kind in ("sqrt", "max", "last")]
    shares = layers.sequence_softmax(x[:, :, :1], lengths)
    rows = layers.sequence_conv(layers.sequence_reverse(x, lengths), weight, lengths, padding_start=-4)
    return [*pooled, shares, rows, layers.sequence_expand(pooled[1], 2, T(np.array([2, 1, 0])))]


def test_gradients_and_compiled_programs() -> None:
    draw = np.random.default_rng(2).standard_normal
    arrays = draw((3, 3, 2)), draw((6, 1))
    check_gradients(everything, *arrays, order=1)
    check_compiled(everything, *[array.astype("float32") for array in arrays])
    full = T(arrays[0])
    np.testing.assert_allclose(layers.sequence_first_step(full).numpy(), arrays[0][:, 0])
    np.testing.assert_allclose(layers.sequence_last_step(full).numpy(), arrays[0][:, 2])


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda x: layers.sequence_pool(x, "max", T(np.array([5, 1]))), "lengths are from 0 to 3, got 1 to 5"),
        (lambda x: layers.sequence_pool(x, "max", T(np.array([1]))), r"lengths are integers \(2,\), got int64 of"),
        (lambda x: layers.sequence_pool(x[0, 0], "max"), r"a batch of sequences is \(N, L, ...\), got \[2\]"),
        (lambda x: layers.sequence_softmax(x), r"scores are \(N, L\) or \(N, L, 1\), got \[2, 3, 2\]"),
        (lambda x: layers.sequence_conv(x, core.zeros([5, 1])), r"\(window \* D, M\), got \[2, 3, 2\] and \[5, 1\]"),
    ],
)  # fmt: skip
def test_messages(call: Any, message: str) -> None:
    with pytest.raises(OperatorError, match=message):
        call(core.zeros([2, 3, 2]))


def test_an_unknown_pool_is_refused() -> None:
    with pytest.raises(ValueError, match="pool_type is one of sum, average, sqrt, max, first, last, not 'min'"):
        layers.sequence_pool(core.zeros([2, 3, 2]), "min")

"""Shape and index operators in bfloat16 and float16: the values and gradients of float32, eager and compiled.

Small whole numbers are exact in both types, so results must agree to the bit.
"""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
import pytest

import core
from core import geometric
from core.jit import to_static
from core.nn import functional as F

ARRAY = np.random.default_rng(0).integers(0, 9, (4, 4, 6)).astype("float32")
INDEX = core.to_tensor([0, 2, 1])


def written(x: core.Tensor) -> core.Tensor:
    y = x * 1
    y[0] = 2.0
    y[INDEX] = x[:3]
    return y


CASES: dict[str, Callable[[core.Tensor], Any]] = {
    "concat": lambda x: core.concat([x, x], 1),
    "stack": lambda x: core.stack([x, x]),
    "split": lambda x: core.split(x, 2, 2)[0],
    "split unequally": lambda x: core.split(x, [1, 5], 2)[1],
    "slice": lambda x: x[1:, ::-1],
    "index": lambda x: x[:, INDEX],
    "indices": lambda x: x[INDEX, INDEX],
    "assignment": written,
    "where": lambda x: core.where(x > 4, x, 0.0),
    "masked_fill": lambda x: core.masked_fill(x, x > 4, 0.0),
    "transpose": lambda x: x.transpose([2, 0, 1]),
    "reshape": lambda x: x.reshape([16, 6]),
    "pad": lambda x: F.pad(x, [1, 1], data_format="NCL"),
    "pad reflect": lambda x: F.pad(x, [1, 1], "reflect", data_format="NCL"),
    "topk": lambda x: core.topk(x, 2)[0],
    "sort": lambda x: core.sort(x, 1),
    "take_along_axis": lambda x: core.take_along_axis(x, core.argsort(x), 2),
    "gather_nd": lambda x: core.gather_nd(x, core.to_tensor([[0, 1], [1, 1]])),
    "roll": lambda x: core.roll(x, 1, 1),
    "tile": lambda x: core.tile(x, [2, 1, 2]),
    "expand": lambda x: core.expand(x[:1], [3, 4, 6]),
    "tril": core.tril,
    "diagonal": core.diagonal,
    "scatter": lambda x: core.scatter(x, INDEX, x[:3]),
    "scatter_nd_add": lambda x: core.scatter_nd_add(x, core.to_tensor([[0], [0]]), x[:2]),
    "index_add": lambda x: core.index_add(x, INDEX, 0, x[:3]),
    "repeat_interleave": lambda x: core.repeat_interleave(x, 2, 1),
    "unbind": lambda x: core.unbind(x)[1],
    "send_u_recv": lambda x: geometric.send_u_recv(x, INDEX, INDEX, "max"),
}


@pytest.mark.parametrize("compiled", [False, True], ids=["eager", "compiled"])
@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
@pytest.mark.parametrize("name", CASES)
def test_half_precision(name: str, dtype: str, compiled: bool) -> None:
    function = to_static(CASES[name]) if compiled else CASES[name]
    plain = core.to_tensor(ARRAY, stop_gradient=False)
    half = core.to_tensor(ARRAY).cast(dtype)
    half.stop_gradient = False
    expected, result = CASES[name](plain), function(half)
    assert result.dtype == dtype
    np.testing.assert_array_equal(result.cast("float32").numpy(), expected.numpy())
    expected.sum().backward()
    result.sum().backward()
    assert plain.grad is not None and half.grad is not None
    np.testing.assert_array_equal(half.grad.cast("float32").numpy(), plain.grad.numpy())


def test_choosing_from_bfloat16() -> None:
    x = core.to_tensor(ARRAY).cast("bfloat16")
    np.testing.assert_array_equal(core.argmax(x, 2).numpy(), ARRAY.argmax(2))
    np.testing.assert_array_equal(core.unique(x).cast("float32").numpy(), np.unique(ARRAY))
    np.testing.assert_array_equal(core.masked_select(x, x > 4).cast("float32").numpy(), ARRAY[ARRAY > 4])

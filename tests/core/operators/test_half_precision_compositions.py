"""Random compositions of operators in every floating-point type, eager and compiled, with gradients.

A composition is a function of its number alone: a shape (0-D and size 0 among them), and a few steps, each an operator
on what there is so far. In each type it must give the shapes and types of the float64 one, and its values and gradients
within eight of the type's steps of the largest one.
"""

from __future__ import annotations

import random
from typing import Any, Callable

import numpy as np
import pytest

import core
import core.nn.functional as F
from core.jit import to_static
from core.tensor import Tensor

COUNT, DEFAULT = 1170, 30
TOLERANCE = {"float64": 1e-13, "float32": 2**-20, "float16": 2**-8, "bfloat16": 2**-5}
SHAPES = ([], [1], [3], [0], [2, 3], [3, 1], [0, 3], [2, 0], [2, 3, 4], [1, 2, 1, 3])
Step = Callable[[Tensor, Tensor], Any]

UNARY: dict[str, Step] = {
    "abs": lambda x, y: core.abs(x + 0.25),
    "exp": lambda x, y: core.exp(-core.abs(x)),
    "sqrt": lambda x, y: core.sqrt(x * x + 1.0),
    "rsqrt": lambda x, y: core.rsqrt(x * x + 1.0),
    "log": lambda x, y: core.log(x * x + 1.0),
    "negation": lambda x, y: -x,
    "power": lambda x, y: (x * 0.5) ** 2.0,
    "power of number": lambda x, y: 2.0 ** (-core.abs(x)),
    "tanh": lambda x, y: core.tanh(x),
    "sigmoid": lambda x, y: F.sigmoid(x),
    "relu": lambda x, y: F.relu(x),
    "gelu": lambda x, y: F.gelu(x),
    "clip": lambda x, y: core.clip(x, -1.5, 1.5),
    "sin": lambda x, y: core.sin(x),
    "softplus": lambda x, y: F.softplus(x) * 0.5,
    "assign": lambda x, y: core.assign(x),
    "number": lambda x, y: 1.0 - x * 0.5,
    "quotient of number": lambda x, y: 1.0 / (core.abs(x) + 1.0),
    "cast": lambda x, y: core.cast(core.cast(x, "float32"), x.dtype),
    "reshape": lambda x, y: x.reshape([-1]) if x.size else x,
    "unsqueeze": lambda x, y: core.unsqueeze(x, 0) if x.ndim < 4 else core.squeeze(x),
    "transpose": lambda x, y: core.transpose(x, list(range(x.ndim))[::-1]),
    "flip": lambda x, y: core.flip(x, [0]) if x.ndim else x,
    "sum": lambda x, y: core.sum(x * 0.25, axis=-1) if x.ndim else core.sum(x),
    "mean": lambda x, y: core.mean(x, axis=0, keepdim=True) if x.ndim and x.size else x,
    "max": lambda x, y: core.max(x, axis=-1) if x.ndim and x.size else x,
    "softmax": lambda x, y: F.softmax(x, axis=-1) if x.ndim else x,
    "slice": lambda x, y: x[:1] if x.ndim else x,
    "index": lambda x, y: x[0] if x.ndim and x.shape[0] else x,
    "cumsum": lambda x, y: core.cumsum(x * 0.25, axis=0) if x.ndim else x,
    "dropped": lambda x, y: x.detach() * 0.5 + x * 0.5,
}
BINARY: dict[str, Step] = {
    "add": lambda x, y: (x + y) * 0.5,
    "subtract": lambda x, y: (x - y) * 0.5,
    "multiply": lambda x, y: core.tanh(x) * core.tanh(y),
    "divide": lambda x, y: x / (core.abs(y) + 1.0),
    "maximum": lambda x, y: core.maximum(x, y + 0.3),
    "minimum": lambda x, y: core.minimum(x, y - 0.3),
    "where": lambda x, y: core.where(x.detach() * 0.0 < 1.0, x, y),
    "comparison": lambda x, y: x * core.cast(y * 0.0 <= 1.0, x.dtype),
    "stack": lambda x, y: core.stack([x, y], axis=-1) if x.ndim < 4 else x,
    "concat": lambda x, y: core.concat([x, y], axis=-1) if x.ndim else x,
    "number of y": lambda x, y: x + core.mean(y) * 0.5 if y.size else x,
    "product": lambda x, y: core.matmul(x, y, transpose_y=True) * 0.1 if x.ndim >= 2 else x,
}
STEPS = {**UNARY, **BINARY}


def composition(number: int) -> tuple[list[int], list[str], Callable[[Tensor, Tensor], Tensor]]:
    """Return the shape, the names of the steps, and the function of two tensors of that shape."""
    source = random.Random(number)
    shape = list(source.choice(SHAPES))
    names = [source.choice(sorted(source.choice((UNARY, BINARY)))) for _ in range(source.randint(2, 6))]

    def compute(x: Tensor, y: Tensor) -> Tensor:
        for name in names:
            other = y if y.shape == x.shape else x * 0.5
            x = STEPS[name](x, other)
        return x

    return shape, names, compute


def run(number: int, dtype: str, compiled: bool) -> list[Tensor]:
    """Return the result and the gradients of both inputs, whose numbers all types hold exactly."""
    shape, _, compute = composition(number)
    generator = np.random.default_rng(number)
    inputs = [
        core.to_tensor(generator.integers(-32, 33, shape) / 16.0, dtype=dtype, stop_gradient=False) for _ in range(2)
    ]
    result = (to_static(compute) if compiled else compute)(*inputs)
    (result * 1.0).sum().backward()
    return [result, *[tensor.grad for tensor in inputs if tensor.grad is not None]]


def check(number: int, dtype: str, compiled: bool) -> None:
    """Hold a composition in one type against the eager one in float64."""
    shape, names, _ = composition(number)
    expected, got = run(number, "float64", False), run(number, dtype, compiled)
    assert len(got) == len(expected), (shape, names)
    for low, exact in zip(got, expected):
        assert low.dtype == dtype, (shape, names)
        assert low.shape == list(low.numpy().shape) == exact.shape, (shape, names)
        values = exact.numpy()
        step = TOLERANCE[dtype] * max(1.0, float(np.abs(values).max(initial=0)))
        np.testing.assert_allclose(low.as_float_numpy(), values, rtol=0, atol=step, err_msg=str((shape, names)))


@pytest.mark.bfloat16
@pytest.mark.parametrize("dtype", TOLERANCE)
def test_random_compositions(dtype: str) -> None:
    for number in range(DEFAULT):
        check(number, dtype, compiled=number % 3 == 0)


@pytest.mark.exhaustive
@pytest.mark.bfloat16
@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("part", range(26))
def test_all_random_compositions(part: int, dtype: str) -> None:
    for number in range(part * COUNT // 26, (part + 1) * COUNT // 26):
        for compiled in (False, True):
            check(number, dtype, compiled)

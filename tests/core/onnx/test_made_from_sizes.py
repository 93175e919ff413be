"""Tensors that Python code makes from sizes it does not know, and arithmetic on such sizes."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
import pytest

import core
from core.jit import tree
from core.jit.input_spec import InputSpec
from core.nn import functional
from core.onnx.check import RuntimeSession
from core.onnx.export_layer import layer_to_model

TRANSFORMER = core.nn.Transformer(4, 1, 1, 1, 4)


def assigned(x: Any) -> Any:
    y = x * 1.0
    y[1:, ::2] = -1.0
    y[::-1, 1] = core.arange(x.shape[0]).cast("float32")
    return y


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "arange": lambda x: [
        core.arange(x.shape[0]),
        core.arange(1, x.shape[0] + 5, 2),
        core.arange(0, x.shape[0] / 2, 0.5),
    ],
    "linspace": lambda x: core.linspace(-1, x.shape[0], x.shape[0]),
    "eye": lambda x: [core.eye(x.shape[0]), core.eye(x.shape[0], 3), core.eye(2, x.shape[0])],
    "full": lambda x: [
        core.zeros([x.shape[0], 2]),
        core.full([2, x.shape[0] * 2], 3, "int64"),
        core.ones([x.shape[0]], "bool"),
    ],
    "triangles": lambda x: [core.tril(core.ones([x.shape[0], 6])), core.triu(core.ones([4, x.shape[0]]), 1)],
    "later": lambda x: TRANSFORMER.generate_square_subsequent_mask(x.shape[0]),
    "diagonals": lambda x: [core.diag(x[:, 0]), core.diagonal(x.matmul(x.t())), core.diag_embed(x, -1)],
    "expand": lambda x: [core.ones([1, 4]).expand([x.shape[0], 4]), core.tile(x, [x.shape[0], 1]), x.flip(0)],
    "views": lambda x: [x.reshape([x.shape[0], 2, -1]), x.reshape([-1]), x.reshape([2 * x.shape[0], 2]), x.flatten()],
    "numbers": lambda x: [core.to_tensor([x.shape[0], 3]), core.to_tensor([[x.shape[0], 1], [2, 3]]), core.shape(x)],
    "arithmetic": lambda x: [x / x.shape[0], x * (x.shape[0] // 2), x + x.shape[0] % 3, x - (x.shape[0] + 1) / 2],
    "powers": lambda x: [x * x.shape[0] ** 0.5, x * (2 ** x.shape[0]), x * x.shape[0] ** 2],
    "slices": lambda x: [x[: x.shape[0] // 2 + 1], x[::-1], x[-1], x[x.shape[0] // 3 :: 2]],
    "assignments": assigned,
    "affine grid": lambda x: functional.affine_grid(core.ones([2, 2, 3]) / 3, [2, 1, x.shape[0], 4], False),
    "aligned grid": lambda x: functional.affine_grid(core.ones([2, 2, 3]) / 3, [2, 1, x.shape[0], x.shape[0]]),
}


@pytest.mark.parametrize("name", list(FUNCTIONS))
def test_one_file_makes_them_at_every_size(name: str) -> None:
    function = FUNCTIONS[name]
    with core.no_grad():
        session = RuntimeSession(layer_to_model(function, [InputSpec([None, 4], name="x")], 18))
        for size in (1, 2, 3, 8, 13) if function is not assigned else (2, 3, 8, 13):  # it decides on more than one row
            x = np.random.default_rng(size).normal(size=(size, 4)).astype("float32")
            expected, _ = tree.flatten(function(core.to_tensor(x)))
            results = session.run({"x": x})
            assert len(results) == len(expected)
            for got, tensor in zip(results, expected):
                wanted = tensor.numpy()
                assert got.dtype == wanted.dtype and got.shape == wanted.shape
                np.testing.assert_allclose(got, wanted, rtol=1e-6, atol=1e-6)


def is_one_program(mode: str, options: dict[str, Any], align_corners: bool) -> bool:
    """Return whether Paddle has it, and one program can: the number of regions of "area" has to be known."""
    return not align_corners if mode == "nearest" else mode != "area" or not align_corners and "size" in options


RESIZED = [
    (mode, options, align_corners)
    for align_corners in (True, False)
    for options in ({"scale_factor": 1.7}, {"scale_factor": 0.6}, {"size": 5})
    for mode in ("nearest", "linear", "bilinear", "bicubic", "trilinear", "area")
    if is_one_program(mode, options, align_corners)
]


@pytest.mark.parametrize(("mode", "options", "align_corners"), RESIZED)
def test_images_of_every_size_are_resized(mode: str, options: dict[str, Any], align_corners: bool) -> None:
    axes = {"linear": 1, "trilinear": 3}.get(mode, 2)
    layout = {1: "NCW", 2: "NCHW", 3: "NCDHW"}[axes]
    if "size" in options:
        options = {"size": [5] * axes}
    spec = InputSpec([1, 2, *[None] * axes], name="x", examples={axis + 2: (8, 12) for axis in range(axes)})

    def resized(x: Any) -> Any:
        return functional.interpolate(x, mode=mode, align_corners=align_corners, data_format=layout, **options)

    with core.no_grad():
        session = RuntimeSession(layer_to_model(resized, [spec], 18))
        for size in (4, 7, 9):
            shape = (1, 2, *[size + axis for axis in range(axes)])
            x = np.random.default_rng(size).normal(size=shape).astype("float32")
            np.testing.assert_allclose(session.run({"x": x})[0], resized(core.to_tensor(x)).numpy(), rtol=0, atol=1e-5)

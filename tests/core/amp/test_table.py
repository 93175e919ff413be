"""The table of 16-bit operators: each computes what float32 computes on the same numbers, and rounds to nearest."""

from __future__ import annotations

from typing import Callable

import numpy as np
import pytest

import core
import core.nn.functional as F
from core import operators
from core.amp.table import KERNELS, WHITE
from core.jit import tree
from core.kernels.dispatch import dispatcher
from core.kernels.dispatch.operator import REGISTRY
from core.tensor import Tensor, apply
from tests.core.samples import Draw, all_samples
from tests.sampling import sampled

GENERATOR = np.random.default_rng(0)
IMAGE, WEIGHT = GENERATOR.standard_normal((2, 16, 9, 8)), GENERATOR.standard_normal((24, 16, 3, 3)) / 12
DEPTHWISE, GROUPED = GENERATOR.standard_normal((16, 1, 3, 3)), GENERATOR.standard_normal((24, 4, 3, 3))
ROWS, MATRIX, VECTOR = GENERATOR.standard_normal((5, 4, 12)), GENERATOR.standard_normal((12, 7)), np.ones(7) / 3
ONES, MEANS = np.ones(16) * 1.1, np.arange(16) / 16
Case = tuple[Callable[..., Tensor], list[np.ndarray], int]

# name: for each case the function, its arguments, and how many of them become 16-bit
CASES: dict[str, list[Case]] = {
    "convolution": [
        (lambda x, w: F.conv2d(x, w, stride=2, padding=1), [IMAGE, WEIGHT], 2),
        (lambda x, w: F.conv2d(x, w, padding=2, dilation=2), [IMAGE, WEIGHT], 2),
        (lambda x, w, b: F.conv2d(x, w, b), [IMAGE, WEIGHT, np.arange(24) / 24], 3),
        (lambda x, w: F.conv2d(x, w, padding=1, groups=16), [IMAGE, DEPTHWISE], 2),
        (lambda x, w: F.conv2d(x, w, padding=1, groups=4), [IMAGE, GROUPED], 2),
        (lambda x, w: F.conv2d(x, w), [IMAGE, WEIGHT[:, :, :1, :1]], 2),
    ],
    "matrix_product": [
        (lambda x, y: core.matmul(x, y), [ROWS, MATRIX], 2),
        (lambda x, y: core.matmul(x, y, transpose_y=True), [ROWS[0], MATRIX.T.copy()], 2),
        (lambda x, y: core.matmul(x, y, transpose_x=True), [ROWS[0].T.copy(), MATRIX], 2),
        (lambda x, y: core.matmul(x, y), [ROWS[0, 0], MATRIX], 2),
    ],
    "linear": [
        (F.linear, [ROWS, MATRIX, VECTOR], 3),
        (F.linear, [ROWS[0], MATRIX, VECTOR], 3),
        (F.linear, [ROWS[0, 0], MATRIX, VECTOR], 3),
    ],
    "inner_products": [(lambda x, w: apply(REGISTRY["inner_products"], x, w), [ROWS, MATRIX.T.copy()], 2)],
    "affine": [(lambda x, w, b: apply(REGISTRY["affine"], x, w, b), [ROWS, MATRIX.T.copy(), VECTOR], 3)],
    "maximum_pooling": [(lambda x: F.max_pool2d(x, 3, 2, 1), [IMAGE], 1)],
    "average_pooling": [(lambda x: F.avg_pool2d(x, 3, 2, 1), [IMAGE], 1)],
    "batch_normalization": [
        (lambda x, s, t, m, v: F.batch_norm(x, m, v, s, t, training=True), [IMAGE, ONES, MEANS, MEANS, ONES], 1)
    ],
    "frozen_normalization": [
        (lambda x, s, t, m, v: F.batch_norm(x, m, v, s, t), [IMAGE, ONES, MEANS, MEANS, ONES], 1)
    ],
    "relu": [(F.relu, [IMAGE], 1)],
    "gelu": [(F.gelu, [IMAGE], 1)],
    "sigmoid": [(F.sigmoid, [IMAGE], 1)],
    "tanh": [(F.tanh, [IMAGE], 1)],
    "leaky_relu": [(lambda x: F.leaky_relu(x, 0.1), [IMAGE], 1)],
    "add": [(lambda x, y: F.relu(x + y), [IMAGE, IMAGE * 0.7], 2)],
    "concat": [(lambda x, y: core.concat([x, y], axis=1), [IMAGE, IMAGE[:, :8]], 2)],
    "split": [(lambda x: core.split(x, [4, 12], axis=1)[1], [IMAGE], 1)],
    "split_equally": [(lambda x: core.split(x, 2, axis=1)[1], [IMAGE], 1)],
    "slice": [(lambda x: x[:, 2:7], [IMAGE], 1)],
    "temporal_shift": [(lambda x: F.temporal_shift(x, 2, 0.25), [IMAGE], 1)],
    "reshape": [(lambda x: x.reshape([2, -1]), [IMAGE], 1)],
    "assign": [(lambda x: core.assign(x), [IMAGE], 1)],
    "detach": [(lambda x: x.detach() + x, [IMAGE], 1)],
}
ALL = [(name, index) for name, cases in CASES.items() for index in range(len(cases))]


def test_every_operator_of_the_table_has_a_case() -> None:
    differing = set(CASES) ^ set(KERNELS)
    assert not differing, f"CASES here and KERNELS of core/amp/table.py name the same operators: {sorted(differing)}"
    assert set(KERNELS) > WHITE


@pytest.mark.bfloat16
@pytest.mark.parametrize("compiled", [False, True], ids=["eager", "compiled"])
@pytest.mark.parametrize(("name", "index"), ALL)
def test_values_and_gradients_are_those_of_float32(
    name: str, index: int, compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    function, arrays, lowered = CASES[name][index]
    seen = types_seen(name, monkeypatch)
    rounded = [core.to_tensor(array, "float32").astype("bfloat16").astype("float32").numpy() for array in arrays]
    results = []
    for enabled in (True, False):
        inputs = [core.to_tensor(array) for array in rounded]
        if enabled and name not in WHITE:
            inputs = [tensor.astype("bfloat16").detach() for tensor in inputs[:lowered]] + inputs[lowered:]
        for tensor in inputs[:3]:
            tensor.stop_gradient = False
        with core.amp.auto_cast(enabled, dtype="bfloat16"):
            output = (core.jit.to_static(lambda *tensors: function(*tensors)) if compiled else function)(*inputs)
        assert output.dtype == ("bfloat16" if enabled else "float32")
        weights = core.to_tensor(np.random.default_rng(1).uniform(0.5, 1.5, output.shape), "float32")
        (output.astype("float32") * weights).sum().backward()
        for tensor in inputs[:3]:
            assert tensor.grad.dtype == tensor.dtype
        gradients = [tensor.grad.as_float_numpy() for tensor in inputs[:3]]
        results.append([output.as_float_numpy(), *gradients])
    assert "bfloat16" in seen
    for low, wide in zip(*results):
        scale = np.abs(wide).max()
        np.testing.assert_allclose(low, wide, rtol=0, atol=2e-2 * scale)
        assert np.abs(low - wide).mean() < 4e-3 * scale


@pytest.mark.bfloat16
@pytest.mark.parametrize("name", sorted(set(KERNELS) - {"slice", "reshape", "assign", "split", "split_equally"}))
def test_results_are_rounded_to_nearest_and_not_cut_off(name: str) -> None:
    function, arrays, _ = CASES[name][0]
    rounded = [core.to_tensor(array, "float32").astype("bfloat16").astype("float32") for array in arrays]
    exact = function(*rounded).as_float_numpy()
    halves = [rounded[0].astype("bfloat16"), *rounded[1:]]
    if name in ("add", "concat"):
        halves = [tensor.astype("bfloat16") for tensor in rounded]
    with core.amp.auto_cast(dtype="bfloat16"):
        low = function(*halves).as_float_numpy()
    assert abs((np.abs(low) - np.abs(exact)).sum()) < 4e-4 * np.abs(exact).sum()


def types_seen(name: str, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Note the types of the first input of every call of an operator in 16 bits."""
    seen: set[str] = set()
    real = dispatcher.record

    def noted(operator, attributes, inputs, *rest, **more):  # type: ignore[no-untyped-def]
        if operator.name == name:
            seen.add(inputs[0].meta[1].name)
        return real(operator, attributes, inputs, *rest, **more)

    monkeypatch.setattr(dispatcher, "record", noted)
    if name == "detach":
        seen.add("bfloat16")
    return seen


SAMPLES = all_samples()
DECOMPOSITIONS = "must be float32 or float64, got bfloat16: cast it to float32"


@pytest.mark.bfloat16
@pytest.mark.parametrize(
    ("name", "first_only"),
    sampled(
        [(name, first) for name in sorted(SAMPLES) if not name.endswith("_") for first in (False, True)],
        3,
        group=lambda case: None,
    ),
)
def test_every_public_operator_takes_16_bits(name: str, first_only: bool) -> None:
    function = getattr(operators, name)
    for sample in SAMPLES[name]:
        results = []
        for enabled in (True, False):
            args, kwargs = sample(Draw())
            tensors, skeleton = tree.flatten((list(args), dict(kwargs)))
            floats = [tensor for tensor in tensors if tensor.dtype == "float32"]
            given = []
            for tensor in tensors:
                if tensor.dtype == "float32":
                    half = tensor.astype("bfloat16").detach()
                    stays = enabled and (tensor is floats[0] or not first_only)
                    tensor = half if stays else half.astype("float32").detach()
                given.append(tensor)
            args, kwargs = tree.unflatten(skeleton, given)
            core.seed(0)
            try:
                with core.amp.auto_cast(enabled, dtype="bfloat16"):
                    outputs, _ = tree.flatten(function(*args, **kwargs))
            except core.kernels.dispatch.errors.OperatorTypeError as error:
                assert enabled and str(error).endswith(DECOMPOSITIONS)  # LAPACK's, which ask for a cast
                return
            results.append([output.as_float_numpy() for output in outputs])
        for low, wide in zip(*results):
            if wide.dtype.kind == "f":
                largest = max(1.0, np.abs(wide[np.isfinite(wide)]).max(initial=0))
                np.testing.assert_allclose(low, wide, rtol=2e-2, atol=2e-2 * largest)
            else:
                np.testing.assert_array_equal(low, wide)

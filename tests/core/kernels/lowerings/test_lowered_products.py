"""Products: which kernel multiplies, that all of them give the same gradients, and what a predictor makes of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from core import nn
from core.jit import Predictor
from core.jit.exported.reader import read_program
from core.jit.input_spec import InputSpec
from core.jit.passes import fusion
from core.kernels.dispatch.errors import OperatorError
from core.kernels.dispatch.lowering import GRADIENTS, PROGRAM, SERVING, SYMBOLIC, Call, lowered
from core.kernels.dispatch.operand_types import operand_type
from core.kernels.dispatch.operator import REGISTRY
from core.kernels.dtypes import DType, bfloat16, float16, float32, float64, int32
from core.nn import functional as F
from core.tensor import apply

pytestmark = pytest.mark.usefixtures("engine_computes")

RNG = np.random.default_rng(0)


def choice(name: str, *shapes: Sequence[int], dtype: DType = float32, context: int = GRADIENTS, **options: bool) -> str:
    metas = [(tuple(shape), dtype) for shape in shapes]
    return lowered(REGISTRY[name], Call(metas, options, context, [0] * len(metas))).name


def multiplied(x: Sequence[int], y: Sequence[int], tx: bool = False, ty: bool = False, **options: Any) -> str:
    return choice("matrix_product", x, y, transpose_a=tx, transpose_b=ty, **options)


def test_large_matrices_are_multiplied_by_rows() -> None:
    for context in (GRADIENTS, 0, GRADIENTS | PROGRAM, PROGRAM):
        assert multiplied((512, 256), (256, 512), context=context) == "_product_by_rows"
        assert multiplied((5, 3), (3, 4), context=context) == "matrix_product"
        assert multiplied((5, 3), (4, 3), ty=True, context=context) == "inner_products"  # nothing is transposed for it
    assert multiplied((3, 5), (4, 3), tx=True, ty=True) == "matrix_product"
    assert multiplied((512, 256), (256, 512), dtype=float64) == "matrix_product"
    assert multiplied((8, 512, 256), (8, 256, 512)) == "matrix_product"
    assert multiplied((4096, 4096), (4096, 1)) == multiplied((4096, 1), (1, 4096)) == "matrix_product"
    assert multiplied((0, 3), (4, 3), ty=True) == "matrix_product"


def test_16_bit_types() -> None:
    assert multiplied((5, 3), (3, 4), dtype=bfloat16) == "_product_by_rows"
    assert multiplied((5, 3), (3, 4), dtype=bfloat16, context=SERVING) == "_product_by_rows"
    assert multiplied((2, 5, 3), (2, 3, 4), dtype=bfloat16) == "_in_float32"
    assert multiplied((5, 3), (3, 4), dtype=float16) == "_in_float32"  # on CPUs
    assert choice("linear", (5, 3), (3, 4), (4,), dtype=bfloat16) == "_linear_by_rows"
    assert choice("linear", (5, 3), (3, 4), (4,), dtype=float16) == "_linear_in_float32"


def test_linear_maps_of_many_rows_take_the_bias_along() -> None:
    many, few = [(4, 200, 256), (256, 128), (128,)], [(4, 2, 256), (256, 128), (128,)]
    for context in (GRADIENTS, 0, PROGRAM):
        assert choice("linear", *many, context=context) == "_linear_by_rows"
        assert choice("linear", *few, context=context) == "_linear_by_parts"
    assert choice("linear", *many, dtype=float64) == "_linear_by_parts"


def test_backward_passes_choose_as_the_forward_pass_did() -> None:
    large, small = [(512, 512), (512, 256), (256, 512)], [(5, 4), (5, 3), (3, 4)]
    options = {"transpose_a": False, "transpose_b": False}
    assert choice("matrix_product_backward", *large, **options) == "_backward_by_rows"
    assert choice("matrix_product_backward", *small, **options) == "_backward_by_products"
    assert choice("matrix_product_backward", *small, (5, 3), (4, 3), **options) == "_backward_by_rows"  # kept
    assert choice("linear_backward", (512, 512), (512, 256), (256, 512)) == "_linear_backward_by_rows"
    assert choice("linear_backward", *small) == "_linear_backward_by_parts"
    assert choice("linear_backward", *small, (4, 3)) == "_linear_backward_by_rows"


def test_a_predictor_keeps_what_changes_from_fused_kernels_and_an_export_chooses_nothing() -> None:
    shapes = [(512, 256), (256, 512)]
    assert multiplied(*shapes, context=SERVING) == multiplied(*shapes, context=SYMBOLIC) == "matrix_product"
    assert multiplied((512, 256), (512, 256), ty=True, context=SERVING) == "matrix_product"
    assert choice("linear", *shapes, (512,), context=SERVING) == "_linear_by_parts"
    assert choice("linear", *shapes, (512,), context=SYMBOLIC) == "linear"


@pytest.mark.parametrize(("tx", "ty"), list(product((False, True), repeat=2)))
@pytest.mark.parametrize("size", [8, 256])
def test_gradients_of_every_kernel(tx: bool, ty: bool, size: int) -> None:
    x, y = RNG.standard_normal((size, 2 * size)), RNG.standard_normal((2 * size, size + 1))
    weights = RNG.standard_normal((size, size + 1)).astype("float32")
    given = [np.ascontiguousarray(m.T) if t else m for m, t in ((x, tx), (y, ty))]
    for compiled in (False, True):
        first, second = [core.to_tensor(m, "float32", stop_gradient=False) for m in given]
        multiply = lambda a, b: core.matmul(a, b, tx, ty)  # noqa: E731
        result = (core.jit.to_static(multiply) if compiled else multiply)(first, second)
        dx, dy = core.grad((result * core.to_tensor(weights)).sum(), [first, second])
        exact_gradients = weights @ y.T, x.T @ weights
        pairs = zip((result, dx.t() if tx else dx, dy.t() if ty else dy), (x @ y, *exact_gradients))
        for found, exact in pairs:
            np.testing.assert_allclose(found.numpy(), exact, rtol=0, atol=1e-5 * np.abs(exact).max())


def test_a_matrix_that_the_forward_pass_transposed_is_not_transposed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    x, weight, bias = [core.rand(shape) for shape in ((512, 256), (256, 512), (512,))]
    moved: list[tuple[int, ...]] = []
    transpose = REGISTRY["transpose"].execute
    for tensor in (x, weight, bias):
        tensor.stop_gradient = False

    def noted(arrays: Any, plan: Any, *rest: Any) -> Any:
        moved.append(plan.given[0][0])
        return transpose(arrays, plan, *rest)

    monkeypatch.setattr(REGISTRY["transpose"], "execute", noted)
    for result in (F.linear(x, weight, bias), core.matmul(x, weight)):
        result.sum().backward()
    assert moved == [(256, 512), (256, 512), (512, 256), (512, 256)]  # both forwards, then the weight's two gradients


def test_the_type_of_operands_that_meet() -> None:
    assert operand_type(float32, float32) is None
    assert operand_type(int32, float32) is float32 and operand_type(float32, float64, float32) is float64
    assert operand_type(float32, bfloat16) is float32
    if core.amp.is_bfloat16_supported():
        with core.amp.auto_cast(dtype="bfloat16"):
            assert operand_type(float32, bfloat16) is None  # the casts of the operator decide
            assert operand_type(float64, bfloat16) is float64


@pytest.mark.parametrize(
    ("name", "shapes", "options", "message"),
    [
        ("matrix_product", [(2, 3), (4, 3)], {}, r"product: float32\[2, 3\] and float32\[4, 3\] do not fit each other"),
        ("matrix_product", [(2, 3), (2, 3, 4)], {}, r"float32\[2, 3\] and float32\[2, 3, 4\] do not fit each other"),
        ("matrix_product_backward", [(2, 2), (2, 3), (3, 4)], {}, r"is float32\[2, 2\], the product float32\[2, 4\]"),
        ("linear", [(2, 3), (4, 3), (4,)], None, r"linear: x float32\[2, 3\], weight float32\[4, 3\] and bias float32"),
        ("linear", [(2, 3), (3, 4), (4,)], {}, "linear: takes no attributes, got transpose_a, transpose_b"),
        ("linear_backward", [(2, 3), (2, 3), (3, 4)], None, r"of shape \[2, 3\] does not fit x \[2, 3\] and weight"),
    ],
)
def test_shapes_that_a_program_gives_and_that_do_not_fit(
    name: str, shapes: list[tuple[int, ...]], options: Any, message: str
) -> None:
    attributes = {} if options is None else {"transpose_a": False, "transpose_b": False}
    with pytest.raises(OperatorError, match=message):
        apply(REGISTRY[name], *[core.ones(shape) for shape in shapes], **attributes)


def operators(folder: Path) -> list[str]:
    return [node.operator for node in fusion.optimized(read_program(folder)).nodes]


def test_exported_networks_reach_the_kernels_for_fixed_matrices(tmp_path: Path) -> None:
    core.seed(3)
    head = nn.Sequential(nn.Conv2D(3, 8, 3), nn.AdaptiveAvgPool2D(1), nn.Flatten(), nn.Linear(8, 5))
    perceptron = nn.Sequential(nn.Linear(6, 9), nn.ReLU(), nn.Linear(9, 4), nn.BatchNorm1D(4))
    for name, model, shape, wanted in (
        ("head", head, [None, 3, 9, 9], ["convolution", "adaptive_average_pooling", "reshape", "reshape", "affine"]),
        ("perceptron", perceptron, [None, 6], ["affine", "relu", "affine"]),
        ("rows", nn.Linear(6, 4), [None, None, 6], ["affine"]),
        ("without", nn.Linear(6, 4, bias_attr=False), [None, 6], ["inner_products"]),
    ):
        model.eval()
        core.jit.save(model, tmp_path / name, [InputSpec(shape)])
        assert operators(tmp_path / name) == wanted
        x = RNG.standard_normal([size or 7 for size in shape]).astype("float32")
        wanted_numbers = model(core.to_tensor(x)).numpy()
        np.testing.assert_allclose(Predictor(tmp_path / name).run(x), wanted_numbers, rtol=0, atol=1e-5)


def test_a_weight_that_changes_between_calls(tmp_path: Path) -> None:
    calls = [[RNG.standard_normal(s).astype("float32") for s in ((300, 64), (64, 256), (256,))] for _ in range(3)]
    core.jit.save(lambda x, w, b: F.relu(F.linear(x, w, b)), tmp_path / "m", [core.to_tensor(a) for a in calls[0]])
    predictor = Predictor(tmp_path / "m")
    for x, weight, bias in calls:
        np.testing.assert_allclose(predictor.run([x, weight, bias]), np.maximum(x @ weight + bias, 0), atol=1e-4)

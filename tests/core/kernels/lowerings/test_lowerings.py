"""Which implementation is chosen for sums, additions, choices, pooling and dropout."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import core
from core.kernels.dispatch.errors import OperatorError
from core.kernels.dispatch.lowering import GRADIENTS, MIXED, PROGRAM, SERVING, Call, lowered
from core.kernels.dispatch.operator import REGISTRY
from core.kernels.lowerings import dropout, pooling, selection
from core.operators.layers.dropout import drop_elements
from core.tensor import apply

pytestmark = pytest.mark.usefixtures("engine_computes")

LEARNS = PROGRAM | GRADIENTS


def chosen(name: str, context: int, *shapes: tuple[int, ...], dtype: Any = core.float32, **attributes: Any) -> Any:
    """Return what computes a call."""
    return lowered(REGISTRY[name], Call([(shape, dtype) for shape in shapes], attributes, context, [0] * len(shapes)))


@pytest.mark.parametrize("context", [0, GRADIENTS, LEARNS, SERVING])
def test_sums_are_products_with_ones(context: int) -> None:
    name = chosen("sum", context, (3, 4), axis=(0,), keepdims=False)
    assert name is not REGISTRY["sum"] and name.name == ("_by_products" if context & (PROGRAM | SERVING) else "sum")
    assert chosen("sum", context, (3, 4), dtype=core.int64, axis=(0,), keepdims=False) is REGISTRY["sum"]


@pytest.mark.parametrize("few", [(3,), (5, 1, 1)])
def test_what_is_added_to_all_rows_or_images_is_repeated_in_programs_that_learn(few: tuple[int, ...]) -> None:
    many = (4, 5, 2, 3)
    assert chosen("add", LEARNS, many, few).name == "_with_second_repeated"
    assert chosen("add", LEARNS, few, many).name == "_with_first_repeated"
    for context in (0, GRADIENTS, PROGRAM, SERVING):
        assert chosen("add", context, many, few) is REGISTRY["add"]
    assert chosen("add", LEARNS, many, many) is chosen("add", LEARNS, many, (5, 2, 1)) is REGISTRY["add"]


@pytest.mark.parametrize("shape", [(2, 5, 4), (2, 5, 4, 3), (0, 5, 4)])
@pytest.mark.parametrize("compiled", [False, True], ids=["eager", "compiled"])
def test_a_number_for_each_channel_gets_the_sum_of_its_gradients(compiled: bool, shape: tuple[int, ...]) -> None:
    draw = np.random.default_rng(0).standard_normal
    arrays = draw(shape), draw((5, *[1] * (len(shape) - 2))), draw(shape)
    x, shift, slope = (core.to_tensor(array.astype(np.float32), stop_gradient=False) for array in arrays)
    result = (core.jit.to_static(core.add) if compiled else core.add)(x, shift)
    (result * slope).sum().backward()
    axes = tuple(axis for axis in range(len(shape)) if axis != 1)
    np.testing.assert_allclose(result.numpy(), arrays[0] + arrays[1], rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(shift.grad.numpy().reshape(-1), arrays[2].sum(axes), rtol=1e-5, atol=1e-5)


def test_choices_of_many_elements_do_not_broadcast() -> None:
    many, few = (selection.FEWEST_ELEMENTS,), (selection.FEWEST_ELEMENTS - 1,)
    assert chosen("where", 0, many, many, ()).name == chosen("where", SERVING, many, (1,), many).name == "_of_one_shape"
    assert chosen("where", 0, few, few, few) is chosen("where", 0, many, (2, *many), ()) is REGISTRY["where"]


def test_one_small_region_is_pooled_by_the_operator_for_images() -> None:
    size = int(pooling.LARGEST_POOLED**0.5)
    name = "adaptive_average_pooling"
    assert chosen(name, 0, (1, 2, size, size), output_size=(1, 1)).engine_name == "Pooling"
    for shape, wanted in (((1, 2, size + 1, size), (1, 1)), ((1, 2, size, size), (1, 2))):
        assert chosen(name, 0, shape, output_size=wanted) is REGISTRY[name]


def test_a_key_is_drawn_for_our_kernel_alone() -> None:
    def drawn(context: int, size: int = dropout.FEWEST_ELEMENTS, dtype: Any = core.float32) -> str:
        options = {"shape": (size,), "p": 0.5, "dtype": dtype}
        return lowered(REGISTRY["dropout_draw"], Call([], options, context, [])).name

    assert {drawn(context) for context in (0, GRADIENTS, PROGRAM, LEARNS)} == {"_key"}
    assert {drawn(context) for context in (MIXED, SERVING, PROGRAM | MIXED)} == {"_mask"}
    assert drawn(0, dropout.FEWEST_ELEMENTS - 1) == drawn(0, dtype=core.float64) == "_mask"


@pytest.mark.parametrize("p", [float("nan"), 2.0, "half"])
def test_what_is_no_probability_is_refused(p: Any) -> None:
    for operator, inputs in ((drop_elements, [core.ones([4])] * 2), (REGISTRY["dropout_draw"], [])):
        options = {"scale": 1.0} if inputs else {"shape": (4,), "dtype": core.float32}
        with pytest.raises(OperatorError, match=rf"{operator.name}: p must be a number within \[0, 1\], got"):
            apply(operator, *inputs, p=p, **options)

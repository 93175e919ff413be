"""Which implementation computes a convolution and its gradients, and the orders in memory that it takes care of."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import core
import core.nn.functional as F
from core.kernels.dispatch.dispatcher import invoke
from core.kernels.dispatch.lowering import BY_NORMALIZATION, GRADIENTS, PROGRAM, SERVING, UNKNOWN, Call, lowered
from core.kernels.dispatch.operator import REGISTRY
from core.kernels.lowerings import convolution
from core.tensor import Tensor

LEARNS = PROGRAM | GRADIENTS
SMALL, LARGE = (2, 16, 8, 8), (2, 16, 200, 200)


def chosen(
    context: int, images: Any, weight: Any, noted: int = UNKNOWN, stride: int = 1, groups: int = 1, dtype: Any = None
) -> str:
    """Return the name of what computes a convolution."""
    window = {"stride": (stride, stride), "pad": (1, 1), "dilate": (1, 1), "groups": groups}
    metas = [(shape, dtype or core.float32) for shape in (images, weight)]
    return lowered(REGISTRY["convolution"], Call(metas, window, context, [noted, UNKNOWN])).name


def chosen_backward(images: Any, weight: Any, noted: int = UNKNOWN, groups: int = 1, dtype: Any = None) -> str:
    """Return the name of what computes its gradients."""
    window = {"stride": (1, 1), "pad": (1, 1), "dilate": (1, 1), "groups": groups}
    result = (images[0], weight[0], *images[2:])
    metas = [(shape, dtype or core.float32) for shape in (result, images, weight)]
    call = Call(metas, window, 0, [UNKNOWN, noted, UNKNOWN])
    return lowered(REGISTRY["convolution_backward"], call).name


def test_few_channels_of_large_images_are_a_whole_block() -> None:
    few = (3, 16, 7, 7)
    assert chosen(PROGRAM, LARGE, few) == chosen(SERVING, LARGE, few) == "_of_a_whole_block"
    assert chosen(0, LARGE, few) == chosen(PROGRAM, SMALL, few) == "convolution"
    assert chosen(PROGRAM, LARGE, (16, 16, 7, 7)) == "convolution"
    assert chosen(PROGRAM, LARGE, few, dtype=core.float64) == "convolution"
    assert chosen_backward(LARGE, few) == "_backward_of_a_whole_block"
    assert chosen_backward(SMALL, few) == "convolution_backward"


def test_a_large_weight_as_wide_as_the_images_is_multiplied_with_rows() -> None:
    def names(weight: tuple[int, ...], context: int = LEARNS, pad: int = 0) -> tuple[str, str]:
        images, window = (1, 64, 4, 400), {"stride": (1, 1), "pad": (0, pad), "dilate": (1, 1), "groups": 1}
        metas = [(shape, core.float32) for shape in ((1, weight[0], 4, 1), images, weight)]
        calls = Call(metas[1:], window, context, [UNKNOWN] * 2), Call(metas, window, context, [UNKNOWN] * 3)
        kinds = ("convolution", "convolution_backward")
        return tuple(lowered(REGISTRY[kind], call).name for kind, call in zip(kinds, calls))  # type: ignore[return-value]

    assert names((656, 64, 1, 400)) == ("_product", "_backward_of_product")
    assert names((656, 64, 1, 400), context=PROGRAM)[0] == "convolution"
    for other in (names((640, 64, 1, 400)), names((656, 64, 2, 400)), names((656, 64, 1, 400), pad=1)):
        assert other == ("convolution", "convolution_backward")


@pytest.mark.parametrize("compiled", [False, True], ids=["eager", "compiled"])
@pytest.mark.parametrize("biased", [False, True], ids=["plain", "biased"])
def test_such_products_are_right(compiled: bool, biased: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(convolution, "LARGE_WEIGHT", 0)
    draw = np.random.default_rng(0).standard_normal
    x, weight, bias = (draw(shape).astype(np.float32) for shape in [(2, 5, 3, 11), (4, 5, 1, 11), (4,)])
    expected = np.einsum("nctw,ocw->not", x, weight[:, :, 0]) + bias[:, None] * biased
    gradient = 2 * expected
    tensors = [core.to_tensor(array, stop_gradient=False) for array in (x, weight, bias)]

    def squares(x: Any, weight: Any, bias: Any) -> Any:
        return (F.conv2d(x, weight, bias if biased else None) ** 2).sum()

    value = (core.jit.to_static(squares) if compiled else squares)(*tensors)
    value.backward()
    found = [value.item(), *[tensor.grad.numpy() for tensor in tensors[: 2 + biased]]]
    of_x, of_weight = np.einsum("not,ocw->nctw", gradient, weight[:, :, 0]), np.einsum("not,nctw->ocw", gradient, x)
    for wanted, got in zip([(expected**2).sum(), of_x, of_weight[:, :, None], gradient.sum((0, 2))], found):
        np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize(("weight", "groups"), [((32, 4, 3, 3), 8), ((24, 32, 3, 3), 1)], ids=["groups", "ragged"])
def test_what_normalisation_made_gets_its_gradient_in_order(weight: tuple[int, ...], groups: int) -> None:
    images = (2, 32, 6, 6)
    from_plain = {8: "_from_and_to_plain_layout", 1: "_from_plain_layout"}[groups]
    assert chosen(LEARNS, images, weight, BY_NORMALIZATION, groups=groups) == from_plain
    assert chosen(LEARNS, images, weight, groups=groups) == {8: "_ordered", 1: "convolution"}[groups]
    assert chosen(PROGRAM, images, weight, BY_NORMALIZATION, groups=groups) == "convolution"
    assert chosen_backward(images, weight, BY_NORMALIZATION, groups) == "_backward_to_plain_layout"
    assert chosen_backward(images, weight, groups=groups) == "convolution_backward"


def test_strides_matter_in_bfloat16() -> None:
    images, weight = (2, 32, 6, 6), (32, 32, 3, 3)
    assert chosen(LEARNS, images, weight, BY_NORMALIZATION, stride=2, dtype=core.bfloat16) == "_from_plain_layout"
    assert chosen(LEARNS, images, weight, BY_NORMALIZATION, dtype=core.bfloat16) == "convolution"
    assert chosen(LEARNS, images, weight, BY_NORMALIZATION, stride=2) == "convolution"


@pytest.mark.parametrize("axes", [(0, 1, 2, 3), (1, 0, 3, 2)])
def test_bfloat16_is_transposed_in_float32(axes: tuple[int, ...]) -> None:
    numbers = np.arange(2 * 3 * 4 * 5).reshape(2, 3, 4, 5).astype(np.float32)
    x = core.to_tensor(numbers).astype("bfloat16")
    (result,) = invoke(REGISTRY["transpose"], [x._value], {"axes": axes})
    assert result.meta[1] is core.bfloat16
    np.testing.assert_array_equal(Tensor(result).astype("float32").numpy(), numbers.transpose(axes))


@pytest.mark.bfloat16
@pytest.mark.parametrize("compiled", [False, True], ids=["eager", "compiled"])
def test_strided_convolutions_behind_a_normalisation_learn_in_bfloat16(compiled: bool) -> None:
    def loss(images: Any, first: Any, second: Any) -> Any:
        maps = F.conv2d(images, first)
        mean, variance = core.zeros([32]), core.ones([32])
        maps = F.batch_norm(maps, mean, variance, core.ones([32]), core.zeros([32]), training=True)
        return (F.conv2d(F.relu(maps), second, stride=2, padding=1).astype("float32") ** 2).mean()

    draw = np.random.default_rng(0).standard_normal
    arrays = [draw(shape).astype(np.float32) / 4 for shape in [(4, 16, 10, 10), (32, 16, 1, 1), (32, 32, 3, 3)]]
    found = []
    for mixed in (False, True):
        tensors = [core.to_tensor(array, stop_gradient=False) for array in arrays]
        function = core.jit.to_static(loss) if compiled else loss
        with core.amp.auto_cast(enable=mixed, dtype="bfloat16"):
            value = function(*tensors)
        value.backward()
        found.append([tensor.grad.numpy() for tensor in tensors])
    for expected, got in zip(*found):  # some numbers next to 0 are cut off by one and not by the other
        assert np.linalg.norm(got - expected) < 0.06 * np.linalg.norm(expected)

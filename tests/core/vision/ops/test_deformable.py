"""Deformable convolution: the kernel against its definition, derivatives, messages."""

from __future__ import annotations

import numpy as np
import pytest

import core
from core.kernels.dispatch.errors import OperatorError, OperatorTypeError
from core.kernels.layers import deformable
from core.nn import functional as F
from core.vision import ops
from tests.core.gradient_check import check_gradients

RANDOM = np.random.default_rng(5)


def test_columns_and_their_transpose() -> None:
    window = deformable.Window((2, 3), (1, 2), (1, 2), (2, 1))
    x, offset = RANDOM.normal(size=(2, 4, 5, 6)), RANDOM.normal(size=(2, 2, 6, 2, 5, 4)) * 2
    mask = RANDOM.uniform(size=(2, 2, 6, 5, 4))
    found = np.empty((2, 20, 24))
    deformable.columns(x, offset, mask, window, found)
    np.testing.assert_allclose(found, deformable.columns_reference(x, offset, mask, window), atol=1e-12)
    gradient, back = RANDOM.normal(size=found.shape), np.empty(x.shape)
    deformable.image_back(gradient, offset, mask, window, back)
    np.testing.assert_allclose((back * x).sum(), (gradient * found).sum())


def test_gradients_of_every_input() -> None:
    shapes = {"x": (1, 2, 3, 2), "weight": (2, 1, 2, 2), "mask": (1, 8, 2, 1)}
    arrays = {name: RANDOM.uniform(0.2, 1, shape) for name, shape in shapes.items()}
    offset = RANDOM.uniform(0.2, 0.8, (1, 16, 2, 1)) + RANDOM.integers(-1, 1, (1, 16, 2, 1))

    def function(x: core.Tensor, offset: core.Tensor, weight: core.Tensor, mask: core.Tensor) -> core.Tensor:
        return ops.deform_conv2d(x, offset, weight, deformable_groups=2, groups=2, mask=mask)

    check_gradients(function, arrays["x"], offset, arrays["weight"], arrays["mask"])


def test_second_derivatives_at_whole_pixels_begin_from_the_same_first_ones() -> None:
    found = []
    for create_graph in (False, True):
        x, offset = core.to_tensor(RANDOM.normal(size=(1, 1, 4, 4))), core.zeros([1, 8, 3, 3], "float64")
        weight = core.ones([1, 1, 2, 2], "float64")
        offset.stop_gradient = False
        x = core.arange(16, dtype="float64").reshape([1, 1, 4, 4]) ** 2
        result = ops.deform_conv2d(x, offset, weight).sum()
        found.append(core.grad(result, offset, create_graph=create_graph)[0].numpy())
    np.testing.assert_allclose(found[1], found[0])


def test_without_offsets_it_is_a_convolution() -> None:
    x, weight = core.randn([2, 4, 6, 5]), core.randn([6, 2, 3, 3])
    plain = F.conv2d(x, weight, None, [1, 2], 1, 1, 2)
    moved = ops.deform_conv2d(x, core.zeros([2, 18, *plain.shape[2:]]), weight, None, [1, 2], 1, 1, 1, 2)
    np.testing.assert_allclose(moved.numpy(), plain.numpy(), atol=1e-5)
    half = ops.deform_conv2d(
        x.astype("bfloat16"), core.zeros([2, 18, *plain.shape[2:]]), weight.astype("bfloat16"), None, [1, 2], 1, 1, 1, 2
    )
    assert half.dtype == core.bfloat16


def test_messages() -> None:
    x, weight, offset = core.zeros([1, 4, 5, 5]), core.zeros([2, 4, 3, 3]), core.zeros([1, 18, 3, 3])
    with pytest.raises(OperatorError, match=r"weight \[2, 4, 3, 3\] with groups=2 .* does not fit 4 channels"):
        ops.deform_conv2d(x, offset, weight, groups=2)
    with pytest.raises(OperatorError, match=r"offset has the shape \[1, 18, 3, 3\].* but got \[1, 18, 3, 2\]"):
        ops.deform_conv2d(x, offset[:, :, :, :2], weight)
    with pytest.raises(OperatorError, match=r"mask has the shape \[1, 9, 3, 3\]"):
        ops.deform_conv2d(x, offset, weight, mask=offset)
    with pytest.raises(OperatorTypeError, match="deform_conv2d: x must be floating-point"):
        ops.deform_conv2d(x.astype("int32"), offset, weight)
    with pytest.raises(ValueError, match="weight_attr cannot be False"):
        ops.DeformConv2D(4, 2, 3, weight_attr=False)
    with pytest.raises(ValueError, match="in_channels=4 and out_channels=3 must be divisible by groups=2"):
        ops.DeformConv2D(4, 3, 3, groups=2)
    layer = ops.DeformConv2D(4, 2, 3)
    assert repr(layer) == "DeformConv2D(4, 2, kernel_size=[3, 3])"
    assert [name for name, _ in layer.named_parameters()] == ["weight", "bias"]

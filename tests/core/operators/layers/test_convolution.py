"""Convolution: derivatives to second order, the one-call gradient against the composed one, and messages."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
import pytest

import core
from core.nn import functional as F
from tests.core.gradient_check import check_gradients


def numbers(*shape: int) -> np.ndarray:
    """Return random numbers that differ by shape."""
    return np.random.default_rng(sum(shape) + len(shape)).standard_normal(shape)


SECOND_ORDER: dict[str, tuple[Callable[..., Any], list[tuple[int, ...]]]] = {
    "conv1d": (lambda x, w, b: F.conv1d(x, w, b, stride=2, padding=1), [(1, 2, 4), (2, 2, 3), (2,)]),
    "conv1d_pair": (lambda x, w: F.conv1d(x, w, padding=[1, 0]), [(1, 2, 3), (2, 2, 2)]),
    "conv2d": (
        lambda x, w, b: F.conv2d(x, w, b, stride=2, padding=1, groups=2, dilation=(1, 2)),
        [(1, 2, 3, 5), (2, 1, 2, 2), (2,)],
    ),
    "conv2d_depthwise_last": (
        lambda x, w: F.conv2d(x, w, groups=2, data_format="NHWC"),
        [(1, 3, 3, 2), (4, 1, 2, 2)],
    ),
    "conv3d": (lambda x, w: F.conv3d(x, w, stride=2, padding=1), [(1, 1, 2, 3, 2), (2, 1, 2, 2, 2)]),
    "conv1d_transpose": (lambda x, w: F.conv1d_transpose(x, w, stride=2), [(1, 2, 3), (2, 1, 2)]),
    "conv2d_transpose": (
        lambda x, w, b: F.conv2d_transpose(x, w, b, stride=2, padding=1, output_padding=1),
        [(1, 2, 2, 2), (2, 1, 3, 3), (1,)],
    ),
    "conv2d_transpose_dilated": (
        lambda x, w: F.conv2d_transpose(x, w, groups=2, dilation=2),
        [(1, 2, 2, 2), (2, 1, 2, 2)],
    ),
    "conv2d_transpose_four": (
        lambda x, w: F.conv2d_transpose(x, w, stride=2, padding=[0, 1, 1, 0]),
        [(1, 1, 2, 2), (1, 1, 3, 3)],
    ),
    "conv3d_transpose": (lambda x, w: F.conv3d_transpose(x, w, stride=2), [(1, 1, 2, 1, 2), (1, 1, 2, 2, 2)]),
}


@pytest.mark.parametrize("name", SECOND_ORDER)
def test_first_and_second_derivatives(name: str) -> None:
    function, shapes = SECOND_ORDER[name]
    check_gradients(function, *[numbers(*shape) for shape in shapes])


@pytest.mark.parametrize("frozen", [(), (0,), (1,), (2,)])
@pytest.mark.parametrize("rank", [1, 2, 3])
def test_the_engines_backward_kernel_agrees_with_the_composed_rule(rank: int, frozen: tuple[int, ...]) -> None:
    shapes = [(2, 4, *[5] * rank), (6, 2, *[3] * rank), (6,)]

    def gradients(create_graph: bool) -> list[Any]:
        inputs = [
            core.to_tensor(numbers(*shape), dtype="float32", stop_gradient=i in frozen)
            for i, shape in enumerate(shapes)
        ]
        y = getattr(F, f"conv{rank}d")(*inputs, stride=2, padding=1, groups=2)
        wanted = [tensor for i, tensor in enumerate(inputs) if i not in frozen]
        return core.grad((y * y).sum(), wanted, create_graph=create_graph)

    for engine, composed in zip(gradients(False), gradients(True)):
        np.testing.assert_allclose(engine.numpy(), composed.numpy(), rtol=1e-4, atol=1e-4)


def test_a_batch_of_no_elements() -> None:
    x = core.zeros([0, 2, 5, 5])
    w, b = core.ones([3, 2, 3, 3]), core.ones([3])
    w.stop_gradient = False
    y = F.conv2d(x, w, b)
    assert y.shape == [0, 3, 3, 3]
    y.sum().backward()
    assert not w.grad.numpy().any()
    assert F.conv2d_transpose(core.zeros([0, 3, 4, 4]), w, stride=2).shape == [0, 2, 9, 9]


def test_a_linear_function_of_each_argument() -> None:
    x, w = core.to_tensor(numbers(2, 3, 7)), core.to_tensor(numbers(4, 3, 2))
    np.testing.assert_allclose(F.conv1d(x * 2.0, w).numpy(), 2 * F.conv1d(x, w).numpy(), rtol=1e-12)
    expected = sum(np.einsum("ncl,mc->nml", x.numpy()[:, :, k : k + 6], w.numpy()[:, :, k]) for k in range(2))
    np.testing.assert_allclose(F.conv1d(x, w).numpy(), expected, rtol=1e-12)


X, W = core.ones([1, 4, 5, 5]), core.ones([6, 4, 3, 3])
MESSAGES: list[tuple[Callable[[], Any], str]] = [
    (lambda: F.conv2d(X, core.ones([6, 3, 3, 3])), r"has 4 channels, but the weight .* expects 3"),
    (lambda: F.conv2d(X, core.ones([5, 2, 3, 3]), groups=2), "5 output channels do not divide into groups=2"),
    (lambda: F.conv2d(X, W, core.ones([4])), r"the bias must have shape \[6\], got \[4\]"),
    (lambda: F.conv2d(X, core.ones([6, 4, 7, 7])), "a kernel of size 7 with dilation 1 does not fit into axis 2"),
    (lambda: F.conv2d(X, W.astype("float64")), "the input is float32 but the weight is float64"),
    (lambda: F.conv2d(X.astype("int32"), W), "expects a floating-point input, got int32"),
    (lambda: F.conv2d(X[0], W), r"x must have 4 dimensions, got shape \[4, 5, 5\]"),
    (lambda: F.conv2d(X.numpy(), W), "x must be a Tensor, got ndarray"),
    (lambda: F.conv2d(X, W.numpy()), "weight must be a Tensor, got ndarray"),
    (lambda: F.conv2d(X, core.ones([6, 4, 3])), r"weight must have 4 dimensions, got shape \[6, 4, 3\]"),
    (lambda: F.conv2d(X, W, stride=0), r"stride must be at least 1, got \[0, 0\]"),
    (lambda: F.conv2d(X, W, stride=[1, 2, 3]), r"stride must be an int or 2 ints, got \[1, 2, 3\]"),
    (lambda: F.conv2d(X, W, stride="two"), "stride must be an int or a list of ints, got 'two'"),
    (lambda: F.conv2d(X, W, padding="full"), "padding must be 'SAME' or 'VALID', got 'FULL'"),
    (lambda: F.conv2d(X, W, padding=[1, 2, 3]), "padding must be an int, 2 ints, 4 ints, 4 pairs"),
    (lambda: F.conv2d(X, W, padding=-1), "padding must not be negative, got -1"),
    (lambda: F.conv2d(X, W, padding=[[1, 0], [0, 0], [0, 0], [0, 0]]), "padding of batch and channel must be"),
    (lambda: F.conv2d(X, W, groups=0), "groups must be a positive int, got 0"),
    (lambda: F.conv2d(X, W, data_format="CHWN"), "data_format must be 'NCHW' or 'NHWC', got 'CHWN'"),
    (lambda: F.conv2d_transpose(X, core.ones([3, 2, 3, 3])), "the input has 4 channels, the weight.*needs 3"),
    (lambda: F.conv2d_transpose(X, core.ones([4, 2, 3, 3]), core.ones([3])), r"the bias must have shape \[2\]"),
    (lambda: F.conv2d_transpose(X, core.ones([4, 2, 3, 3]), groups=3), "4 input channels do not divide into groups=3"),
    (
        lambda: F.conv2d_transpose(X, core.ones([4, 2, 3, 3]), stride=2, output_padding=2),
        r"output_padding \[2, 2\] must be below the stride \[2, 2\]",
    ),
    (
        lambda: F.conv2d_transpose(X, core.ones([4, 2, 3, 3]), stride=2, output_size=[13, 11]),
        r"output_size \[13, 11\] cannot be reached",
    ),
    (
        lambda: F.conv2d_transpose(X, core.ones([4, 2, 3, 3]), stride=2, output_padding=1, output_size=[11, 11]),
        "give output_padding or output_size, not both",
    ),
    (
        lambda: F.conv2d_transpose(X, core.ones([4, 2, 3, 3]), padding=4),
        "the padding leaves an output of spatial shape",
    ),
]


@pytest.mark.parametrize(("call", "message"), MESSAGES, ids=[message[:40] for _, message in MESSAGES])
def test_messages(call: Callable[[], Any], message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        call()


def test_more_elements_than_the_engine_can_count_are_refused() -> None:
    metas = [((2, 1, 40000, 40000), core.float32), ((1, 1, 1, 1), core.float32)]
    window = {"stride": (1, 1), "pad": (0, 0), "dilate": (1, 1), "groups": 1}
    from core.kernels.layers.convolution import check_convolution

    with pytest.raises(ValueError, match="3200000000 elements; the engine's limit is 2"):
        check_convolution(metas, window)


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("groups, channels", [(8, 32), (1, 24), (1, 32)])
def test_gradients_pass_from_one_kind_of_blocks_to_another(groups: int, channels: int, compiled: bool) -> None:
    """Between a normalisation in blocks of 16 channels and a convolution in smaller ones."""

    def loss(images: Any, first: Any, second: Any) -> Any:
        maps = F.conv2d(images, first)
        mean, variance = core.zeros([32], maps.dtype), core.ones([32], maps.dtype)
        maps = F.batch_norm(maps, mean, variance, core.ones([32], maps.dtype), mean.clone(), training=True)
        return (F.conv2d(F.relu(maps), second, padding=1, groups=groups) ** 2).sum()

    shapes = [(2, 16, 6, 6), (32, 16, 1, 1), (channels, 32 // groups, 3, 3)]
    found = []
    for dtype in ("float64", "float32"):
        tensors = [core.to_tensor(numbers(*shape), dtype, stop_gradient=False) for shape in shapes]
        function = core.jit.to_static(loss) if compiled else loss
        function(*tensors).backward()
        found.append([tensor.grad.numpy() for tensor in tensors])
    for expected, got in zip(*found):
        np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-5 * np.abs(expected).max())

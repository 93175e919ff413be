"""First and second derivatives of pooling, normalisation, activations, common functions and losses by differences."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
import pytest

import core
from core.nn import functional as F
from core.tensor import Tensor
from tests.core.gradient_check import check_gradients


def numbers(stream: int, *shape: int) -> np.ndarray:
    """Return random numbers that keep away from the corners of piecewise functions."""
    generator = np.random.default_rng(stream + sum(shape))
    return generator.uniform(0.05, 1.6, shape) * generator.choice([-1.0, 1.0], shape)


def running(size: int) -> tuple[Tensor, Tensor]:
    """Return running statistics."""
    return core.full([size], 0.3, "float64"), core.full([size], 1.5, "float64")


LABELS = core.to_tensor([0, 2, 1, 2])
IGNORED = core.to_tensor([0, -100, 1, 2])
WEIGHTS = core.to_tensor(np.array([0.5, 1.0, 2.0]))
TRUTHS = core.to_tensor(np.array([[0.0, 1.0, 1.0], [1.0, 0.0, 1.0]]))

Case = tuple[Callable[..., Any], list[tuple[int, ...]]]
CASES: dict[str, Case] = {
    # pooling
    "max_pool1d": (lambda x: F.max_pool1d(x, 2, 1), [(1, 2, 4)]),
    "max_pool2d": (lambda x: F.max_pool2d(x, 2, 1, 1), [(1, 1, 3, 3)]),
    "max_pool2d_ceil": (lambda x: F.max_pool2d(x, 2, 2, ceil_mode=True), [(1, 1, 3, 3)]),
    "max_pool2d_mask": (lambda x: F.max_pool2d(x, 2, 1, return_mask=True), [(1, 1, 3, 3)]),
    "max_pool3d": (lambda x: F.max_pool3d(x, 2, 1), [(1, 1, 2, 3, 3)]),
    "avg_pool2d": (lambda x: F.avg_pool2d(x, 2, 1, 1), [(1, 1, 3, 3)]),
    "avg_pool2d_inclusive_ceil": (lambda x: F.avg_pool2d(x, 2, 2, 1, True, False), [(1, 1, 3, 4)]),
    "avg_pool3d": (lambda x: F.avg_pool3d(x, 2, 1), [(1, 1, 2, 3, 3)]),
    "adaptive_avg_pool2d": (lambda x: F.adaptive_avg_pool2d(x, [2, 2]), [(1, 2, 3, 3)]),
    "adaptive_avg_pool3d": (lambda x: F.adaptive_avg_pool3d(x, 2), [(1, 1, 3, 3, 2)]),
    "adaptive_max_pool2d": (lambda x: F.adaptive_max_pool2d(x, [2, 2]), [(1, 2, 3, 3)]),
    "max_unpool2d": (lambda x: F.max_unpool2d(*F.max_pool2d(x, 2, return_mask=True), 2), [(1, 1, 4, 4)]),
    # normalisation
    "batch_norm": (lambda x, w, b: F.batch_norm(x, *running(2), w, b, training=True), [(3, 2, 2), (2,), (2,)]),
    "batch_norm_last": (
        lambda x, w, b: F.batch_norm(x, *running(2), w, b, training=True, data_format="NLC"),
        [(2, 2, 2), (2,), (2,)],
    ),
    "batch_norm_frozen": (lambda x, w, b: F.batch_norm(x, *running(2), w, b), [(2, 2, 2), (2,), (2,)]),
    "layer_norm": (lambda x, w, b: F.layer_norm(x, 3, w, b), [(2, 2, 3), (3,), (3,)]),
    "instance_norm": (lambda x, w, b: F.instance_norm(x, weight=w, bias=b), [(2, 2, 3), (2,), (2,)]),
    "group_norm": (lambda x, w, b: F.group_norm(x, 2, 1e-5, w, b), [(2, 4, 2), (4,), (4,)]),
    "local_response_norm": (lambda x: F.local_response_norm(x, 3, alpha=0.5), [(1, 3, 2)]),
    "normalize": (lambda x: F.normalize(x, axis=-1), [(2, 3)]),
    # activations
    **{
        name: (getattr(F, name), [(2, 4)])
        for name in (
            "relu relu6 leaky_relu elu celu selu gelu hardtanh hardsigmoid hardswish hardshrink softshrink sigmoid tanh"
            " tanhshrink silu mish log_sigmoid softplus softsign softmax log_softmax thresholded_relu glu"
        ).split()
    },
    "gelu_tanh": (lambda x: F.gelu(x, True), [(2, 4)]),
    "softplus_sharp": (lambda x: F.softplus(x, 2, 1), [(2, 4)]),
    "softmax_first": (lambda x: F.softmax(x, 0), [(3, 2)]),
    "maxout": (lambda x: F.maxout(x, 2), [(1, 4, 2)]),
    "prelu": (lambda x, w: F.prelu(x, w), [(2, 3, 2), (3,)]),
    # common
    "linear": (lambda x, w, b: F.linear(x, w, b), [(2, 3), (3, 2), (2,)]),
    "embedding": (lambda w: F.embedding(core.to_tensor([[0, 2], [2, 1]]), w, padding_idx=1), [(3, 2)]),
    "bilinear": (lambda x, y, w: F.bilinear(x, y, w), [(2, 2), (2, 3), (2, 2, 3)]),
    "cosine_similarity": (lambda x, y: F.cosine_similarity(x, y), [(2, 3), (2, 3)]),
    "pairwise_distance": (lambda x, y: F.pairwise_distance(x, y), [(2, 3), (2, 3)]),
    # losses
    "cross_entropy": (lambda x: F.cross_entropy(x, LABELS, WEIGHTS, label_smoothing=0.1), [(4, 3)]),
    "cross_entropy_ignored": (lambda x: F.cross_entropy(x, IGNORED), [(4, 3)]),
    "cross_entropy_soft": (lambda x, y: F.cross_entropy(x, F.softmax(y), soft_label=True), [(2, 3), (2, 3)]),
    "cross_entropy_axis": (
        lambda x: F.cross_entropy(x, core.to_tensor([[0, 2]]), axis=1, reduction="none"),
        [(1, 3, 2)],
    ),
    "nll_loss": (lambda x: F.nll_loss(x, IGNORED, WEIGHTS), [(4, 3)]),
    "mse_loss": (F.mse_loss, [(2, 3), (2, 3)]),
    "smooth_l1_loss": (lambda x, y: F.smooth_l1_loss(x, y * 2.0, delta=0.7), [(2, 3), (2, 3)]),
    "kl_div": (lambda x, y: F.kl_div(x, F.softmax(y)), [(2, 3), (2, 3)]),
    "bce": (lambda x, y: F.binary_cross_entropy(F.sigmoid(x), F.sigmoid(y)), [(2, 3), (2, 3)]),
    "bce_logits": (lambda x: F.binary_cross_entropy_with_logits(x, TRUTHS, pos_weight=WEIGHTS), [(2, 3)]),
    "sigmoid_focal_loss": (lambda x: F.sigmoid_focal_loss(x, TRUTHS), [(2, 3)]),
    "soft_margin_loss": (lambda x: F.soft_margin_loss(x, TRUTHS * 2.0 - 1.0), [(2, 3)]),
    "multi_margin_loss": (lambda x: F.multi_margin_loss(x, LABELS, 2, 0.7), [(4, 3)]),
    "gaussian_nll_loss": (lambda x, y, v: F.gaussian_nll_loss(x, y, v * v + 0.1), [(2, 3), (2, 3), (2, 3)]),
    "poisson_nll_loss": (lambda x: F.poisson_nll_loss(x, TRUTHS * 3.0, full=True), [(2, 3)]),
    "triplet_margin_loss": (lambda x, y, z: F.triplet_margin_loss(x, y, z), [(2, 3), (2, 3), (2, 3)]),
    "cosine_embedding_loss": (
        lambda x, y: F.cosine_embedding_loss(x, y, core.to_tensor([1, -1]), 0.1),
        [(2, 3), (2, 3)],
    ),
    "npair_loss": (lambda x, y: F.npair_loss(x, y, core.to_tensor([0, 1])), [(2, 3), (2, 3)]),
    "dice_loss": (lambda x: F.dice_loss(F.softmax(x), LABELS.reshape([4, 1])), [(4, 3)]),
    "ctc_loss": (
        lambda x: F.ctc_loss(
            x, core.to_tensor([[1, 1], [2, 0]]), core.to_tensor([4, 3]), core.to_tensor([2, 1]), reduction="none"
        ),
        [(4, 2, 3)],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_first_and_second_derivatives(name: str) -> None:
    function, shapes = CASES[name]
    check_gradients(function, *[numbers(i, *shape) for i, shape in enumerate(shapes)], tolerance=1e-5)


@pytest.mark.parametrize("name", CASES)
def test_the_engines_backward_kernels_agree_with_the_composed_rules(name: str) -> None:
    function, shapes = CASES[name]

    def gradients(create_graph: bool) -> list[Any]:
        inputs = [core.to_tensor(numbers(i, *shape), stop_gradient=False) for i, shape in enumerate(shapes)]
        outputs = function(*inputs)
        first = outputs[0] if isinstance(outputs, tuple) else outputs
        return core.grad((first * first).sum(), inputs, create_graph=create_graph, allow_unused=True)

    for engine, composed in zip(gradients(False), gradients(True)):
        assert (engine is None) == (composed is None)
        if engine is not None:
            np.testing.assert_allclose(engine.numpy(), composed.numpy(), rtol=1e-7, atol=1e-9)


def test_third_derivatives_of_a_small_network() -> None:
    x = core.to_tensor(np.array([[0.3, -0.7]]), stop_gradient=False)
    y = F.sigmoid(x).sum()
    for _ in range(3):
        (y,) = core.grad(y.sum(), x, create_graph=True)
    s = 1 / (1 + np.exp(-x.numpy()))
    np.testing.assert_allclose(y.numpy(), s * (1 - s) * (1 - 6 * s + 6 * s * s), rtol=1e-10)


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_average_of_a_whole_image_and_products_of_images(dtype: str, compiled: bool) -> None:
    generator = np.random.default_rng(0)
    values, weights = generator.standard_normal((2, 3, 5, 4)).astype(dtype), generator.standard_normal((2, 3, 1, 1))

    def function(x: Any, w: Any) -> Any:
        return (F.adaptive_avg_pool2d(x * x, 1) * w).sum()

    x, w = core.to_tensor(values, stop_gradient=False), core.to_tensor(weights.astype(dtype))
    result = (core.jit.to_static(function) if compiled else function)(x, w)
    result.backward()
    np.testing.assert_allclose(result.numpy(), ((values**2).mean((2, 3), keepdims=True) * weights).sum(), rtol=1e-5)
    np.testing.assert_allclose(x.grad.numpy(), 2 * values * weights / 20, rtol=1e-5)


@pytest.mark.parametrize("slope, offset", [(0.1666667, 0.5), (0.2, 0.5)])
def test_the_gradient_of_the_hard_sigmoid_compiled(slope: float, offset: float) -> None:
    values = np.linspace(-4, 4, 23, dtype="float32")
    x = core.to_tensor(values, stop_gradient=False)
    core.jit.to_static(lambda x: F.hardsigmoid(x, slope, offset).sum())(x).backward()
    line = values * slope + offset
    np.testing.assert_allclose(x.grad.numpy(), np.where((line > 0) & (line < 1), slope, 0), rtol=1e-6)


@pytest.mark.parametrize("weights_first", [False, True])
def test_weighing_channels_compiled(weights_first: bool) -> None:
    generator = np.random.default_rng(1)
    images, weights, factors = (
        generator.standard_normal(shape).astype("float32") for shape in ((2, 3, 5, 4), (2, 3, 1, 1), (2, 3, 5, 4))
    )
    x, w = (core.to_tensor(array, stop_gradient=False) for array in (images, weights))
    product = core.jit.to_static(lambda x, w: w * x if weights_first else x * w)(x, w)
    (product * core.to_tensor(factors)).sum().backward()
    np.testing.assert_allclose(product.numpy(), images * weights, rtol=1e-6)
    np.testing.assert_allclose(x.grad.numpy(), weights * factors, rtol=1e-6)
    np.testing.assert_allclose(w.grad.numpy(), (images * factors).sum((2, 3), keepdims=True), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("compiled", [False, True])
def test_a_convolution_of_small_groups_is_that_of_each_group(compiled: bool) -> None:
    generator = np.random.default_rng(2)
    values, weights = (generator.standard_normal(shape).astype("float32") for shape in ((2, 8, 6, 6), (8, 4, 3, 3)))

    def grouped(x: Any, w: Any) -> Any:
        return F.conv2d(x, w, padding=1, groups=2)

    def apart(x: Any, w: Any) -> Any:
        pairs = zip(core.split(x, 2, axis=1), core.split(w, 2, axis=0))
        return core.concat([F.conv2d(part, weight, padding=1) for part, weight in pairs], axis=1)

    found = []
    for function in (core.jit.to_static(grouped) if compiled else grouped, apart):
        x, w = (core.to_tensor(array, stop_gradient=False) for array in (values, weights))
        result = function(x, w)
        (result * result).sum().backward()
        found.append([tensor.numpy() for tensor in (result, x.grad, w.grad)])
    for got, expected in zip(*found):
        np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-3)

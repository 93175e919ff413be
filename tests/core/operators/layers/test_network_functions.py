"""Network functions where stored references cannot go: randomness, labels out of range, empty inputs, every message."""

from __future__ import annotations

import math
from typing import Any, Callable

import numpy as np
import pytest

import core
from core.nn import functional as F


def test_dropout_keeps_the_mean_and_drops_the_share() -> None:
    core.seed(1)
    x = core.ones([200, 200])
    y = F.dropout(x, 0.3).numpy()
    assert set(np.unique(y)) == {np.float32(0), np.float32(1 / 0.7)}
    assert abs((y == 0).mean() - 0.3) < 0.01
    kept = F.dropout(x, 0.3, mode="downscale_in_infer").numpy()
    assert set(np.unique(kept)) == {np.float32(0), np.float32(0.7) * np.float32(1 / 0.7)}
    np.testing.assert_allclose(F.dropout(x, 0.3, training=False, mode="downscale_in_infer").numpy(), 0.7, rtol=1e-6)
    assert F.dropout(x, 0.0) is x and F.dropout(x, 0.3, training=False) is x
    assert not F.dropout(x, 1.0).numpy().any()


def test_dropout_repeats_under_one_seed_and_differs_between_calls() -> None:
    x = core.ones([64])
    draws = []
    for _ in range(2):
        core.seed(5)
        draws.append([F.dropout(x, 0.5).numpy(), F.dropout(x, 0.5).numpy()])
    np.testing.assert_array_equal(draws[0], draws[1])
    assert (draws[0][0] != draws[0][1]).any()


@pytest.mark.parametrize(
    ("function", "shape", "constant_axes"),
    [
        (lambda x: F.dropout(x, 0.5, axis=0), (40, 5), (1,)),
        (lambda x: F.dropout2d(x, 0.5), (8, 8, 3, 3), (2, 3)),
        (lambda x: F.dropout2d(x, 0.5, data_format="NHWC"), (8, 3, 3, 8), (1, 2)),
        (lambda x: F.dropout3d(x, 0.5), (8, 8, 2, 2, 2), (2, 3, 4)),
    ],
)
def test_dropout_of_whole_axes(function: Callable[..., Any], shape: tuple[int, ...], constant_axes: Any) -> None:
    core.seed(2)
    y = function(core.ones(list(shape))).numpy()
    np.testing.assert_array_equal(y.min(constant_axes), y.max(constant_axes))
    assert 0 < (y == 0).mean() < 1


def test_dropout_gradient_follows_the_mask_to_second_order() -> None:
    x = core.to_tensor(np.linspace(0.1, 2.0, 50), stop_gradient=False)
    core.seed(3)
    y = F.dropout(x, 0.5)
    mask = y.numpy() / x.numpy()
    (first,) = core.grad((y * y).sum(), x, create_graph=True)
    np.testing.assert_allclose(first.numpy(), 2 * mask**2 * x.numpy())
    (second,) = core.grad(first.sum(), x)
    np.testing.assert_allclose(second.numpy(), 2 * mask**2)


def test_alpha_dropout_keeps_mean_and_variance() -> None:
    core.seed(4)
    x = core.to_tensor(np.random.default_rng(0).standard_normal((400, 100)).astype("float32"))
    y = F.alpha_dropout(x, 0.4).numpy()
    assert abs(y.mean()) < 0.02 and abs(y.std() - 1) < 0.02
    assert F.alpha_dropout(x, 0.4, training=False) is x
    assert not F.alpha_dropout(x, 1.0).numpy().any()


def test_rrelu_draws_slopes_within_bounds() -> None:
    core.seed(6)
    y = F.rrelu(core.full([1000], -1.0), 0.2, 0.4).numpy()
    assert -0.4 <= y.min() < -0.39 and -0.21 < y.max() <= -0.2


def test_gumbel_softmax_draws_categories_by_their_probability() -> None:
    core.seed(7)
    chances = np.array([0.6, 0.3, 0.1])
    scores = core.to_tensor(np.tile(np.log(chances), (4000, 1)), stop_gradient=False)
    hard = F.gumbel_softmax(scores, hard=True)
    np.testing.assert_allclose(hard.numpy().mean(0), chances, atol=0.03)
    np.testing.assert_allclose(np.sort(hard.numpy(), -1)[:, -1], 1.0, rtol=1e-12)
    soft = F.gumbel_softmax(scores, temperature=0.5, axis=-1)
    np.testing.assert_allclose(soft.numpy().sum(-1), 1.0, rtol=1e-12)
    (hard * core.to_tensor(chances)).sum().backward()
    assert np.abs(scores.grad.numpy()).max() > 0


def test_embedding_sums_gradients_of_repeated_rows() -> None:
    table = core.to_tensor(np.arange(6.0).reshape(3, 2), stop_gradient=False)
    y = F.embedding(core.to_tensor([2, 0, 2]), table)
    np.testing.assert_array_equal(y.numpy(), [[4, 5], [0, 1], [4, 5]])
    y.sum().backward()
    np.testing.assert_array_equal(table.grad.numpy(), [[1, 1], [0, 0], [2, 2]])


@pytest.mark.parametrize(
    "function",
    [
        lambda x: F.max_pool2d(x, 2),
        lambda x: F.avg_pool2d(x, 2),
        lambda x: F.adaptive_avg_pool2d(x, 2),
        lambda x: F.batch_norm(x, core.zeros([3]), core.ones([3]), training=True).mean([1, 2, 3]).unsqueeze(1),
        lambda x: F.instance_norm(x),
        lambda x: F.group_norm(x, 3),
        lambda x: F.layer_norm(x, [4, 4]),
        lambda x: F.local_response_norm(x, 3),
        lambda x: F.dropout(x, 0.5),
        lambda x: F.linear(x, core.ones([4, 5])),
    ],
)
def test_a_batch_of_no_elements(function: Callable[..., Any]) -> None:
    x = core.zeros([0, 3, 4, 4])
    x.stop_gradient = False
    y = function(x)
    assert y.shape[0] == 0 and y.numpy().shape == tuple(y.shape)
    y.sum().backward()
    assert x.grad.shape == [0, 3, 4, 4]


def test_binary_cross_entropy_with_logits_is_exact_and_finite_for_any_score() -> None:
    x = core.to_tensor(np.array([-1000.0, -30.0, 0.0, 30.0, 1000.0], "float32"), stop_gradient=False)
    loss = F.binary_cross_entropy_with_logits(x, core.to_tensor([0.0, 0.0, 1.0, 1.0, 0.0]), reduction="none")
    np.testing.assert_allclose(
        loss.numpy(), [0, math.exp(-30), math.log(2), math.exp(-30), 1000], rtol=1e-5, atol=1e-30
    )
    loss.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), [0, 0, -0.5, 0, 1], atol=1e-6)


def test_binary_cross_entropy_with_logits_weighs_positive_labels() -> None:
    x, y, w = np.array([-2.0, 0.5, 3.0]), np.array([0.3, 1.0, 0.0]), np.array([3.0])
    p = 1 / (1 + np.exp(-x))
    loss = F.binary_cross_entropy_with_logits(core.to_tensor(x), core.to_tensor(y), pos_weight=core.to_tensor(w))
    assert loss.item() == pytest.approx((-w * y * np.log(p) - (1 - y) * np.log(1 - p)).mean(), rel=1e-12)


def test_binary_cross_entropy_of_certain_mistakes_is_100() -> None:
    x = core.to_tensor([0.0, 1.0, 0.0, 1.0], stop_gradient=False)
    loss = F.binary_cross_entropy(x, core.to_tensor([1.0, 0.0, 0.0, 1.0]), reduction="none")
    np.testing.assert_array_equal(loss.numpy(), [100, 100, 0, 0])
    loss.sum().backward()
    assert np.isfinite(x.grad.numpy()).all()


def test_cross_entropy_of_nothing_but_ignored_labels_is_zero() -> None:
    x = core.to_tensor(np.ones((2, 3)), stop_gradient=False)
    loss = F.cross_entropy(x, core.to_tensor([-100, -100]))
    loss.backward()
    assert loss.item() == 0.0 and not x.grad.numpy().any()


def test_cross_entropy_of_probabilities() -> None:
    chances = np.array([[0.2, 0.5, 0.3], [0.1, 0.1, 0.8]])
    loss = F.cross_entropy(core.to_tensor(chances), core.to_tensor([1, 2]), use_softmax=False)
    assert loss.item() == pytest.approx(-(math.log(0.5) + math.log(0.8)) / 2, rel=1e-12)


def test_multi_margin_loss_with_weights_is_one_number_per_sample() -> None:
    x, labels, w = np.array([[0.2, -0.5, 0.9], [1.0, 0.4, 0.3]]), [0, 2], np.array([1.0, 2.0, 3.0])
    expected = [
        sum(max(0.0, w[y] * (1 - row[y] + row[j])) for j in range(3) if j != y) / 3 for row, y in zip(x, labels)
    ]
    loss = F.multi_margin_loss(core.to_tensor(x), core.to_tensor(labels), weight=core.to_tensor(w), reduction="none")
    np.testing.assert_allclose(loss.numpy(), expected, rtol=1e-12)


def test_max_pool_mask_with_ceil_mode_has_the_shape_of_the_result() -> None:
    x = np.random.default_rng(0).standard_normal((1, 1, 4, 4))
    result, mask = F.max_pool2d(core.to_tensor(x), 3, 2, ceil_mode=True, return_mask=True)
    expected = [[x[0, 0, i : i + 3, j : j + 3].max() for j in (0, 2)] for i in (0, 2)]
    np.testing.assert_array_equal(result.numpy()[0, 0], expected)
    np.testing.assert_array_equal(x.reshape(-1)[mask.numpy()[0, 0]], expected)


def test_softmax_in_place_moves_the_handle() -> None:
    x = core.to_tensor([0.0, 0.0])
    assert F.softmax_(x) is x
    np.testing.assert_array_equal(x.numpy(), [0.5, 0.5])


X = core.ones([4, 3])
IMAGES = core.ones([2, 4, 5, 5])
Y = core.to_tensor([0, 1, 2, 1])
MESSAGES: list[tuple[Callable[[], Any], str]] = [
    (lambda: F.relu(Y), "relu: expects a floating-point tensor, got int64"),
    (lambda: F.relu([1.0]), "relu: x must be a Tensor, got list"),
    (lambda: F.prelu(IMAGES, core.ones([3])), r"prelu: 3 slopes do not fit an input of shape \[2, 4, 5, 5\]"),
    (lambda: F.rrelu(X, 0.5, 0.2), "rrelu: expects 0 <= lower <= upper <= 1"),
    (lambda: F.softshrink(X, -1.0), "softshrink: the threshold must not be negative"),
    (lambda: F.maxout(IMAGES, 3), "maxout: 4 channels do not divide into groups of 3"),
    (lambda: F.celu(X, 0), "celu: alpha must not be 0"),
    (lambda: F.selu(X, scale=0.5), "selu: expects scale above 1"),
    (lambda: F.softplus(X, 0), "softplus: beta must not be 0"),
    (lambda: F.glu(X), r"glu: axis -1 of \[4, 3\] does not divide into two halves"),
    (lambda: F.gumbel_softmax(X, 0.0), "gumbel_softmax: the temperature must be above 0"),
    (lambda: F.softmax(X, 2), "softmax: axis 2 is outside a tensor of 2 dimensions"),
    (lambda: F.dropout(X, 1.5), r"dropout: p must be a number within \[0, 1\], got 1.5"),
    (lambda: F.dropout(X, mode="none"), "dropout: mode must be 'upscale_in_train' or 'downscale_in_infer'"),
    (lambda: F.dropout2d(X), r"dropout2d: x must have 4 dimensions, got shape \[4, 3\]"),
    (lambda: F.dropout3d(core.ones([1] * 5), data_format="N"), "dropout3d: data_format must be 'NCDHW' or 'NDHWC'"),
    (lambda: F.linear(X, core.ones([4, 2])), r"linear: an input of shape \[4, 3\] does not fit a weight of shape"),
    (lambda: F.linear(X, [1.0]), "linear: weight must be a Tensor, got list"),
    (lambda: F.embedding(Y, core.ones([2, 2])), "embedding: row number 2 is outside an axis of size 2"),
    (lambda: F.embedding(X, X), "embedding: x must hold integers, got float32"),
    (lambda: F.embedding(Y, X, padding_idx=9), "embedding: padding_idx 9 is outside a table of 4 rows"),
    (lambda: F.embedding(Y, Y), r"embedding: weight must be a Tensor of shape \(rows, features\), got \[4\]"),
    (lambda: F.bilinear(X, X, core.ones([2, 3, 4])), "bilinear: shapes .* do not fit each other"),
    (lambda: F.label_smooth(X, epsilon=2.0), r"label_smooth: epsilon must lie within \[0, 1\]"),
    (lambda: F.max_pool2d(IMAGES, 7), "max_pool2d: a window of 7 does not fit into axis 2"),
    (lambda: F.max_pool2d(IMAGES, 2, padding="VALID", ceil_mode=True), "padding='VALID' expects ceil_mode=False"),
    (lambda: F.max_pool2d(IMAGES, 2, data_format="NHWC", return_mask=True), "return_mask=True expects channels first"),
    (lambda: F.avg_pool2d(IMAGES, 2, divisor_override=0), "divisor_override must not be 0"),
    (lambda: F.avg_pool1d(IMAGES, 2), r"avg_pool1d: x must have 3 dimensions, got shape \[2, 4, 5, 5\]"),
    (lambda: F.avg_pool2d(IMAGES.astype("int64"), 2), "avg_pool2d: expects a floating-point input, got int64"),
    (lambda: F.adaptive_avg_pool2d(IMAGES, 0), "adaptive_avg_pool2d: output_size must be at least 1"),
    (lambda: F.adaptive_max_pool2d(IMAGES, [1, 2, 3]), "output_size must be an int or 2 ints"),
    (lambda: F.max_unpool2d(IMAGES, Y, 2), r"indices of shape \[4\] do not fit x"),
    (lambda: F.max_unpool2d(IMAGES, IMAGES, 2), "indices must be a Tensor of integers"),
    (lambda: F.max_unpool2d(IMAGES, core.full([2, 4, 5, 5], 100, "int32"), 2), "index 100 lies outside a result"),
    (
        lambda: F.max_unpool2d(IMAGES, core.zeros([2, 4, 5, 5], "int32"), 2, output_size=[20, 20]),
        "a stride or more away",
    ),
    (lambda: F.batch_norm(X, core.zeros([2]), core.ones([3])), r"running_mean must have shape \[3\], got \[2\]"),
    (lambda: F.batch_norm(X, *[core.ones([3], "float64")] * 2), "running_mean must be float32 for this input"),
    (lambda: F.batch_norm(X[0], core.zeros([3]), core.ones([3])), "x must have at least 2 dimensions"),
    (lambda: F.layer_norm(X, 4), r"an input of shape \[4, 3\] does not end in normalized_shape \[4\]"),
    (lambda: F.layer_norm(X, 3, core.ones([4])), r"layer_norm: weight must have shape \[3\], got \[4\]"),
    (lambda: F.instance_norm(X), "instance_norm: x must have at least 3 dimensions"),
    (lambda: F.group_norm(IMAGES, 3), "group_norm: 4 channels do not divide into 3 groups"),
    (lambda: F.local_response_norm(X, 3), "local_response_norm: x must have 3 to 5 dimensions"),
    (lambda: F.local_response_norm(IMAGES, 0), "local_response_norm: size must be at least 1"),
    (lambda: F.cross_entropy(X, core.to_tensor([0, 1, 3, 2])), r"label 3 is no class: labels must be in \[0, 3\)"),
    (lambda: F.cross_entropy(X, core.to_tensor([0, 1])), r"a label of shape \[2\] does not fit an input of shape"),
    (lambda: F.cross_entropy(X, Y, core.ones([2])), r"weight must have shape \[3\], one per class, got \[2\]"),
    (lambda: F.cross_entropy(X, Y, reduction="avg"), "reduction must be one of 'mean', 'sum', 'none', got 'avg'"),
    (lambda: F.cross_entropy(X, Y, label_smoothing=2.0), r"label_smoothing must lie within \[0, 1\]"),
    (lambda: F.cross_entropy(X, [0, 1, 2, 1]), "label must be a Tensor, got list"),
    (lambda: F.cross_entropy(core.ones([]), Y), "must have an axis of classes, got a 0-D tensor"),
    (lambda: F.nll_loss(X, core.to_tensor([0, 1, 5, 2])), "nll_loss: label 5 is no class"),
    (lambda: F.nll_loss(X[0], Y), "nll_loss: the input must have at least 2 dimensions"),
    (lambda: F.dice_loss(X, Y), r"dice_loss: a label of shape \[4\] does not fit"),
    (lambda: F.smooth_l1_loss(X, Y), r"the label must be a Tensor of the input's shape \[4, 3\], got \[4\]"),
    (lambda: F.kl_div(X, X, "median"), "kl_div: reduction must be one of 'mean', 'batchmean', 'sum', 'none'"),
    (lambda: F.poisson_nll_loss(X, X, epsilon=0), "epsilon must be above 0"),
    (lambda: F.gaussian_nll_loss(X, X, core.ones([3])), r"a variance of shape \[3\] does not fit"),
    (lambda: F.sigmoid_focal_loss(X, X, X), "normalizer must have at most 1 dimension"),
    (lambda: F.multi_margin_loss(X, core.to_tensor([0])), "labels of shape .* do not fit an input"),
    (lambda: F.cosine_embedding_loss(X, X, X), "expects two inputs of shape"),
    (lambda: F.triplet_margin_loss(X, X, X, margin=-1.0), "the margin must not be negative"),
    (lambda: F.triplet_margin_loss(X, X, X[:2]), "the shapes .* differ"),
    (lambda: F.npair_loss(X, X, core.to_tensor([1])), "expects embeddings of one shape"),
]


@pytest.mark.parametrize(("call", "message"), MESSAGES, ids=[message[:40] for _, message in MESSAGES])
def test_messages(call: Callable[[], Any], message: str) -> None:
    with pytest.raises((ValueError, TypeError, IndexError), match=message) as caught:
        call()
    assert "\n" not in str(caught.value)

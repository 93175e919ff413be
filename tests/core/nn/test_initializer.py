"""Initial values: distributions, fans, fixed kernels, seeds."""

from __future__ import annotations

import math

import numpy as np
import pytest

import core
from core import nn
from core.nn import initializer as init

SHAPE = [300, 400]


def draw(initializer: init.Initializer, shape: list[int] = SHAPE, dtype: str = "float32") -> np.ndarray:
    core.seed(7)
    return core.create_parameter(shape, dtype, default_initializer=initializer).numpy()


UNIFORM = {  # the bounds that Paddle 2.6's values keep
    "Uniform": (init.Uniform(-2.0, 3.0), SHAPE, -2.0, 3.0),
    "XavierUniform": (init.XavierUniform(), SHAPE, -math.sqrt(6 / 700), math.sqrt(6 / 700)),
    "XavierUniform fans": (init.XavierUniform(fan_in=10, fan_out=20), SHAPE, -math.sqrt(0.2), math.sqrt(0.2)),
    "XavierUniform kernel": (init.XavierUniform(), [40, 60, 3, 5], -math.sqrt(6 / 1500), math.sqrt(6 / 1500)),
    "XavierUniform vector": (init.XavierUniform(), [5000], -math.sqrt(6 / 10000), math.sqrt(6 / 10000)),
    "KaimingUniform": (init.KaimingUniform(), SHAPE, -math.sqrt(6 / 300), math.sqrt(6 / 300)),
    "KaimingUniform tanh": (
        init.KaimingUniform(nonlinearity="tanh"),
        [50, 60],
        -5 / 3 * math.sqrt(3 / 50),
        5 / 3 * math.sqrt(3 / 50),
    ),
    "KaimingUniform leaky": (
        init.KaimingUniform(negative_slope=0.3, nonlinearity="leaky_relu"),
        [40, 60, 3],
        -math.sqrt(2 / 1.09) * math.sqrt(3 / 180),
        math.sqrt(2 / 1.09) * math.sqrt(3 / 180),
    ),
}


@pytest.mark.parametrize("name", UNIFORM)
def test_uniform_distributions(name: str) -> None:
    initializer, shape, low, high = UNIFORM[name]
    values = draw(initializer, shape)
    assert values.shape == tuple(shape) and values.dtype == np.float32
    assert low <= values.min() < low + 0.02 * (high - low)
    assert high - 0.02 * (high - low) < values.max() <= high
    assert abs(values.mean() - (low + high) / 2) < 0.02 * (high - low)
    assert abs(values.std() - (high - low) / math.sqrt(12)) < 0.02 * (high - low)


NORMAL = {
    "Normal": (init.Normal(1.0, 2.0), 1.0, 2.0),
    "XavierNormal": (init.XavierNormal(), 0.0, math.sqrt(2 / 700)),
    "KaimingNormal": (init.KaimingNormal(), 0.0, math.sqrt(2 / 300)),
    "KaimingNormal fan": (init.KaimingNormal(fan_in=8), 0.0, 0.5),
}


@pytest.mark.parametrize("name", NORMAL)
def test_normal_distributions(name: str) -> None:
    initializer, mean, deviation = NORMAL[name]
    values = draw(initializer)
    assert abs(values.mean() - mean) < 0.02 * deviation
    assert abs(values.std() / deviation - 1) < 0.02
    inside = (np.abs(values - mean) < deviation).mean()
    assert abs(inside - 0.6827) < 0.01


def test_truncated_normal() -> None:
    values = draw(init.TruncatedNormal(1.0, 2.0))
    assert -3.0 <= values.min() < -2.9 and 4.9 < values.max() <= 5.0
    assert abs(values.mean() - 1) < 0.03
    assert abs(values.std() - 2 * 0.8796) < 0.03


def test_draws_depend_on_the_seed_alone() -> None:
    first, again = draw(init.Normal()), draw(init.Normal())
    np.testing.assert_array_equal(first, again)
    following = core.create_parameter(SHAPE, "float32", default_initializer=init.Normal()).numpy()
    assert np.abs(following - first).max() > 1


def test_double_precision_is_drawn_in_double_precision() -> None:
    values = draw(init.Normal(), dtype="float64")
    assert values.dtype == np.float64
    assert np.any(values != values.astype("float32"))


@pytest.mark.parametrize("shape", [[3, 3], [2, 5], [5, 2], [4, 2, 3]])
def test_orthogonal(shape: list[int]) -> None:
    matrix = draw(init.Orthogonal(2.0), shape).reshape(shape[0], -1)
    product = matrix @ matrix.T if matrix.shape[0] <= matrix.shape[1] else matrix.T @ matrix
    np.testing.assert_allclose(product, 4 * np.eye(len(product)), atol=1e-5)


@pytest.mark.parametrize(
    ("shape", "groups", "ones"),
    [
        ([3, 2, 3], 1, [[0, 0, 1], [1, 1, 1]]),
        ([4, 2, 2, 2], 2, [[0, 0, 1, 1], [1, 1, 1, 1], [2, 0, 1, 1], [3, 1, 1, 1]]),
        ([2, 3, 3, 3], 1, [[0, 0, 1, 1], [1, 1, 1, 1]]),
        ([3, 3, 2, 2, 2], 1, [[0, 0, 1, 1, 1], [1, 1, 1, 1, 1], [2, 2, 1, 1, 1]]),
    ],
)
def test_dirac(shape: list[int], groups: int, ones: list[list[int]]) -> None:
    values = draw(init.Dirac(groups), shape)
    assert np.argwhere(values).tolist() == ones
    assert values.sum() == len(ones)


def test_bilinear_is_the_outer_product_of_two_triangles() -> None:
    line = np.array([0.25, 0.75, 0.75, 0.25])
    np.testing.assert_allclose(draw(init.Bilinear(), [2, 1, 4, 4])[1, 0], np.outer(line, line))


def test_bilinear_upsamples_a_ramp() -> None:
    layer = nn.Conv2DTranspose(1, 1, 4, stride=2, padding=1, weight_attr=init.Bilinear(), bias_attr=False)
    ramp = np.arange(5, dtype="float32")[None, None, None].repeat(5, axis=2)
    inner = layer(core.to_tensor(ramp)).numpy()[0, 0, 4, 2:-2]
    np.testing.assert_allclose(np.diff(inner), 0.5, atol=1e-6)


def test_constant_and_assign() -> None:
    assert (draw(init.Constant(2.5), [2, 2]) == 2.5).all()
    for value in ([1.0, 2.0], (1.0, 2.0), np.array([1.0, 2.0]), core.to_tensor([1.0, 2.0])):
        np.testing.assert_array_equal(draw(init.Assign(value), [2]), [1, 2])


def test_calling_an_initializer_refills_a_tensor() -> None:
    layer = nn.Linear(2, 2)
    init.Constant(7.0)(layer.weight)
    assert (layer.weight.numpy() == 7).all()
    tensor = core.ones([3])
    init.Constant(4.0)(tensor)
    assert (tensor.numpy() == 4).all()


def test_global_initializer_stands_between_attribute_and_default() -> None:
    init.set_global_initializer(init.Constant(3.0), init.Constant(4.0))
    try:
        batch_norm = nn.BatchNorm2D(1)
        assert [tensor.item() for tensor in batch_norm.parameters()] == [3, 4, 0, 1]
        convolution = nn.Conv2D(1, 1, 1, weight_attr=init.Constant(9.0))
        assert [tensor.item() for tensor in convolution.parameters()] == [9, 4]
    finally:
        init.set_global_initializer(None)
    assert nn.BatchNorm2D(1).weight.item() == 1


@pytest.mark.parametrize(
    ("name", "param", "gain"),
    [
        ("sigmoid", None, 1),
        ("conv2d_transpose", None, 1),
        ("tanh", None, 5 / 3),
        ("relu", None, math.sqrt(2)),
        ("leaky_relu", None, math.sqrt(2 / 1.0001)),
        ("leaky_relu", 0.5, math.sqrt(1.6)),
        ("selu", None, 0.75),
    ],
)
def test_gains(name: str, param: float, gain: float) -> None:
    assert init.calculate_gain(name, param) == pytest.approx(gain)


def test_default_of_each_layer() -> None:
    core.seed(0)
    bounds = {
        "Linear": (nn.Linear(400, 300), math.sqrt(6 / 700)),
        "Embedding": (nn.Embedding(1000, 64), math.sqrt(6 / 1064)),
        "Conv2DTranspose": (nn.Conv2DTranspose(64, 32, 3), math.sqrt(6 / (96 * 9))),
    }
    for layer, bound in bounds.values():
        assert 0.99 * bound < np.abs(layer.weight.numpy()).max() <= bound
    for layer, deviation in ((nn.Conv2D(64, 32, 3), 0.0589), (nn.Conv2D(64, 32, 3, groups=4), 0.0589)):
        assert layer.weight.numpy().std() == pytest.approx(deviation, rel=0.03)
        assert not layer.bias.numpy().any()
    for tensor in nn.LSTM(30, 100).parameters():
        assert 0.09 < np.abs(tensor.numpy()).max() <= 0.1
    assert not nn.Embedding(10, 3, padding_idx=-2).weight.numpy()[8].any()


ERRORS = {
    "Orthogonal: a parameter of shape [3] has fewer than two": lambda: draw(init.Orthogonal(), [3]),
    "Dirac: a parameter of shape [3, 3] is no convolution kernel": lambda: draw(init.Dirac(), [3, 3]),
    "Dirac: 3 output channels are not divisible by groups=2": lambda: draw(init.Dirac(2), [3, 3, 3]),
    "Dirac: groups is a positive integer, not 0": lambda: init.Dirac(0),
    "Bilinear: a kernel has the shape [channels, channels, size, size], not [1, 1, 2, 3]": lambda: draw(
        init.Bilinear(), [1, 1, 2, 3]
    ),
    "Assign: the value has shape [3] and the parameter [2]": lambda: draw(init.Assign([1, 2, 3]), [2]),
    "Uniform: low=2 lies above high=1": lambda: init.Uniform(2, 1),
    "nonlinearity 'nothing' has no known gain: use one of sigmoid": lambda: init.calculate_gain("nothing"),
    "create_parameter: every size of [2, 0] must be at least 1": lambda: draw(init.Constant(), [2, 0]),
}


@pytest.mark.parametrize("message", ERRORS)
def test_errors(message: str) -> None:
    with pytest.raises(ValueError) as caught:
        ERRORS[message]()
    assert message in str(caught.value)


def test_type_errors() -> None:
    with pytest.raises(TypeError, match=r"param is a number, not 'a'"):
        init.calculate_gain("leaky_relu", "a")
    with pytest.raises(TypeError, match="weight_init is an Initializer or None, not 3"):
        init.set_global_initializer(3)
    with pytest.raises(NotImplementedError, match="Initializer does not implement sample"):
        draw(init.Initializer(), [1])


def test_forward_writes_initial_values_as_a_call_does() -> None:
    weight = core.zeros([2, 2])
    nn.initializer.Constant(3.0).forward(weight)
    assert weight.tolist() == [[3.0, 3.0], [3.0, 3.0]]

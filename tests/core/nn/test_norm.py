"""Normalisation layers: running statistics, modes, conversion, what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import core
from core import nn

IMAGE = np.random.default_rng(0).standard_normal((4, 3, 5, 2)).astype("float32") * 2 + 1


def test_running_statistics_follow_the_batch_once_per_forward() -> None:
    layer = nn.BatchNorm2D(3, momentum=0.75)
    x = core.to_tensor(IMAGE, stop_gradient=False)
    output = layer(x)
    mean, variance = IMAGE.mean((0, 2, 3)), IMAGE.var((0, 2, 3))
    np.testing.assert_allclose(layer._mean.numpy(), 0.25 * mean, rtol=1e-5)
    np.testing.assert_allclose(layer._variance.numpy(), 0.75 + 0.25 * variance, rtol=1e-5)
    output.sum().backward()
    np.testing.assert_allclose(layer._mean.numpy(), 0.25 * mean, rtol=1e-5)
    layer(x)
    np.testing.assert_allclose(layer._mean.numpy(), (0.25 + 0.75 * 0.25) * mean, rtol=1e-5)
    with core.no_grad():
        layer(x)
    np.testing.assert_allclose(layer._mean.numpy(), (1 - 0.75**3) * mean, rtol=1e-5)


def test_evaluation_changes_nothing() -> None:
    layer = nn.BatchNorm2D(3)
    layer.eval()
    output = layer(core.to_tensor(IMAGE))
    np.testing.assert_allclose(output.numpy(), IMAGE / np.sqrt(1 + 1e-5), rtol=1e-5)
    assert not layer._mean.numpy().any()


def test_statistics_are_parameters_without_gradient() -> None:
    layer = nn.BatchNorm2D(3)
    assert [(name, tensor.stop_gradient) for name, tensor in layer.named_parameters()] == [
        ("weight", False),
        ("bias", False),
        ("_mean", True),
        ("_variance", True),
    ]


def test_batch_norm_starts_in_the_asked_mode() -> None:
    assert nn.BatchNorm(2).training and not nn.BatchNorm(2, is_test=True).training
    layer = nn.BatchNorm(2, moving_mean_name="m", moving_variance_name="v", do_model_average_for_mean_and_var=False)
    assert (layer._mean.name, layer._variance.name, layer._mean.do_model_average) == ("m", "v", False)


@pytest.mark.parametrize("use_global_stats", [False, True])
def test_the_older_batch_norm_takes_the_running_statistics_in_evaluation(use_global_stats: bool) -> None:
    layer = nn.BatchNorm(2, use_global_stats=use_global_stats)
    layer._mean.set_value(np.array([1.0, -2.0], "float32"))
    layer._variance.set_value(np.array([4.0, 9.0], "float32"))
    x = np.arange(8, dtype="float32").reshape(2, 2, 2)
    fixed = (x - [[1.0], [-2.0]]) / np.sqrt([[4.0 + 1e-5], [9.0 + 1e-5]])
    of_batch = (x - x.mean((0, 2), keepdims=True)) / np.sqrt(x.var((0, 2), keepdims=True) + 1e-5)
    np.testing.assert_allclose(layer(core.to_tensor(x)).numpy(), fixed if use_global_stats else of_batch, rtol=1e-5)
    layer._mean.set_value(np.array([1.0, -2.0], "float32"))
    layer._variance.set_value(np.array([4.0, 9.0], "float32"))
    layer.eval()
    np.testing.assert_allclose(layer(core.to_tensor(x)).numpy(), fixed, rtol=1e-5)
    np.testing.assert_array_equal(layer._mean.numpy(), [1.0, -2.0])


def test_half_precision_batch_norm_keeps_float32_parameters() -> None:
    assert nn.BatchNorm(2, dtype="float16").weight.dtype == core.float32


def test_conversion_to_sync_batch_norm_keeps_tensors() -> None:
    net = nn.Sequential(nn.Conv2D(1, 2, 1), nn.BatchNorm2D(2, epsilon=1e-3), nn.Sequential(nn.BatchNorm2D(2)))
    net.eval()
    weight, state = net[1].weight, list(net.state_dict())
    converted = nn.SyncBatchNorm.convert_sync_batchnorm(net)
    assert converted is net and list(net.state_dict()) == state
    assert isinstance(net[1], nn.SyncBatchNorm) and isinstance(net[2][0], nn.SyncBatchNorm)
    assert net[1].weight is weight and net[1]._epsilon == 1e-3 and not net[1].training
    assert isinstance(nn.SyncBatchNorm.convert_sync_batchnorm(nn.BatchNorm2D(3, weight_attr=False)), nn.SyncBatchNorm)


def test_group_norm_without_parameters_keeps_them_fixed() -> None:
    layer = nn.GroupNorm(1, 2, weight_attr=False, bias_attr=False)
    assert list(layer.state_dict()) == ["weight", "bias"]
    assert layer.weight.numpy().tolist() == [1, 1] and layer.weight.stop_gradient and layer.bias.stop_gradient


def test_gradient_of_the_spectral_norm() -> None:
    rng = np.random.default_rng(3)
    weight, head = rng.standard_normal((4, 3)), rng.standard_normal((4, 3))
    layer = nn.SpectralNorm([4, 3], dim=1, power_iters=3, dtype="float64")
    u, v = layer.weight_u.numpy(), layer.weight_v.numpy()
    for _ in range(3):
        v = weight @ u / np.linalg.norm(weight @ u)
        u = weight.T @ v / np.linalg.norm(weight.T @ v)

    def value(matrix: np.ndarray) -> float:
        return float((matrix / (u @ matrix.T @ v) * head).sum())

    x = core.to_tensor(weight, stop_gradient=False)
    (layer(x) * core.to_tensor(head)).sum().backward()
    expected = np.zeros_like(weight)
    for index in np.ndindex(*weight.shape):
        step = np.zeros_like(weight)
        step[index] = 1e-6
        expected[index] = (value(weight + step) - value(weight - step)) / 2e-6
    np.testing.assert_allclose(x.grad.numpy(), expected, rtol=1e-6, atol=1e-8)


def test_spectral_norm_hook_learns_in_training_and_rests_in_evaluation() -> None:
    layer = nn.utils.spectral_norm(nn.Linear(5, 4), n_power_iterations=30)
    assert list(layer.state_dict()) == ["bias", "weight_orig", "weight_u", "weight_v"]
    assert layer.weight_u.shape == [4] and layer.weight_v.shape == [5]
    x = core.ones([1, 5])
    layer(x)
    assert np.linalg.norm(layer.weight.numpy(), 2) == pytest.approx(1, rel=1e-4)
    layer.eval()
    before = layer.weight_u.numpy()
    layer(x)
    np.testing.assert_array_equal(layer.weight_u.numpy(), before)


def test_weight_norm_comes_and_goes() -> None:
    layer = nn.Conv2D(2, 3, 3)
    weight = layer.weight.numpy()
    nn.utils.weight_norm(layer)
    assert list(layer.state_dict()) == ["bias", "weight_v", "weight_g"]
    np.testing.assert_allclose(layer.weight.numpy(), weight, rtol=1e-6)
    np.testing.assert_allclose(layer.weight_g.numpy(), np.sqrt((weight**2).sum((1, 2, 3))), rtol=1e-6)
    layer(core.ones([1, 2, 4, 4])).sum().backward()
    assert layer.weight_g.grad is not None and layer.weight_v.grad is not None
    nn.utils.remove_weight_norm(layer)
    assert sorted(layer.state_dict()) == ["bias", "weight"]
    np.testing.assert_allclose(layer.weight.numpy(), weight, rtol=1e-6)
    with pytest.raises(ValueError, match="remove_weight_norm: 'weight' of Conv2D is not weight-normalised"):
        nn.utils.remove_weight_norm(layer)


def test_vector_of_parameters() -> None:
    parameters = nn.Linear(2, 3).parameters()
    vector = nn.utils.parameters_to_vector(parameters)
    assert vector.shape == [9]
    nn.utils.vector_to_parameters(vector * 2, parameters)
    np.testing.assert_allclose(nn.utils.parameters_to_vector(parameters).numpy(), 2 * vector.numpy())
    with pytest.raises(ValueError, match=r"the vector has shape \[8\], the parameters have 9 elements"):
        nn.utils.vector_to_parameters(vector[:8], parameters)

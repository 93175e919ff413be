"""Every public layer is documented and called by a test; those that draw random numbers are checked here."""

from __future__ import annotations

import inspect
import re

import numpy as np
import pytest

import core
from core import nn, operators
from tests.core.nn.reference_cases import all_cases

LAYERS = {name: getattr(nn, name) for name in nn.__all__ if inspect.isclass(getattr(nn, name))}
LAYERS = {name: kind for name, kind in LAYERS.items() if issubclass(kind, nn.Layer)}
# bases and containers have files of their own
ELSEWHERE = {"Layer", "Sequential", "LayerList", "LayerDict", "ParameterList", "RNNCellBase", "Identity"}
HERE = {
    "Dropout",
    "Dropout2D",
    "Dropout3D",
    "AlphaDropout",
    "MaxUnPool1D",
    "MaxUnPool2D",
    "MaxUnPool3D",
    "SyncBatchNorm",
}


def test_every_layer_is_called() -> None:
    built = {type(layer).__name__ for case in all_cases().values() for layer in case.build(core).sublayers(True)}
    missing = set(LAYERS) - built - HERE - ELSEWHERE
    assert not missing, f"add cases to tests/core/nn/reference_cases.py: {sorted(missing)}"


@pytest.mark.parametrize("name", LAYERS)
def test_every_layer_describes_its_arguments(name: str) -> None:
    text = inspect.getdoc(LAYERS[name]) or ""
    assert text.splitlines()[0].endswith("."), "the first line is a sentence"
    for argument, parameter in list(inspect.signature(LAYERS[name].__init__).parameters.items())[1:]:
        stars = {parameter.VAR_POSITIONAL: r"\*", parameter.VAR_KEYWORD: r"\*\*"}.get(parameter.kind, "")
        assert re.search(rf"^    {stars}{argument}: ", text, re.M), f"{argument} is not described"


@pytest.mark.parametrize(
    ("layer", "shape", "unit"),
    [
        (nn.Dropout(0.25), [4000], 1),
        (nn.Dropout(0.25, axis=0), [2000, 3], 3),
        (nn.Dropout2D(0.25), [40, 50, 3, 2], 6),
        (nn.Dropout2D(0.25, data_format="NHWC"), [40, 3, 2, 50], 6),
        (nn.Dropout3D(0.25), [40, 50, 2, 1, 2], 4),
    ],
)
def test_dropout_zeroes_units_and_scales_the_rest(layer: nn.Layer, shape: list[int], unit: int) -> None:
    core.seed(3)
    values = layer(core.ones(shape)).numpy()
    assert set(np.unique(values)) == {np.float32(0), np.float32(1 / 0.75)}
    assert abs((values == 0).mean() - 0.25) < 0.04
    if unit > 1:
        last = isinstance(layer, nn.Dropout) or layer.data_format[1] == "C"
        units = values.reshape(-1, unit) if last else np.moveaxis(values, -1, 1).reshape(-1, unit)
        assert (units == units[:, :1]).all()
    layer.eval()
    np.testing.assert_array_equal(layer(core.ones(shape)).numpy(), np.ones(shape, "float32"))


def test_dropout_that_scales_in_evaluation() -> None:
    layer = nn.Dropout(0.25, mode="downscale_in_infer")
    assert set(np.unique(layer(core.ones([100])).numpy())) == {0, 1}
    layer.eval()
    np.testing.assert_allclose(layer(core.ones([3])).numpy(), [0.75] * 3)


def test_alpha_dropout_keeps_mean_and_variance() -> None:
    core.seed(3)
    values = nn.AlphaDropout(0.3)(core.randn([200, 200])).numpy()
    assert abs(values.mean()) < 0.03 and abs(values.std() - 1) < 0.03


def test_recurrent_dropout_touches_the_inner_layers_in_training_alone() -> None:
    layer = nn.GRU(3, 4, num_layers=2, dropout=0.5)
    x = core.randn([2, 3, 3])
    assert np.abs(layer(x)[0].numpy() - layer(x)[0].numpy()).max() > 0
    layer.eval()
    np.testing.assert_array_equal(layer(x)[0].numpy(), layer(x)[0].numpy())
    single = nn.GRU(3, 4, dropout=0.5)
    np.testing.assert_array_equal(single(x)[0].numpy(), single(x)[0].numpy())


def test_random_leaky_relu_draws_slopes_in_training() -> None:
    core.seed(3)
    layer = nn.RReLU(0.1, 0.5)
    values = -layer(core.full([2000], -1.0)).numpy()
    assert 0.1 <= values.min() < 0.11 and 0.49 < values.max() <= 0.5


@pytest.mark.parametrize(("axes", "shape"), [(1, [1, 2, 6]), (2, [1, 2, 4, 6]), (3, [1, 1, 2, 4, 2])])
def test_unpooling_puts_maxima_back(axes: int, shape: list[int]) -> None:
    values = np.random.default_rng(0).permutation(np.prod(shape)).reshape(shape).astype("float32") + 1
    pool = getattr(nn, f"MaxPool{axes}D")(2, return_mask=True)
    unpool = getattr(nn, f"MaxUnPool{axes}D")(2)
    maxima, places = pool(core.to_tensor(values))
    restored = unpool(maxima, places).numpy()
    assert restored.shape == values.shape
    assert np.isin(restored[restored != 0], values).all()
    np.testing.assert_array_equal(restored[restored != 0], values[restored != 0])
    np.testing.assert_array_equal(np.sort(restored[restored != 0]), np.sort(maxima.numpy().ravel()))


def test_sync_batch_norm_is_batch_norm_on_one_device() -> None:
    x = core.randn([4, 3, 2, 2])
    np.testing.assert_array_equal(nn.SyncBatchNorm(3)(x).numpy(), nn.BatchNorm2D(3)(x).numpy())
    np.testing.assert_array_equal(nn.SyncBatchNorm(3, data_format="NC")(x[:, :, 0, 0]).shape, [4, 3])


def test_identity_takes_any_arguments() -> None:
    x = core.ones([1])
    assert nn.Identity(3, key=4)(x) is x


def test_compiled_layer_follows_the_mode() -> None:
    layer = nn.Sequential(nn.BatchNorm1D(3), nn.Dropout(0.5))
    compiled = core.jit.to_static(layer)
    x = core.randn([8, 3])
    assert (compiled(x).numpy() == 0).any()
    statistics = layer[0]._mean.numpy()
    assert statistics.any()
    layer.eval()
    output = compiled(x).numpy()
    np.testing.assert_allclose(output, layer[1](layer[0](x)).numpy(), rtol=1e-5)
    np.testing.assert_array_equal(layer[0]._mean.numpy(), statistics)


def test_module_paths_are_paddles() -> None:
    assert nn.layer.conv.Conv2DTranspose is nn.Conv2DTranspose
    assert nn.layer.Identity is nn.Identity
    assert nn.loss.L1Loss is nn.L1Loss
    assert nn.layer.norm.BatchNorm2D is nn.BatchNorm2D
    assert nn.layer.layers.Layer is nn.Layer


def test_functional_names_resolve() -> None:
    assert [name for name in nn.functional.__all__ if not callable(getattr(nn.functional, name))] == []
    with pytest.raises(AttributeError, match="core.nn.functional has no function 'nothing'"):
        _ = nn.functional.nothing


def test_every_operator_of_layers_and_losses_is_functional() -> None:
    rooms = ("core.operators.layers.", "core.operators.losses.")
    names = {name for family in operators.FAMILIES if family.__name__.startswith(rooms) for name in family.__all__}
    missing = sorted(names - set(nn.functional.__all__))
    assert not missing, f"enter {', '.join(missing)} in __all__ of core/nn/functional/__init__.py"

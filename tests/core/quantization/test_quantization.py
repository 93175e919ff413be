"""Quantization-aware training and quantization after training, against stored numbers of paddlepaddle 2.6.2."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import core
from core import nn
from core.quantization import PTQ, QAT, BaseObserver, BaseQuanter, QuantConfig, quanter
from core.quantization.observers import AbsmaxObserver, GroupWiseWeightObserver
from core.quantization.quanters import FakeQuanterWithAbsMaxObserver


def network() -> nn.Layer:
    convolution = nn.Conv2D(2, 3, 3, padding=1, padding_mode="reflect")
    made = nn.Sequential(convolution, nn.ReLU(), nn.Flatten(), nn.Linear(3 * 16, 4))
    stream = np.random.RandomState(1)
    for parameter in made.parameters():
        parameter.set_value(stream.randn(*parameter.shape).astype("float32") * 0.3)
    return made


def images() -> core.Tensor:
    return core.to_tensor(np.random.RandomState(0).randn(2, 2, 4, 4).astype("float32"), stop_gradient=False)


def trained(compiled: bool = False) -> tuple[QAT, nn.Layer, list[core.Tensor], core.Tensor]:
    description = FakeQuanterWithAbsMaxObserver(moving_rate=0.9)
    qat = QAT(QuantConfig(activation=description, weight=description))
    quantized = qat.quantize(network())
    program = core.jit.to_static(quantized) if compiled else quantized
    optimizer = core.optimizer.SGD(0.1, parameters=quantized.parameters())
    x, outputs = images(), []
    for _ in range(2):
        x.clear_gradient()
        outputs.append(program(x))
        (outputs[-1] * outputs[-1]).sum().backward()
        optimizer.step()
        optimizer.clear_grad()
    return qat, quantized, outputs, x


@pytest.mark.parametrize("compiled", [False, True])
def test_training_is_paddles(compiled: bool) -> None:
    _, quantized, outputs, x = trained(compiled)
    close = {"rtol": 2e-5, "atol": 2e-5}
    np.testing.assert_allclose(outputs[0].numpy()[0], [0.07068866, 1.5690991, -1.3884073, -1.2241492], **close)
    np.testing.assert_allclose(outputs[1].numpy()[0], [-4.887103, -14.517401, -2.6862893, -1.4957824], **close)
    np.testing.assert_allclose(x.grad.numpy().ravel()[:3], [-22.551552, 26.53347, 3.7744312], **close)
    state = quantized.state_dict()
    found = [float(state[f"0.{key}"]) for key in ("weight_quanter._scale", "weight_quanter._state")]
    np.testing.assert_allclose(found, [1.2859615087509155, 2.7100000381469727], **close)
    np.testing.assert_allclose(float(state["1._observer._scale"]), 7.33954381942749, **close)
    np.testing.assert_allclose(float(state["3.weight"].sum()), 223.63209533691406, rtol=1e-5)


def test_the_layers_that_take_the_place_of_others() -> None:
    _, quantized, _, _ = trained()
    assert str(quantized).splitlines()[1:5] == [
        "  (0): QuantedConv2D(",
        "    (weight_quanter): FakeQuanterWithAbsMaxObserverLayer()",
        "    (activation_quanter): FakeQuanterWithAbsMaxObserverLayer()",
        "  )",
    ]
    assert [type(layer).__name__ for layer in quantized] == [
        "QuantedConv2D", "ObserveWrapper", "ObserveWrapper", "QuantedLinear",
    ]  # fmt: skip
    description = FakeQuanterWithAbsMaxObserver()
    config = QuantConfig(None, description)
    config._specify(nn.Sequential(nn.Linear(2, 2)))
    assert str(description) == "FakeQuanterWithAbsMaxObserver(name=None,moving_rate=0.9,bit_length=8,dtype=float32)"
    assert config.details().splitlines() == [
        "Sequential(", "  (0): Linear(), activation: None", f"weight: {description}", ")",
    ]  # fmt: skip


def test_a_converted_network_has_whole_numbers_and_is_exported(tmp_path) -> None:
    qat, quantized, _, _ = trained()
    quantized.eval()
    before = quantized(images())
    converted = qat.convert(quantized)
    weight = converted[0].weight.numpy()
    np.testing.assert_array_equal(weight.ravel()[:8], [127, -128, 127, -128, -128, -128, 127, -128])
    weight = converted[3].weight.numpy()
    np.testing.assert_array_equal(weight, np.rint(weight))
    after = converted(images())
    np.testing.assert_allclose(np.abs((after - before).numpy()).max(), 0.07436907, rtol=1e-4)  # -128 has no opposite
    np.testing.assert_array_equal(quantized(images()).numpy(), before.numpy())
    assert qat.convert(converted)[0].converted  # once more does no harm
    core.jit.save(converted, str(tmp_path / "quantized"), input_spec=[core.static.InputSpec([2, 2, 4, 4])])
    loaded = core.jit.load(str(tmp_path / "quantized"))
    np.testing.assert_allclose(loaded(images()).numpy(), after.numpy(), rtol=1e-5, atol=1e-5)
    kept = qat.convert(quantized, remain_weight=True)
    np.testing.assert_array_equal(kept[3].weight.numpy(), quantized[3].weight.numpy())
    assert qat.convert(kept, inplace=True) is kept


def test_quantization_after_training_is_paddles() -> None:
    plain = network()
    plain.eval()
    ptq = PTQ(QuantConfig(activation=AbsmaxObserver(), weight=AbsmaxObserver()))
    observed = ptq.quantize(plain)
    np.testing.assert_allclose(observed(images()).numpy(), plain(images()).numpy(), rtol=1e-5, atol=1e-6)
    observed(images() * 2)
    found = ptq.convert(observed)(images()).numpy().ravel()[:5]
    np.testing.assert_allclose(found, [1.1326756, 2.9842126, -3.0870485, -1.5813825, 2.2541683], rtol=1e-5)
    assert ptq.quantize(plain, inplace=True) is plain


def test_halves_are_rounded_away_from_zero_and_what_is_beyond_the_scale_is_held() -> None:
    layer = FakeQuanterWithAbsMaxObserver(bit_length=3)._instance(None)
    x = core.to_tensor([-2.5, -0.5, 0.5, 1.5, 2.5, 0.0])
    np.testing.assert_allclose(layer(x).numpy(), np.array([-3, -1, 1, 3, 3, 0]) * 1.7894738 / 3, rtol=1e-6)
    layer._scale.set_value(np.float32([3.0]))
    layer.eval()
    assert layer(x).tolist() == [-3.0, -1.0, 1.0, 2.0, 3.0, 0.0]
    assert layer.bit_length() == 3 and layer.quant_axis() == -1 and layer.zero_points() is None


def test_settings_for_a_layer_a_name_and_a_kind_have_precedence() -> None:
    description = FakeQuanterWithAbsMaxObserver()
    for choose in ("layer", "name", "kind"):
        model = nn.Sequential(nn.Linear(4, 4), nn.Sequential(nn.Linear(4, 4)), nn.quant.Stub(), nn.Conv2D(1, 1, 1))
        config = QuantConfig(None, None)
        if choose == "layer":
            config.add_layer_config([model[0]], weight=description)
        elif choose == "name":
            config.add_name_config(model[0].full_name(), weight=description)
        else:
            config.add_type_config(nn.Linear, weight=description)
        quantized = QAT(config).quantize(model)
        kinds = [type(layer).__name__ for layer in (quantized[0], quantized[1][0], quantized[2], quantized[3])]
        assert kinds == ["QuantedLinear", "QuantedLinear" if choose == "kind" else "Linear", "Stub", "Conv2D"]
        assert quantized[0].activation_quanter is None and config.global_config is None


def test_a_stub_becomes_a_quanter() -> None:
    class Doubled(nn.Layer):
        def __init__(self, observer=None):
            super().__init__()
            self.stub = nn.quant.Stub(observer)

        def forward(self, x):
            return self.stub(x) * 2

    description = FakeQuanterWithAbsMaxObserver(bit_length=2)
    x = core.to_tensor([-1.0, 0.2, 1.0])
    for model, config in (
        (Doubled(), QuantConfig(description, None)),
        (Doubled(description), QuantConfig(FakeQuanterWithAbsMaxObserver(), None)),
    ):
        assert QAT(config).quantize(model)(x).tolist() == [-2.0, 0.0, 2.0]


def test_groups_of_rows_have_scales_of_their_own() -> None:
    weight = core.to_tensor(np.random.RandomState(0).randn(128, 3).astype("float32"))
    weight[:64, 1] = 0.0
    layer = GroupWiseWeightObserver(group_size=64)._instance(None)
    assert layer.scales() is None and layer.zero_points() is None and layer(weight) is weight
    expected = np.abs(weight.numpy()).reshape(2, 64, 3).max(1)
    expected[0, 1] = np.float32(1e-8)
    np.testing.assert_array_equal(layer.scales().numpy(), expected)
    assert layer.zero_points().tolist() == [[0.0] * 3] * 2 and layer.bit_length() == 8


def test_a_quanter_of_ones_own() -> None:
    @quanter("Tenths")
    class TenthsLayer(BaseQuanter):
        def __init__(self, layer, digits=1):
            super().__init__()
            self.digits = digits

        def forward(self, input):
            return core.round(input * 10**self.digits) / 10**self.digits

        def scales(self):
            return None

        zero_points = quant_axis = bit_length = scales

    factory = sys.modules[__name__].Tenths
    model = nn.Sequential(nn.Linear(2, 2), nn.Sequential(nn.Dropout(0.0), nn.Dropout(0.0)))
    config = QuantConfig(activation=factory(digits=2), weight=None)
    config.add_customized_leaf(nn.Sequential)
    quantized = QAT(config).quantize(model)
    assert isinstance(quantized[0].activation_quanter, TenthsLayer) and quantized[0].activation_quanter.digits == 2
    assert quantized[0].activation_quanter(core.to_tensor([0.123])).tolist() == pytest.approx([0.12])
    assert type(quantized[1]).__name__ == "ObserveWrapper" and str(factory(digits=2)) == "Tenths(digits=2)"
    assert QAT(config).convert(quantized)[0].converted is False  # it knows no scales


def test_messages() -> None:
    description = FakeQuanterWithAbsMaxObserver()
    config = QuantConfig(description, description)
    with pytest.raises(ValueError, match=r"PTQ.quantize: the network is in training mode: call its eval\(\) first"):
        PTQ(config).quantize(network())
    model = network()
    model.eval()
    with pytest.raises(ValueError, match=r"QAT.quantize: the network is in evaluation mode: call its train\(\) first"):
        QAT(config).quantize(model)
    with pytest.raises(TypeError, match="QuantConfig.add_type_config: a class of layers is expected, not 'Linear'"):
        config.add_type_config("Linear", description)
    with pytest.raises(ValueError, match="GroupWiseWeightObserver: group_size is 64 or 128, not 32"):
        GroupWiseWeightObserver(group_size=32)._instance(None)
    with pytest.raises(ValueError, match=r"a weight of a multiple of 64 rows is expected, not one of shape \[63, 2\]"):
        GroupWiseWeightObserver(group_size=64)._instance(None)(core.ones([63, 2]))
    with pytest.raises(TypeError, match="abstract"):
        BaseObserver()

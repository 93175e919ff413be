"""decorate: which parameters become 16-bit, master weights, saved types, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import core
import core.nn.functional as F
from core import nn
from core.jit import to_static


def network() -> nn.Sequential:
    core.seed(1)
    return nn.Sequential(
        nn.Conv2D(3, 8, 3, padding=1, bias_attr=False),
        nn.BatchNorm2D(8),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(128, 6),
        nn.LayerNorm(6),
    )


def types(model: nn.Layer) -> list[str]:
    return [parameter.dtype.name for parameter in model.state_dict().values()]


@pytest.mark.bfloat16
def test_level_o2_makes_parameters_16_bit_and_level_o1_does_not() -> None:
    model = network()
    assert core.amp.decorate(model, dtype="bfloat16") is model
    assert set(types(model)) == {"float32"}
    assert core.amp.decorate(model, level="O2", dtype="bfloat16") is model
    assert types(model) == ["bfloat16"] + ["float32"] * 4 + ["bfloat16"] * 4
    assert set(types(core.amp.decorate([network()], level="O2", dtype="float16")[0])) == {"float32"}  # on a CPU


@pytest.mark.bfloat16
def test_excluded_layers_stay() -> None:
    model = network()
    core.amp.decorate(model, level="O2", dtype="bfloat16", excluded_layers=[nn.Linear, model[0]])
    assert types(model) == ["float32"] * 7 + ["bfloat16"] * 2


@pytest.mark.bfloat16
@pytest.mark.parametrize("compiled", [False, True], ids=["eager", "compiled"])
def test_master_weights_move_by_less_than_16_bits_can_hold(compiled: bool) -> None:
    model = network()
    optimizer = core.optimizer.SGD(1e-3, parameters=model.parameters())
    model, optimizer = core.amp.decorate(model, optimizer, level="O2", dtype="bfloat16")
    reference = network()
    plain = core.optimizer.SGD(1e-3, parameters=reference.parameters())
    x = core.to_tensor(np.random.default_rng(0).standard_normal((4, 3, 4, 4)), "float32")
    labels = core.to_tensor(np.arange(4))

    def loss(x: core.Tensor, labels: core.Tensor) -> core.Tensor:
        with core.amp.auto_cast(level="O2", dtype="bfloat16"):
            return F.cross_entropy(model(x), labels)

    step = to_static(loss) if compiled else loss
    for _ in range(5):
        step(x, labels).backward()
        optimizer.step()
        optimizer.clear_grad()
        F.cross_entropy(reference(x), labels).backward()
        plain.step()
        plain.clear_grad()
    master = optimizer.state_dict()["master_weights"][model[4].weight.name].numpy()
    began = network()[4].weight.astype("bfloat16").astype("float32").numpy()
    moved, expected = master - began, reference[4].weight.numpy() - network()[4].weight.numpy()
    assert np.linalg.norm(moved - expected) < 0.1 * np.linalg.norm(expected)
    np.testing.assert_array_equal(
        model[4].weight.numpy(), core.to_tensor(master).astype("bfloat16").numpy()
    )


def test_master_weight_false_keeps_none() -> None:
    model = nn.Linear(3, 2)
    optimizer = core.optimizer.Momentum(0.1, parameters=model.parameters())
    core.amp.decorate(model, optimizer, level="O2", dtype="bfloat16", master_weight=False)
    model(core.ones([2, 3]).astype("bfloat16")).astype("float32").sum().backward()
    optimizer.step()
    assert "master_weights" not in optimizer.state_dict()


@pytest.mark.bfloat16
def test_master_grad_makes_gradients_float32() -> None:
    for wanted, dtype in ((False, "bfloat16"), (True, "float32")):
        model = nn.Linear(3, 2)
        core.amp.decorate(model, level="O2", dtype="bfloat16", master_grad=wanted)
        model(core.ones([2, 3]).astype("bfloat16")).astype("float32").sum().backward()
        assert model.weight.grad.dtype == dtype
        np.testing.assert_array_equal(model.weight.grad.as_float_numpy(), np.full([3, 2], 2.0))


@pytest.mark.bfloat16
def test_save_dtype_is_the_type_of_the_state() -> None:
    model = network()
    core.amp.decorate(model, level="O2", dtype="bfloat16", save_dtype="float32")
    state = model.state_dict()
    assert {tensor.dtype.name for tensor in state.values()} == {"float32"}
    assert model[4].weight.dtype == "bfloat16"
    assert state["4.weight"].name == model[4].weight.name
    np.testing.assert_array_equal(state["4.weight"].numpy(), model[4].weight.as_float_numpy())


@pytest.mark.bfloat16
def test_a_whole_model_in_16_bits_normalises_with_float32_numbers() -> None:
    results = []
    for dtype in ("float32", "bfloat16"):
        model = network()
        model.set_state_dict({key: value.astype("bfloat16") for key, value in network().state_dict().items()})
        model.to(dtype=dtype)
        x = core.to_tensor(np.random.default_rng(0).standard_normal((4, 3, 4, 4)), "float32").astype("bfloat16")
        trained = model(x.astype(dtype))
        assert trained.dtype == model[1]._mean.dtype == dtype
        model.eval()
        tensors = (trained, model[1]._mean, model(x.astype(dtype)))
        results.append([tensor.as_float_numpy() for tensor in tensors])
    for exact, low in zip(*results):
        np.testing.assert_allclose(low, exact, atol=0.03 * np.abs(exact).max())


def test_what_is_refused() -> None:
    model = nn.Linear(2, 2)
    with pytest.raises(ValueError, match="decorate: level is 'O1' or 'O2', not 'O0'"):
        core.amp.decorate(model, level="O0")
    with pytest.raises(ValueError, match="decorate: dtype is 'bfloat16' or 'float16', not 'float32'"):
        core.amp.decorate(model, dtype="float32")
    with pytest.raises(ValueError, match="decorate: save_dtype is one of .*, not 'int8'"):
        core.amp.decorate(model, save_dtype="int8")
    with pytest.raises(TypeError, match="decorate: models must be of Layer, not int"):
        core.amp.decorate([model, 1])
    with pytest.raises(TypeError, match="decorate: optimizers must be of Optimizer, not Linear"):
        core.amp.decorate(model, model)
    with pytest.raises(TypeError, match="decorate: excluded_layers holds Layers and Layer classes, not 'conv'"):
        core.amp.decorate(model, excluded_layers=["conv"])

"""auto_cast: types, gradients, statistics, compiled programs, and what is refused."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import core
import core.nn.functional as F
from core import nn
from core.amp import casts
from core.jit import to_static
from core.kernels.dispatch import dispatcher

GENERATOR = np.random.default_rng(0)


def network() -> nn.Sequential:
    core.seed(3)
    return nn.Sequential(
        nn.Conv2D(8, 16, 3, padding=1, bias_attr=False),
        nn.BatchNorm2D(16),
        nn.ReLU(),
        nn.MaxPool2D(2),
        nn.Flatten(),
        nn.Linear(256, 10),
    )


def images(batch: int = 8) -> core.Tensor:
    return core.to_tensor(GENERATOR.standard_normal((batch, 8, 8, 8)), "float32")


def bfloat16(**options: Any) -> Any:
    return core.amp.auto_cast(dtype="bfloat16", **options)


@pytest.mark.bfloat16
def test_products_are_16_bit_and_what_follows_in_float32_is_float32() -> None:
    x = core.to_tensor(GENERATOR.standard_normal((4, 6)), "float32")
    w = core.to_tensor(GENERATOR.standard_normal((6, 5)), "float32")
    with bfloat16():
        y = core.matmul(x, w)
        assert y.dtype == "bfloat16"
        assert F.relu(y).dtype == "bfloat16"
        assert (y + 1.0).dtype == "float32"
        assert F.softmax(y).dtype == "float32"
        assert y.mean().dtype == "float32"
        assert (y + x[:, :5]).dtype == "float32"
        assert F.layer_norm(y, 5, core.ones([5]), core.zeros([5])).dtype == "float32"
        assert core.matmul(x.astype("float64"), w.astype("float64")).dtype == "float64"
        assert core.matmul(x.reshape([2, 2, 6]), x.reshape([2, 6, 2])).dtype == "float32"  # batches: no kernel
    assert core.matmul(x, w).dtype == "float32"
    halves = [tensor.astype("bfloat16").astype("float32").numpy() for tensor in (x, w)]
    np.testing.assert_allclose(y.as_float_numpy(), halves[0] @ halves[1], rtol=4e-3)


@pytest.mark.bfloat16
def test_an_image_of_three_channels_is_convolved_in_float32() -> None:
    with bfloat16():
        x = core.ones([1, 3, 8, 8])
        assert F.conv2d(x, core.ones([16, 3, 3, 3])).dtype == "float32"
        assert F.conv2d(F.conv2d(x, core.ones([16, 3, 3, 3])), core.ones([8, 16, 1, 1])).dtype == "bfloat16"


@pytest.mark.bfloat16
@pytest.mark.parametrize("where", ["eager", "inside", "outside"])
def test_a_training_step_is_that_of_float32_within_16_bits(where: str) -> None:
    model, x, labels = network(), images(), core.to_tensor(np.arange(8))

    def loss(x: core.Tensor, labels: core.Tensor) -> core.Tensor:
        return F.cross_entropy(model(x), labels)

    def inside(x: core.Tensor, labels: core.Tensor) -> core.Tensor:
        with bfloat16():
            return loss(x, labels)

    results = []
    for kind in ("float32", where):
        model.set_state_dict({key: value.numpy() for key, value in network().state_dict().items()})
        if kind == "float32":
            value = loss(x, labels)
        elif kind == "inside":
            value = to_static(inside)(x, labels)
        else:
            with bfloat16():
                value = (to_static(loss) if kind == "outside" else loss)(x, labels)
        assert value.dtype == "float32"
        value.backward()
        gradients = {name: parameter.grad for name, parameter in model.named_parameters()}
        assert {gradient.dtype.name for gradient in gradients.values() if gradient is not None} == {"float32"}
        results.append(
            [value.numpy(), model[1]._mean.numpy(), model[1]._variance.numpy()]
            + [gradient.numpy() for gradient in gradients.values() if gradient is not None]
        )
        assert model[1]._mean.dtype == model[0].weight.dtype == "float32"
        for parameter in model.parameters():
            parameter.clear_gradient(False)
    assert len(results[0]) == len(results[1]) == 8
    for exact, low in zip(*results):
        assert np.linalg.norm(low - exact) < 0.1 * np.linalg.norm(exact)
        assert not np.array_equal(low, exact)


@pytest.mark.bfloat16
def test_one_compiled_function_serves_both_precisions() -> None:
    model, x = network(), images()
    model.eval()
    compiled = to_static(lambda x: model(x))
    with core.no_grad():
        exact = compiled(x)
        with bfloat16():
            low = compiled(x)
            with core.amp.auto_cast(enable=False):
                again = compiled(x)
        with bfloat16(custom_black_list=["matmul_v2"]):
            mixed = compiled(x)
        with bfloat16():
            same = compiled(x)
    assert (exact.dtype, low.dtype, again.dtype, mixed.dtype) == ("float32", "bfloat16", "float32", "float32")
    assert len(compiled.programs) == 3
    np.testing.assert_array_equal(exact.numpy(), again.numpy())
    np.testing.assert_array_equal(low.numpy(), same.numpy())
    np.testing.assert_allclose(low.as_float_numpy(), exact.numpy(), atol=0.03 * np.abs(exact.numpy()).max())


@pytest.mark.bfloat16
def test_levels() -> None:
    x, w = core.ones([4, 8, 3, 3]), core.ones([8, 8, 1, 1])
    for level, types in {
        "O0": ("float32", "float32", "float32"),
        "OD": ("bfloat16", "float32", "float32"),
        "O1": ("bfloat16", "bfloat16", "float32"),
        "O2": ("bfloat16", "bfloat16", "float32"),
    }.items():
        with bfloat16(level=level):
            y = F.conv2d(x, w)
            assert (y.dtype, F.relu(y).dtype, F.relu(x).dtype) == types
    with bfloat16(level="O2", use_promote=False):
        assert F.relu(x).dtype == "bfloat16"
        assert F.softmax(x).dtype == "float32"


@pytest.mark.bfloat16
def test_lists() -> None:
    x, w = core.ones([4, 8, 3, 3]), core.ones([8, 8, 1, 1])
    with bfloat16(custom_black_list={"conv2d", "greater_than"}):
        assert F.conv2d(x, w).dtype == "float32"
    with bfloat16(custom_white_list=["relu", "softmax"]):
        assert F.relu(x).dtype == "bfloat16"
        assert F.softmax(x).dtype == "float32"  # no good kernel
    with pytest.raises(ValueError, match="'relu' is in both custom lists"):
        bfloat16(custom_white_list=["relu"], custom_black_list=("relu",))
    with pytest.raises(TypeError, match="custom_white_list must be a list or set of operators' names, not 'relu'"):
        bfloat16(custom_white_list="relu")


@pytest.mark.bfloat16
def test_what_is_refused_or_without_effect() -> None:
    with pytest.raises(ValueError, match="level is one of O0, OD, O1, O2, not 'O3'"):
        bfloat16(level="O3")
    with pytest.raises(ValueError, match="dtype is 'bfloat16' or 'float16', not 'float32'"):
        core.amp.auto_cast(dtype="float32")
    with pytest.warns(UserWarning, match="no effect, as cpu.* does not compute in float16; this one computes in"):
        block = core.amp.auto_cast()
    with block:
        assert core.matmul(core.ones([2, 2]), core.ones([2, 2])).dtype == "float32"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with core.amp.auto_cast(enable=False), core.amp.auto_cast(level="O0"):
            assert core.matmul(core.ones([2, 2]), core.ones([2, 2])).dtype == "float32"


def test_an_older_processor_computes_in_float32(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.amp.support.instructions", lambda: frozenset({"avx2", "fma"}))
    assert not core.amp.is_bfloat16_supported()
    with pytest.warns(UserWarning, match="no effect, as cpu.* does not compute in bfloat16$"), bfloat16():
        assert core.matmul(core.ones([2, 2]), core.ones([2, 2])).dtype == "float32"


@pytest.mark.parametrize("further", [{"avx512dq", "avx512vl"}, {"avx512dq"}, set()])
def test_which_types_a_device_computes_in(monkeypatch: pytest.MonkeyPatch, further: set[str]) -> None:
    monkeypatch.setattr(core.amp.support, "instructions", lambda: frozenset({"avx2", "avx512f", "avx512bw", *further}))
    assert core.amp.is_bfloat16_supported() == core.amp.is_bfloat16_supported("cpu") == (len(further) == 2)
    assert not core.amp.is_float16_supported() and core.amp.is_float16_supported("gpu:0")
    assert not core.amp.is_bfloat16_supported("gpu:0")


@pytest.mark.bfloat16
def test_the_block_ends_also_by_an_error_and_serves_as_a_decorator() -> None:
    with pytest.raises(KeyError), bfloat16():
        raise KeyError
    assert dispatcher.state.precision is None

    @bfloat16()
    def product(x: core.Tensor) -> core.Tensor:
        return core.matmul(x, x)

    assert product(core.ones([2, 2])).dtype == "bfloat16"
    assert dispatcher.state.precision is None


@pytest.mark.bfloat16
def test_a_parameter_is_cast_once_in_a_block_and_anew_after_an_update(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    real = casts.cast
    monkeypatch.setattr(casts, "cast", lambda x, dtype: made.append(x.shape) or real(x, dtype))  # type: ignore[func-returns-value]
    layer = nn.Linear(3, 3, bias_attr=False)
    optimizer = core.optimizer.SGD(1.0, parameters=layer.parameters())
    x = core.ones([2, 3])
    with bfloat16():
        y = layer(x.reshape([1, 2, 3]))
        assert made.count([3, 3]) == 1  # the transposed weight is cast, not the weight
        first = F.conv2d(core.ones([1, 8, 2, 2]), weight := core.create_parameter([8, 8, 1, 1], "float32"))
        second = F.conv2d(core.ones([1, 8, 2, 2]), weight)
        assert made.count([8, 8, 1, 1]) == 1
        np.testing.assert_array_equal(first.numpy(), second.numpy())
        y.mean().backward()
        optimizer.step()
        weight.set_value(np.zeros([8, 8, 1, 1], "float32"))
        assert not F.conv2d(core.ones([1, 8, 2, 2]), weight).as_float_numpy().any()
        assert made.count([8, 8, 1, 1]) == 2


@pytest.mark.bfloat16
def test_backward_twice_in_one_block() -> None:
    weight = core.create_parameter([8, 8, 1, 1], "float32")
    x = core.ones([1, 8, 2, 2])
    with bfloat16():
        for _ in range(2):
            F.conv2d(x, weight).astype("float32").sum().backward()
    np.testing.assert_allclose(weight.grad.numpy(), np.full([8, 8, 1, 1], 8.0))


@pytest.mark.bfloat16
def test_gradients_of_gradients_are_those_of_float32_within_16_bits() -> None:
    results = []
    for enabled in (False, True):
        for compiled in (False, True):
            x = core.to_tensor(np.random.default_rng(1).standard_normal((4, 6)), "float32", stop_gradient=False)
            w = core.to_tensor(np.random.default_rng(2).standard_normal((6, 5)), "float32", stop_gradient=False)

            def penalty(x: core.Tensor, w: core.Tensor) -> core.Tensor:
                y = core.tanh(core.matmul(x, w)).sum()
                (slope,) = core.grad(y, x, create_graph=True)
                return (slope * slope).sum()

            with bfloat16(enable=enabled):
                value = (to_static(penalty) if compiled else penalty)(x, w)
            value.backward()
            results.append((value.numpy(), w.grad.numpy()))
    for value, gradient in results[1:]:
        np.testing.assert_allclose(value, results[0][0], rtol=0.03)
        np.testing.assert_allclose(gradient, results[0][1], atol=0.05 * np.abs(results[0][1]).max())


@pytest.mark.bfloat16
def test_control_flow_on_tensors_keeps_its_types() -> None:
    w = core.to_tensor(GENERATOR.standard_normal((6, 6)) / 3, "float32")

    @to_static
    def repeated(x: core.Tensor, times: core.Tensor) -> core.Tensor:
        y = core.matmul(x, w)
        i = core.zeros([], "int64")
        while i < times:
            y = core.matmul(y, w)
            i = i + 1
        if y.sum() > 0:
            y = y * 2.0
        else:
            y = y * 3.0
        return y

    x, times = core.to_tensor(GENERATOR.standard_normal((4, 6)), "float32"), core.to_tensor(3)
    exact = repeated(x, times)
    with bfloat16():
        low = repeated(x, times)
    np.testing.assert_allclose(low.as_float_numpy(), exact.numpy(), atol=0.03 * np.abs(exact.numpy()).max())


@pytest.mark.bfloat16
def test_an_exported_program_computes_in_16_bits(tmp_path: Any) -> None:
    model, x = network(), images(4)
    model.eval()
    with bfloat16():
        core.jit.save(model, str(tmp_path / "program"), [core.static.InputSpec([None, 8, 8, 8], "float32")])
        expected = model(x).as_float_numpy()
    predicted = core.jit.Predictor(str(tmp_path / "program"))(x.numpy())
    np.testing.assert_allclose(predicted, expected, atol=0.02 * np.abs(expected).max())
    assert not np.allclose(predicted, model(x).numpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.bfloat16
@pytest.mark.parametrize("compiled", [False, True])
def test_grouped_convolutions_whose_weights_inference_in_float32_has_laid_out_anew(compiled: bool) -> None:
    layer = core.nn.Conv2D(32, 32, 3, padding=1, groups=4, bias_attr=False)
    x = core.to_tensor(np.random.default_rng(0).standard_normal((2, 32, 8, 8)).astype("float32"))
    with core.no_grad():
        expected = layer(x).numpy()
        core.jit.to_static(lambda x: layer(x))(x).numpy()
        function = core.jit.to_static(lambda x: layer(x)) if compiled else layer
        with core.amp.auto_cast(dtype="bfloat16"):
            half = function(x)
    assert half.dtype == core.bfloat16
    np.testing.assert_allclose(half.astype("float32").numpy(), expected, atol=0.02)

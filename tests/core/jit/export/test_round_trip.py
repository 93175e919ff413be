"""What is saved is what is loaded: kinds of models, inputs, results, and gradients, against the live model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
import PaddleClas
from core import nn
from core.jit import Predictor
from core.jit.input_spec import InputSpec

GENERATOR = np.random.default_rng(0)


def close(got: Any, wanted: Any, tolerance: float = 1e-5) -> None:
    """Compare nested results, relative to the largest element (at least 1)."""
    if isinstance(wanted, dict):
        assert list(got) == list(wanted)
        for key in wanted:
            close(got[key], wanted[key], tolerance)
    elif isinstance(wanted, (list, tuple)):
        assert type(got) is type(wanted) and len(got) == len(wanted)
        for ours, theirs in zip(got, wanted):
            close(ours, theirs, tolerance)
    elif isinstance(wanted, core.Tensor):
        ours = got.numpy() if isinstance(got, core.Tensor) else got
        theirs = wanted.numpy()
        assert ours.shape == theirs.shape and ours.dtype == theirs.dtype
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=tolerance * max(1, np.abs(theirs).max(initial=0)))
    else:
        assert got == wanted and type(got) is type(wanted)


def floats(*shape: int) -> np.ndarray:
    return GENERATOR.standard_normal(shape).astype(np.float32)


def with_statistics(model: Any) -> Any:
    """Give batch norms statistics as training leaves them."""
    for name, buffer in model.state_dict().items():
        if name.endswith("_variance"):
            buffer.set_value(GENERATOR.random(buffer.shape).astype(np.float32) + 0.5)
        elif name.endswith("_mean"):
            buffer.set_value(floats(*buffer.shape) * 0.1)
    return model


def check_round_trip(
    model: Any, folder: Path, specs: list[Any], calls: list[list[np.ndarray]], tolerance: float = 1e-5
) -> None:
    """Save, load both ways, and compare with the live model for several inputs."""
    core.jit.save(model, folder, specs)
    predictor, layer = Predictor(folder), core.jit.load(folder)
    if isinstance(model, nn.Layer):
        model.eval()
    for arrays in calls:
        tensors = [core.to_tensor(array) for array in arrays]
        with core.no_grad():
            wanted = model(*tensors)
            close(layer(*tensors), wanted, tolerance)
        close(predictor.run(arrays), wanted, tolerance)


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        pytest.param("ResNet18", (3, 64, 64), marks=pytest.mark.exhaustive),
        pytest.param("MobileNetV2_x0_25", (3, 64, 64), marks=pytest.mark.exhaustive),
        ("LeNet", (1, 28, 28)),
    ],
)
def test_image_models_with_any_batch(name: str, shape: tuple[int, ...], tmp_path: Path) -> None:
    model = with_statistics(PaddleClas.create_model(name, class_num=10))
    calls = [[floats(batch, *shape)] for batch in (1, 3, 8)]
    check_round_trip(model, tmp_path / "m", [InputSpec([None, *shape])], calls)
    assert not model.training


def test_the_layer_keeps_its_mode(tmp_path: Path) -> None:
    model = nn.Sequential(nn.Linear(3, 4), nn.Dropout(0.5))
    model[0].eval()
    core.jit.save(model, tmp_path / "m", [InputSpec([2, 3])])
    assert model.training and model[1].training and not model[0].training
    ones = np.ones((2, 3), np.float32)
    np.testing.assert_allclose(Predictor(tmp_path / "m").run(ones), model[0](core.to_tensor(ones)).numpy(), rtol=1e-6)


def test_any_height_and_width(tmp_path: Path) -> None:
    model = with_statistics(
        nn.Sequential(nn.Conv2D(3, 8, 3, padding=1), nn.BatchNorm2D(8), nn.ReLU(), nn.AdaptiveAvgPool2D(2))
    )
    spec = InputSpec([None, 3, None, None], examples={2: (16, 24), 3: (20, 28)})
    calls = [[floats(2, 3, 9, 11)], [floats(1, 3, 32, 16)]]
    check_round_trip(model, tmp_path / "m", [spec], calls)


def test_what_is_made_from_an_unknown_size(tmp_path: Path) -> None:
    def function(x: Any) -> Any:
        rows = core.arange(x.shape[0])
        return rows, core.cast(rows, "float32").unsqueeze(1) * x, core.zeros([x.shape[0], 2]), x.shape[1]

    check_round_trip(function, tmp_path / "m", [InputSpec([None, 3])], [[floats(batch, 3)] for batch in (1, 3, 8)])
    model = nn.Sequential(nn.Conv2D(2, 4, 3), nn.GroupNorm(2, 4), nn.Conv2DTranspose(4, 2, 3), nn.InstanceNorm2D(2))
    calls = [[floats(batch, 2, 8, 8)] for batch in (1, 3, 8)]
    check_round_trip(model, tmp_path / "m", [InputSpec([None, 2, 8, 8])], calls)


def test_lstm_with_states(tmp_path: Path) -> None:
    model = nn.LSTM(5, 7, num_layers=2)
    check_round_trip(model, tmp_path / "m", [InputSpec([None, 6, 5])], [[floats(batch, 6, 5)] for batch in (1, 3, 8)])
    state = InputSpec([2, 4, 7])
    core.jit.save(model, tmp_path / "states", [InputSpec([4, 6, 5], name="x"), (state, InputSpec([2, 4, 7]))])
    x, h, c = floats(4, 6, 5), floats(2, 4, 7), floats(2, 4, 7)
    wanted = model(core.to_tensor(x), (core.to_tensor(h), core.to_tensor(c)))
    predictor = Predictor(tmp_path / "states")
    assert predictor.input_names == ["x", "initial_states.0", "initial_states.1"]
    close(predictor.run({"initial_states.1": c, "x": x, "initial_states.0": h}), wanted)
    layer = core.jit.load(tmp_path / "states")
    close(layer(core.to_tensor(x), initial_states=(core.to_tensor(h), core.to_tensor(c))), wanted)


def test_attention_with_any_batch_and_length(tmp_path: Path) -> None:
    model = nn.TransformerEncoderLayer(16, 4, 32)
    spec = InputSpec([None, None, 16], examples={1: (5, 9)})
    check_round_trip(model, tmp_path / "m", [spec], [[floats(2, 3, 16)], [floats(1, 12, 16)]])


class Nested(nn.Layer):
    """Several inputs of several types in, nested results out."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(11, 4)
        self.register_buffer("offset", core.to_tensor([0.5, 1.0, 1.5, 2.0]))
        self.register_buffer("hidden", core.to_tensor([3.0]), persistable=False)

    def forward(self, tokens: Any, others: Any, scale: float = 1.0) -> Any:
        found = self.embedding(tokens) + self.offset
        total = found.sum(axis=1) * scale + others["weight"]
        return {
            "total": total,
            "parts": (found, [total.argmax(-1), core.to_tensor(2.5)]),
            "flag": total > self.hidden,
            "note": ("fixed", 3, None, True),
        }


def test_nested_inputs_and_results_integers_buffers_and_scalars(tmp_path: Path) -> None:
    model = Nested()
    specs = [InputSpec([None, 5], "int64", "tokens"), {"weight": InputSpec([], "float32")}, 2.0]
    core.jit.save(model, tmp_path / "m", specs)
    predictor, layer = Predictor(tmp_path / "m"), core.jit.load(tmp_path / "m")
    assert predictor.input_names == ["tokens", "others.weight"]
    tokens, weight = GENERATOR.integers(0, 11, (3, 5)), np.array(0.25, np.float32)
    wanted = model(core.to_tensor(tokens), {"weight": core.to_tensor(weight)}, 2.0)
    close(predictor.run([tokens, weight]), wanted)
    close(predictor.run([tokens.tolist(), 0.25]), wanted)
    close(layer(core.to_tensor(tokens), {"weight": core.to_tensor(weight)}, 2.0), wanted)
    close(layer(core.to_tensor(tokens), {"weight": core.to_tensor(weight)}), wanted)
    assert sorted(layer.state_dict()) == ["embedding.weight", "hidden", "offset"]
    assert [type(p).__name__ for p in layer.parameters()] == ["Parameter"]
    with pytest.raises(TypeError, match="scale was 2.0 when the program was made and cannot be 3.0"):
        layer(core.to_tensor(tokens), {"weight": core.to_tensor(weight)}, 3.0)
    with pytest.raises(TypeError, match="others must be a dict with the keys 'weight'"):
        layer(core.to_tensor(tokens), {"wait": core.to_tensor(weight)})


def test_a_plain_function_with_a_captured_tensor_and_host_operators(tmp_path: Path) -> None:
    table = core.to_tensor(floats(4, 4))

    def function(x: Any) -> Any:
        values, places = core.topk(x @ table, 2)
        return values, places, core.erfinv(core.tanh(x)), core.cumsum(x, axis=-1)

    check_round_trip(function, tmp_path / "m", [InputSpec([None, 4])], [[floats(b, 4)] for b in (1, 3, 8)])


@pytest.mark.bfloat16
def test_half_precision(tmp_path: Path) -> None:
    model = nn.Sequential(nn.Conv2D(3, 4, 3), nn.ReLU()).to(dtype="bfloat16")
    core.jit.save(model, tmp_path / "m", [InputSpec([2, 3, 8, 8], "bfloat16")])
    x = floats(2, 3, 8, 8)
    wanted = model(core.to_tensor(x, dtype="bfloat16")).as_float_numpy()
    np.testing.assert_allclose(Predictor(tmp_path / "m").run(x), wanted, rtol=0, atol=0.02 * np.abs(wanted).max())
    layer = core.jit.load(tmp_path / "m")
    assert layer.state_dict()["0.weight"].dtype == "bfloat16"
    np.testing.assert_array_equal(layer.state_dict()["0.weight"].numpy(), model[0].weight.numpy())


def test_gradients_flow_through_a_loaded_program(tmp_path: Path) -> None:
    model = with_statistics(
        nn.Sequential(nn.Conv2D(2, 3, 3), nn.BatchNorm2D(3), nn.Tanh(), nn.Flatten(), nn.Linear(48, 2))
    )
    core.jit.save(model, tmp_path / "m", [InputSpec([None, 2, 6, 6])])
    model.eval()
    layer = core.jit.load(tmp_path / "m")
    x = floats(3, 2, 6, 6)
    results = []
    for network in (model, layer):
        tensor = core.to_tensor(x, stop_gradient=False)
        (network(tensor) ** 2).sum().backward()
        results.append([tensor.grad.numpy(), *[p.grad.numpy() for p in network.parameters() if not p.stop_gradient]])
    assert len(results[0]) == len(results[1]) == 7
    for live, loaded in zip(*results):
        np.testing.assert_allclose(loaded, live, rtol=1e-5, atol=1e-5)
    tensor = core.to_tensor(x, stop_gradient=False)
    (slope,) = core.grad(layer(tensor).sum(), [tensor], create_graph=True)
    (slope**2).sum().backward()
    assert np.abs(tensor.grad.numpy()).max() > 0


def test_a_stretch_without_gradient_stays_one(tmp_path: Path) -> None:
    def function(x: Any) -> Any:
        with core.no_grad():
            fixed = core.exp(x)
        return fixed * x + x.detach() * 2

    core.jit.save(function, tmp_path / "m", [InputSpec([3])])
    tensor = core.to_tensor([0.0, 1.0, 2.0], stop_gradient=False)
    core.jit.load(tmp_path / "m")(tensor).sum().backward()
    np.testing.assert_allclose(tensor.grad.numpy(), np.exp([0.0, 1.0, 2.0]), rtol=1e-6)


def test_state_dict_fits_the_class_and_saving_again_changes_nothing(tmp_path: Path) -> None:
    model = with_statistics(PaddleClas.create_model("LeNet", class_num=4))
    core.jit.save(model, tmp_path / "first", [InputSpec([None, 1, 28, 28], name="image")], class_names=list("abcd"))
    layer = core.jit.load(tmp_path / "first")
    fresh = PaddleClas.create_model("LeNet", class_num=4)
    assert fresh.set_state_dict(layer.state_dict()) == ([], [])
    core.jit.save(layer, tmp_path / "second", class_names=layer.class_names)
    x = floats(5, 1, 28, 28)
    first, second = Predictor(tmp_path / "first"), Predictor(tmp_path / "second")
    np.testing.assert_array_equal(first.run(x), second.run(x))
    assert second.class_names == list("abcd") and second.input_names == ["image"]
    model.eval()
    np.testing.assert_allclose(fresh.eval()(core.to_tensor(x)).numpy(), model(core.to_tensor(x)).numpy(), rtol=1e-6)


def test_to_static_models_and_example_tensors(tmp_path: Path) -> None:
    model = core.jit.to_static(nn.Linear(3, 2))
    x = floats(4, 3)
    wanted = model(core.to_tensor(x))
    core.jit.save(model, tmp_path / "last_call")
    core.jit.save(model, tmp_path / "example", [core.to_tensor(x)])
    core.jit.save(core.jit.to_static(nn.Linear(3, 2), input_spec=[InputSpec([None, 3])]), tmp_path / "spec")
    close(Predictor(tmp_path / "last_call").run(x), wanted)
    close(Predictor(tmp_path / "example").run(x), wanted)
    assert Predictor(tmp_path / "spec").inputs[0].shape == (None, 3)


def test_random_numbers_are_drawn_anew(tmp_path: Path) -> None:
    core.seed(3)
    core.jit.save(lambda x: x + core.rand([100]), tmp_path / "m", [InputSpec([100])])
    drawn = core.rand([3]).numpy()
    core.seed(3)
    np.testing.assert_array_equal(core.rand([3]).numpy() >= 0, drawn >= 0)
    predictor = Predictor(tmp_path / "m")
    zeros = np.zeros(100, np.float32)
    first, second = predictor.run(zeros), predictor.run(zeros)
    assert (first != second).any() and 0 <= first.min() and first.max() < 1


def test_an_order_drawn_of_a_constant_is_drawn_anew(tmp_path: Path) -> None:
    core.jit.save(lambda x: x[core.randperm(x.shape[0])], tmp_path / "m", [InputSpec([None])])
    predictor = Predictor(tmp_path / "m")
    numbers = np.arange(50, dtype=np.float32)
    drawn = [predictor.run(numbers) for _ in range(3)]
    assert (drawn[0] != drawn[1]).any() and (drawn[1] != drawn[2]).any()
    for order in drawn:
        np.testing.assert_array_equal(np.sort(order), numbers)


def test_an_earlier_export_is_replaced_and_preprocessing_is_kept(tmp_path: Path) -> None:
    preprocessing = [{"Resize": {"size": 8}}, "ToTensor"]
    for width in (2, 3):
        core.jit.save(nn.Linear(2, width), tmp_path / "m", [InputSpec([1, 2])], preprocessing=preprocessing)
        assert Predictor(tmp_path / "m").run(np.ones((1, 2), np.float32)).shape == (1, width)
        assert Predictor(tmp_path / "m").preprocessing == preprocessing
        assert sorted(path.name for path in tmp_path.iterdir()) == ["m"]
        assert sorted(path.name for path in (tmp_path / "m").iterdir()) == ["program.json", "weights.safetensors"]


@pytest.mark.bfloat16
def test_a_loaded_layer_in_mixed_precision(tmp_path: Path) -> None:
    model = nn.Sequential(nn.Conv2D(8, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(288, 8, bias_attr=False))
    model.eval()
    core.jit.save(model, tmp_path / "net", [InputSpec([None, 8, 8, 8])])
    layer = core.jit.load(tmp_path / "net")
    x = core.to_tensor(floats(3, 8, 8, 8))
    with core.amp.auto_cast(dtype="bfloat16"):
        loaded, live = layer(x), model(x)
    assert loaded.dtype == live.dtype == core.bfloat16
    close(loaded.astype("float32"), live.astype("float32"), 2e-2)


def test_a_loaded_layer_is_saved_again_with_its_own_example_sizes(tmp_path: Path) -> None:
    class Halves(nn.Layer):
        def forward(self, x: Any) -> Any:
            assert x.shape[1] < 100
            return x * 2

    core.jit.save(Halves(), tmp_path / "first", [InputSpec([None, None], examples={1: (3, 5)})])
    layer = core.jit.load(tmp_path / "first")
    assert layer.input_spec[0].examples == {1: (3, 5)}
    core.jit.save(layer, tmp_path / "second")
    doubled = Predictor(tmp_path / "second").run(np.ones((2, 7), np.float32))
    np.testing.assert_array_equal(doubled, np.full((2, 7), 2, np.float32))

"""Trained networks in 8 bits: numbers by hand, the whole-number product, biases, what suffers, and hostile data."""

from __future__ import annotations

import json

import numpy as np
import pytest

import core
from core import nn
from core.jit.exported.file import is_quantized
from core.jit.exported.reader import read_program
from core.kernels.layers import quantized
from core.quantization.folding import fold_batch_normalization
from core.quantization.post_training import ALGORITHMS, PostTraining
from core.static import InputSpec


def network() -> nn.Layer:
    made = nn.Sequential(
        nn.Conv2D(3, 8, 3, padding=1, bias_attr=False), nn.BatchNorm2D(8), nn.ReLU(),
        nn.Conv2D(8, 6, 3, stride=2, groups=2), nn.ReLU(), nn.Flatten(), nn.Linear(6 * 9, 10),
    )  # fmt: skip
    stream = np.random.RandomState(1)
    for parameter in made.parameters():
        parameter.set_value(stream.randn(*parameter.shape).astype("float32") * 0.3)
    made[1]._variance.set_value(np.full(8, 0.7, np.float32))
    made.eval()
    return made


def images(count: int = 32) -> core.Tensor:
    return core.to_tensor(np.random.RandomState(0).randn(count, 3, 8, 8).astype("float32"))


def quantization_of(made: nn.Layer, *batches: core.Tensor, algorithm: str = "absmax", **options: bool) -> PostTraining:
    found = PostTraining({"model": made}, algorithm)
    for batch in batches:
        made(batch)
    found.convert(**options)
    return found


def test_scales_and_numbers_of_a_linear_layer_by_hand() -> None:
    layer = nn.Linear(2, 2)
    layer.weight.set_value(np.float32([[1.27, -0.5], [0.634, 2.54]]))
    layer.bias.set_value(np.float32([1, 2]))
    made = nn.Sequential(layer)
    made.eval()
    found = quantization_of(made, core.to_tensor(np.float32([[2.55, 0.1], [1.0, 0.9]])), bias_correction=False)
    assert found.grids == {"0": (pytest.approx(0.01), 0)}  # never negative: 255 steps from 0 to 2.55
    result = made(core.to_tensor(np.float32([[0.104, 9.0], [-1.0, 1.0]]))).numpy()
    np.testing.assert_array_equal(made[0].weight_numbers.numpy(), [[127, -25], [63, 127]])
    np.testing.assert_allclose(made[0].weight_scales.numpy(), [0.01, 0.02], rtol=1e-6)
    seen = np.array([[0.10, 2.55], [0, 1.0]])
    np.testing.assert_allclose(result, seen @ [[1.27, -0.5], [0.63, 2.54]] + [1, 2], rtol=1e-5)


def test_what_an_export_says_is_the_product_of_whole_numbers(tmp_path) -> None:
    """A program's result from its file alone: bytes, their exact product, and scales."""
    made = nn.Sequential(nn.Linear(5, 4))
    made.eval()
    x = np.random.default_rng(0).standard_normal((6, 5)).astype(np.float32)
    quantization_of(made, core.to_tensor(x))
    core.jit.save(made, tmp_path / "exported", [InputSpec([None, 5])])
    content = json.loads((tmp_path / "exported/program.json").read_text())
    assert content["version"] == 3
    weights = {name: weight.array for name, weight in read_program(tmp_path / "exported").weights.items()}
    grid = content["operations"][0]["attributes"]
    numbers = quantized.quantized(x, **grid)
    whole = quantized.product(numbers, grid["zero_point"], weights["0.weight_numbers"].T)
    wanted = whole * (grid["scale"] * weights["0.weight_scales"].astype(np.float64)) + weights["0.bias"]
    np.testing.assert_allclose(core.jit.Predictor(tmp_path / "exported").run(x), wanted, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(core.jit.load(tmp_path / "exported")(core.to_tensor(x)).numpy(), wanted, 1e-5, 1e-6)


@pytest.mark.parametrize("algorithm", sorted(ALGORITHMS))
def test_a_network_in_8_bits_stays_near_itself(algorithm: str, tmp_path) -> None:
    made, x = network(), images()
    wanted = made(x).numpy()
    state = {name: tensor.numpy() for name, tensor in made.state_dict().items()}
    found = quantization_of(made, x[:16], x[16:], algorithm=algorithm)
    got = made(x).numpy()
    assert found.layers == ["0", "3", "6"] and 0 < np.linalg.norm(got - wanted) < 0.04 * np.linalg.norm(wanted)
    core.jit.save(made, tmp_path / "exported", [InputSpec([None, 3, 8, 8])])
    program = read_program(tmp_path / "exported")
    assert is_quantized(program)
    assert {weight.array.dtype.name for weight in program.weights.values() if weight.array.ndim > 1} == {"int8"}
    exported = core.jit.Predictor(tmp_path / "exported").run(x.numpy())
    assert np.linalg.norm(exported - got) < 0.01 * np.linalg.norm(got)  # a value may be a step off
    found.keep_in_float(found.layers)
    np.testing.assert_array_equal(made(x).numpy(), wanted)
    for name, tensor in made.state_dict().items():
        np.testing.assert_array_equal(tensor.numpy(), state[name])


def test_corrected_biases_keep_the_mean_of_each_output() -> None:
    x = core.to_tensor(np.random.RandomState(0).randn(64, 20).astype("float32") + 2)
    shifts = []
    for correction in (False, True):
        made = nn.Sequential(nn.Linear(20, 30, bias_attr=False))
        made[0].weight.set_value(np.random.RandomState(2).randn(20, 30).astype("float32"))
        made.eval()
        wanted = made(x).numpy().mean(0)
        quantization_of(made, x, bias_correction=correction)
        made[0].activation_quanter = None  # rounding of the weights alone
        shifts.append(np.abs(made(x).numpy().mean(0) - wanted).max())
    assert shifts[0] > 5e-3 and shifts[1] < 1e-5


def test_biases_of_grouped_convolutions_are_corrected_by_their_own_channels() -> None:
    made = nn.Sequential(nn.Conv2D(4, 6, 3, groups=2))
    made.eval()
    x = core.to_tensor((np.arange(4)[:, None, None] + np.zeros((2, 4, 5, 5))).astype("float32"))  # constant channels
    wanted = made(x).numpy()
    quantization_of(made, x)
    made[0].activation_quanter = None
    np.testing.assert_allclose(made(x).numpy(), wanted, rtol=1e-4, atol=1e-5)


def test_the_layer_that_changes_most_is_found() -> None:
    made = nn.Sequential(nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 16))
    # of the first value nothing is left
    made[0].weight.set_value(
        made[0].weight.numpy() * (np.arange(16) > 0)[:, None]
    )  # of the first value nothing is left
    made.eval()
    x = images(8).reshape([-1, 16])
    far = x.numpy().copy()
    far[0, 0] = 2000  # the first layer's scale leaves nothing of the other values
    found = quantization_of(made, core.to_tensor(far))
    calls: list[int] = []
    measured = found.sensitivity(lambda: [made(x).numpy()], lambda: calls.append(1))
    assert list(measured) == ["0", "2"] and measured["0"] > 10 * measured["2"] > 0 and len(calls) == 2
    with found.only(["2"]):
        assert type(made[0]) is nn.Linear and type(made[2]) is not nn.Linear
    assert type(made[0]) is not nn.Linear


def test_what_no_data_reaches_stays_as_it_is() -> None:
    class Half(nn.Layer):
        def __init__(self):
            super().__init__()
            self.used, self.unused = nn.Linear(4, 4), nn.Linear(4, 4)

        def forward(self, x):
            return self.used(x)

    first, second = Half(), Half()
    first.eval(), second.eval()
    found = PostTraining({"a": first, "b": second})
    first(core.ones([2, 4]))
    assert found.convert() == ["a.unused", "b.used", "b.unused"]
    assert found.layers == ["a.used"] and type(second.used) is nn.Linear


def test_rows_of_a_table_have_scales_of_their_own(tmp_path) -> None:
    made = nn.Sequential(nn.Embedding(4, 3, padding_idx=1), nn.Linear(3, 2))
    made[0].weight.set_value(np.float32([[1.27, -0.634, 0], [0, 0, 0], [0, 0, 0], [2.54, 0.03, -0.01]]))
    made.eval()
    found = PostTraining({"model": made})
    ids = core.to_tensor(np.int64([[0, 1, 2], [3, 3, 0]]))
    made(ids)
    assert not found.convert() and found.layers == ["0", "1"] and list(found.grids) == ["1"]
    rows = np.float32([[1.27, -0.63, 0], [0, 0, 0], [0, 0, 0], [2.54, 0.04, 0]])
    np.testing.assert_allclose(made[0](ids).numpy(), rows[ids.numpy()], rtol=1e-5, atol=1e-7)
    core.jit.save(made, tmp_path / "exported", [InputSpec([None, 3], "int64")])
    weights = read_program(tmp_path / "exported").weights
    assert {name: weight.array.dtype.name for name, weight in weights.items() if weight.array.ndim == 2} == {
        "0.weight_numbers": "int8", "1.weight_numbers": "int8"
    }  # fmt: skip
    exported = core.jit.Predictor(tmp_path / "exported").run(ids.numpy())
    np.testing.assert_allclose(exported, made(ids).numpy(), rtol=1e-5, atol=1e-6)
    alone = nn.Sequential(nn.Embedding(4, 3))
    alone.eval()
    only = PostTraining({"model": alone})
    assert only.convert() == [] and only.layers == ["0"] and not only.grids


def test_hostile_data() -> None:
    """Constants, zeros, an output whose weights are all 0."""
    for value in (0.0, 3.0):
        made = nn.Sequential(nn.Conv2D(2, 2, 1))
        made.eval()
        made[0].weight.set_value(np.float32([[[[0.5]], [[0.25]]], [[[0]], [[0]]]]))
        x = core.full([1, 2, 4, 4], value)
        wanted = made(x).numpy()
        quantization_of(made, x)
        assert np.isfinite(made(x).numpy()).all()
        np.testing.assert_allclose(made(x).numpy(), wanted, rtol=5e-3, atol=1e-6)


def test_mistakes_are_one_line() -> None:
    made = network()
    with pytest.raises(ValueError, match="no calibration 'kld': choose one of absmax, moving_average, percentile, kl"):
        PostTraining({"model": made}, "kld")
    with pytest.raises(ValueError, match="nothing is quantized: ReLU has no Conv2D, Linear or Embedding layer inside"):
        PostTraining({"model": nn.ReLU()})
    with pytest.raises(ValueError, match="Sequential computes nothing with them on calibration data"):
        PostTraining({"model": network()}).convert()
    found = PostTraining({"model": made})
    made(core.full([1, 3, 8, 8], float("nan")))
    with pytest.raises(ValueError, match="the input of 0 is not finite on calibration data"):
        found.convert()
    with pytest.raises(ValueError, match="no layer 'fc' is quantized; the layers are 0, 3, 6"):
        found.keep_in_float(["fc"])
    training = network()
    training.train()
    with pytest.raises(ValueError, match="the network is in training mode: call its eval"):
        PostTraining({"model": training})


def test_names_of_layers_may_have_dots() -> None:
    made = nn.Sequential()
    made.add_sublayer("stage.0.fc", nn.Linear(2, 3))
    made.add_sublayer("stage.0.norm", nn.BatchNorm1D(3))
    made.eval()
    assert fold_batch_normalization(made, [InputSpec([None, 2])]) == ["stage.0.norm"]
    assert quantization_of(made, core.ones([1, 2])).layers == ["stage.0.fc"]


def test_a_layer_that_stands_in_two_places_is_one() -> None:
    shared = nn.Linear(3, 3)
    made = nn.Sequential(shared, nn.ReLU(), nn.Sequential(shared))
    made.eval()
    found = quantization_of(made, core.ones([1, 3]))
    assert found.layers == ["0"] and made[0] is made[2][0] and type(made[0]) is not nn.Linear
    found.keep_in_float(["0"])
    assert made[0] is made[2][0] is shared


def test_layers_in_lists_are_quantized_too() -> None:
    class Listed(nn.Layer):
        def __init__(self):
            super().__init__()
            self.layers = [self.add_sublayer(f"fc{i}", nn.Linear(3, 3)) for i in range(2)]
            self.norms = (self.add_sublayer("norm", nn.BatchNorm1D(3)),)
            self.named = {"last": self.add_sublayer("last", nn.Linear(3, 1))}

        def forward(self, x):
            for layer in self.layers:
                x = layer(x)
            return self.named["last"](self.norms[0](x))

    made = Listed()
    made.eval()
    x = core.to_tensor(np.random.default_rng(0).standard_normal((4, 3)).astype(np.float32))
    wanted = made(x).numpy()
    assert fold_batch_normalization(made, [InputSpec([None, 3])]) == ["norm"] and type(made.norms[0]) is nn.Identity
    found = quantization_of(made, x)
    assert found.layers == ["fc0", "fc1", "last"] and made.layers[1] is made.fc1 and made.named["last"] is made.last
    assert 0 < np.abs(made(x).numpy() - wanted).max() < 0.1
    found.keep_in_float(found.layers)
    assert type(made.layers[0]) is nn.Linear
    np.testing.assert_allclose(made(x).numpy(), wanted, rtol=1e-4, atol=1e-5)


class Residual(nn.Layer):
    """A sum of what a convolution reads and what it gives."""

    def __init__(self) -> None:
        super().__init__()
        self.stem, self.body = nn.Conv2D(3, 8, 3), nn.Conv2D(8, 8, 3, padding=1)

    def forward(self, x: core.Tensor) -> core.Tensor:
        x = nn.functional.relu(self.stem(x))
        return self.body(x) + x


@pytest.mark.parametrize("rounds", [True, False])
def test_sums_read_what_convolutions_round(rounds: bool, tmp_path) -> None:
    core.seed(2)
    made, x = Residual(), images()
    made.eval()
    given = x.numpy()
    found = quantization_of(made, x, round_sums=rounds)
    result = made(x).numpy()
    np.testing.assert_array_equal(x.numpy(), given)  # what the caller has stays as it is
    inner = nn.functional.relu(made.stem(x))
    branch, grid = made.body(core.to_tensor(inner.numpy())).numpy(), found.grids["body"]
    numbers = quantized.dequantized(quantized.quantized(inner.numpy(), *grid), *grid)
    np.testing.assert_allclose(result, branch + (numbers if rounds else inner.numpy()), rtol=1e-5, atol=1e-6)
    core.jit.save(made, tmp_path / "exported", [InputSpec([None, 3, 8, 8])])
    program = read_program(tmp_path / "exported")
    rounded = {node.outputs[0] for node in program.nodes if node.operator == "quantize_dequantize"}
    (adding,) = (node for node in program.nodes if node.operator == "add" and len(rounded) == 2)
    assert (not rounded.isdisjoint(adding.inputs)) == rounds
    expected = core.jit.Predictor(tmp_path / "exported").run(given)
    np.testing.assert_allclose(expected, result, atol=0.02 * np.abs(result).max())

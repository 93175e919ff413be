"""The passes: what they fold and drop, and that the engine's fusion gives the unfused numbers where it used to fail."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Callable

import numpy as np
import pytest

import core
from core import nn
from core.jit import Predictor
from core.jit.exported.program import ExportedProgram
from core.jit.exported.reader import read_program
from core.jit.input_spec import InputSpec
from core.jit.passes import fusion
from core.nn import functional as F

X = np.random.default_rng(0).standard_normal((2, 4, 5, 5)).astype(np.float32)


def statistics(norm: Any) -> Any:
    generator = np.random.default_rng(1)
    for tensor in (norm._mean, norm.weight, norm.bias):
        tensor.set_value(generator.standard_normal(tensor.shape).astype(np.float32))
    norm._variance.set_value(generator.random(norm._variance.shape).astype(np.float32) + 0.3)
    return norm


FIRST, SECOND = nn.Conv2D(4, 4, 3, padding=1), nn.Conv2D(4, 4, 3, padding=1, bias_attr=False)
NORM, LINE = statistics(nn.BatchNorm2D(4)), nn.Linear(5, 5)
for _layer in (FIRST, SECOND, NORM, LINE):
    _layer.eval()


def exported(function: Callable[..., Any], folder: Path, spec: Sequence[Any] = (None, 4, 5, 5)) -> ExportedProgram:
    core.jit.save(function, folder, [InputSpec(spec, name="x")])
    return read_program(folder)


def operators(program: ExportedProgram) -> list[str]:
    return [node.operator for node in program.nodes]


def test_batch_normalisation_is_folded_into_convolutions(tmp_path: Path) -> None:
    program = exported(lambda x: F.relu(NORM(SECOND(x))), tmp_path / "m")
    assert operators(program) == ["convolution", "frozen_normalization", "relu"]
    folded = fusion.optimized(program)
    assert operators(folded) == ["convolution", "relu"]
    factor = NORM.weight.numpy() / np.sqrt(NORM._variance.numpy().astype(np.float64) + 1e-5)
    weight, bias = [folded.weights[name].array for name in folded.nodes[0].inputs[1:]]
    np.testing.assert_allclose(weight, SECOND.weight.numpy() * factor[:, None, None, None], rtol=1e-6)
    np.testing.assert_allclose(bias, NORM.bias.numpy() - NORM._mean.numpy() * factor, rtol=1e-5, atol=1e-6)
    assert list(folded.weights) == list(folded.nodes[0].inputs[1:])


def test_batch_normalisation_stays_where_the_convolution_is_read_twice_or_not_constant(tmp_path: Path) -> None:
    twice = exported(lambda x: [NORM(SECOND(x)), F.relu(SECOND(x)) + SECOND(x)], tmp_path / "m")
    assert operators(fusion.optimized(twice)).count("frozen_normalization") == 0

    def shared(x: Any) -> Any:
        y = SECOND(x)
        return NORM(y) + y

    assert operators(fusion.optimized(exported(shared, tmp_path / "m"))).count("frozen_normalization") == 1
    assert "frozen_normalization" in operators(fusion.optimized(exported(lambda x: NORM(F.relu(x)), tmp_path / "m")))


def test_constants_are_computed_once_and_copies_dropped(tmp_path: Path) -> None:
    table = core.to_tensor(np.arange(12, dtype=np.float32).reshape(3, 4))

    def function(x: Any) -> Any:
        scale = core.exp(table.transpose([1, 0])).sum(axis=1)
        return core.assign(x.detach()) * scale, table * 2

    program = exported(function, tmp_path / "m", [None, 4])
    folded = fusion.optimized(program)
    assert operators(folded) == ["multiply", "multiply_scalar"]
    constant = folded.weights[folded.nodes[0].inputs[1]]
    np.testing.assert_allclose(constant.array, np.exp(np.arange(12).reshape(3, 4)).sum(0), rtol=1e-6)
    assert constant.kind == "constant"


def test_random_numbers_and_large_constants_made_of_nothing_are_not_folded(tmp_path: Path) -> None:
    def function(x: Any) -> Any:
        return x.sum() + core.rand([3]).sum() + core.zeros([300, 300]).sum()

    left = operators(fusion.optimized(exported(function, tmp_path / "m", [None, 4])))
    assert "uniform" in left and "full" in left


def test_products_with_a_fixed_matrix_become_one_operator(tmp_path: Path) -> None:
    program = exported(lambda x: F.relu(LINE(x)), tmp_path / "m", [None, 5])
    assert operators(program) == ["linear", "relu"]
    assert operators(fusion.optimized(program)) == ["affine", "relu"]
    rows = np.random.default_rng(2).standard_normal((3, 5)).astype(np.float32)
    np.testing.assert_allclose(
        Predictor(tmp_path / "m").run(rows), F.relu(LINE(core.to_tensor(rows))).numpy(), atol=1e-6
    )


def test_a_row_added_behind_a_reshape_and_bounded_activations(tmp_path: Path) -> None:
    program = exported(lambda x: core.matmul(x, LINE.weight) + LINE.bias, tmp_path / "m", [None, None, 5])
    assert operators(program)[1:] == ["matrix_product", "reshape", "add"]
    assert operators(fusion.optimized(program)) == ["reshape", "affine", "reshape"]
    rows = np.random.default_rng(2).standard_normal((2, 3, 5)).astype(np.float32)
    np.testing.assert_allclose(Predictor(tmp_path / "m").run(rows), LINE(core.to_tensor(rows)).numpy(), atol=1e-6)
    bounded = exported(lambda x: F.relu6(FIRST(x) * 9), tmp_path / "m")
    assert operators(fusion.optimized(bounded)) == ["convolution", "multiply_scalar", "clip"]
    np.testing.assert_allclose(
        Predictor(tmp_path / "m").run(X), F.relu6(FIRST(core.to_tensor(X)) * 9).numpy(), rtol=0, atol=1e-5
    )


def test_what_no_result_needs_is_not_even_saved(tmp_path: Path) -> None:
    def function(x: Any) -> Any:
        FIRST(x)
        return x * 2

    program = exported(function, tmp_path / "m")
    assert operators(program) == ["multiply_scalar"] and program.weights == {}


def test_products_with_what_changes_between_calls(tmp_path: Path) -> None:
    def scores(x: Any, y: Any, kernel: Any) -> Any:
        similar = core.matmul(x, y, transpose_y=True)
        return similar, F.conv2d(core.reshape(similar, [1, 1, 6, 6]), kernel)

    generator = np.random.default_rng(3)
    calls = [
        [generator.standard_normal(s).astype(np.float32) for s in ((6, 64), (6, 64), (2, 1, 3, 3))] for _ in range(3)
    ]
    core.jit.save(scores, tmp_path / "m", [core.to_tensor(array) for array in calls[0]])
    predictor = Predictor(tmp_path / "m")
    for arrays in calls:
        wanted = scores(*[core.to_tensor(array) for array in arrays])
        for ours, theirs in zip(predictor.run(arrays), wanted):
            np.testing.assert_allclose(ours, theirs.numpy(), rtol=0, atol=1e-4)


def both(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a function of x that passes the convolution of x on."""
    return lambda x: function(FIRST(x))


@pytest.mark.parametrize(
    "function",
    [
        pytest.param(both(lambda y: y + y), id="added to itself"),
        pytest.param(both(lambda y: y + F.relu(y)), id="added to its activation"),
        pytest.param(both(lambda y: F.relu(y) + y), id="its activation added to it"),
        pytest.param(both(lambda y: F.leaky_relu(y, 0.1) + y), id="added to its leaky activation"),
        pytest.param(both(lambda y: F.relu6(y) + y), id="added to its clipped activation"),
        pytest.param(both(lambda y: y + core.exp(F.relu(y))), id="added to what comes of its activation"),
        pytest.param(both(lambda y: y + NORM(y)), id="added to its normalisation"),
        pytest.param(both(lambda y: [F.relu(y), y]), id="a result beside its activation"),
        pytest.param(both(lambda y: [NORM(y), y]), id="a result beside its normalisation"),
        pytest.param(lambda x: (lambda y: y + (y + x))(FIRST(x)), id="added twice"),
        pytest.param(lambda x: (lambda s: [F.relu(s), s])(FIRST(x) + x), id="a sum that is a result"),
        pytest.param(lambda x: (lambda y, z: [F.relu(SECOND(y) + z), z])(FIRST(x), F.relu(x)), id="a term as result"),
        pytest.param(lambda x: (lambda y, z: (SECOND(y) + z) * z)(FIRST(x), F.relu(x)), id="a term used later"),
        pytest.param(lambda x: FIRST(x) + FIRST(x), id="one convolution twice"),
        pytest.param(lambda x: F.relu(SECOND(FIRST(x)) + x), id="a residual block"),
    ],
)  # fmt: skip
def test_fused_chains_that_branch(
    function: Callable[[Any], Any], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    core.jit.save(function, tmp_path / "m", [InputSpec([None, 4, 5, 5])])
    assert caplog.text == ""  # fused, without a difference
    wanted = function(core.to_tensor(X))
    got = Predictor(tmp_path / "m").run(X)
    for ours, theirs in zip(*[item if isinstance(item, list) else [item] for item in (got, wanted)]):
        np.testing.assert_allclose(ours, theirs.numpy(), rtol=0, atol=1e-5)


def test_the_engine_fuses_a_residual_block_into_two_operators(tmp_path: Path) -> None:
    core.jit.save(lambda x: F.relu(NORM(SECOND(F.relu(FIRST(x)))) + x), tmp_path / "m", [InputSpec([2, 4, 5, 5])])
    predictor = Predictor(tmp_path / "m")
    (program,) = predictor._engine_programs.values()
    nodes = json.loads(program._program.symbol.tojson())["nodes"]
    assert [node["op"] for node in nodes if node["op"] != "null"] == ["_sg_mkldnn_conv", "_sg_mkldnn_conv"]

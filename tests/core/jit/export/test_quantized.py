"""Exported programs in 8 bits: their version, what the passes make of them, and damaged ones."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import core
from core import nn
from core.jit.export.differences import difference, in_steps
from core.jit.exported.reader import read_program
from core.jit.passes.passes import with_constants_folded
from core.quantization.post_training import PostTraining
from core.static import InputSpec

SPEC = [InputSpec([None, 2, 6, 6], name="x")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("exports")
    made = nn.Sequential(nn.Conv2D(2, 16, 3), nn.BatchNorm2D(16), nn.ReLU(), nn.Conv2D(16, 16, 3), nn.Flatten())
    made.eval()
    core.jit.save(made, target / "float32", SPEC)
    found = PostTraining({"model": made})
    made(core.to_tensor(np.random.default_rng(0).standard_normal((8, 2, 6, 6)).astype(np.float32)))
    found.convert()
    core.jit.save(made, target / "int8", SPEC)
    return target


def test_only_programs_in_8_bits_are_of_the_third_version(folder: Path) -> None:
    versions = {
        name: json.loads((folder / name / "program.json").read_text())["version"] for name in ("float32", "int8")
    }
    assert versions == {"float32": 2, "int8": 3}
    sizes = {name: (folder / name / "weights.safetensors").stat().st_size for name in versions}
    assert sizes["int8"] < 0.45 * sizes["float32"]  # of which names and normalisation are a large part here


def test_where_no_kernel_takes_bytes_weights_are_computed_ahead(folder: Path) -> None:
    program = read_program(folder / "int8")
    made = with_constants_folded(program)
    assert [node.operator for node in made.nodes] == [
        "quantize_dequantize", "convolution", "frozen_normalization", "relu", "quantize_dequantize", "convolution",
        "reshape",
    ]  # fmt: skip
    convolution = made.nodes[1]
    numbers, scales = (program.weights[f"0.weight_{name}"].array for name in ("numbers", "scales"))
    wanted = numbers * scales[:, None, None, None]
    np.testing.assert_array_equal(made.weights[convolution.inputs[1]].array, wanted)


def test_unfused_it_computes_the_same_but_for_steps(folder: Path) -> None:
    x = np.random.default_rng(1).standard_normal((5, 2, 6, 6)).astype(np.float32)
    fast, plain = (core.jit.Predictor(folder / "int8", fuse=fuse).run(x) for fuse in (True, False))
    assert np.linalg.norm(fast - plain) < 0.02 * np.linalg.norm(plain)
    exact = core.jit.Predictor(folder / "float32").run(x)
    assert 0 < np.linalg.norm(fast - exact) < 0.05 * np.linalg.norm(exact)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("scale", -1.0, "the scale must be a number above 0, not -1.0"),
        ("scale", "wide", "the scale must be a number above 0, not 'wide'"),
        ("zero_point", 300, "the zero point must be an int from 0 to 255, not 300"),
        ("zero_point", None, "the zero point must be an int from 0 to 255, not None"),
    ],
)
def test_damaged_grids_are_refused(folder: Path, tmp_path: Path, key: str, value: object, message: str) -> None:
    content = json.loads((folder / "int8" / "program.json").read_text())
    content["operations"][0]["attributes"][key] = value
    (tmp_path / "program.json").write_text(json.dumps(content))
    (tmp_path / "weights.safetensors").write_bytes((folder / "int8" / "weights.safetensors").read_bytes())
    with pytest.raises(ValueError, match=f"program.json: the program does not run: quantize_dequantize: {message}"):
        read_program(tmp_path)


def test_results_that_are_more_than_steps_off_are_found() -> None:
    wanted = [np.ones(100, np.float32)]
    assert not difference([wanted[0] + 0.04], wanted, "the other's", in_steps)
    assert difference([wanted[0] + 0.06], wanted, "the other's", in_steps) == (
        "result 0 differs from the other's by 0.06 of its size"
    )
    assert not difference([wanted[0] + 0.06], wanted, "the other's", in_steps, {0})
    assert difference([wanted[0][:3]], wanted, "the other's", in_steps) == (
        "result 0 is float32[3], but the other's is float32[100]"
    )

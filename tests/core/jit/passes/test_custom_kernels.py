"""Exported Transformers are computed by our kernels, laid out once, and give what the live model gives."""

from __future__ import annotations

import dataclasses
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from core import nn
from core.jit.exported.program import ExportedProgram
from core.jit.exported.reader import read_program
from core.jit.passes.custom_kernels import OWN
from core.jit.passes.fusion import optimized
from core.jit.running.kernel_step import KernelStep
from core.jit.running.segments import Executable
from core.kernels.dispatch.trace import Operation
from core.kernels.numeric.tiles import COLUMNS
from core.operators._fused_operators import packed_affine
from core.static import InputSpec
from core.tensor import apply

RNG = np.random.default_rng(6)


class Encoder(nn.Layer):
    """Two encoder layers between an embedding and a head, as in BERT."""

    def __init__(self, activation: str = "gelu", before: bool = False) -> None:
        super().__init__()
        self.words = nn.Embedding(50, 128)
        layer = nn.TransformerEncoderLayer(128, 4, 256, activation=activation, normalize_before=before)
        self.encoder = nn.TransformerEncoder(layer, 2, nn.LayerNorm(128) if before else None)
        self.head = nn.Linear(128, 3)

    def forward(self, words: Any) -> Any:
        """Return scores (batch, 3)."""
        return self.head(core.tanh(self.encoder(self.words(words))[:, 0]))


def exported(model: Any, folder: Path, shape: list[Any]) -> tuple[core.jit.Predictor, Counter[str]]:
    model.eval()
    core.jit.save(model, folder, [InputSpec(shape, "int64", name="words")])
    program: ExportedProgram = optimized(read_program(folder))
    return core.jit.Predictor(folder), Counter(node.operator for node in program.nodes)


@pytest.mark.parametrize("activation", ["gelu", "relu", "sigmoid"])
def test_products_activations_and_sums_are_joined(tmp_path: Path, activation: str) -> None:
    core.seed(1)
    model = Encoder(activation)
    predictor, counts = exported(model, tmp_path / "model", [4, 7])
    assert counts["packed_affine"] == 12 and counts["add_and_normalize"] == 4 and counts["layer_normalization"] == 0
    assert counts[activation] == (2 if activation == "sigmoid" else 0)
    assert counts["affine"] == 1  # the head is too small to gain
    words = RNG.integers(0, 50, (4, 7))
    expected = model(core.to_tensor(words)).numpy()
    np.testing.assert_allclose(predictor.run(words), expected, rtol=0, atol=1e-5)
    np.testing.assert_array_equal(predictor.run(words), predictor.run(words))


def test_a_sum_that_is_read_again_is_kept(tmp_path: Path) -> None:
    model = Encoder(before=True)
    predictor, counts = exported(model, tmp_path / "model", [None, None])
    assert counts["add_and_normalize"] == 4 and counts["layer_normalization"] == 1 and counts["add"] == 0
    for shape in ((1, 1), (3, 9), (20, 13)):
        words = RNG.integers(0, 50, shape)
        expected = model(core.to_tensor(words)).numpy()
        np.testing.assert_allclose(predictor.run(words), expected, rtol=0, atol=1e-5)


def test_several_threads_at_once(tmp_path: Path) -> None:
    predictor, _ = exported(Encoder(), tmp_path / "model", [None, 5])
    batches = [RNG.integers(0, 50, (1 + i % 3, 5)) for i in range(24)]
    expected = [predictor.run(words) for words in batches]
    with ThreadPoolExecutor(4) as pool:
        for result, wanted in zip(pool.map(predictor.run, batches), expected):
            np.testing.assert_array_equal(result, wanted)


def test_without_attention_nothing_changes(tmp_path: Path) -> None:
    model = nn.Sequential(nn.Linear(128, 256), nn.GELU(), nn.Linear(256, 128), nn.LayerNorm(128))
    core.jit.save(model, tmp_path / "model", [InputSpec([None, 128])])
    operators = {node.operator for node in optimized(read_program(tmp_path / "model")).nodes}
    assert operators.isdisjoint(OWN)


def test_weights_that_a_file_gives_in_a_wrong_form_are_refused(tmp_path: Path) -> None:
    exported(Encoder(), tmp_path / "model", [2, 5])
    program = optimized(read_program(tmp_path / "model"))
    for operator, place in (("packed_affine", 1), ("packed_affine", 2), ("add_and_normalize", 2)):
        node = next(node for node in program.nodes if node.operator == operator)
        name = node.inputs[place]
        weight = program.weights[name]
        short = dataclasses.replace(weight, array=weight.array[:1])
        damaged = dataclasses.replace(program, weights={**program.weights, name: short}, fuse=False)
        with pytest.raises(ValueError, match=rf"{operator}: .* do not fit each other"):
            core.jit.Predictor(damaged)


def test_stretches_are_cut_only_where_kernels_of_ours_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cuts: list[list[str]] = []
    original = Executable.run

    def noted(self: Executable, inputs: Any) -> Any:
        cuts.append([type(step).__name__ for step, _, _ in self.steps])
        return original(self, inputs)

    monkeypatch.setattr(Executable, "run", noted)
    predictor, _ = exported(Encoder(), tmp_path / "model", [2, 5])
    predictor.run(np.zeros((2, 5), "int64"))
    steps = Counter(cuts[-1])
    assert steps["Segment"] == 2  # the embedding, and everything behind the last layer
    assert steps["KernelStep"] == 12 + 4 + 2


def test_a_kernel_is_called_with_other_sizes_and_weights_than_before() -> None:
    shapes, options = ((3, 4), (1, 4, COLUMNS), (COLUMNS,)), {"activation": "none"}
    x, matrix, bias = (core.to_tensor(RNG.standard_normal(shape, dtype="float32")) for shape in shapes)
    with core.no_grad():
        made = apply(packed_affine, x, matrix, bias, **options)
        inputs, outputs = [value._value for value in (x, matrix, bias)], [made._value]
        operation = Operation(packed_affine, options, inputs, outputs, False)
        assert KernelStep.serves(operation)
        step = KernelStep(operation, fixed=[1, 2])
        for rows, factor in ((3, 1), (3, 2), (5, 2), (3, 1)):
            given = [core.ones([rows, 4]), matrix * factor, bias]
            found = step.run([value._value for value in given])[0]
            expected = given[1].numpy()[0].sum(0) + bias.numpy()
            np.testing.assert_allclose(core.Tensor(found).numpy(), np.tile(expected, (rows, 1)), rtol=1e-5, atol=1e-5)
    half = core.ones([2], "bfloat16")._value
    assert not KernelStep.serves(Operation(packed_affine, options, inputs, [half], False))

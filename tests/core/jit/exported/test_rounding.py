"""An exported program may differ from the live model by rounding, however much a network amplifies it, by no more."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any, Callable

import numpy as np
import pytest

import core
import core.nn.functional as F
from core import nn
from core.jit.export import save as export_module
from core.jit.exported import interpreter as exported_run
from core.jit.exported import rounding as export_rounding
from core.jit.exported.program import ExportedProgram
from core.jit.exported.reader import read_program
from core.jit.input_spec import InputSpec

SPEC = [InputSpec([2, 3, 16, 16], "float32", "image")]


class Small(nn.Layer):
    """Convolution, normalisation and a branch whose share is small."""

    def __init__(self) -> None:
        super().__init__()
        core.seed(3)
        self.convolution = nn.Conv2D(3, 8, 3, padding=1)
        self.normalization = nn.BatchNorm2D(8)
        self.linear = nn.Linear(8, 5)

    def forward(self, x: Any) -> Any:
        y = F.relu(self.normalization(self.convolution(x)))
        pooled = F.adaptive_avg_pool2d(y, 1).flatten(1)
        return self.linear(pooled) + pooled[:, :5] * 1e-4


def _changed(program: ExportedProgram, operator: str, other: str, **attributes: Any) -> ExportedProgram:
    """Return a program whose last operation of that name is another one."""
    nodes = list(program.nodes)
    at = max(i for i, node in enumerate(nodes) if node.operator == operator)
    nodes[at] = dataclasses.replace(nodes[at], operator=other, attributes={**nodes[at].attributes, **attributes})
    return dataclasses.replace(program, nodes=nodes)


WRONG: dict[str, Callable[[ExportedProgram], ExportedProgram]] = {
    "relu leaks": lambda p: _changed(p, "relu", "leaky_relu", slope=0.01),
    "a small term is subtracted": lambda p: _changed(p, "add", "subtract"),
    "another epsilon": lambda p: _changed(p, "frozen_normalization", "frozen_normalization", epsilon=1e-3),
    "nearly the epsilon": lambda p: _changed(p, "frozen_normalization", "frozen_normalization", epsilon=2.2e-5),
}


FINE = "nearly the epsilon"  # wrong by less than 1e-5, the fixed bound that serves where nothing is measured
RUNS = [(change, True) for change in WRONG] + [(change, False) for change in WRONG if change != FINE]


@pytest.mark.parametrize(("change", "runs_in_float64"), RUNS)
def test_a_program_with_one_wrong_operator_is_refused(
    change: str, runs_in_float64: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = export_module.converted
    monkeypatch.setattr(export_module, "converted", lambda *given: WRONG[change](right(*given)))
    if not runs_in_float64:
        monkeypatch.setattr("core.jit.export.check.in_float64", lambda layers, run: None)
    with pytest.raises(ValueError, match="result 0 differs from the live model's by .* of its largest element"):
        core.jit.save(Small(), tmp_path / "small", SPEC)
    assert not (tmp_path / "small").exists()


class Amplifying(nn.Layer):
    """Adds rounding up until it shows: what it computes live and in programs rounds differently."""

    def __init__(self) -> None:
        super().__init__()
        self.shift = self.create_parameter([1], default_initializer=nn.initializer.Constant(5e-3))

    def forward(self, x: Any) -> Any:
        silu = F.silu if core.in_dynamic_mode() else lambda x: x / (1.0 + core.exp(-x))
        return (silu(x + self.shift) - silu(x)) * 200.0


def test_what_a_network_amplifies_is_no_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    specs, network = [InputSpec([1, 3, 64, 64], "float32", "image")], Amplifying()
    shift = network.shift.numpy()
    core.jit.save(network, tmp_path / "amplifying", specs)
    assert network.shift.dtype == core.float32 and core.get_default_dtype() == "float32"
    np.testing.assert_array_equal(network.shift.numpy(), shift)
    image = np.random.default_rng(0).standard_normal((1, 3, 64, 64)).astype(np.float32)
    gap = core.jit.Predictor(tmp_path / "amplifying").run(image) - network(core.to_tensor(image)).numpy()
    assert 1e-5 < np.abs(gap).max() < 1e-3
    monkeypatch.setattr("core.jit.export.check.in_float64", lambda layers, run: None)  # the fixed bound alone
    with pytest.raises(ValueError, match="result 0 differs from the live model's by"):
        core.jit.save(network, tmp_path / "other", specs)


def test_small_results_are_compared_by_their_own_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def tiny(x: Any) -> Any:
        return x * 1e-7

    right = export_module.converted
    core.jit.save(tiny, tmp_path / "right", SPEC)
    wrong = {"operator": "multiply_scalar", "other": "multiply_scalar", "scalar": 1.1e-7}
    monkeypatch.setattr(export_module, "converted", lambda *given: _changed(right(*given), **wrong))
    with pytest.raises(ValueError, match="result 0 differs from the live model's by 0.1 of its largest element"):
        core.jit.save(tiny, tmp_path / "wrong", SPEC)


def test_a_model_that_cannot_run_in_float64_is_put_back() -> None:
    layer = nn.Linear(2, 2)

    def run() -> list[np.ndarray]:
        assert layer.weight.dtype == core.float64 and core.get_default_dtype() == "float64"
        raise TypeError("expects float32")

    weight = layer.weight.numpy()
    assert export_rounding.in_float64([layer], run) is None
    assert layer.weight.dtype == core.float32 and core.get_default_dtype() == "float32"
    np.testing.assert_array_equal(layer.weight.numpy(), weight)
    assert not layer.weight.stop_gradient


def test_terms_of_a_sum_that_cancels(tmp_path: Path) -> None:
    def function(x: Any) -> Any:
        return ((x + 100.0) - (x + 99.0)).reshape([-1])

    core.jit.save(function, tmp_path / "m", [InputSpec([4], "float32", "x")])
    program = read_program(tmp_path / "m")
    value = core.to_tensor(np.array([-1.0, 0.0, 1.0, 2.0], np.float32))._value
    known = exported_run.replay(program, {program.inputs[0].name: value})
    assert export_rounding.terms_of(program, known, program.outputs[0]) == 102.0 + 101.0

"""``export.py --int8``: calibrated on the validation split, compared with float32, refused in one line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import core
from core.jit.exported.reader import read_program
from core.train.runner import quantizing
from tests.core.train.runner import toy

CONFIG = Path(toy.__file__).with_name("toy.yaml")
VALID = "data.valid={dataset: {name: Shapes, count: 30}, transforms: [{name: ToTensor}], batch_size: 10}"


class Two(core.nn.Layer):
    """Two linear layers, and one that computes nothing."""

    def __init__(self, size: int = 64) -> None:
        super().__init__()
        self.first, self.second, self.unused = core.nn.Linear(size, 32), core.nn.Linear(32, 2), core.nn.Linear(2, 2)

    def forward(self, images):
        return self.second(core.nn.functional.relu(self.first(core.flatten(images, 1))))


class Plain(core.nn.Layer):
    """A network without what is quantized."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = self.create_parameter([64, 2])

    def forward(self, images):
        return core.matmul(core.flatten(images, 1), self.weight)


@pytest.fixture(scope="module", autouse=True)
def networks():
    with pytest.MonkeyPatch.context() as patch:
        for network in (Two, Plain):
            patch.setitem(toy.NETWORKS.entries, network.__name__, network)
        yield


def trained(folder: Path, network: str) -> Path:
    words = [f"output={folder}", f"network.name={network}", VALID, "expect=null"]
    assert toy.train(["-c", str(CONFIG), *(word for change in words for word in ("-o", change))]) == 0
    return folder


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return trained(tmp_path_factory.mktemp("runs") / "two", "Two")


def test_a_network_that_runs_compiled_is_calibrated_call_by_call(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = toy.TellApart.program
    monkeypatch.setattr(
        toy.TellApart, "program", lambda self: plain(self)._replace(network=core.jit.to_static(self.network))
    )
    words = ["--int8", "--keep-float", "1", "--samples", "15", "--output", str(tmp_path / "compiled")]
    assert toy.export([str(run), *words]) == 0
    record = json.loads((tmp_path / "compiled" / "quantization.json").read_text())
    assert record["samples"] == 20 and set(record["sensitivity"]) == {"first", "second"}
    assert len(set(record["sensitivity"].values())) == 2
    program = read_program(tmp_path / "compiled")
    assert sum(weight.array.dtype == np.int8 for weight in program.weights.values()) == 1


def test_a_run_is_exported_in_8_bits(run: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert toy.export([str(run), "--int8", "--samples", "15"]) == 0
    output = capfd.readouterr().out
    assert "2 of 3 layers in 8 bits; calibrated by percentile on 20 samples of the split 'valid'" in output
    assert "in float32, as no calibration data passes through them: unused" in output
    assert "test, float32 and 8 bits (exported):\n  accuracy 1 and 1" in output
    record = json.loads((run / "exported_int8" / "quantization.json").read_text())
    assert record["compared"] == {"test": {"float32": {"accuracy": 1.0}, "int8": {"accuracy": 1.0}}}
    program = read_program(run / "exported_int8")
    scales = [node.attributes["scale"] for node in program.nodes if node.operator == "quantize_dequantize"]
    assert scales == [record["inputs"][name]["scale"] for name in ("first", "second")]
    sizes = {name: weight.array.dtype for name, weight in program.weights.items() if weight.array.ndim == 2}
    assert sizes == {"first.weight_numbers": np.int8, "second.weight_numbers": np.int8}


def test_layers_that_suffer_most_stay_in_float(run: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    words = ["--int8", "--keep-float", "1", "--calibration", "kl", "--compare", "valid", "--output"]
    assert toy.export([str(run), *words, str(tmp_path / "kept")]) == 0
    record = json.loads((tmp_path / "kept" / "quantization.json").read_text())
    first, second = record["sensitivity"].values()
    assert first > second >= 0 and list(record["inputs"]) == list(record["sensitivity"])[1:]
    assert f"  {next(iter(record['sensitivity']))}: {first:.1e} of the results' squares" in capfd.readouterr().out
    assert "valid" in record["compared"] and record["calibration"] == "kl"
    with pytest.raises(ValueError, match="--keep-float 2 leaves nothing to quantize: there are 2 layers"):
        toy.export([str(run), "--int8", "--keep-float", "2"])


def test_as_few_layers_as_it_takes_stay_in_float() -> None:
    assert quantizing.most_sensitive([0.5, 0.02, 0.006, 0.003], 0.01) == 2
    assert quantizing.most_sensitive([0.5, 0.02, 0.006, 0.003], 0.003) == 3
    assert quantizing.most_sensitive([0.5, 0.02], 1.0) == 0
    assert quantizing.most_sensitive([0.5, 0.02], 0.001) == 2


def test_how_many_layers_stay_in_float_may_be_left_to_export(
    run: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["--int8", "--keep-float", "auto", "--output"]
    assert toy.export([str(run), *words, str(tmp_path / "all")]) == 0
    record = json.loads((tmp_path / "all" / "quantization.json").read_text())
    assert sum(record["sensitivity"].values()) < quantizing.CHANGED and len(record["inputs"]) == 2
    assert "no layer changes the results enough to stay out" in capfd.readouterr().out
    monkeypatch.setattr(quantizing, "most_sensitive", len)
    with pytest.raises(ValueError, match="--keep-float auto leaves nothing to quantize: there are 2 layers"):
        toy.export([str(run), *words, str(tmp_path / "none")])


def test_without_a_validation_split_that_for_training_serves(run: Path, tmp_path: Path, capfd) -> None:
    assert toy.export([str(run), "--int8", "-o", "data.valid=null", "--output", str(tmp_path / "other")]) == 0
    assert "on 64 samples of the split 'train'" in capfd.readouterr().out


def test_what_cannot_be_done_is_one_line(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ValueError, match="nothing is quantized: Plain has no Conv2D, Linear or Embedding layer inside"):
        toy.export([str(trained(tmp_path / "plain", "Plain")), "--int8"])
    monkeypatch.setattr(toy.Shapes, "__getitem__", lambda self, index: (np.full((1, 8, 8), np.nan, np.float32), 0))
    with pytest.raises(ValueError, match="the input of first is not finite on calibration data"):
        toy.export([str(run), "--int8"])
    with pytest.raises(SystemExit):
        toy.export([str(run), "--keep-float", "1"])
    assert "--keep-float belongs to --int8" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        toy.export([str(run), "--int8", "--keep-float", "some"])
    assert "argument --keep-float: 'some' is neither a positive integer nor auto" in capsys.readouterr().err


def test_an_empty_loader_is_refused() -> None:
    class Empty(list):
        def batches(self):
            yield from self

    class Task:
        calibration = "valid"

        def loader(self, split):
            return Empty()

    with pytest.raises(ValueError, match="--int8 calibrates on the split 'valid', which has no samples"):
        quantizing._calibrate(Task(), 8)


def test_a_number_that_became_worse_is_pointed_out(capsys: pytest.CaptureFixture[str]) -> None:
    class Task:
        monitor, higher_is_better = "accuracy", True

    quantizing._suggest(Task, {"accuracy": 0.95}, {"accuracy": 0.945})
    assert not capsys.readouterr().out
    quantizing._suggest(Task, {"accuracy": 0.95}, {"accuracy": 0.91})
    assert "accuracy is worse by 0.04: try another --calibration, or --keep-float auto" in capsys.readouterr().out

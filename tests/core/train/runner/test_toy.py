"""A toolkit of a task, a network and a config has all commands."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import core
from core.train import ConfigError, read_metrics
from core.train.command_line import command_line_of
from core.train.runner.experiment import opens_exported
from core.vision import read_image
from tests.core.train.runner import toy

CONFIG = Path(__file__).with_name("toy.yaml")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("runs") / "toy"
    assert toy.train(["-c", str(CONFIG), "-o", f"output={output}", "-o", "train.epochs=3", "-o", "expect=null"]) == 0
    assert toy.train(["-c", str(CONFIG), "-o", f"output={output}", "--resume"]) == 0  # three epochs more
    return output


def test_it_fits_on_few_lines() -> None:
    lines = [line for file in (CONFIG, Path(toy.__file__)) for line in file.read_text(encoding="utf-8").splitlines()]
    assert len(lines) < 120


def test_it_trains_and_goes_on(run: Path) -> None:
    rows = read_metrics(run / "metrics.jsonl")
    assert [row["epoch"] for row in rows if row["split"] == "train"] == [1, 2, 3, 4, 5, 6]
    assert (run / "learning_curve.png").is_file()


def test_it_evaluates(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert toy.evaluate([str(run)]) == 0
    found = json.loads((run / "evaluation_test" / "results.json").read_text())["test"]["accuracy"]
    output = capsys.readouterr().out
    assert found >= 0.9 and f"test accuracy {found:.4f}, expected at least 0.9000: as expected" in output
    assert toy.evaluate([str(run), "-o", "expect={at_least: {accuracy: 1.1}}"]) == 1
    assert "BELOW what the config expects" in capsys.readouterr().out


def test_what_to_try_without_a_test_split(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    valid = "data.valid={dataset: {name: Shapes, count: 20}, transforms: [{name: ToTensor}], batch_size: 20}"
    changes = [f"output={tmp_path / 'run'}", "data.test=null", valid, "train.epochs=1", "expect=null"]
    assert toy.train(["-c", str(CONFIG), *(word for change in changes for word in ("-o", change))]) == 0
    (line,) = [line for line in capsys.readouterr().out.splitlines() if "evaluate again" in line]
    command, folder, *words = line.split("   ")[0].split()[1:]
    assert Path(command).name == "eval.py" and words == ["--split", "valid"]
    assert toy.evaluate([folder, *words]) == 0
    with pytest.raises(ValueError, match="the config has no data.test; it has train, valid"):
        toy.evaluate([folder])


def test_an_exported_folder_has_nothing_of_a_run(run: Path, tmp_path: Path) -> None:
    folder = tmp_path / "exported"
    assert toy.export([str(run), "--output", str(folder)]) == 0
    assert opens_exported(folder) and not opens_exported(run, "newest", ["seed=1"])
    end = "name the folder of its run$"
    with pytest.raises(ValueError, match=f"exported' is an exported folder, without a checkpoint 'newest': {end}"):
        opens_exported(folder, "newest")
    with pytest.raises(ValueError, match=f"is an exported folder, without a config to change by 'seed=1': {end}"):
        opens_exported(folder, overrides=["seed=1"])
    for command in (toy.evaluate, toy.export):
        with pytest.raises(ValueError, match="exported' is an exported folder: name the folder of its run$"):
            command([str(folder)])
    (folder / "program.json").write_bytes(b"")
    with pytest.raises(ValueError, match="has weights.safetensors, but no program.json that can be read: export it a"):
        opens_exported(folder)


def test_what_it_infers_is_what_it_exports(run: Path) -> None:
    assert toy.infer([str(run), "--count", "6"]) == 0
    assert toy.export([str(run)]) == 0
    logits = np.load(run / "predictions" / "output_0.npy")
    images = np.stack([toy.Shapes(6, lambda image: np.float32(image.transpose(2, 0, 1)) / 255)[i][0] for i in range(6)])
    np.testing.assert_allclose(core.jit.Predictor(run / "exported").run(images), logits, rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(logits.argmax(axis=1), [0, 1, 0, 1, 0, 1])


def test_a_preview_shows_the_samples(tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.png"
    assert toy.preview(["-c", str(CONFIG), "--images", "2", "--versions", "1", "--output", str(sheet)]) == 0
    picture = np.asarray(read_image(sheet))
    white = (picture == 255).all(axis=2)
    assert white.any() and (~white).any()
    with pytest.raises(ValueError, match="the config has no data.valid; it has train, test"):
        toy.preview(["-c", str(CONFIG), "--split", "valid"])


def test_its_keys_and_tables_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert toy.train(["--keys"]) == 0
    output = capsys.readouterr().out.splitlines()
    assert "network: {name: Linear, size: 64, bias: true}" in output
    assert "data.train.dataset: {name: Shapes, count: integer}" in output
    assert "task (a name with its arguments; required): of TellApart" in output
    assert any(line.startswith("expect.near.NAME.tolerance (number; required)") for line in output)
    named = ["task", "data.train.dataset", "data.train.transforms", "network", "optimizer", "schedule"]
    assert list(toy.TOOLKIT.tables) == named


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("network={name: Linear, biass: true}", "unknown key 'network.biass'; the nearest valid key is 'network.bias'"),
        ("task.names=1", "unknown key 'task.names'; the nearest valid key is 'task.name'"),
        ("data.train.dataset.counts=1", "the nearest valid key is 'data.train.dataset.count'"),
        ("data.train.transforms=[{name: ToTensors}]", "unknown transform 'ToTensors'; the nearest is 'ToTensor'"),
        ("train.epoch=1", "unknown key 'train.epoch'; the nearest valid key is 'train.epochs'"),
    ],
)
def test_misspelt_keys_are_reported(change: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        toy.train(["-c", str(CONFIG), "-o", change])


def test_of_a_config_of_another_toolkit_the_task_is_named() -> None:
    change = ["task.name=Detection", "network.name=yolov3", "optimizer.name=Momentun"]
    with pytest.raises(ConfigError) as caught:
        toy.train(["-c", str(CONFIG), *(word for one in change for word in ("-o", one))])
    asked = "2 more mistakes follow: is it of another toolkit than tests.core.train.runner?"
    assert str(caught.value) == (
        f"-o task.name=Detection: task: unknown task 'Detection'; the nearest is 'TellApart', of: TellApart; {asked}"
    )


def test_the_expected_split_is_one_of_three() -> None:
    with pytest.raises(ConfigError, match="expect.split must be 'train', 'valid' or 'test', not 'tests'"):
        toy.train(["-c", str(CONFIG), "-o", "expect={split: tests}"])


def test_commands_are_typed_as_files_of_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(__file__).resolve().parents[4])
    assert command_line_of("PGL", "train") == "python PGL/train.py"
    assert command_line_of(toy.TOOLKIT.name, "eval") == "python tests/core/train/runner/eval.py"


def test_a_number_that_no_evaluation_gives_is_refused_before_training(tmp_path: Path) -> None:
    words = ["-c", str(CONFIG), "-o", f"output={tmp_path / 'run'}", "-o", "expect={at_least: {acuracy: 0.9}}"]
    with pytest.raises(ValueError, match="^expect.at_least: the evaluation gives accuracy, not 'acuracy'$"):
        toy.train(words)
    assert not (tmp_path / "run").exists()

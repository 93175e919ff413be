"""Runs from several seeds: each as it would be alone, and what they give together."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from safetensors.numpy import load_file

from core.train.runner import several_seeds
from tests.core.train.runner import toy

CONFIG = Path(toy.__file__).with_name("toy.yaml")


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """A config of two epochs with a valid split, whose runs go to the test's folder."""
    content = yaml.safe_load(CONFIG.read_text(encoding="utf-8"))
    content["data"]["valid"] = {**content["data"]["test"], "dataset": {"name": "Shapes", "count": 31}}
    content.update(output=str(tmp_path / "toy"), train={"epochs": 2, "tensorboard": False}, seed=4)
    content["expect"] = {"at_least": {"accuracy": 0.0}}
    (tmp_path / "toy.yaml").write_text(yaml.safe_dump(content), encoding="utf-8")
    return tmp_path / "toy.yaml"


def results(folder: Path) -> Any:
    return json.loads((folder / "results.json").read_text())["results"]


def seeds(folder: Path) -> Any:
    return json.loads((folder / "seeds.json").read_text())


def test_each_run_is_that_of_its_seed_alone(config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert toy.train(["-c", str(config), "--seeds", "3"]) == 0
    output = capsys.readouterr().out
    folder = tmp_path / "toy"
    runs = [results(folder / f"seed_{seed}") for seed in (4, 5, 6)]
    assert toy.train(["-c", str(config), "-o", "seed=5", "-o", f"output={tmp_path / 'alone'}"]) == 0
    assert runs[1] == results(tmp_path / "alone")
    file = "checkpoints/best/model.safetensors"
    weights, alone = load_file(folder / "seed_5" / file), load_file(tmp_path / "alone" / file)
    np.testing.assert_array_equal(weights["fc.weight"], alone["fc.weight"])
    accuracies = {split: [run[split]["accuracy"] for run in runs] for split in ("valid", "test")}
    found = seeds(folder)
    assert [row["results"] for row in found["runs"]] == runs
    for split, values in accuracies.items():
        summary = found["results"][split]["accuracy"]
        assert summary["mean"] == pytest.approx(np.mean(values))
        assert summary["standard_deviation"] == pytest.approx(np.std(values, ddof=1))
    assert found["results"]["best_seed"] == 4 + int(np.argmax(accuracies["valid"]))
    lines = (folder / "seeds.md").read_text().splitlines()
    assert lines[0] == "| seed | valid accuracy | test accuracy |" and len(lines) == 8
    assert all(line in output for line in lines)
    mean = np.mean(accuracies["test"])
    assert f"test accuracy {mean:.4f}, expected at least 0.0000: as expected" in output


def test_what_was_stopped_goes_on(config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert toy.train(["-c", str(config), "--seeds", "2", "-o", f"output={tmp_path / 'whole'}"]) == 0
    trained: list[str] = []
    train_run = several_seeds.train_run

    def stopped(*words: Any) -> Any:
        trained.append(words[2][0])
        if len(trained) == 2:
            raise KeyboardInterrupt
        return train_run(*words)

    monkeypatch.setattr(several_seeds, "train_run", stopped)
    with pytest.raises(KeyboardInterrupt):
        toy.train(["-c", str(config), "--seeds", "2"])
    assert toy.train(["-c", str(config), "--seeds", "2", "--resume"]) == 0
    assert trained == ["seed=4", "seed=5", "seed=5"]
    assert seeds(tmp_path / "toy") == seeds(tmp_path / "whole")
    assert toy.train(["--resume", str(tmp_path / "toy"), "--seeds", "3"]) == 0  # one more
    assert trained[3:] == ["seed=6"] and len(seeds(tmp_path / "toy")["runs"]) == 3
    assert toy.train(["--resume", str(tmp_path / "toy"), "--seeds", "2", "-o", "train.epochs=3"]) == 0  # longer ones
    assert trained[4:] == ["seed=4", "seed=5"]
    rows = (tmp_path / "toy" / "seed_5" / "metrics.jsonl").read_text().splitlines()
    assert [json.loads(row)["epoch"] for row in rows if '"train"' in row] == [1, 2, 3]


def test_a_mean_that_falls_short_is_reported(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["-o", "expect={at_least: {accuracy: 1.1}}", "-o", "train.epochs=1"]
    assert toy.train(["-c", str(config), "--seeds", "1", *words]) == 1
    assert "BELOW what the config expects" in capsys.readouterr().out


def test_the_best_is_the_least_loss_and_a_deviation_of_one_is_none() -> None:
    def row(seed: int, loss: float) -> dict[str, Any]:
        return {"seed": seed, "monitor": "loss", "higher_is_better": False, "results": {"valid": {"loss": loss}}}

    lines = several_seeds.table([row(0, 0.5), row(1, 0.25), row(2, 0.75)])
    assert lines[2:] == [
        "| 0 | 0.5000 |",
        "| 1 | 0.2500 |",
        "| 2 | 0.7500 |",
        "| mean | 0.5000 |",
        "| standard deviation | 0.2500 |",
        "| best on valid: 1 | 0.2500 |",
    ]
    assert several_seeds.table([row(7, 0.5)])[-2] == "| standard deviation | 0.0000 |"


def test_folders_of_the_other_kind_are_refused(config: Path, tmp_path: Path) -> None:
    assert toy.train(["-c", str(config), "-o", "train.epochs=1"]) == 0
    with pytest.raises(ValueError, match="is the folder of a single run: continue it without --seeds"):
        toy.train(["--resume", str(tmp_path / "toy"), "--seeds", "2"])
    words = ["-o", "train.epochs=1", "-o", f"output={tmp_path / 'many'}"]
    assert toy.train(["-c", str(config), "--seeds", "1", *words]) == 0
    with pytest.raises(ValueError, match="holds the runs of several seeds: continue them with --seeds N"):
        toy.train(["--resume", str(tmp_path / "many")])
    (tmp_path / "many" / "seeds.json").write_text("{}")  # no runs
    with pytest.raises(ValueError, match="seeds.json' is damaged: write .* into it, and complete runs are"):
        toy.train(["--resume", str(tmp_path / "many"), "--seeds", "1"])

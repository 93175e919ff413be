"""A run goes on with a changed config, or is refused in one line and stays as it was."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from core.train import ConfigError, read_metrics
from core.train.logs.run_folder import OutputError
from tests.core.train.runner import toy

CONFIG = Path(__file__).with_name("toy.yaml")
COSINE = ["-o", "schedule={name: Cosine, learning_rate: 0.02}", "-o", "expect=null"]


def rates(run: Path) -> list[float]:
    """Return the learning rates of a run's epochs."""
    return [row["learning_rate"] for row in read_metrics(run / "metrics.jsonl") if row["split"] == "train"]


@pytest.fixture(scope="module")
def three_epochs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("runs") / "toy"
    assert toy.train(["-c", str(CONFIG), "-o", f"output={output}", "-o", "train.epochs=3", *COSINE]) == 0
    return output


@pytest.fixture
def run(three_epochs: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(three_epochs, tmp_path / "run", symlinks=True))


@pytest.mark.parametrize(
    "changes",
    [
        [],
        ["-o", "schedule.warmup_epochs=1"],
        ["-o", "schedule={name: Piecewise, learning_rate: 0.01, decay_epochs: [4]}"],
        ["-o", "train.epochs=null", "-o", "train.steps=18"],
    ],
)
def test_the_rate_is_that_of_the_schedule_of_now(run: Path, tmp_path: Path, changes: list[str]) -> None:
    changes = ["-o", "train.epochs=5", *changes]
    assert toy.train(["--resume", str(run), *changes]) == 0
    whole = tmp_path / "whole"
    assert toy.train(["-c", str(CONFIG), "-o", f"output={whole}", *COSINE, *changes]) == 0
    assert rates(run)[3:] == rates(whole)[3:]
    assert rates(run)[3] > 0  # a cosine of three epochs ends at zero


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("optimizer={name: Momentum}", "is not the state of the optimizer Momentum: continue with the optimizer that"),
        ("optimizer={name: SGD}", "is not the state of the optimizer SGD: continue with the optimizer that the run"),
        ("network.bias=false", "does not fit the network: it has the unknown entry 'fc.bias'"),
    ],
)
def test_what_cannot_go_on_leaves_the_run_as_it_was(run: Path, change: str, message: str) -> None:
    before = (run / "config.yaml").read_bytes()
    with pytest.raises(ValueError, match=message):
        toy.train(["--resume", str(run), "-o", "train.epochs=4", "-o", change])
    assert (run / "config.yaml").read_bytes() == before
    assert toy.train(["--resume", str(run), "-o", "train.epochs=4"]) == 0


@pytest.mark.parametrize("damage", ["{", "3", "{LR: 3}"])
def test_a_damaged_state_is_named(run: Path, damage: str) -> None:
    (run / "checkpoints" / "newest" / "train.optimizer.json").write_text(damage)
    with pytest.raises(ValueError, match=r"train\.optimizer\.json' is damaged; continue from another checkpoint by"):
        toy.train(["--resume", str(run), "-o", "train.epochs=4"])


@pytest.mark.parametrize("state", [3, {"last_epoch": -1}, {"last_epoch": 10**9}, {"last_epoch": None}, {}])
def test_a_damaged_schedule_is_reported(run: Path, state: Any) -> None:
    (run / "checkpoints" / "newest" / "train.optimizer.json").write_text(json.dumps({"LR_Scheduler": state}))
    with pytest.raises(ValueError, match="the state of a schedule is damaged: its number of steps is"):
        toy.train(["--resume", str(run), "-o", "train.epochs=4"])


def test_what_cannot_be_written_is_named(run: Path) -> None:
    taken = run / "config.yaml"
    for command, message in (
        (toy.infer, f"cannot write '{taken}': File exists"),
        (toy.export, "is a file or link"),
        (toy.evaluate, f"cannot write '{taken}': File exists"),
    ):
        with pytest.raises((OSError, ValueError), match=message):
            command([str(run), "--output", str(taken)])
    for command in (toy.infer, toy.export, toy.evaluate):
        with pytest.raises(OutputError, match="cannot write '/proc/none': No such file or directory"):
            command([str(run), "--output", "/proc/none"])


def test_adam_goes_on_as_adamw(run: Path) -> None:
    assert toy.train(["--resume", str(run), "-o", "train.epochs=4", "-o", "optimizer.name=AdamW"]) == 0


def test_a_huge_file_is_refused_unread(tmp_path: Path) -> None:
    file = tmp_path / "huge.yaml"
    file.write_text("a: [" + "1, " * 400_000 + "]")
    with pytest.raises(ConfigError, match="huge.yaml: a config file has at most 1,000,000 characters, and this has"):
        toy.train(["-c", str(file)])

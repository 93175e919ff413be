"""Pretraining in 16 bits beside float32: both trainings are of one config, and their held-out losses are judged."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from benchmarks.PaddleNLP import mixed_pretraining
from core.train import load_config
from PaddleNLP.config import LanguageConfig


@pytest.mark.parametrize("loss, code", [(4.03, 0), (4.06, 1), (3.94, 1)])
def test_losses_are_one_hundredth_apart_at_most(
    loss: float, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made: list[Sequence[str]] = []

    def trained(toolkit: str, folder: Path, words: Sequence[str], threads: int) -> Path:
        made.append(words)
        folder.mkdir(parents=True)
        found = {"loss": 4.0 if "train.precision=float32" in words else loss, "accuracy": 0.25}
        results = {"results": {"valid": found}, "training_seconds": 1.0}
        (folder / "results.json").write_text(json.dumps(results), encoding="utf-8")
        return folder

    monkeypatch.setattr(mixed_pretraining, "trained", trained)
    options = [str(tmp_path), "--work", str(tmp_path / "work"), "--steps", "20"]
    monkeypatch.setattr(sys, "argv", ["mixed_pretraining", *options, "--log", str(tmp_path / "log.jsonl")])
    assert mixed_pretraining.main() == code
    told = capsys.readouterr().out.splitlines()[-1]
    assert told == f"held-out losses differ by {abs(loss / 4 - 1):.2%} of float32's; at most 1% is expected"
    assert ["train.precision=bfloat16" in words for words in made] == [True, False]
    assert mixed_pretraining.main() == code and len(made) == 2, "what is in the log is not done again"


def test_both_trainings_are_of_the_config_but_for_the_precision() -> None:
    file = mixed_pretraining.CONFIG_FILE
    plain, mixed = (
        load_config(LanguageConfig, file, mixed_pretraining.changes(precision, 2000))
        for precision in ("float32", "bfloat16")
    )
    assert plain.train.loss_scaling is None and mixed.train.loss_scaling.use_dynamic_loss_scaling
    same = {"precision": "float32", "loss_scaling": None}
    assert mixed.model_copy(update={"train": mixed.train.model_copy(update=same)}) == plain
    assert plain.train.steps == 2000 and plain.train.evaluate_every.steps == 2000

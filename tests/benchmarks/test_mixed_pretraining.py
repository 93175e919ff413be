"""Pretraining in 16 bits beside float32: both trainings are of one config, and their held-out losses are judged."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import core
from benchmarks.PaddleNLP import mixed_pretraining
from benchmarks.PaddleNLP.sides.emulated_float16 import emulated
from core.train import load_config
from core.train.precision import precision_named
from PaddleNLP.config import LanguageConfig


@pytest.mark.parametrize("loss, code", [(4.03, 0), (4.06, 1), (3.94, 1)])
def test_losses_are_one_hundredth_apart_at_most(
    loss: float, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made: list[Sequence[str]] = []

    def trained(toolkit: str, folder: Path, words: Sequence[str], threads: int, program: str) -> Path:
        assert program == "train.py"
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
    output = capsys.readouterr().out.splitlines()[-1]
    assert output == f"held-out losses differ by {abs(loss / 4 - 1):.2%} of float32's; at most 1% is expected"
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


def test_a_small_training_in_float16_is_emulated_where_it_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = {}

    def trained(toolkit: str, folder: Path, words: Sequence[str], threads: int, program: str) -> Path:
        made[folder.name] = Path(program).name
        assert "network.hidden_size=64" in words
        folder.mkdir(parents=True)
        results = {"results": {"valid": {"loss": 4.0, "accuracy": 0.25}}, "training_seconds": 1.0}
        (folder / "results.json").write_text(json.dumps(results), encoding="utf-8")
        return folder

    monkeypatch.setattr(mixed_pretraining, "trained", trained)
    options = [str(tmp_path), "--work", str(tmp_path / "work"), "--steps", "20", "--small", "--emulated"]
    monkeypatch.setattr(sys, "argv", ["mixed_pretraining", *options, "--precision", "float16"])
    assert mixed_pretraining.main() == 0
    assert made == {"float16_20_small": "emulated_float16.py", "float32_20_small": "train.py"}
    load_config(LanguageConfig, mixed_pretraining.CONFIG_FILE, mixed_pretraining.changes("float16", 20, small=True))
    monkeypatch.setattr(sys, "argv", ["mixed_pretraining", *options])
    with pytest.raises(SystemExit):
        mixed_pretraining.main()


def test_products_are_rounded_to_float16_within_the_block() -> None:
    x, y = (np.random.default_rng(seed).random((5, 7), "float32") for seed in (0, 1))
    with emulated():
        precision = precision_named("float16")
        assert precision is not None and precision.scaler() is not None
        with precision.block():
            product = core.matmul(core.to_tensor(x), core.to_tensor(y), transpose_y=True)
    exact = x.astype("float16").astype("float32") @ y.astype("float16").astype("float32").T
    assert product.dtype == core.float16
    np.testing.assert_array_equal(product.numpy(), exact.astype("float16"))
    with pytest.raises(ValueError, match="this device does not compute in float16"):
        precision_named("float16")

"""The parts of the comparison of a small pretrained ERNIE that need no training."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.PaddleNLP import small_ernie
from benchmarks.PaddleNLP.sides.small_ernie_baselines import KINDS
from benchmarks.runs import ROOT, Log


def test_contexts_get_shorter_until_one_always_occurs() -> None:
    row = [0, 7, 8, 9, 0]
    assert KINDS["unigram"](row, 2) == [("", 0, 0)]
    assert KINDS["trigram"](row, 3) == [("before", 7, 8), ("before", -1, 8), ("", 0, 0)]
    assert KINDS["trigram"](row, 1) == [("before", 0, 0), ("before", -1, 0), ("", 0, 0)]
    assert KINDS["around"](row, 2) == [("around", 7, 9), ("before", -1, 7), ("behind", -1, 9), ("", 0, 0)]


def test_the_table_has_means_and_spreads_of_what_is_done() -> None:
    rows = [
        {"run": "pretraining", "accuracy": 0.25, "processor_seconds": None},
        {"run": "TNEWS, TF-IDF", "valid": 0.4, "test": 0.5},
        *({"run": f"TNEWS, pretrained, seed {seed}", "test": 0.1 * seed} for seed in range(3)),
        {"run": "LCQMC, from scratch, seed 0", "test": 0.625},
        *({"run": f"ChnSentiCorp, 2 layers with teacher, seed {seed}", "test": 0.7 + 0.1 * seed} for seed in range(2)),
    ]
    lines = small_ernie.table(rows)
    assert lines[2].split("|")[1:-1] == [f" {'TNEWS, accuracy':24} ", " 0.500 ", "  ", " 0.100 ± 0.100 "]
    assert lines[4].split("|")[2:-1] == ["  ", " 0.625 ", "  "] and lines[3].split("|")[2:-1] == ["  ", "  ", "  "]
    assert lines[-2:] == ["ChnSentiCorp, 2 layers with teacher: 0.750 ± 0.071", "pretraining: accuracy 0.25"]


def test_a_teacher_is_the_network_of_its_run_with_its_best_weights(tmp_path: Path) -> None:
    run = tmp_path / "small_chnsenticorp_ernie_pretrained_0"
    run.mkdir()
    (run / "config.yaml").write_text("network: {name: ernie, hidden_size: 8}\n")
    found = small_ernie.teacher("ChnSentiCorp", tmp_path)
    weights = str(run / "checkpoints/best/model.safetensors")
    assert found["network"] == {"name": "ernie", "hidden_size": 8, "pretrained": weights}
    assert found["hidden"] == {1: 2, 2: 4}


def test_every_set_has_its_config() -> None:
    configs = [small_ernie.CONFIG, *(one.config for one in small_ernie.SETS.values())]
    assert all((ROOT / "PaddleNLP" / "configs" / f"{name}.yaml").is_file() for name in configs)


def test_a_log_is_read_and_grows_line_by_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "made" / "log.jsonl"
    log = Log(path)
    log.add({"run": "a", "loss": 1.5})
    log.add({"run": "b"})
    assert capsys.readouterr().out.splitlines() == path.read_text().splitlines()
    again = Log(path)
    assert "a" in again and "c" not in again and again.rows == [{"run": "a", "loss": 1.5}, {"run": "b"}]
    assert json.loads(path.read_text().splitlines()[0])["loss"] == 1.5
    assert Log(None).rows == []

"""The comparison of language tasks asks for trainings that the configs allow, and its table shows means."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from benchmarks.PaddleNLP import tasks
from PaddleNLP.config import TOOLKIT

CONFIGS = Path(__file__).parents[2] / "PaddleNLP" / "configs"


def test_every_training_is_one_that_its_config_allows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def trained(toolkit: str, folder: Path, words: Sequence[str], threads: int) -> Path:
        config = TOOLKIT.load(CONFIGS / f"{words[0]}.yaml", [word for word in words[3:] if word != "-o"])
        asked.append(folder.name)
        if folder.name == "student_with_teacher_2":
            assert config.seed == 2 and config.network.arguments["num_hidden_layers"] == 2
            assert config.teacher.network.arguments["num_hidden_layers"] == 4
            assert config.teacher.network.arguments["pretrained"].endswith("teacher/checkpoints/best/model.safetensors")
        return folder

    monkeypatch.setattr(tasks, "trained", trained)
    monkeypatch.setattr(tasks, "reached", lambda folder, split, measures: dict.fromkeys(measures, 0.5))
    monkeypatch.setattr(tasks, "KINDS", {kind: lambda folder, shuffled: None for kind in tasks.DRAWN})
    (tmp_path / "teacher").mkdir()
    shutil.copy(CONFIGS / "small_tnews_ernie.yaml", tmp_path / "teacher" / "config.yaml")
    names = []
    for parts in tasks.COMPARISONS.values():
        for name, run in parts(tmp_path, tmp_path, 1):
            run()
            names.append(name)
    assert len(set(names)) == len(names) == 6 + 7 + 6
    assert {"small_relations_bigru_1", "student_alone_0", "student_with_teacher_2", "drawn_mrqa_shuffled"} <= set(asked)


def test_the_table_tells_means_and_what_guessing_gives() -> None:
    reached = enumerate((0.4, 0.5, 0.6))
    rows = [{"run": f"relations, ernie, seed {seed}", "f1": f1, "seconds": 3.0} for seed, f1 in reached]
    rows.append({"run": "drawn, dbqa, shuffled labels", "mrr": 0.4})
    assert tasks.table(rows) == [
        "relations, ernie: f1 0.5000 ± 0.1000 of 3",
        "drawn, dbqa, shuffled labels: mrr 0.4000 of 1; guessing 0.408",
    ]

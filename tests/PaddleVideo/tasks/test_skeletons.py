"""Actions of skeletons: a run's numbers, and data and networks that do not fit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from PaddleVideo import infer, train

NETWORK = {"name": "stgcn", "class_num": 8, "stages": [[4, 1], [8, 2]]}


def written(folder: Path, **changes: Any) -> Path:
    """Write a config of a small ST-GCN into a folder; return its path."""
    config = {
        "output": str(folder / "run"),
        "task": {"name": "SkeletonRecognition"},
        "network": NETWORK,
        "data": {
            split: {"dataset": {"name": "DrawnFigures", "split": split, "count": 16, "frames": 8}, "batch_size": 8}
            for split in ("train", "test")
        },
        "optimizer": {"name": "Momentum"},
        "schedule": {"name": "Constant", "learning_rate": 0.01},
        "train": {"epochs": 1, "compiled": False},
        **changes,
    }
    path = folder / "config.yaml"
    path.write_text(yaml.safe_dump(config))
    return path


def test_a_run_is_judged_and_drawn(tmp_path: Path) -> None:
    assert train.main(["-c", str(written(tmp_path))]) == 0
    numbers = json.loads((tmp_path / "run" / "results.json").read_text())["results"]["test"]
    assert 0 <= numbers["accuracy"] <= 1 and (tmp_path / "run" / "predictions.png").is_file()
    assert json.loads((tmp_path / "run" / "classes.json").read_text())[2] == "sit down"
    with pytest.raises(ValueError, match="is a run of the task SkeletonRecognition, which takes no videos"):
        infer.main([str(tmp_path / "run"), "--demo", "1"])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"network": {"name": "tsn_r18", "class_num": 8}}, "SkeletonRecognition takes a network of skeletons, such as"),
        ({"network": {**NETWORK, "class_num": 9}}, "data.train has 8 classes, but network.class_num is 9"),
        ({"network": {**NETWORK, "in_channels": 2}}, r"data.train: STGCN takes skeletons \(N, 2, T, 25, M\), not"),
        (
            {"data": {"train": {"dataset": {"name": "MovingDigits"}, "batch_size": 2}}},
            "data.train: SkeletonRecognition takes skeletons, as of SkeletonFile, not MovingDigits",
        ),
    ],
)
def test_what_does_not_fit_is_named(changes: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        train.main(["-c", str(written(tmp_path, **changes))])

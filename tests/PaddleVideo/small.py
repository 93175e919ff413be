"""A small experiment on drawn digits, which trains in seconds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from PaddleVideo import train
from tests.core.vision.video_files import write_video

CLIPS = {"frames": 6, "size": 32}
PREPARED = [{"name": "ToTensor"}, {"name": "Normalize", "mean": 0.1, "std": 0.3}]


def small_config(output: Path, **changes: Any) -> dict[str, Any]:
    """Return a config of TSM on clips of four frames; ``changes`` are of its keys."""
    split = {"batch_size": 8, "transforms": [{"name": "SampleSegments", "num_seg": 4}, *PREPARED]}
    config: dict[str, Any] = {
        "output": str(output),
        "network": {"name": "tsm_r18", "class_num": 8, "num_seg": 4, "width": 8},
        "data": {
            "train": {**split, "dataset": {"name": "MovingDigits", "count": 16, **CLIPS}, "shuffle": True},
            "test": {**split, "dataset": {"name": "MovingDigits", "split": "test", "count": 8, **CLIPS}},
        },
        "optimizer": {"name": "Momentum", "momentum": 0.9},
        "schedule": {"name": "Constant", "learning_rate": 0.01},
        "train": {"epochs": 2, "compiled": False},
    }
    return {**config, **changes}


def written(folder: Path, **changes: Any) -> Path:
    """Write the config into a folder; return its path."""
    path = folder / "config.yaml"
    path.write_text(yaml.safe_dump(small_config(folder / "run", **changes)))
    return path


def trained(folder: Path, **changes: Any) -> Path:
    """Train in a folder; return the run's."""
    folder.mkdir(parents=True, exist_ok=True)
    assert train.main(["-c", str(written(folder, **changes))]) == 0
    return folder / "run"


__all__ = ["CLIPS", "PREPARED", "small_config", "trained", "write_video", "written"]

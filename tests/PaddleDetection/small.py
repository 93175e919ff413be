"""A small run on drawn scenes, for the tests of the commands."""

from __future__ import annotations

from pathlib import Path

from PaddleDetection import train

CONFIG = Path(__file__).resolve().parents[2] / "PaddleDetection" / "configs" / "digits_yolov3.yaml"
SMALL = [
    *("network.scale=0.125", "network.width=16", "network.score_threshold=0.0", "network.conf_thresh=0.0"),
    *(f"data.{split}.dataset.{key}" for split in ("train", "valid", "test") for key in ("size=64", "count=4")),
    *("data.train.batch_size=2", "data.valid.batch_size=4", "data.test.batch_size=4", "schedule.warmup_epochs=0"),
]


def options(*changes: str) -> list[str]:
    """Return changes of keys as words of a command line."""
    return [word for change in changes for word in ("-o", change)]


def trained(folder: Path) -> Path:
    """Train three epochs on four scenes; return the run's folder."""
    words = options(*SMALL, f"output={folder}", "train.epochs=3", "train.checkpoint_every=1")
    assert train.main(["-c", str(CONFIG), *words]) == 0
    return folder

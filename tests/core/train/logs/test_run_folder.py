from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import pytest
from tensorboardX.proto.event_pb2 import Event

from core.train import RunFolder, RunLog, read_metrics
from core.train.logs.run_folder import OutputError, writing


def test_runs_never_overwrite_each_other(tmp_path: Path) -> None:
    paths = []
    for _ in range(3):
        folder = RunFolder.create(tmp_path / "runs" / "digits")
        folder.config.write_text("seed: 0")
        paths.append(folder.path.name)
    assert paths == ["digits", "digits-2", "digits-3"]
    newest = RunFolder.newest(tmp_path / "runs" / "digits")
    assert newest is not None and newest.path.name == "digits-3"
    assert RunFolder.newest(tmp_path / "runs" / "other") is None
    assert str(RunFolder.open(tmp_path / "runs" / "digits-2")).endswith("digits-2")
    with pytest.raises(FileNotFoundError, match="is not the folder of a run: it has no config.yaml"):
        RunFolder.open(tmp_path)


def test_what_cannot_be_read_while_something_is_written_is_not_said_to_be_unwritable(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="^no file 'texts.txt'$"), writing(tmp_path):
        raise FileNotFoundError("no file 'texts.txt'")
    with pytest.raises(OutputError, match=f"^cannot write '{tmp_path}': No space left on device$"), writing(tmp_path):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_numbers_go_to_lines_and_events(tmp_path: Path) -> None:
    folder = RunFolder.create(tmp_path / "run")
    log = RunLog(folder)
    log.write("train", 10, 1, {"loss": 0.5, "accuracy": float("nan")})
    log.write("valid", 10, 1, {"loss": 0.25})
    log.close()
    assert read_metrics(folder.metrics) == [
        {"split": "train", "step": 10, "epoch": 1, "loss": 0.5, "accuracy": None},
        {"split": "valid", "step": 10, "epoch": 1, "loss": 0.25},
    ]
    scalars = event_scalars(next(folder.tensorboard.iterdir()))
    assert scalars[("valid/loss", 10)] == 0.25 and scalars[("train/loss", 10)] == 0.5


def event_scalars(path: Path) -> dict[tuple[str, int], float]:
    """Read a TFRecord file: length (8 bytes), checksum (4), data, checksum (4)."""
    data, found, place = path.read_bytes(), {}, 0
    while place < len(data):
        length = int.from_bytes(data[place : place + 8], "little")
        event = Event.FromString(data[place + 12 : place + 12 + length])
        for value in event.summary.value:
            found[(value.tag, event.step)] = value.simple_value
        place += 16 + length
    return found


def test_resuming_forgets_later_rows_and_unfinished_lines(tmp_path: Path) -> None:
    folder = RunFolder.create(tmp_path / "run")
    rows = [{"split": "train", "step": step, "epoch": 0, "loss": 1.0} for step in (1, 2, 3)]
    folder.metrics.write_text("".join(json.dumps(row) + "\n" for row in rows) + '{"split": "tr')
    log = RunLog(folder, resume_step=2, tensorboard=False)
    log.write("train", 3, 0, {"loss": 0.5})
    log.close()
    assert [(row["step"], row["loss"]) for row in read_metrics(folder.metrics)] == [(1, 1.0), (2, 1.0), (3, 0.5)]
    folder.metrics.write_text("x\n{}\n")
    with pytest.raises(ValueError, match="metrics.jsonl:1: this line is not JSON"):
        read_metrics(folder.metrics)

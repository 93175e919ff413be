"""The numbers of a run: one JSON object per line, and TensorBoard events."""

from __future__ import annotations

import json
import math
import os
import struct
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO, Optional, Union

from core.train.logs.run_folder import RunFolder, writing
from core.weights.atomic import atomic_write


class RunLog:
    """Appends to metrics.jsonl, and to TensorBoard events.

    Everything is written before a call returns, so that a full disk is an error of the call that meets it.

    Args:
        folder: the run's folder; None: numbers are not kept.
        resume_step: forget what an earlier process wrote about later steps; None: a new run.
        tensorboard: whether to write events.

    Raises:
        OutputError: the files cannot be written.
    """

    def __init__(
        self, folder: Optional[RunFolder], resume_step: Optional[int] = None, tensorboard: bool = True
    ) -> None:
        self._stream: Optional[BinaryIO] = None
        self._events: Optional[_Events] = None
        if folder is None:
            return
        self.path = folder.metrics
        with writing(self.path):
            if resume_step is not None and self.path.exists():
                rows = read_metrics(self.path)
                kept = [row for row in rows if row["step"] <= resume_step and row["split"] != "test"]
                with atomic_write(self.path) as stream:
                    stream.write("".join(json.dumps(row) + "\n" for row in kept).encode("utf-8"))
            self._stream = open(self.path, "ab", buffering=0)
        if tensorboard:
            self._events = _Events(folder.tensorboard, None if resume_step is None else resume_step + 1)

    def write(self, split: str, step: int, epoch: float, values: Mapping[str, float]) -> None:
        """Append one row.

        Args:
            split: "train", "valid" or "test".
            step: how many steps have been made.
            epoch: how many epochs have been made, a fraction within one whose length is known.
            values: numbers by name; one that is not finite is written as null.

        Raises:
            OutputError: it cannot be written, as when the disk is full.
        """
        if self._stream is None:
            return
        finite = {name: float(value) if math.isfinite(value) else None for name, value in values.items()}
        line = json.dumps({"split": split, "step": step, "epoch": epoch, **finite}) + "\n"
        with writing(self.path):
            _write_whole(self._stream, line.encode("utf-8"))
        if self._events is not None:
            self._events.write({f"{split}/{name}": float(value) for name, value in values.items()}, step)

    def close(self) -> None:
        """Close the files."""
        if self._stream is not None:
            self._stream.close()
            self._stream = None
        if self._events is not None:
            self._events.close()
            self._events = None


class _Events:
    """A TensorBoard file; tensorboardX's own writer works in a thread, where errors are lost."""

    def __init__(self, folder: Path, purge_step: Optional[int]) -> None:
        from tensorboardX.proto import event_pb2  # loaded with the first use

        self._kinds: Any = event_pb2
        self.path = folder / f"events.out.tfevents.{time.time_ns() / 1e9:.6f}.{os.getpid()}"
        with writing(self.path):
            folder.mkdir(exist_ok=True)
            self._stream = open(self.path, "ab", buffering=0)
        self._record(event_pb2.Event(wall_time=time.time(), file_version="brain.Event:2"))
        if purge_step is not None:
            start = event_pb2.SessionLog(status=event_pb2.SessionLog.START)
            self._record(event_pb2.Event(wall_time=time.time(), step=purge_step, session_log=start))

    def write(self, values: Mapping[str, float], step: int) -> None:
        """Append numbers of a step."""
        from tensorboardX.proto.summary_pb2 import Summary  # loaded with the first use

        numbers = [Summary.Value(tag=name, simple_value=value) for name, value in values.items()]
        self._record(self._kinds.Event(wall_time=time.time(), step=step, summary=Summary(value=numbers)))

    def close(self) -> None:
        """Close the file."""
        self._stream.close()

    def _record(self, event: Any) -> None:
        from tensorboardX.record_writer import masked_crc32c  # loaded with the first use

        data = event.SerializeToString()
        length = struct.pack("<Q", len(data))
        parts = [length, struct.pack("<I", masked_crc32c(length)), data, struct.pack("<I", masked_crc32c(data))]
        with writing(self.path):
            _write_whole(self._stream, b"".join(parts))


def _write_whole(stream: BinaryIO, data: bytes) -> None:
    """Write to an unbuffered file, which may take a part of the data at a time."""
    rest = memoryview(data)
    while rest:
        rest = rest[stream.write(rest) :]


def read_metrics(path: Union[str, os.PathLike[str]]) -> list[dict[str, Any]]:
    """Read a metrics.jsonl; a last line that a killed process left unfinished is left out.

    Args:
        path: the file.

    Returns:
        One dict per row: "split", "step", "epoch" and the numbers.

    Raises:
        ValueError: another line is not JSON.
    """
    with open(path, encoding="utf-8") as stream:
        lines = stream.read().split("\n")
    rows = []
    for number, line in enumerate(lines, start=1):
        if not line:
            continue
        try:
            rows.append(json.loads(line))
        except (ValueError, RecursionError):  # too many digits or brackets, too
            if number < len(lines):
                raise ValueError(f"{os.fspath(path)}:{number}: this line is not JSON") from None
    return rows

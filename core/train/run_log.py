"""The numbers of a run: one JSON object per line, and TensorBoard events."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from typing import Any, Optional, Union

from core.train.run_folder import RunFolder
from core.weights.atomic import atomic_write


class RunLog:
    """Appends to metrics.jsonl, and to TensorBoard events.

    Args:
        folder: the run's folder.
        resume_step: forget what an earlier process wrote about later steps; None: a new run.
        tensorboard: whether to write events.
    """

    def __init__(self, folder: RunFolder, resume_step: Optional[int] = None, tensorboard: bool = True) -> None:
        if resume_step is not None and folder.metrics.exists():
            kept = [row for row in read_metrics(folder.metrics) if row["step"] <= resume_step]
            with atomic_write(folder.metrics) as stream:
                stream.write("".join(json.dumps(row) + "\n" for row in kept).encode("utf-8"))
        self._stream = open(folder.metrics, "a", encoding="utf-8")
        self._events: Any = None
        if tensorboard:
            from tensorboardX import SummaryWriter

            purge = None if resume_step is None else resume_step + 1
            self._events = SummaryWriter(logdir=str(folder.tensorboard), purge_step=purge)

    def write(self, split: str, step: int, epoch: int, values: Mapping[str, float]) -> None:
        """Append one row.

        Args:
            split: "train", "valid" or "test".
            step: how many steps have been made.
            epoch: how many epochs have been made.
            values: numbers by name; one that is not finite is written as null.
        """
        finite = {name: float(value) if math.isfinite(value) else None for name, value in values.items()}
        self._stream.write(json.dumps({"split": split, "step": step, "epoch": epoch, **finite}) + "\n")
        self._stream.flush()
        if self._events is not None:
            for name, value in values.items():
                self._events.add_scalar(f"{split}/{name}", value, step)

    def close(self) -> None:
        """Write out everything and close the files."""
        self._stream.flush()
        os.fsync(self._stream.fileno())
        self._stream.close()
        if self._events is not None:
            self._events.close()


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
        except json.JSONDecodeError:
            if number < len(lines):
                raise ValueError(f"{os.fspath(path)}:{number}: this line is not JSON") from None
    return rows

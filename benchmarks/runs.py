"""Trainings as steps of a long comparison: each is a run folder, and nothing that is finished is done again."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Callable, Optional

ROOT = Path(__file__).resolve().parents[1]
Part = tuple[str, Callable[[], dict[str, Any]]]
"""The name of a part of a comparison, and what computes its figures."""


def add_options(parser: argparse.ArgumentParser, work: str) -> None:
    """Add the options that such comparisons have: work, log, only, threads.

    Args:
        parser: of the command line.
        work: the folder for runs, unless another one is named.
    """
    parser.add_argument("--work", type=Path, default=Path(work), help=f"for runs (default {work})")
    parser.add_argument("--log", type=Path, help="a file for one JSON object per part; parts in it are not done again")
    parser.add_argument("--only", default="", help="parts with this in their name")
    parser.add_argument("--threads", type=int, default=1, help="threads of the engine (default 1)")


def trained(toolkit: str, folder: Path, words: Sequence[str], threads: int, program: str = "train.py") -> Path:
    """Run a toolkit's train.py, or continue it where it was stopped, unless it is finished; return the run's folder.

    Args:
        toolkit: "PaddleNLP", "PaddleDetection", ...
        folder: the run's.
        words: of the command line, from the config's name below the toolkit's ``configs`` on, without the output.
        threads: of the engine.
        program: what is started, of the toolkit's folder, or a whole path.

    Raises:
        SystemExit: the command ends without a result.
    """
    if (folder / "results.json").exists():
        return folder
    resumed = folder.exists() and any((folder / "checkpoints").glob("step_*"))
    config = str(ROOT / toolkit / "configs" / f"{words[0]}.yaml")
    given = ["--resume", str(folder)] if resumed else ["-c", config, *words[1:], "-o", f"output={folder}"]
    spent = command(toolkit, program, given, folder / "results.json", threads)
    if not resumed:
        (folder / "processor_seconds").write_text(f"{spent:.0f}", encoding="utf-8")
    return folder


def command(toolkit: str, name: str, words: Sequence[str], result: Path, threads: int) -> float:
    """Run a command of a toolkit that writes a file; return for how many seconds processors worked.

    Args:
        toolkit: as in :func:`trained`.
        name: of the command's file, in the toolkit's folder, or its whole path.
        words: of the command line.
        result: the file.
        threads: of the engine.

    Raises:
        SystemExit: the command ends without the file.
    """
    before = os.times()
    words = [sys.executable, str(ROOT / toolkit / name), *words]
    ended = subprocess.run(words, env={**os.environ, "OMP_NUM_THREADS": str(threads)})
    if not result.exists():  # the exit code also says whether the figures are those that the config expects
        raise SystemExit(f"{Path(name).name} ended with code {ended.returncode}; its message is above")
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def processor_seconds(folder: Path) -> Optional[float]:
    """Return for how many seconds processors worked on a run; None where it was stopped and continued."""
    file = folder / "processor_seconds"
    return float(file.read_text(encoding="utf-8")) if file.exists() else None


class Log:
    """One JSON object for each finished part of a comparison, by its name in "run".

    Args:
        path: the file of lines; None: there is none.
    """

    def __init__(self, path: Optional[Path]) -> None:
        self.path = path
        written = path.read_text(encoding="utf-8") if path is not None and path.exists() else ""
        self.rows: list[dict[str, Any]] = [json.loads(line) for line in written.splitlines()]

    def __contains__(self, run: str) -> bool:
        return any(row["run"] == run for row in self.rows)

    def complete(self, parts: Iterable[Part], only: str) -> None:
        """Add the parts with ``only`` in their names that are not there yet."""
        for run, figures in parts:
            if only in run and run not in self:
                self.add({"run": run, **figures()})

    def add(self, row: dict[str, Any]) -> None:
        """Print a row, and write it at once."""
        self.rows.append(row)
        print(json.dumps(row), flush=True)
        if self.path is not None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")

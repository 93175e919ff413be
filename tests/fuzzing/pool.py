"""Processes that read damaged files within bounds of time and memory, and what went wrong with each."""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Optional

from tests.fuzzing.reader import SECONDS, WITH_ENGINE

ROOT = Path(__file__).resolve().parents[2]
KEPT = Path(tempfile.gettempdir()) / "paddle-on-mxnet-fuzz"
FILES = 500
MEGABYTES = 2048
WALL_SECONDS = 30.0
STARTING_SECONDS = 120.0
LONGEST = 2000


class ReaderPool:
    """Processes, with the engine, without, and for traps; each is started when it is needed, and anew after 500 files.

    Args:
        wall_seconds: for one file.
        seconds: of processor time, for one file.
        kept: the folder to which files that fail are copied.
    """

    def __init__(self, wall_seconds: float = WALL_SECONDS, seconds: int = SECONDS, kept: Path = KEPT) -> None:
        self.wall_seconds = wall_seconds
        self.seconds = seconds
        self.kept = kept
        self.started = 0
        self.trapped = True
        self._processes: dict[str, tuple[subprocess.Popen[str], int]] = {}

    def read(self, kind: str, path: Path, number: int = 0) -> tuple[Optional[str], Optional[str]]:
        """Read a file or folder.

        Args:
            kind: of what it should be, one of the readers' names.
            path: where it is.
            number: of the case, for the report.

        Returns:
            The line by which it is refused, or None; what went wrong, or None.
        """
        loaded = {"trap": "nothing"}.get(kind, "engine" if kind in WITH_ENGINE else "readers")
        process = self._process(loaded)
        assert process.stdin is not None
        process.stdin.write(json.dumps({"kind": kind, "path": str(path), "seconds": self.seconds}) + "\n")
        process.stdin.flush()
        answer = self._answer(process, self.wall_seconds)
        fault = self._fault(process, answer, path)
        if fault is None:
            return (answer or {})["message"], None
        self._end(loaded)
        kept = self.kept / f"{kind}-{number}{path.suffix}"
        self.kept.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            shutil.copytree(path, kept, dirs_exist_ok=True)
        else:
            shutil.copy(path, kept)
        return None, f"{kind}, case {number}: {fault}; kept as {kept}"

    def close(self) -> None:
        """End the processes."""
        for loaded in list(self._processes):
            self._end(loaded)

    def _process(self, loaded: str) -> subprocess.Popen[str]:
        process, files = self._processes.get(loaded, (None, FILES))
        if process is None or files >= FILES:
            self._end(loaded)
            process, files = self._start(loaded), 0
        self._processes[loaded] = process, files + 1
        return process

    def _start(self, loaded: str) -> subprocess.Popen[str]:
        self.started += 1
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.fuzzing.reader", loaded],
            cwd=ROOT,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        answer = self._answer(process, STARTING_SECONDS)
        assert answer is not None, "the reading process does not start"
        self.trapped = answer["trapped"]
        return process

    def _answer(self, process: subprocess.Popen[str], seconds: float) -> Optional[dict[str, Any]]:
        """Return the answer; None where the process ended, or did not answer in time."""
        assert process.stdout is not None
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if select.select([process.stdout], [], [], 0.2)[0]:
                line = process.stdout.readline()
                answer: dict[str, Any] = json.loads(line) if line else {}
                return answer or None
        return None

    def _fault(self, process: subprocess.Popen[str], answer: Optional[dict[str, Any]], path: Path) -> Optional[str]:
        if answer is None:
            try:
                code = process.wait(timeout=2)
            except subprocess.TimeoutExpired:
                return f"no answer in {self.wall_seconds:g} s"
            if code == -signal.SIGSYS:
                return "it started a program"
            if code == -signal.SIGXCPU:
                return f"more than {self.seconds} s of processor time"
            return f"the process ended with {code}"
        if answer["error"] is not None:
            return str(answer["error"])
        if answer["megabytes"] > MEGABYTES:
            return f"{answer['megabytes']:.0f} MB of memory"
        message = answer["message"]
        if message is not None and not _is_clear(message, path):
            return f"no clear line, but {message[:200]!r}"
        return None

    def _end(self, loaded: str) -> None:
        process, _ = self._processes.pop(loaded, (None, 0))
        if process is not None:
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout):
                assert stream is not None
                stream.close()


def _is_clear(message: str, path: Path) -> bool:
    """Whether a message is one line that names the file; of a config, one such line for each mistake."""
    lines = message.splitlines()
    named = all(str(path) in line or path.name in line for line in lines)
    return bool(lines) and named and (len(lines) == 1 or path.suffix == ".yaml") and len(lines[0]) <= LONGEST

"""Runs that are killed at random moments end as an undisturbed one does, bit for bit."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.train import read_metrics

ROOT = Path(__file__).resolve().parents[3]


class Server:
    """Runs that are forked and killed on demand; see killed_program.py."""

    def __init__(self) -> None:
        command = [sys.executable, "-W", "ignore", "-m", "tests.core.train.killed_program"]
        threads = {"OMP_NUM_THREADS": "2", "NUMBA_NUM_THREADS": "2", "OMP_WAIT_POLICY": "PASSIVE"}
        environment = {**os.environ, **threads}
        self.process = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None and self.process.stdout.readline() == "ready\n"

    def run(
        self, folder: Path, event: int = 0, seconds: float = 0.0, workers: int = 0, kind: str = "epochs"
    ) -> int:
        """Train in a folder; return the signal that ended it, or 0."""
        assert self.process.stdin is not None and self.process.stdout is not None
        order = {"folder": str(folder), "event": event, "seconds": seconds, "workers": workers, "kind": kind}
        self.process.stdin.write(json.dumps(order) + "\n")
        self.process.stdin.flush()
        return int(json.loads(self.process.stdout.readline()))

    def close(self) -> None:
        """End the server."""
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.close()
        self.process.wait(timeout=10)
        self.process.stdout.close()


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    started = Server()
    yield started
    started.close()


@pytest.fixture(scope="module")
def undisturbed(server: Server, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, float]:
    """The folder of a run that nobody killed, and how long it took."""
    folder = tmp_path_factory.mktemp("undisturbed") / "run"
    start = time.monotonic()
    assert server.run(folder) == 0
    return folder, time.monotonic() - start


def result(folder: Path) -> dict[str, Any]:
    """Return all that a run leaves, less times and names of files with times in them."""
    checkpoints = folder / "checkpoints"
    files = {str(path.relative_to(folder)): path.read_bytes() for path in sorted(checkpoints.glob("step_*/*.s*"))}
    rows = read_metrics(folder / "metrics.jsonl")
    times = {"seconds", "samples_per_second"}
    return {
        **files,
        "links": [os.readlink(checkpoints / name) for name in ("best", "newest")],
        "rows": [{key: value for key, value in row.items() if key not in times} for row in rows],
        "results": json.loads((folder / "results.json").read_text())["results"],
        "names": sorted(path.name for path in checkpoints.iterdir()),
        "progress": {
            path.parent.name: {k: v for k, v in json.loads(path.read_text()).items() if k not in times}
            for path in checkpoints.glob("step_*/progress.json")
        },
    }


def assert_as_undisturbed(folder: Path, undisturbed: Path) -> None:
    one, two = result(undisturbed), result(folder)
    assert list(one) == list(two)
    for key, value in one.items():
        assert two[key] == value, key


@pytest.mark.parametrize("wanted", [6, pytest.param(60, marks=pytest.mark.exhaustive)])
def test_killed_at_random_moments(
    server: Server, undisturbed: tuple[Path, float], tmp_path: Path, wanted: int
) -> None:
    """Half of them by the clock, half at a touch of the run's files, so that saving is hit often."""
    whole, seconds = undisturbed
    generator = random.Random(4)
    kills, chain, folder = 0, 0, tmp_path / "chain0"
    while kills < wanted:
        event = generator.randint(1, 70) if kills % 2 else 0
        code = server.run(folder, event, 0.0 if event else generator.uniform(0.05, 1.0) * seconds)
        assert code in (0, signal.SIGKILL)
        kills += code == signal.SIGKILL
        if code == 0:
            assert_as_undisturbed(folder, whole)
            chain += 1
            folder = tmp_path / f"chain{chain}"
    if folder.exists():
        assert server.run(folder) == 0
        assert_as_undisturbed(folder, whole)


def test_killed_with_worker_processes(server: Server, undisturbed: tuple[Path, float], tmp_path: Path) -> None:
    folder = tmp_path / "run"
    server.run(folder, event=random.Random(5).randint(25, 70), workers=2)
    assert server.run(folder, workers=2) == 0
    assert_as_undisturbed(folder, undisturbed[0])


def test_killed_within_epochs(server: Server, tmp_path: Path) -> None:
    """At touches of the run's files: between rows, evaluations and checkpoints, within saves, before a link."""
    assert_killed_alike(server, tmp_path, "steps", 3)


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", ["steps", "stream"])
def test_killed_within_epochs_at_every_touch_of_a_file(server: Server, tmp_path: Path, kind: str) -> None:
    assert_killed_alike(server, tmp_path, kind, 120)


def assert_killed_alike(server: Server, folder: Path, kind: str, kills: int) -> None:
    whole, chain, generator = folder / "whole", 0, random.Random(6)
    assert server.run(whole, kind=kind) == 0
    while kills > 0:
        code = server.run(folder / str(chain), event=generator.randint(1, 150), kind=kind)
        assert code in (0, signal.SIGKILL)
        kills -= code == signal.SIGKILL
        if code == 0 or kills == 0:
            assert server.run(folder / str(chain), kind=kind) == 0
            assert_as_undisturbed(folder / str(chain), whole)
            chain += 1

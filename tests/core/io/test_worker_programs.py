"""Whole programs with worker processes: main modules, Ctrl-C, sudden death, and what is left afterwards."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]

GUARDED = """
import os, sys, time
import numpy as np
from core.io import DataLoader, Dataset, loader
loader.to_tensors = lambda batch: batch

class Numbers(Dataset):
    def __getitem__(self, index):
        {read}
        return np.full(20000, index, np.float32)
    def __len__(self):
        return 100

if __name__ == "__main__":
    {run}
"""


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "error"}


def outcome(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *command], env=environment(), capture_output=True, text=True, timeout=60, check=False
    )


def program(folder: Path, text: str) -> str:
    path = folder / "program.py"
    path.write_text(text)
    return str(path)


def members(group: int) -> list[int]:
    """Return the living processes of a process group."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            fields = Path("/proc", name, "stat").read_text().rpartition(")")[2].split()
        except OSError:  # ended meanwhile
            continue
        if int(fields[2]) == group and fields[0] != "Z":
            found.append(int(name))
    return found


def wait_until_alone(group: int, seconds: float) -> list[int]:
    deadline = time.monotonic() + seconds
    while members(group) and time.monotonic() < deadline:
        time.sleep(0.02)
    return members(group)


def test_a_program_says_nothing_and_leaves_nothing(tmp_path: Path) -> None:
    before = set(os.listdir("/dev/shm"))
    run = "print(sum(float(batch.sum()) for batch in DataLoader(Numbers(), batch_size=8, num_workers=2)))"
    done = outcome(program(tmp_path, GUARDED.format(read="", run=run)))
    assert (done.stdout, done.stderr, done.returncode) == ("99000000.0\n", "", 0)
    assert set(os.listdir("/dev/shm")) <= before


def test_the_program_in_the_documentation_runs(tmp_path: Path) -> None:
    blocks = (ROOT / "docs" / "data.md").read_text(encoding="utf-8").split("```python\n# photos.py\n")
    done = outcome(program(tmp_path, blocks[1].split("```")[0]))
    total = 3 * 8 * 8 * 45.0
    assert (done.stdout, done.returncode) == (f"0 {total}\n1 {total}\n", 0)


def test_iterators_left_open_do_not_keep_a_program_from_ending(tmp_path: Path) -> None:
    run = (
        "loaders = [DataLoader(Numbers(), num_workers=1, persistent_workers=keep) for keep in (True, False)]\n"
        "    iterators = [iter(loader) for loader in loaders]; [next(iterator) for iterator in iterators]"
    )
    done = outcome(program(tmp_path, GUARDED.format(read="", run=run)))
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)


def test_a_missing_main_guard_is_named(tmp_path: Path) -> None:
    path = program(tmp_path, GUARDED.format(read="", run="pass").replace('if __name__ == "__main__":', "if True:"))
    Path(path).write_text(Path(path).read_text() + "    list(DataLoader(Numbers(), num_workers=2))\n")
    done = outcome(path)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        f"core.io.workers.pool.WorkerError: DataLoader: {path} starts worker processes as soon as it is imported, and "
        'workers import it; put what it runs under `if __name__ == "__main__":`, or use num_workers=0'
    )
    assert done.stderr.count("Traceback") == 1


def test_a_main_module_that_fails_in_workers_is_named(tmp_path: Path) -> None:
    text = GUARDED.format(read="", run="list(DataLoader(Numbers(), num_workers=2))")
    done = outcome(program(tmp_path, text + "else:\n    raise ValueError('no camera')\n"))
    assert done.stderr.splitlines()[-1] == "ValueError: no camera"
    assert "while it started:" in done.stderr


def test_the_main_module_is_imported_only_when_it_is_needed(tmp_path: Path) -> None:
    text = (
        "import sys\nprint('imported', flush=True)\n"
        "from core.io import DataLoader, loader\nfrom tests.core.io.worker_datasets import Process\n"
        "loader.to_tensors = lambda batch: batch\n"
        "print(any(engine.any() for _, engine in DataLoader(Process(), num_workers=2)))\n"
    )
    done = outcome(program(tmp_path, text))
    assert (done.stdout, done.stderr) == ("imported\nFalse\n", "")


def test_interactive_sessions_are_told_where_data_sets_must_stand() -> None:
    code = "class Local(Dataset):\n    __len__ = lambda self: 1\nlist(DataLoader(Local(), num_workers=1))"
    done = outcome("-c", "from core.io import *\n" + code)
    assert done.stderr.splitlines()[-1].startswith(
        "core.io.workers.pool.WorkerError: DataLoader: the data set, or a function given to the loader, is defined in "
        "an interactive session or by python -c, where worker processes cannot find it; put it into a .py file"
    )


@pytest.mark.parametrize("persistent", [False, True])
def test_ctrl_c_ends_everything_with_one_traceback(tmp_path: Path, persistent: bool) -> None:
    loader = f"DataLoader(Numbers(), num_workers=2, persistent_workers={persistent})"
    run = f"list(print('reading', flush=True) for _ in {loader})"
    path = program(tmp_path, GUARDED.format(read="index > 1 and time.sleep(600)", run=run))
    with started(path) as process:
        assert process.stdout and process.stdout.readline() == "reading\n"
        os.killpg(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=20)
        assert wait_until_alone(process.pid, 5) == []
    assert process.returncode == -signal.SIGINT
    assert errors.splitlines()[-1] == "KeyboardInterrupt" and errors.count("Traceback") == 1


@pytest.mark.parametrize("read", ["time.sleep(600)", "__import__('ctypes').PyDLL(None).sleep(600)", ""])
def test_workers_do_not_outlive_their_parent(tmp_path: Path, read: str) -> None:
    run = "[(print('reading', flush=True), time.sleep(600)) for _ in DataLoader(Numbers(), num_workers=2)]"
    path = program(tmp_path, GUARDED.format(read=f"index > 1 and {read}" if read else "", run=run))
    with started(path) as process:
        assert process.stdout and process.stdout.readline() == "reading\n"
        assert len(members(process.pid)) >= 4  # the parent, two workers and what they were forked from
        process.kill()
        process.communicate(timeout=20)
        assert wait_until_alone(process.pid, 5) == []


class started:
    """A program in a process group of its own, all of which is ended afterwards."""

    def __init__(self, path: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, path],
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def __enter__(self) -> subprocess.Popen[str]:
        return self.process

    def __exit__(self, *failure: object) -> None:
        if members(self.process.pid):
            os.killpg(self.process.pid, signal.SIGKILL)
        for stream in (self.process.stdout, self.process.stderr):
            if stream:
                stream.close()
        self.process.wait()

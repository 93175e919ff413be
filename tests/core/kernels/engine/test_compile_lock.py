"""Processes do not compile the same form of a kernel side by side, and never wait for ever."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from core.kernels.engine import compile_lock

HOLD = """
import fcntl, sys
file = open(sys.argv[1], "a+")
try:
    fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, int(sys.argv[2]))
except OSError:
    print("busy", flush=True)
else:
    print("held", flush=True)
    sys.stdin.read()
"""


@contextmanager
def another_process(folder: Path, place: int) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A process that takes the lock of a form if it can, and gives it back at the end of its input; what it found."""
    command = [sys.executable, "-S", "-c", HOLD, str(folder / "compiling.lock"), str(place)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None and process.stdout is not None
        yield process.stdout.readline().strip(), process


def test_it_waits_for_the_process_that_compiles(tmp_path: Path) -> None:
    answers: list[bool] = []

    def wait() -> None:
        with compile_lock.outermost():
            answers.append(compile_lock.wait_for(tmp_path, 7))

    with another_process(tmp_path, 7) as (found, process):
        assert found == "held"
        thread = threading.Thread(target=wait)
        thread.start()
        assert process.stdin is not None
        process.stdin.close()
        process.wait()
        thread.join()
    assert len(answers) == 1


def test_it_does_not_wait_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compile_lock, "LONGEST_WAIT", 0.05)
    with another_process(tmp_path, 7) as (found, _), compile_lock.outermost():
        assert found == "held"
        assert compile_lock.wait_for(tmp_path, 7)


def test_what_nobody_compiles_is_kept_from_others_until_the_outermost_ends(tmp_path: Path) -> None:
    with compile_lock.outermost():
        with compile_lock.outermost():
            assert not compile_lock.wait_for(tmp_path, 7)
        with another_process(tmp_path, 7) as (found, _):
            assert found == "busy"
        with another_process(tmp_path, 8) as (found, _):
            assert found == "held"
    with another_process(tmp_path, 7) as (found, _):
        assert found == "held"


def test_a_thread_takes_one_turn_and_only_within_a_compilation(tmp_path: Path) -> None:
    assert not compile_lock.wait_for(tmp_path, 7)
    with compile_lock.outermost():
        assert not compile_lock.wait_for(tmp_path, 7)
        assert not compile_lock.wait_for(tmp_path, 8)  # of a function that the first one calls
        with another_process(tmp_path, 8) as (found, _):
            assert found == "held"


def test_where_nothing_can_be_written_nobody_waits(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with compile_lock.outermost():
        assert not compile_lock.wait_for(tmp_path / "file" / "folder", 7)

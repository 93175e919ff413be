from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from core.io import WorkerError
from core.train import TrainingInterrupted, command_line
from core.train.interruption import Interruption, leaving_in_order

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize(
    ("error", "code", "text"),
    [
        (ValueError("batch_size is wrong"), 1, "error: batch_size is wrong\n"),
        (KeyError("no such thing"), 1, "error: no such thing\n"),
        (TrainingInterrupted("saved", 130), 130, "saved\n"),
        (KeyboardInterrupt(), 130, "interrupted\n"),
        (MemoryError(), 1, "error: not enough memory\n"),
        (MemoryError("Unable to allocate 3 TiB\n"), 1, "error: not enough memory; Unable to allocate 3 TiB\n"),
    ],
)
def test_mistakes_are_one_line(
    error: BaseException, code: int, text: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CORE_TRACEBACK", raising=False)

    def main() -> int:
        raise error

    with pytest.raises(SystemExit) as left:
        command_line.run(main)
    assert left.value.code == code
    assert capsys.readouterr().err == text
    if isinstance(error, ValueError):
        monkeypatch.setenv("CORE_TRACEBACK", "1")
        with pytest.raises(ValueError, match="batch_size is wrong"):
            command_line.run(main)


def test_a_reading_process_that_is_killed_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    def main() -> int:
        raise WorkerError("worker 0 died while it read batch 3: it was killed")

    with pytest.raises(SystemExit) as left:
        command_line.run(main)
    assert left.value.code == 1
    assert capsys.readouterr().err == "error: worker 0 died while it read batch 3: it was killed\n"


def test_a_warning_is_one_line_without_a_place_in_the_code() -> None:
    script = "import warnings; from core.train import command_line\n"
    script += "command_line.run(lambda: warnings.warn('a text of 102 tokens\\n is cut') or 0)\n"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stderr == "warning: a text of 102 tokens is cut\n"


def test_a_polite_kill_runs_what_cleans_up(tmp_path: Path) -> None:
    script = """
import os, signal, sys
from core.jit.export.folder import new_folder
from core.train import command_line

def main():
    with new_folder(sys.argv[1]) as folder:
        (folder / "weights").write_bytes(b"half")
        os.kill(os.getpid(), signal.SIGTERM)

command_line.run(main)
"""
    words = [sys.executable, "-c", script, str(tmp_path / "exported")]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (143, "terminated\n")
    assert list(tmp_path.iterdir()) == []


def test_a_program_keeps_its_own_handler() -> None:
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    with leaving_in_order():
        ours = signal.getsignal(signal.SIGTERM)
        with leaving_in_order():
            assert signal.getsignal(signal.SIGTERM) is ours is not signal.SIG_DFL
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL


def test_first_signal_waits_second_raises() -> None:
    with Interruption() as interruption:
        os.kill(os.getpid(), signal.SIGINT)
        assert interruption.signal == signal.SIGINT and interruption.exit_code == 130
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
            signal.sigtimedwait([], 1)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    with Interruption() as interruption:
        os.kill(os.getpid(), signal.SIGTERM)
        assert interruption.exit_code == 143


def test_other_threads_get_no_handlers() -> None:
    seen = []

    def body() -> None:
        with Interruption() as interruption:
            seen.append(interruption.signal)

    thread = threading.Thread(target=body)
    thread.start()
    thread.join()
    assert seen == [None]


@pytest.mark.parametrize("script", ["train", "eval", "infer"])
def test_help_teaches_with_examples(script: str, tmp_path: Path) -> None:
    """From any folder, without an installation, and fast: nothing heavy is imported."""
    command = [sys.executable, str(ROOT / "PaddleClas" / f"{script}.py"), "--help"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "examples:" in done.stdout and f"python PaddleClas/{script}.py" in done.stdout


@pytest.mark.parametrize("streams", [("stdout",), ("stdout", "stderr")])
def test_output_that_nobody_reads_ends_the_command_in_silence(streams: tuple[str, ...]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    code = "import sys; from core.train.command_line import run; run(lambda: print('x', file=sys.STREAM, flush=True))"
    command = [sys.executable, "-c", code.replace("STREAM", streams[-1])]
    others = {name: subprocess.PIPE for name in ("stdout", "stderr") if name not in streams}
    done = subprocess.run(command, cwd=ROOT, **dict.fromkeys(streams, writing), **others)  # type: ignore[call-overload]
    os.close(writing)
    assert done.returncode == 128 + signal.SIGPIPE
    assert not done.stderr


def test_a_broken_pipe_that_is_not_the_output_is_reported(capfd: pytest.CaptureFixture[str]) -> None:
    def main() -> int:
        raise BrokenPipeError(32, "the server hung up")

    with pytest.raises(SystemExit) as left:
        command_line.run(main)
    assert left.value.code == 1
    assert capfd.readouterr().err == "error: [Errno 32] the server hung up\n"

"""Training commands that are killed while they save, by a process that has loaded the engine for them.

Started as a program, it loads what the commands need, computes nothing, and forks for each command that it reads from
standard input. It answers with the signal that ended the command, or its exit code.
"""

from __future__ import annotations

import contextlib
import json
import os
import runpy
import signal
import subprocess
import sys
import traceback
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
SAVES = 2
"""The process dies in the save of this number, between the new checkpoint and the link to it."""


class KillingServer:
    """The process that starts commands and lets them die."""

    def __init__(self) -> None:
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        command = [sys.executable, "-m", "tests.walks.killing"]
        self.process = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def run(self, words: list[str], log: Path) -> int:
        """Run a command line, whose output goes to a file, until it saves for the second time.

        Returns:
            The negative signal that ended it, or its exit code.
        """
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(json.dumps({"words": words, "log": str(log)}) + "\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline())

    def close(self) -> None:
        """End the process."""
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.close()
        self.process.wait(timeout=30)
        self.process.stdout.close()


def run_here(words: list[str]) -> int:
    """Run a command line, a file and its arguments, in this process; return its exit code."""
    before = sys.argv, sys.path[:]
    sys.argv = words
    try:
        runpy.run_path(str(ROOT / words[0]), run_name="__main__")
    except SystemExit as left:
        return left.code if isinstance(left.code, int) else int(left.code is not None)
    finally:
        sys.argv, sys.path[:] = before
    return 0


def _die_while_saving() -> None:
    left = [SAVES]

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "os.rename" and str(arguments[1]).endswith("checkpoints/newest"):
            left[0] -= 1
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hook)


def _serve() -> None:
    import tensorboardX.record_writer  # noqa: F401  # what a command loads late is loaded once, here

    import core.kernels.engine.engine  # noqa: F401
    from core.train.runner import training  # noqa: F401
    from PaddleClas import config as classification  # noqa: F401
    from PaddleGAN import config as adversarial  # noqa: F401
    from PGL import config as graphs  # noqa: F401

    for line in sys.stdin:
        order = json.loads(line)
        child = os.fork()
        if child == 0:
            code = 1
            with open(order["log"], "w", encoding="utf-8") as log:
                os.dup2(log.fileno(), 1)
                os.dup2(log.fileno(), 2)
                _die_while_saving()
                try:
                    code = run_here(order["words"])
                except BaseException:
                    traceback.print_exc()
                with contextlib.suppress(OSError):
                    sys.stdout.flush()
                    sys.stderr.flush()
            os._exit(code)
        status = os.waitpid(child, 0)[1]
        print(-os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status), flush=True)


if __name__ == "__main__":
    _serve()

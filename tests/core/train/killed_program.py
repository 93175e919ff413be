"""Trains the small regression in processes that are killed; started by test_killed.py.

Loading the engine takes longer than such a run. So this process loads it, computes nothing, and forks for each run that
it is told of on standard input: the folder, whether to resume, and when to kill the run. It answers with the signal
that ended the run, or 0.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

import numba
import tensorboardX.record_writer  # noqa: F401  # what a run loads late is loaded once, here

from core.drawing import learning_curve
from tests.core.train.regression import Regression, trainer_for

FILE_EVENTS = {"open", "os.chmod", "os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.truncate"}
OPTIONS: dict[str, Any] = {"epochs": 4, "accumulate": 2, "ema": 0.9, "keep_checkpoints": 1, "tensorboard": True}


def die_at(event_number: int, folder: str) -> None:
    """Kill this process at its n-th touch of a file in a folder."""
    left = [event_number]

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event in FILE_EVENTS and isinstance(arguments[0], (str, os.PathLike)):
            if os.fspath(arguments[0]).startswith(folder):
                left[0] -= 1
                if left[0] == 0:
                    os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hook)


def run(order: dict[str, Any]) -> None:
    """Train, or go on training."""
    if order["event"]:
        die_at(order["event"], order["folder"])
    task = Regression(noise=0.3, dropout=0.5, batch_size=3, num_workers=order["workers"])
    folder = Path(order["folder"])
    begun = (folder / "config.yaml").is_file()
    trainer = trainer_for(task, folder, resume=begun, **OPTIONS)
    if begun:
        trainer.resume()
    trainer.fit()


def main() -> None:
    """Serve until standard input ends."""
    numba.njit(lambda number: number + 1)(1)  # what numba sets up once, without threads, which do not survive a fork
    learning_curve([])
    print("ready", flush=True)
    for line in sys.stdin:
        order = json.loads(line)
        child = os.fork()
        if child == 0:
            status = 1
            try:
                run(order)
                status = 0
            finally:
                sys.stderr.flush()
                os._exit(status)
        ended, status = 0, 0
        deadline = time.monotonic() + (order["seconds"] or 60.0)
        while not ended and time.monotonic() < deadline:
            ended, status = os.waitpid(child, os.WNOHANG)
            time.sleep(0.002)
        if not ended:
            os.kill(child, signal.SIGKILL)
            status = os.waitpid(child, 0)[1]
        print(json.dumps(os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)), flush=True)


if __name__ == "__main__":
    main()

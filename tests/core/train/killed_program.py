"""Trains the small regression in processes that are killed; started by test_killed.py.

Loading the engine takes longer than such a run. So this process loads it, computes nothing, and forks for each run that
it reads from standard input: the folder, whether to resume, what kind of run, and when to kill it. It answers with
the signal that ended the run, or 0.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
import traceback
from pathlib import Path
from typing import Any

import numba
import tensorboardX.record_writer  # noqa: F401  # what a run loads late is loaded once, here

from core.drawing import learning_curve
from tests.core.train.regression import Regression, trainer_for
from tests.core.train.streams import StreamRegression

FILE_EVENTS = {"open", "os.chmod", "os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.truncate"}
OPTIONS: dict[str, Any] = {"accumulate": 2, "ema": 0.9, "keep_checkpoints": 1, "tensorboard": True}
WITHIN: dict[str, Any] = {
    "epochs": None, "steps": 14, "evaluate_every": {"steps": 3}, "checkpoint_every": {"steps": 2, "epochs": 1},
    "log_every": {"steps": 5},
}  # fmt: skip
KINDS: dict[str, dict[str, Any]] = {"epochs": {"epochs": 4}, "steps": WITHIN, "stream": WITHIN}
"""Of runs: epochs of four steps; steps with evaluations, rows and checkpoints within epochs; the same on a stream."""


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
    given = {"noise": 0.3, "dropout": 0.5, "batch_size": 3, "num_workers": order["workers"]}
    task = StreamRegression(26, **given) if order["kind"] == "stream" else Regression(**given)
    folder = Path(order["folder"])
    begun = (folder / "config.yaml").is_file()
    trainer = trainer_for(task, folder, resume=begun, **OPTIONS, **KINDS[order["kind"]])
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
            except Exception:
                traceback.print_exc()
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

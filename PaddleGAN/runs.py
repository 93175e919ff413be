"""A trained run, opened again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.train import experiment
from core.train.run_folder import RunFolder
from PaddleGAN.config import TASKS, GANConfig


def open_run(run: str, checkpoint: str, overrides: Sequence[str] = ()) -> tuple[Any, RunFolder]:
    """Return the task and the folder of a run, as :func:`core.train.experiment.open_run`."""
    return experiment.open_run(GANConfig, TASKS, run, checkpoint, overrides)

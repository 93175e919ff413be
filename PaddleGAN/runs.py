"""A trained run, opened again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.train.checkpoint import load_network
from core.train.config import load_config
from core.train.run_folder import RunFolder
from core.train.seeds import seed_everything
from PaddleGAN.config import TASKS, GANConfig


def open_run(run: str, checkpoint: str, overrides: Sequence[str] = ()) -> tuple[Any, RunFolder]:
    """Return the task of a run with the weights of a checkpoint, in evaluation mode, and the run's folder.

    Args:
        run: the run's folder.
        checkpoint: "best", "newest", or the name of one.
        overrides: changes of keys of the run's config.

    Raises:
        FileNotFoundError: it is no run's folder, or there is no such checkpoint.
    """
    folder = RunFolder.open(run)
    config = load_config(GANConfig, folder.config, overrides)
    seed_everything(config.seed)
    task = TASKS.build(config.task, config=config)
    chosen = folder.find_checkpoint(checkpoint)
    for name, network in task.networks.items():
        load_network(chosen, name, network)
    task.eval_mode()
    print(f"weights: {chosen}")
    return task, folder

"""A trained run, opened again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

from core.train.checkpoint import load_network
from core.train.config import load_config
from core.train.run_folder import RunFolder
from core.train.seeds import seed_everything
from PGL.config import TASKS, GraphConfig, data_override


def open_run(
    run: str, checkpoint: str, data: Optional[str] = None, overrides: Sequence[str] = ()
) -> tuple[Any, RunFolder]:
    """Return the task of a run with the weights of a checkpoint, in evaluation mode, and the run's folder.

    Args:
        run: the run's folder.
        checkpoint: "best", "newest", or the name of one.
        data: another folder of the data; None: the run's own.
        overrides: changes of keys of the run's config.

    Raises:
        FileNotFoundError: it is no run's folder, or there is no such checkpoint.
    """
    folder = RunFolder.open(run)
    changes = [*overrides, *([] if data is None else [data_override(data)])]
    config = load_config(GraphConfig, folder.config, changes)
    seed_everything(config.seed)
    task = TASKS.build(config.task, config=config)
    chosen = folder.find_checkpoint(checkpoint)
    load_network(chosen, "model", task.network)
    task.eval_mode()
    print(f"weights: {chosen}")
    return task, folder

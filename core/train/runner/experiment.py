"""From a config file, or the folder of an earlier run, to a run that can begin."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Optional, Union

from core.jit.exported.file import PROGRAM_FILE, WEIGHTS_FILE, is_exported
from core.train.checkpoints.store import load_network
from core.train.config.schema import Section, differences
from core.train.logs.run_folder import RunFolder
from core.train.runner.toolkit import Toolkit
from core.train.seeds import seed_everything

SEEDS = "seeds.json"
"""The file that tells a folder of runs of several seeds from that of one run."""


def open_experiment(
    toolkit: Toolkit, config_file: Optional[str], overrides: Sequence[str], resume: Optional[str]
) -> tuple[Any, Optional[RunFolder]]:
    """Return the config of a run, and the folder of the earlier run that it continues.

    What differs from the earlier run's config is printed.

    Args:
        toolkit: of the experiment.
        config_file: the experiment; None with ``resume``: the run's own config.
        overrides: changes of keys.
        resume: None for a new run; a run's folder; or "" for the newest run of the config.

    Raises:
        ValueError: neither a config nor a run is given.
        FileNotFoundError: there is no such run.
        ConfigError: the config has a mistake.
    """
    folder = None
    if resume:
        folder = _run_folder(resume)
    elif config_file is None:
        raise ValueError("a new run needs a config: -c FILE")
    config = toolkit.load(config_file or folder.config, overrides)  # type: ignore[union-attr]  # without a config there is a folder
    if resume == "":
        folder = RunFolder.newest(config.output)
        if folder is None:
            raise FileNotFoundError(
                f"there is no run at {config.output!r} to continue; leave out --resume to start one"
            )
    if folder is not None:
        changes = differences(toolkit.load(folder.config, quiet=True), config)
        if changes:
            print("changed since the run began:\n  " + "\n  ".join(changes))
    return config, folder


def claimed_folder(config: Section, folder: Optional[RunFolder]) -> RunFolder:
    """Return the run's folder, claimed for this process.

    Call it when everything that the config asks for has been built, so that a mistake leaves no empty folder behind.

    Args:
        config: the experiment; it has a key ``output``.
        folder: of the run that is continued; None: one is made.

    Raises:
        OutputError: it cannot be written.
        BlockingIOError: another process writes into it.
    """
    if folder is None:
        folder = RunFolder.create(config.output)  # type: ignore[attr-defined]  # a key of each toolkit's config
    folder.claim()
    return folder


def opens_exported(path: Union[str, os.PathLike[str]], checkpoint: str = "best", overrides: Sequence[str] = ()) -> bool:
    """Tell an exported folder from that of a run, for what opens both.

    Args:
        path: the folder.
        checkpoint: which one of a run.
        overrides: changes of keys of a run's config.

    Raises:
        ValueError: an exported folder is asked for what only a run has, or its program cannot be read.
    """
    if not is_exported(path):
        if (Path(path) / WEIGHTS_FILE).is_file() and not RunFolder(path).config.is_file():
            message = f"has {WEIGHTS_FILE}, but no {PROGRAM_FILE} that can be read: export it again"
            raise ValueError(f"the exported folder {os.fspath(path)!r} {message}")
        return False
    asked = [f"checkpoint {checkpoint!r}"] if checkpoint != "best" else []
    asked += [f"config to change by {override!r}" for override in overrides]
    if asked:
        raise ValueError(f"{os.fspath(path)!r} is an exported folder, without a {asked[0]}: name the folder of its run")
    return True


def _run_folder(path: str) -> RunFolder:
    if is_exported(path):
        raise ValueError(f"{path!r} is an exported folder: name the folder of its run")
    return RunFolder.open(path)


def open_run(
    toolkit: Toolkit, run: str, checkpoint: str, overrides: Sequence[str] = (), evaluated: Optional[str] = None
) -> tuple[Any, RunFolder]:
    """Return the task of a run with the weights of a checkpoint, in evaluation mode, and the run's folder.

    Args:
        toolkit: of the run.
        run: the run's folder.
        checkpoint: "best", "newest", or the name of one.
        overrides: changes of keys of the run's config.
        evaluated: the split that is to be evaluated, if one is.

    Raises:
        FileNotFoundError: it is no run's folder, or there is no such checkpoint.
        ValueError: there is no such split, or it is an exported folder.
    """
    folder = _run_folder(run)
    config = toolkit.load(folder.config, overrides).continued()
    seed_everything(config.seed)
    task = toolkit.build_task(config if evaluated is None else config.evaluated(evaluated))
    task.reopen(folder)
    if evaluated is not None:
        task.require_split(evaluated)  # what does not fit is found before weights are read
    chosen = folder.find_checkpoint(checkpoint)
    for name, network in task.networks.items():
        load_network(chosen, name, network)
    task.eval_mode()
    print(f"weights: {chosen}")
    return task, folder

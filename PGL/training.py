"""The training command: from a config to a run folder with trained, tested weights."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Optional

from core.train.config import differences, load_config, save_config
from core.train.finish import Outcome
from core.train.run_folder import RunFolder, writing
from core.train.seeds import seed_everything
from core.train.trainer import Trainer
from PGL.config import TASKS, GraphConfig
from PGL.evaluation import meets_expectation, shown


def train(config_file: Optional[str], overrides: Sequence[str], resume: Optional[str], profile: bool = False) -> int:
    """Train, test and report.

    Args:
        config_file: the experiment; None with ``resume``: the run's own config.
        overrides: changes of keys.
        resume: None for a new run; a run's folder; or "" for the newest run of the config.
        profile: whether to measure where time goes.

    Returns:
        The exit code.
    """
    config, folder = _config_and_earlier_run(config_file, overrides, resume)
    seed_everything(config.seed)
    task = TASKS.build(config.task, config=config)
    if folder is None:  # made only now, so that a mistake in the config leaves no empty folder behind
        folder = RunFolder.create(config.output)
    folder.claim()
    with writing(folder.path):
        save_config(config, folder.config)
    trainer = Trainer(task, config.train, folder, config.seed, profile=profile)
    _announce(config, task)
    if resume is not None:
        trainer.resume()
    outcome = trainer.fit()
    return _report(config, folder, outcome)


def _config_and_earlier_run(
    config_file: Optional[str], overrides: Sequence[str], resume: Optional[str]
) -> tuple[GraphConfig, Optional[RunFolder]]:
    folder = None
    if resume:
        folder = RunFolder.open(resume)
    elif config_file is None:
        raise ValueError("a new run needs a config: -c FILE")
    config = load_config(GraphConfig, config_file or folder.config, overrides)  # type: ignore[union-attr]
    if resume == "":
        folder = RunFolder.newest(config.output)
        if folder is None:
            raise FileNotFoundError(
                f"there is no run at {config.output!r} to continue; leave out --resume to start one"
            )
    if folder is not None:
        changes = differences(load_config(GraphConfig, folder.config), config)
        if changes:
            print("changed since the run began:\n  " + "\n  ".join(changes))
    return config, folder


def _announce(config: GraphConfig, task: Any) -> None:
    rate = config.schedule.arguments["learning_rate"]
    print(
        f"{config.model.name}, {config.task.name}",
        *task.facts(),
        f"{config.optimizer.name}, learning rate {rate} ({config.schedule.name})",
        sep="\n",
    )


def _report(config: GraphConfig, folder: RunFolder, outcome: Outcome) -> int:
    print(f"trained in {outcome.seconds:.1f} s; weights of epoch {outcome.best_epoch or config.train.epochs}")
    for split, numbers in outcome.results.items():
        print(f"  {split}: {shown(numbers)}")
    good = meets_expectation(config, outcome.results)
    commands = _commands()
    print(
        f"\nlook at   {folder}/learning_curve.png\n"
        f"next, try\n"
        f"  python {commands}/infer.py {folder} --near 0 1   embeddings, a picture, the nodes most like 0 and 1\n"
        f"  python {commands}/eval.py {folder}   evaluate again\n"
        f"  python {commands}/export.py {folder}   a folder that runs without the network's Python class\n"
        f"  python {commands}/train.py --keys   what a config can say; change it with -o key=value"
    )
    return 0 if good else 1


def _commands() -> str:
    """Return the folder of the commands as it can be typed in the working directory."""
    folder = os.path.dirname(os.path.abspath(__file__))
    relative = os.path.relpath(folder)
    return folder if relative.startswith(os.pardir) else relative

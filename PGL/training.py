"""The training command: from a config to a run folder with trained, tested weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

from core.train.command_line import folder_of
from core.train.experiment import claimed_folder, open_experiment
from core.train.finish import Outcome
from core.train.run_folder import RunFolder
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
    config, folder = open_experiment(GraphConfig, config_file, overrides, resume)
    seed_everything(config.seed)
    task = TASKS.build(config.task, config=config)
    folder = claimed_folder(config, folder)
    trainer = Trainer(task, config.train, folder, config.seed, profile=profile)
    _announce(config, task)
    if resume is not None:
        trainer.resume()
    outcome = trainer.fit()
    return _report(config, folder, outcome)


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
    commands = folder_of(__file__)
    print(
        f"\nlook at   {folder}/learning_curve.png\n"
        f"next, try\n"
        f"  python {commands}/infer.py {folder} --near 0 1   embeddings, a picture, the nodes most like 0 and 1\n"
        f"  python {commands}/eval.py {folder}   evaluate again\n"
        f"  python {commands}/export.py {folder}   a folder that runs without the network's Python class\n"
        f"  python {commands}/train.py --keys   what a config can say; change it with -o key=value"
    )
    return 0 if good else 1

"""The training command: from a config to a run folder with a trained generator and the sheets it drew meanwhile."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

from core.train.command_line import folder_of
from core.train.experiment import claimed_folder, open_experiment
from core.train.finish import Outcome
from core.train.run_folder import RunFolder
from core.train.seeds import seed_everything
from core.train.step import NonFiniteLossError
from core.train.trainer import Trainer
from PaddleGAN.config import TASKS, GANConfig
from PaddleGAN.evaluation import meets_expectation, shown
from PaddleGAN.tasks.base import samples_folder, write_sheet


def train(config_file: Optional[str], overrides: Sequence[str], resume: Optional[str], profile: bool = False) -> int:
    """Train, test and report.

    Args:
        config_file: the experiment; None with ``resume``: the run's own config.
        overrides: changes of keys.
        resume: None for a new run; a run's folder; or "" for the newest run of the config.
        profile: whether to measure where time goes.

    Returns:
        The exit code.

    Raises:
        NonFiniteLossError: a loss or weight is infinite or not a number; the sheet of that moment was written.
    """
    config, folder = open_experiment(GANConfig, config_file, overrides, resume)
    seed_everything(config.seed)
    task = TASKS.build(config.task, config=config)
    facts = task.facts()
    folder = claimed_folder(config, folder)
    trainer = Trainer(task, config.train, folder, config.seed, profile=profile)
    print(f"{config.task.name}: {config.generator.network.name} against {config.discriminator.network.name}")
    print(*facts, *average_facts(config.train.ema), sep="\n")
    if resume is not None:
        trainer.resume()
    try:
        outcome = trainer.fit()
    except NonFiniteLossError as error:
        diverged = samples_folder(folder) / "diverged.png"
        write_sheet(task, diverged)
        raise NonFiniteLossError(f"{error}; {diverged} shows the samples of this moment") from None
    return _report(config, folder, task, outcome)


def average_facts(ema: Optional[float]) -> list[str]:
    """Return a line that says how far the moving average lags behind the generators, where there is one.

    The decay of its update t is at most (1 + t) / (10 + t): after n steps the weights in it are n / 10 steps old on
    average, until ``ema`` is the smaller decay.
    """
    if ema is None:
        return []
    most = round(ema / (1 - ema))
    return [
        "sheets, numbers and what is kept are of a moving average of the generators' weights, which lags behind them "
        f"by a tenth of the steps taken, at most by {most:,} (train.ema)"
    ]


def _report(config: GANConfig, folder: RunFolder, task: Any, outcome: Outcome) -> int:
    print(f"trained in {outcome.seconds:.1f} s; weights of epoch {outcome.best_epoch or config.train.epochs}")
    for split, numbers in outcome.results.items():
        print(f"  {split}: {shown(numbers)}")
    if outcome.results:
        print(*[f"  {line}" for line in task.remarks()], sep="\n")
    good = meets_expectation(config, outcome.results)
    commands = folder_of(__file__)
    tries = [f"  python {commands}/infer.py {mode} {folder}{task.needs(mode)}" for mode in task.modes]
    print(
        f"\nlook at   {folder}/samples, {folder}/learning_curve.png\nnext, try",
        *tries,
        f"  python {commands}/eval.py {folder}   evaluate again",
        f"  python {commands}/export.py {folder}   a folder that runs without the network's Python class",
        f"  python {commands}/train.py --keys   what a config can say; change it with -o key=value",
        sep="\n",
    )
    return 0 if good else 1

"""The training command: from a config to a run folder with trained, tested weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Optional

from core.train.checkpoints.store import CheckpointStore
from core.train.command_line import command_line_of
from core.train.config.schema import save_config
from core.train.finish import Outcome
from core.train.logs.run_folder import RunFolder, writing
from core.train.runner.expectation import meets_expectation, numbers_in, require_known, shown
from core.train.runner.experiment import SEEDS, claimed_folder, open_experiment
from core.train.runner.task import Suggestion
from core.train.runner.toolkit import Toolkit
from core.train.seeds import seed_everything
from core.train.step import NonFiniteLossError
from core.train.trainer import Trainer


class TrainedRun(NamedTuple):
    """A run that is trained and evaluated.

    Attributes:
        config: the experiment.
        folder: what it wrote.
        task: with the best weights.
        outcome: how it ended.
    """

    config: Any
    folder: RunFolder
    task: Any
    outcome: Outcome

    def numbers(self, split: str) -> dict[str, float]:
        """Return the numbers of a split, with those that the evaluation command reports besides."""
        return {**self.outcome.results[split], **numbers_in(self.outcome.evaluators[split].details())}


def train(
    toolkit: Toolkit,
    config_file: Optional[str],
    overrides: Sequence[str] = (),
    resume: Optional[str] = None,
    profile: bool = False,
) -> int:
    """Train, test and report.

    Args:
        toolkit: what trains.
        config_file: the experiment; None with ``resume``: the run's own config.
        overrides: changes of keys.
        resume: None for a new run; a run's folder; or "" for the newest run of the config.
        profile: whether to measure where time goes.

    Returns:
        The exit code: 1 when the config expects more than is reached.

    Raises:
        NonFiniteLossError: a loss or weight is infinite or not a number.
    """
    return 0 if report(toolkit, train_run(toolkit, config_file, overrides, resume, profile)) else 1


def train_run(
    toolkit: Toolkit,
    config_file: Optional[str],
    overrides: Sequence[str] = (),
    resume: Optional[str] = None,
    profile: bool = False,
) -> TrainedRun:
    """Train and test; arguments and errors are those of :func:`train`.

    Raises:
        ValueError: the folder to continue holds the runs of several seeds.
    """
    config, folder = open_experiment(toolkit, config_file, overrides, resume)
    if folder is not None and (folder.path / SEEDS).is_file():
        raise ValueError(f"{str(folder)!r} holds the runs of several seeds: continue them with --seeds N")
    seed_everything(config.seed)
    begun = folder is not None and CheckpointStore(folder.checkpoints).newest() is not None
    task = toolkit.build_task(config.continued() if begun else config)
    require_known(config.expect, task.numbers)
    facts = task.facts()
    trainer = Trainer(task, config.train, None, config.seed, profile=profile)
    folder = claimed_folder(config, folder)  # a mistake until here leaves no empty folder behind
    trainer.write_to(folder)
    print(config.title(), *facts, sep="\n")
    try:
        if resume is not None:
            trainer.resume()
        with writing(folder.path):  # a run that cannot go on in this way keeps its config
            save_config(config, folder.config)
            task.begin(folder)
    except BaseException:
        folder.release()
        raise
    try:
        outcome = trainer.fit()
    except NonFiniteLossError as error:
        note = task.diverged(folder)
        raise NonFiniteLossError(f"{error}; {note}" if note else str(error)) from None
    return TrainedRun(config, folder, task, outcome)


def report(toolkit: Toolkit, run: TrainedRun) -> bool:
    """Print what a run gave, draw pictures, and say what to do next.

    Args:
        toolkit: of the run.
        run: the run.

    Returns:
        Whether it reaches what its config expects.
    """
    config, folder, task, outcome = run
    length = config.train
    last = f"epoch {length.epochs}" if length.epochs else f"step {length.steps}"
    best = f"epoch {outcome.best_epoch:g}" if outcome.best_epoch else last
    print(f"trained in {outcome.seconds:.1f} s; weights of {best}")
    for split, numbers in outcome.results.items():
        print(f"  {split}: {shown(numbers)}")
    if outcome.results:
        print("".join(f"  {line}\n" for line in task.remarks()), end="")
    judged = next((split for split in ("test", "valid") if split in outcome.evaluators), "")
    pictures = task.write_pictures(outcome.evaluators[judged], judged, folder.path) if judged else []
    good = meets_expectation(config.expect, {split: run.numbers(split) for split in outcome.results})
    if config.expect is not None and config.expect.split not in outcome.results:
        print(f"note: expect.split is {config.expect.split!r}, which was not evaluated")
    print(f"\nlook at   {folder}/{', '.join(['learning_curve.png', *task.pictures(), *pictures])}\nnext, try")
    tries = [
        *task.suggestions(),
        Suggestion("eval", "--split valid" * (judged == "valid"), "evaluate again; --split chooses another split"),
        Suggestion("export", "", "a folder that runs without the network's Python class"),
    ]
    for one in tries:
        words = " ".join(word for word in (one.mode, str(folder), one.words) if word)
        print(f"  {command_line_of(toolkit.name, one.command)} {words}   {one.meaning}")
    print(
        f"  tensorboard --logdir {folder}/tensorboard   watch the curves (pip install tensorboard)\n"
        f"  {command_line_of(toolkit.name, 'train')} --keys   what a config can say; change it with -o key=value"
    )
    return good

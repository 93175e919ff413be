"""Judging evaluations, and what a run does when its training has ended."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from core.train.checkpoints.manager import CheckpointManager
from core.train.checkpoints.store import Progress, load_network
from core.train.logs.run_folder import writing
from core.train.logs.run_log import RunLog
from core.train.task import Task
from core.weights.atomic import atomic_write

if TYPE_CHECKING:
    from core.train.trainer import Trainer


@dataclasses.dataclass
class Outcome:
    """How a run ended.

    Attributes:
        results: the final numbers of each evaluated split.
        evaluators: the filled evaluator of each, for pictures.
        best_epoch: after how many epochs the weights were saved that were evaluated; 0 when none was marked best.
        seconds: time spent training, evaluation included.
        best_step: likewise, after how many steps.
    """

    results: dict[str, dict[str, float]]
    evaluators: dict[str, Any]
    best_epoch: float
    seconds: float
    best_step: int = 0


def judge(task: Task, progress: Progress, numbers: Mapping[str, float], epoch: float) -> bool:
    """Compare an evaluation with the best one, and note it.

    Args:
        task: says which number counts.
        progress: has the best one, and is changed.
        numbers: the evaluation's.
        epoch: after how many epochs it was made.

    Returns:
        Whether it is the best; of equals the later, trained longer, is.

    Raises:
        KeyError: the evaluation lacks the number that counts.
    """
    name = task.monitor
    if name not in numbers:
        raise KeyError(f"the task monitors {name!r}, but its evaluator gives only {', '.join(numbers)}")
    sign = 1 if task.higher_is_better else -1
    value = sign * numbers[name]
    before = -math.inf if progress.best is None else sign * progress.best
    progress.evaluated_step = progress.step
    progress.evaluations_without_improvement += 1
    if value > before:
        progress.evaluations_without_improvement = 0
    if not value >= before or not math.isfinite(value):
        return False
    progress.best, progress.best_epoch, progress.best_step = numbers[name], epoch, progress.step
    return True


def finish(trainer: Trainer, manager: CheckpointManager, log: RunLog) -> Outcome:
    """Load the best weights, evaluate them, and write results.json; without a folder the last weights stay.

    Args:
        trainer: whose training has ended.
        manager: of its checkpoints.
        log: for the test split's numbers.

    Returns:
        The final numbers.
    """
    progress, folder = trainer.progress, trainer.folder
    best = manager.store.best() if manager.store is not None and not progress.is_best else None
    if best is not None:
        for name, network in trainer.task.networks.items():
            load_network(best, name, network)
    elif trainer.average is not None:
        trainer.average.hand_over()
    outcome = Outcome({}, {}, progress.best_epoch, progress.seconds, progress.best_step)
    if folder is None:
        return outcome
    for split in ("valid", "test"):
        evaluator = trainer.evaluate_split(split)
        if evaluator is not None:
            outcome.evaluators[split], outcome.results[split] = evaluator, evaluator.result()
    if "test" in outcome.results:
        epoch = progress.best_epoch or trainer.length.epoch(progress)
        log.write("test", progress.step, epoch, outcome.results["test"])
    summary = {
        "results": outcome.results, "best_epoch": outcome.best_epoch, "best_step": outcome.best_step,
        "training_seconds": outcome.seconds,
    }  # fmt: skip
    with writing(folder.results), atomic_write(folder.results) as stream:
        stream.write((json.dumps(summary, indent=1) + "\n").encode("utf-8"))
    return outcome

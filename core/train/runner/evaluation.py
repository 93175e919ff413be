"""The evaluation command: the numbers of a trained network on a split, and what belongs to them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Optional

from core.train.evaluation_pass import EvaluationPass
from core.train.logs.run_folder import writing
from core.train.runner.expectation import meets_expectation, numbers_in, require_known, shown
from core.train.runner.experiment import open_run
from core.train.runner.toolkit import Toolkit
from core.train.seeds import seed_everything
from core.train.task import Evaluator
from core.weights.atomic import atomic_write


def evaluate(
    toolkit: Toolkit,
    run: Optional[str],
    split: str = "test",
    checkpoint: str = "best",
    overrides: Sequence[str] = (),
    output: Optional[str] = None,
    config_file: Optional[str] = None,
) -> int:
    """Evaluate a run's checkpoint, or a config's network with the weights that it names; write results.json.

    Args:
        toolkit: of the run.
        run: a run's folder; None: ``config_file`` is given.
        split: "train", "valid" or "test".
        checkpoint: which one of the run.
        overrides: changes of keys.
        output: where to write; None: a folder in the run's, else runs/evaluation.
        config_file: an experiment; None: ``run`` is given.

    Returns:
        The exit code: 1 when the config expects more than is reached.

    Raises:
        ValueError: there is no such split, or nothing to judge it by.
    """
    if run is not None:
        task, folder = open_run(toolkit, run, checkpoint, overrides, split)
        target = Path(output) if output else folder.path / f"evaluation_{split}"
    else:
        config = toolkit.load(config_file, overrides)
        seed_everything(config.seed)
        task = toolkit.build_task(config.evaluated(split))
        task.require_split(split)
        target = Path(output or "runs/evaluation")
    require_known(task.config.expect, task.numbers)
    task.begin_evaluation()
    evaluator = EvaluationPass(task, task.config.train.compiled, progress=True)(split)
    if evaluator is None:
        raise ValueError(f"{task.config.task.name} has no evaluation for the split {split!r}")
    return report(task, evaluator, split, target)


def report(task: Any, evaluator: Evaluator, split: str, target: Path) -> int:
    """Print the numbers of an evaluation; write results.json, the evaluator's files, and pictures.

    Args:
        task: of the evaluation.
        evaluator: it is filled.
        split: what was evaluated.
        target: the folder to write.

    Returns:
        The exit code: 1 when the config expects more than is reached.
    """
    details = evaluator.details()
    numbers = {**evaluator.result(), **numbers_in(details)}
    remarks = task.remarks()
    print(f"{split}: {shown(numbers)}", *evaluator.lines(), *remarks, sep="\n  ")
    with writing(target):
        target.mkdir(parents=True, exist_ok=True)
        record = {split: {**numbers, **details}, **({"remarks": remarks} if remarks else {})}
        with atomic_write(target / "results.json") as stream:
            stream.write((json.dumps(record, indent=1, ensure_ascii=False) + "\n").encode("utf-8"))
        files = ["results.json", *evaluator.write(target), *task.write_pictures(evaluator, split, target)]
    print(f"wrote {target}/{', '.join(files)}")
    return 0 if meets_expectation(task.config.expect, {split: numbers}) else 1

"""Judging stored result files, without a network."""

from __future__ import annotations

import argparse
from pathlib import Path

import core
from core.train.logs.run_folder import RunFolder
from core.train.runner.evaluation import report
from core.train.runner.toolkit import Toolkit
from PaddleDetection.results import stored


def rescore(toolkit: Toolkit, options: argparse.Namespace) -> int:
    """Evaluate the bbox.json, and mask.json if there is one, of a folder.

    Args:
        toolkit: PaddleDetection's.
        options: of the command line: run or config, overrides, split, output, and json_eval, the folder.

    Returns:
        The exit code: 1 when the config expects more than is reached.

    Raises:
        FileNotFoundError: there is no bbox.json.
        ValueError: a file is damaged or belongs to other data.
    """
    folder = RunFolder.open(options.run) if options.run else None
    loaded = toolkit.load(options.config if folder is None else folder.config, options.overrides)
    with core.LazyGuard():
        task = toolkit.build_task(loaded.continued().evaluated(options.split))
    if folder is not None:
        task.reopen(folder)
    task.require_split(options.split)
    evaluator = task.evaluator(options.split)
    for index, found in stored(Path(options.json_eval), task.dataset(options.split)).items():
        evaluator.add(index, found)
    print(f"judging what is stored in {options.json_eval}")
    target = Path("runs/evaluation") if folder is None else folder.path / f"evaluation_{options.split}"
    return report(task, evaluator, options.split, Path(options.output) if options.output else target)

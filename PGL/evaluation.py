"""The evaluation command, and what a config expects."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Optional

from core.train.evaluation_pass import EvaluationPass
from core.weights.atomic import atomic_write
from PGL.config import GraphConfig
from PGL.runs import open_run


def evaluate(run: str, split: str, checkpoint: str, overrides: Sequence[str], output: Optional[str]) -> int:
    """Evaluate a run's checkpoint, and write results.json.

    Args:
        run: the run's folder.
        split: "train", "valid" or "test".
        checkpoint: which one of the run.
        overrides: changes of keys.
        output: where to write; None: a folder in the run's.

    Returns:
        The exit code: 1 when the config expects more than is reached.

    Raises:
        ValueError: the task has no such split.
    """
    task, folder = open_run(run, checkpoint, overrides)
    if split not in task.splits:
        raise ValueError(f"{task.config.task.name} has no split {split!r} to evaluate; it has {', '.join(task.splits)}")
    evaluator = EvaluationPass(task, task.config.train.compiled)(split)
    if evaluator is None:
        raise ValueError(f"{task.config.data.dataset.name} has nothing to evaluate {task.config.task.name} by")
    numbers = evaluator.result()
    print(f"{split}: {shown(numbers)}")
    target = Path(output) if output else folder.path / f"evaluation_{split}"
    target.mkdir(parents=True, exist_ok=True)
    with atomic_write(target / "results.json") as stream:
        stream.write((json.dumps({split: numbers}, indent=1) + "\n").encode("utf-8"))
    print(f"wrote {target}/results.json")
    return 0 if meets_expectation(task.config, {split: numbers}) else 1


def shown(numbers: Mapping[str, float]) -> str:
    """Return numbers by name, as they are printed."""
    return ", ".join(f"{name.replace('_', ' ')} {value:.4f}" for name, value in numbers.items())


def meets_expectation(config: GraphConfig, results: Mapping[str, Mapping[str, float]]) -> bool:
    """Compare results with what the config expects, and say so.

    Args:
        config: the experiment.
        results: numbers of each evaluated split.

    Returns:
        False when the expected split was evaluated and fell short, or drifted further than the tolerance.

    Raises:
        ValueError: the evaluation gives no number of the expected name.
    """
    expect = config.expect
    if expect is None or expect.split not in results:
        return True
    numbers = results[expect.split]
    if expect.metric not in numbers:
        raise ValueError(f"expect.metric: the evaluation gives {', '.join(numbers)}, not {expect.metric!r}")
    reached = numbers[expect.metric]
    if expect.tolerance is None:
        good, wanted = reached >= expect.value, f"at least {expect.value:.4f}"
        wrong = "BELOW what the config expects"
    else:
        good = abs(reached - expect.value) <= expect.tolerance + 1e-12
        wanted, wrong = f"{expect.value:.4f} within {expect.tolerance:.4f}", "DRIFTED from what the config expects"
    name = expect.metric.replace("_", " ")
    print(f"{expect.split} {name} {reached:.4f}, expected {wanted}: {'as expected' if good else wrong}")
    return good

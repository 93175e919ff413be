"""The evaluation command, and what a config expects."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Optional

from core.train.evaluation_pass import EvaluationPass
from core.weights.atomic import atomic_write
from PaddleGAN.config import GANConfig
from PaddleGAN.runs import open_run


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
        ValueError: the config has no such split.
    """
    task, folder = open_run(run, checkpoint, overrides)
    task.dataset(split)  # says so where there is none
    evaluator = EvaluationPass(task, task.config.train.compiled)(split)
    numbers = evaluator.result()
    print(f"{split}: {shown(numbers)}", *task.remarks(), sep="\n  ")
    target = Path(output) if output else folder.path / f"evaluation_{split}"
    target.mkdir(parents=True, exist_ok=True)
    with atomic_write(target / "results.json") as stream:
        stream.write((json.dumps({split: numbers, "remarks": task.remarks()}, indent=1) + "\n").encode("utf-8"))
    print(f"wrote {target}/results.json")
    return 0 if meets_expectation(task.config, {split: numbers}) else 1


def shown(numbers: Mapping[str, float]) -> str:
    """Return numbers by name, as they are printed."""
    return ", ".join(f"{name.replace('_', ' ')} {value:.4g}" for name, value in numbers.items())


def meets_expectation(config: GANConfig, results: Mapping[str, Mapping[str, float]]) -> bool:
    """Compare results with what the config expects, and say so.

    Args:
        config: the experiment.
        results: numbers of each evaluated split.

    Returns:
        False when the expected split was evaluated and fell short.

    Raises:
        ValueError: the evaluation gives no number of an expected name.
    """
    expect = config.expect
    if expect is None or expect.split not in results:
        return True
    numbers, good = results[expect.split], True
    for key, wanted in (("at_least", expect.at_least), ("at_most", expect.at_most)):
        for name, bound in wanted.items():
            if name not in numbers:
                raise ValueError(f"expect.{key}: the evaluation gives {', '.join(numbers)}, not {name!r}")
            reached = numbers[name]
            met = reached >= bound if key == "at_least" else reached <= bound
            good &= met
            print(
                f"{expect.split} {name.replace('_', ' ')} {reached:.4g}, expected {key.replace('_', ' ')} {bound:.4g}: "
                f"{'as expected' if met else 'MISSED'}"
            )
    return good

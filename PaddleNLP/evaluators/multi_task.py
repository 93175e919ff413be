"""What an evaluation gathers of several tasks at once."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from core.train.task import Evaluator


class MultiTaskEvaluator(Evaluator):
    """The evaluators of several tasks; a number's name begins with that of its task.

    Args:
        parts: the evaluators by the names of their tasks.
        monitors: of each task the number by which it is judged.
    """

    def __init__(self, parts: Mapping[str, Evaluator], monitors: Mapping[str, str]) -> None:
        self.parts = dict(parts)
        self.monitors = dict(monitors)

    def update(self, outputs: Any, batch: Any) -> None:
        """Take in the outputs of a batch, whose fields are those of one task under its name."""
        ((name, fields),) = batch.items()
        self.parts[name].update(outputs, fields)

    def result(self) -> dict[str, float]:
        """Return the numbers of all tasks, and "mean", that of the numbers by which they are judged."""
        found = {name: part.result() for name, part in self.parts.items()}
        numbers = {f"{name}_{key}": value for name, part in found.items() for key, value in part.items()}
        judged = [found[name][key] for name, key in self.monitors.items() if key in found[name]]
        return {**numbers, **({"mean": float(np.mean(judged))} if judged else {})}

    def details(self) -> dict[str, Any]:
        """Return what the tasks report besides."""
        found = {name: part.details() for name, part in self.parts.items()}
        return {f"{name}_{key}": value for name, part in found.items() for key, value in part.items()}

    def lines(self) -> list[str]:
        """Return what the tasks print besides."""
        return [f"{name}: {line}" for name, part in self.parts.items() for line in part.lines()]

    def write(self, folder: Path) -> list[str]:
        """Write the result files of each task into a folder of its name."""
        files = []
        for name, part in self.parts.items():
            (folder / name).mkdir(exist_ok=True)
            files += [f"{name}/{file}" for file in part.write(folder / name)]
        return files

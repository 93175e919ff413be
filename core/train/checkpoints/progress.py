"""How far training is, and how it reads from a checkpoint."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any, Optional

from core.train.checkpoints.callback_states import read_callback_arrays, with_arrays

FORMAT = 2


@dataclasses.dataclass
class Progress:
    """Everything besides weights and optimizer states on which the next step depends.

    Attributes:
        seed: the run's seed.
        epoch: epochs completed, evaluation included.
        step_in_epoch: steps made in the current epoch; all of them when only its evaluation is to come.
        step: steps made in all.
        best: the best value of the monitored number; None before the first evaluation.
        best_epoch: after how many epochs it came; within an epoch not a whole number, where its length is known.
        best_step: after how many steps it came.
        evaluated_step: after how many steps the last evaluation came.
        evaluation_due: whether an evaluation after this very step is to be made first of all, though its epoch has not
            ended, or no step is left.
        evaluations_without_improvement: evaluations since the best one.
        seconds: training time spent.
        threads: of the engine; other counts give other rounding.
        average_updates: how many updates the moving average of the weights has seen.
        sums: of the current epoch's numbers so far: each with its sum and its weight.
        row_sums: likewise, of the numbers since the last row of metrics.jsonl; none where there is a row an epoch.
        callbacks: the callbacks' states, by their position among those of the class, and the class's name.
        scalers: the states of what scales the phases' gradients, by phase; none where nothing does.
    """

    seed: int = 0
    epoch: int = 0
    step_in_epoch: int = 0
    step: int = 0
    best: Optional[float] = None
    best_epoch: float = 0
    best_step: int = 0
    evaluated_step: int = 0
    evaluation_due: bool = False
    evaluations_without_improvement: int = 0
    seconds: float = 0.0
    threads: Optional[int] = None
    average_updates: int = 0
    sums: dict[str, list[float]] = dataclasses.field(default_factory=dict)
    row_sums: dict[str, list[float]] = dataclasses.field(default_factory=dict)
    callbacks: dict[str, Any] = dataclasses.field(default_factory=dict)
    scalers: dict[str, Any] = dataclasses.field(default_factory=dict)

    @property
    def is_best(self) -> bool:
        """Whether this step's weights are the best: those that an evaluation chose, or while none has, the newest."""
        return self.best is None or self.best_step == self.step


def load_progress(checkpoint: Path) -> Progress:
    """Read how far training was.

    Args:
        checkpoint: a checkpoint's folder.

    Returns:
        The progress.

    Raises:
        FileNotFoundError: it is no checkpoint.
        ValueError: it was written by another version, or is damaged.
    """
    file = checkpoint / "progress.json"
    if not file.is_file():
        raise FileNotFoundError(f"{str(checkpoint)!r} is not a checkpoint: it has no progress.json")
    try:
        values = json.loads(file.read_text(encoding="utf-8"))
        version = values.pop("format", None)
    except (ValueError, AttributeError):
        raise ValueError(f"{str(file)!r} is damaged; continue from another checkpoint by deleting this one") from None
    if version != FORMAT:
        raise ValueError(f"checkpoint {str(checkpoint)!r} has format {version!r}; this version reads format {FORMAT}")
    unknown = sorted(set(values) - {field.name for field in dataclasses.fields(Progress)})
    if unknown:
        raise ValueError(f"{str(file)!r} has the unknown entry {unknown[0]!r}; it was written by another version")
    progress = Progress(**values)
    if "best_step" not in values and progress.epoch:  # of a version that evaluated at ends of epochs alone
        at_ends = progress.step - progress.step_in_epoch
        progress.best_step = int(progress.best_epoch) * at_ends // progress.epoch
    progress.callbacks = with_arrays(progress.callbacks, read_callback_arrays(checkpoint))
    return progress

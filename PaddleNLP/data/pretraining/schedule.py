"""Which of ERNIE 2.0's pretraining tasks are learned when."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

DOCUMENT_TASKS = (
    "knowledge_masking",
    "capitalisation",
    "token_document_relation",
    "sentence_reordering",
    "sentence_distance",
)
PAIR_TASKS = ("discourse_relation", "retrieval_relevance")
"""How two sentences go together; how well a title answers a query: 0 strongly, 1 weakly, 2 not at all."""

TASKS = (*DOCUMENT_TASKS, *PAIR_TASKS)
"""The tasks in the order of their ids."""


class Schedule:
    """Which tasks are learned when: new ones join those that are learned already.

    Args:
        stages: of each stage "tasks", the weight by which a sample is of each, and "epochs", how long it lasts; the
            last one lasts to the end.

    Attributes:
        names: all tasks, in the order of their ids.

    Raises:
        ValueError: a task is unknown or given up, a weight is not positive, or a stage has no length.
    """

    def __init__(self, stages: Sequence[Mapping[str, Any]]) -> None:
        self._ends: list[int] = []
        self._weights: list[dict[str, float]] = []
        for number, stage in enumerate(stages):
            where, last = f"task.stages.{number}", number == len(stages) - 1
            known = set(stage) - {"tasks", "epochs"}
            if known or not isinstance(stage.get("tasks"), Mapping) or not stage["tasks"]:
                raise ValueError(f"{where} must be {{epochs: N, tasks: {{NAME: WEIGHT, ...}}}}, not {dict(stage)}")
            weights = {str(name): float(weight) for name, weight in stage["tasks"].items()}
            unknown = [name for name in weights if name not in TASKS]
            if unknown:
                raise ValueError(f"{where}.tasks: unknown task {unknown[0]!r}; there are {', '.join(TASKS)}")
            gone = [name for name in (self._weights[-1] if self._weights else {}) if name not in weights]
            if gone:
                raise ValueError(f"{where}.tasks gives up {gone[0]}, and what it taught would be forgotten: keep it")
            if min(weights.values()) <= 0:
                raise ValueError(f"{where}.tasks: weights must be positive")
            epochs = stage.get("epochs")
            if not last and (isinstance(epochs, bool) or not isinstance(epochs, int) or epochs < 1):
                raise ValueError(f"{where}.epochs must be a positive integer, not {epochs!r}")
            self._ends.append((self._ends[-1] if self._ends else 0) + (epochs or 0))
            self._weights.append(weights)
        if not self._weights:
            raise ValueError("task.stages is empty: say which tasks are learned, as [{tasks: {knowledge_masking: 1}}]")
        self.names = [name for name in TASKS if name in self._weights[-1]]

    def shares(self, epoch: int) -> dict[str, float]:
        """Return which share of an epoch's samples is of each task.

        Args:
            epoch: its number, from 0.
        """
        stage = next((number for number, end in enumerate(self._ends[:-1]) if epoch < end), len(self._ends) - 1)
        total = sum(self._weights[stage].values())
        return {name: self._weights[stage][name] / total for name in TASKS if name in self._weights[stage]}

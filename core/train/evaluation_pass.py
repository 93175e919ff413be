"""One pass over a split: a task's predictions, and the evaluator that takes them in."""

from __future__ import annotations

import contextlib
from typing import Any, Callable

import core
from core.train.task import Task


class EvaluationPass:
    """Runs a task's prediction over a split.

    Args:
        task: the task.
        compiled: whether prediction runs as a compiled graph.
    """

    def __init__(self, task: Task, compiled: bool) -> None:
        self.task = task
        self._predict = core.jit.to_static(self._flat_predict) if compiled else self._flat_predict

    def __call__(self, split: str, before_batch: Callable[[], None] = lambda: None) -> Any:
        """Evaluate a split.

        Args:
            split: "valid" or "test".
            before_batch: called before each batch; what it raises ends the evaluation.

        Returns:
            The task's evaluator, filled; None when there is no such split.
        """
        loader = self.task.loader(split)
        if loader is None:
            return None
        evaluator = self.task.evaluator(split)
        self.task.eval_mode()
        try:
            with core.no_grad(), contextlib.closing(loader.batches()) as batches:
                for batch in batches:
                    before_batch()
                    outputs = self._predict(*batch)
                    evaluator.update([output.numpy() for output in outputs], batch)
        finally:
            self.task.train_mode()
        return evaluator

    def _flat_predict(self, *batch: Any) -> tuple[Any, ...]:
        return tuple(self.task.predict(*batch))

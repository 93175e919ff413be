"""One pass over a split: predictions, post-processing beside them, and the evaluator that takes both in."""

from __future__ import annotations

import collections
import concurrent.futures
import contextlib
import sys
from collections.abc import Generator, Iterable, Iterator
from typing import Any, Callable

from tqdm import tqdm

import core
from core.io.batch import device_fields
from core.train.logs.console import _Bar, _Log
from core.train.task import Task

DEPTH = 2
"""How many batches may be in post-processing while the next one is computed."""

_KNOWN = "{desc} {percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt} {unit} [{elapsed}<{remaining}]"
_UNKNOWN = "{desc} {n_fmt} {unit} [{elapsed}]"

Computed = tuple[Any, Any]
"""What was computed of a batch, and the batch."""


class EvaluationPass:
    """Runs a task's prediction over a split.

    Where the task has a :meth:`~core.train.Task.post_process`, a thread runs it beside the prediction of the next
    batches, in order. The evaluator is called by the caller's thread, after a fixed number of further batches, so
    that nothing depends on the thread's speed. Without one, each batch is predicted and evaluated before the next.

    Args:
        task: the task.
        compiled: whether prediction runs as a compiled graph.
        progress: whether to show on standard error how far it is: a bar in a terminal, a line now and then in a log.
    """

    def __init__(self, task: Task, compiled: bool, progress: bool = False) -> None:
        self.task = task
        self.progress = progress
        self._predict = core.jit.to_static(self._flat_predict) if compiled else self._flat_predict

    def __call__(self, split: str, before_batch: Callable[[], None] = lambda: None) -> Any:
        """Evaluate a split.

        Args:
            split: "valid" or "test".
            before_batch: called before each batch; what it raises ends the evaluation.

        Returns:
            The task's evaluator, filled; None when there is no such split.

        Raises:
            Exception: what the task's post-processing raises, with its traceback.
        """
        loader = self.task.loader(split)
        if loader is None:
            return None
        evaluator = self.task.evaluator(split)
        self.task.eval_mode()
        try:
            with core.no_grad(), contextlib.ExitStack() as stack:
                batches = stack.enter_context(contextlib.closing(loader.batches()))
                computed: Iterable[Computed] = self._computed(batches, before_batch)
                if self._post_processes:
                    computed = stack.enter_context(contextlib.closing(_beside(self.task.post_process, computed)))
                bar = stack.enter_context(contextlib.closing(progress_bar(split, loader))) if self.progress else None
                for outputs, batch in computed:
                    evaluator.update(outputs, batch)
                    if bar is not None:
                        bar.update(1)
        finally:
            self.task.train_mode()
        return evaluator

    @property
    def _post_processes(self) -> bool:
        """Whether the task has post-processing of its own."""
        return getattr(self.task.post_process, "__func__", None) is not Task.post_process

    def _computed(self, batches: Iterable[Any], before_batch: Callable[[], None]) -> Iterator[Computed]:
        """Yield for each batch what is predicted, as arrays, and the batch."""
        for batch in batches:
            before_batch()
            outputs = self._predict(*device_fields(batch))
            yield [output.numpy() for output in outputs], batch

    def _flat_predict(self, *batch: Any) -> tuple[Any, ...]:
        return tuple(self.task.predict(*batch))


def _beside(post_process: Callable[[Any, Any], Any], computed: Iterable[Computed]) -> Generator[Computed, None, None]:
    """Yield what post-processing makes of each batch's outputs; a thread runs it while later ones are computed."""
    worker = concurrent.futures.ThreadPoolExecutor(1, "post-processing")
    begun: collections.deque[tuple[concurrent.futures.Future[Any], Any]] = collections.deque()
    without_gradients = core.no_grad()(post_process)  # the mode is each thread's own
    try:
        for outputs, batch in computed:
            begun.append((worker.submit(without_gradients, outputs, batch), batch))
            if len(begun) > DEPTH:
                result, of = begun.popleft()
                yield result.result(), of
        while begun:
            result, of = begun.popleft()
            yield result.result(), of
    finally:
        worker.shutdown(cancel_futures=True)


def progress_bar(text: str, items: Any, unit: str = "batches") -> tqdm:
    """Return a bar on standard error, which is a line now and then where that is no terminal.

    Args:
        text: what is done.
        items: a loader, or anything else whose length says how many steps there are.
        unit: what a step is, in the plural.
    """
    try:
        total = len(items) if getattr(items, "known_length", True) else None
    except TypeError:  # a stream
        total = None
    bar = _Bar(total, 0, leave=False) if sys.stderr.isatty() else _Log(total, 0)
    bar.bar_format = (_UNKNOWN if total is None else _KNOWN).replace("{unit}", unit)
    bar.set_description_str(text, refresh=False)
    return bar

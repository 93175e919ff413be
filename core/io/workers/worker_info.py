"""What a worker process knows about itself, and whether a data set asked."""

from __future__ import annotations

from typing import Any, Callable, NamedTuple, Optional


class WorkerInfo(NamedTuple):
    """What a worker process knows about itself: its number, how many there are, and its copy of the data set."""

    id: int
    num_workers: int
    dataset: Any


class _Process:
    """This process's state: ``info`` is None in the parent."""

    info: Optional[WorkerInfo] = None
    asked = False  # by the user's code
    when_asked: Optional[Callable[[], None]] = None  # called at the first time
    importing_main = False


process = _Process()


def get_worker_info() -> Optional[WorkerInfo]:
    """Return what this worker process knows about itself, or None in the parent process.

    A stream (an IterableDataset) that asks, in ``worker_init_fn`` or before it gives its first sample, is taken to
    choose its own share of the samples; a stream that does not ask is shared out by the loader.
    """
    if process.info is not None and not process.asked:
        process.asked = True
        if process.when_asked is not None:
            process.when_asked()
    return process.info

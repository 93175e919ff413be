"""The thread of a worker process that takes requests from the parent."""

from __future__ import annotations

from multiprocessing import Pipe
from typing import Any

import pytest

from core.io.workers import messages, worker


class Left(BaseException):
    """In the place of the end of the process."""


def test_a_parent_that_leaves_without_the_answer_ends_the_worker_quietly(monkeypatch: pytest.MonkeyPatch) -> None:
    def leave(code: int) -> None:
        raise Left(code)

    monkeypatch.setattr(worker, "GRACE", 0)
    monkeypatch.setattr(worker.os, "_exit", leave)
    ours, theirs = Pipe()
    messages.send(ours, worker.Task("progress"))
    ours.close()
    settings: Any = type("Settings", (), {"shared_memory": False, "spare_segments": 0})
    listener = worker._Worker(theirs, settings)
    with pytest.raises(Left, match="0"):
        listener.listen()
    assert listener.tasks.get() is None
    theirs.close()

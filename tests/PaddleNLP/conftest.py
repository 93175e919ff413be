from __future__ import annotations

from pathlib import Path
from typing import Callable

import pytest

from tests.PaddleNLP.small import trained


@pytest.fixture(scope="session")
def run_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A function from a task to a run of it; nothing may be changed in it but its folders of results."""
    runs: dict[str, Path] = {}

    def run(task: str) -> Path:
        if task not in runs:
            runs[task] = trained(task, tmp_path_factory.mktemp("runs") / task)
        return runs[task]

    return run

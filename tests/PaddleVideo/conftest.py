from __future__ import annotations

from pathlib import Path

import pytest

from tests.PaddleVideo.small import trained


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of two epochs on sixteen drawn clips; nothing may be changed in it but its folders of results."""
    return trained(tmp_path_factory.mktemp("runs") / "run")

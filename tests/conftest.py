"""What all tests share."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True, scope="module")
def _freed_memory_goes_back() -> Iterator[None]:
    """The engine keeps freed memory for the next step; one process for 13,000 tests should not hold all of theirs."""
    yield
    if "core.kernels.engine" in sys.modules:
        sys.modules["core.kernels.engine"].release_freed_memory()

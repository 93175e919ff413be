"""What tests of the kernel layer share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from core.kernels.dispatch.operator import forget_plans
from core.kernels.engine import host_array


@pytest.fixture
def engine_computes(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let the engine compute tensors of any size, where NumPy computes small ones otherwise."""
    monkeypatch.setattr(host_array, "MOST_BYTES", 0)
    forget_plans()
    yield
    forget_plans()

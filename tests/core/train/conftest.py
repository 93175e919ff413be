"""What the tests of training share."""

from __future__ import annotations

import pytest


@pytest.fixture
def with_curve() -> None:
    """Let the runs of a test draw their learning curves."""


@pytest.fixture(autouse=True)
def no_curve(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw no learning curve, which takes longer than the small runs do."""
    if "with_curve" not in request.fixturenames:
        for module in ("recorder", "trainer"):
            monkeypatch.setattr(f"core.train.{module}.draw_curve", lambda folder: None)

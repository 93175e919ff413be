"""What the tests of training share."""

from __future__ import annotations

import importlib

import pytest


@pytest.fixture
def with_curve() -> None:
    """Let the runs of a test draw their learning curves."""


@pytest.fixture(autouse=True)
def no_curve(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw no learning curve, which takes longer than the small runs do."""
    if "with_curve" not in request.fixturenames:
        modules = [importlib.import_module(f"core.train.{name}") for name in ("recorder", "trainer")]
        for module in modules:  # both are loaded before one is changed, as one takes the name from the other
            monkeypatch.setattr(module, "draw_curve", lambda folder: None)

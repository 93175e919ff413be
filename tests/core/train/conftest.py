"""What the tests of training share."""

from __future__ import annotations

import pytest


@pytest.fixture
def with_curve() -> None:
    """Let the runs of a test draw their learning curves."""


@pytest.fixture(autouse=True)
def _curves_only_where_asked_for(request: pytest.FixtureRequest) -> None:
    if "with_curve" not in request.fixturenames:
        request.getfixturevalue("no_curve")

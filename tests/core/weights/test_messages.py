"""Pieces of messages."""

from __future__ import annotations

import pytest

from core.weights.messages import counted


@pytest.mark.parametrize(("count", "expected"), [(0, "0 texts"), (1, "1 text"), (2, "2 texts"), (1000, "1000 texts")])
def test_one_thing_has_no_plural(count: int, expected: str) -> None:
    assert counted(count, "text") == expected

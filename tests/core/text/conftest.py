"""Vocabularies of a few tokens."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

SPECIAL = ["[PAD]", "[CLS]", "[SEP]", "[MASK]", "[UNK]"]


@pytest.fixture
def vocabulary(tmp_path: Path) -> Callable[..., Path]:
    """Write a file of the special tokens, with the ids 0 to 4, and further tokens."""

    def write(*tokens: str) -> Path:
        path = tmp_path / "vocab.txt"
        path.write_text("\n".join([*SPECIAL, *tokens]) + "\n", encoding="utf-8")
        return path

    return write

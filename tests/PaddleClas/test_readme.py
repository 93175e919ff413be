"""The page of models says what the manifest and the networks say."""

from __future__ import annotations

import pytest

import PaddleClas
from PaddleClas.models.weights import WEIGHTS
from tools.model_table import FILE, table


@pytest.mark.exhaustive
def test_the_page_is_that_of_the_code() -> None:
    assert FILE.read_text() == table(), "python -m tools.model_table writes it anew"


def test_every_model_has_its_row_and_every_file_its_address() -> None:
    text = FILE.read_text()
    missing = [name for name in PaddleClas.list_models() if f"| {name} | [" not in text]
    missing += [name for name, record in WEIGHTS.items() if record.url not in text]
    assert missing == [], "python -m tools.model_table writes the page anew"

"""The page of detectors says what the manifest, the configs and the networks say."""

from __future__ import annotations

import pytest

import PaddleDetection
from PaddleDetection.models.weights import CHECKPOINTS
from tests.PaddleDetection.configs import CONFIGS
from tools.detector_table import FILE, table


@pytest.mark.zoo
def test_the_page_is_that_of_the_code() -> None:
    assert FILE.read_text(encoding="utf-8") == table(), "python -m tools.detector_table writes it anew"


def test_every_detector_checkpoint_and_config_is_on_the_page() -> None:
    text = FILE.read_text(encoding="utf-8")
    assert [name for name in PaddleDetection.list_models() if f"| {name} | [" not in text] == []
    assert [name for name, checkpoint in CHECKPOINTS.items() if checkpoint.record.url not in text] == []
    files = [str(path.relative_to(CONFIGS.parent)) for path in CONFIGS.rglob("*.yaml")]
    assert [file for file in files if f"({file})" not in text] == []

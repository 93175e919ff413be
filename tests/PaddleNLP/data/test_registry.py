"""The table of data sets: what a config may ask for, and that reading data loads no engine."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from core.train import Component
from PaddleNLP.data.dataset import TextDataset
from PaddleNLP.data.registry import DATASETS
from tests.engine import ENGINE

ROOT = Path(__file__).resolve().parents[3]


def test_reading_data_loads_no_engine() -> None:
    code = (
        "import sys, PaddleNLP.data.registry as found, PaddleNLP.evaluators.reading\n"
        "[found.DATASETS.resolve(name) for name in found.DATASETS.list()]\n"
        f"sys.exit(any(name in sys.modules for name in ('{ENGINE}', 'numba', 'core.tensor')))"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT).returncode == 0


@pytest.mark.parametrize("name", DATASETS.list())
def test_every_entry_can_be_described(name: str) -> None:
    line = DATASETS.describe(name)
    assert line.startswith(f"{{name: {name}, ") and "transform" not in line


def test_a_config_gives_labels_as_names_a_file_or_words_with_their_meaning(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("x\ty\t1\n")
    (tmp_path / "labels.txt").write_text("0\n1\n")
    for labels in (["0", "1"], "labels.txt", {"0": "other", "1": "same"}):
        component = DATASETS.check(Component(name="LCQMC", path="a.tsv", labels=labels))
        dataset = DATASETS.build(DATASETS.below(component, str(tmp_path)))
        assert isinstance(dataset, TextDataset) and dataset[0]["label"] == dataset.labels[1]
    with pytest.raises(Exception, match="DrawnReviews: split must be text, not 3"):
        DATASETS.check(Component(name="DrawnReviews", split=3))

"""The comparison of networks on words: its configs exist with their changes, and its table has what is done."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.PaddleNLP import word_networks
from benchmarks.runs import ROOT
from core.train import load_config
from PaddleNLP.config import LanguageConfig


@pytest.mark.parametrize("name", word_networks.SETS)
def test_a_config_takes_the_changes_of_its_set(name: str) -> None:
    one = word_networks.SETS[name]
    for net, config in one.configs.items():
        words = word_networks.words_of(one, net, 1, Path("data"))[2:]
        loaded = load_config(LanguageConfig, ROOT / "PaddleNLP" / "configs" / f"{config}.yaml", words[1::2])
        assert loaded.seed == 1 and loaded.data.names == ["train", "valid", "test"]


def test_the_table_has_means_and_spreads_of_what_is_done() -> None:
    rows = [
        *({"run": f"SST-2, bow, seed {seed}", "test accuracy": 0.1 * seed} for seed in range(3)),
        {"run": "SST-2, bow, seed 0, PyTorch", "test accuracy": 0.25},
        {"run": "SST-2, TF-IDF", "test": 0.5},
    ]
    lines = word_networks.table(rows)
    assert "| SST-2 | bow | accuracy | 0.100 ± 0.100 | 0.250 |" in lines and lines[-1] == "SST-2, TF-IDF: 0.500"

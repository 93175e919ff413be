"""Drawn sequences are copied and turned round by the networks that translate, to BLEU 95 and more."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from PaddleNLP import train

CONFIGS = Path(__file__).resolve().parents[3] / "PaddleNLP" / "configs" / "translation"
NETWORKS = {
    "transformer": [],
    "seq2seq_attention": [
        "network={name: seq2seq_attention, embed_dim: 32, hidden_size: 64, num_layers: 1, dropout: 0.0}",
        "schedule.learning_rate=5.0e-3",
    ],
}


@pytest.mark.exhaustive
@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("rule", ["copy", "reverse"])
def test_drawn_sequences_are_learnt(rule: str, network: str, tmp_path: Path) -> None:
    changes = [f"output={tmp_path / 'run'}", "train.tensorboard=false", *NETWORKS[network]]
    words = [word for change in changes for word in ("-o", change)]
    assert train.main(["-c", str(CONFIGS / f"drawn_{rule}.yaml"), *words]) == 0  # 1 where less than expected is reached
    assert json.loads((tmp_path / "run" / "results.json").read_text())["results"]["test"]["bleu"] >= 95

"""Learning rates that fall from an encoder's output to its input."""

from __future__ import annotations

import pytest

from core.train.config.optimizers import OptimizerSection, build_optimizer
from core.train.config.table import Component
from PaddleNLP import create_model
from tests.PaddleNLP.small import NETWORK


def test_each_layer_learns_at_half_the_rate_of_the_next() -> None:
    settings = {**NETWORK, "num_hidden_layers": 2, "vocab_size": 50}
    network = create_model(settings.pop("name"), "sequence_classification", 3, **settings)
    layers = ["ernie.embeddings.*", "ernie.encoder.layers.{}.*", ["ernie.pooler.*", "classifier.*"]]
    optimizer = OptimizerSection.model_validate({"name": "AdamW", "layer_decay": {"factor": 0.5, "layers": layers}})
    rate = Component.model_validate({"name": "Constant", "learning_rate": 0.8})
    found = build_optimizer(optimizer, rate, {"model": network}, steps_per_epoch=1, epochs=1)
    rates = dict(zip(network.state_dict(), found.optimizer._learning_rates(found.parameters).tolist()))
    expected = {"embeddings": 0.1, "layers.0": 0.2, "layers.1": 0.4, "pooler": 0.8, "classifier": 0.8}
    for part, own in expected.items():
        members = [value for name, value in rates.items() if part in name]
        assert members and members == pytest.approx([own] * len(members))

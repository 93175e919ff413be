"""Language models: ``paddlenlp.transformers`` of paddlenlp."""

from __future__ import annotations

import importlib
from typing import Any, Callable

from cases.case import Case


def _ernie(name: str) -> Callable[[], Any]:
    def build() -> Any:
        configuration = importlib.import_module("paddlenlp.transformers.ernie.configuration")
        modeling = importlib.import_module("paddlenlp.transformers.ernie.modeling")
        config = configuration.ErnieConfig(
            vocab_size=200,
            hidden_size=32,
            num_hidden_layers=3,
            num_attention_heads=4,
            intermediate_size=64,
            max_position_embeddings=64,
            hidden_dropout_prob=0.0,
            attention_probs_dropout_prob=0.0,
            num_labels=5,
        )
        return getattr(modeling, name)(config)

    return build


TOKENS = ("below", 200, (2, 16))
SEGMENTS = ("below", 2, (2, 16))
CASES = {
    "ErnieModel": Case("paddlenlp", _ernie("ErnieModel"), (TOKENS, SEGMENTS), light=True),
    "ErnieForSequenceClassification": Case(
        "paddlenlp", _ernie("ErnieForSequenceClassification"), (TOKENS, SEGMENTS), light=True
    ),
}

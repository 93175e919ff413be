"""Language models, and what belongs to them: paddlenlp.

Not among them: Reformer, whose backward pass ends in an error of Paddle 2.6.2 itself.
"""

from __future__ import annotations

import importlib
from typing import Any

from cases.case import Training
from cases.language_decoders import DECODERS, PAIRS
from cases.language_encoders import ENCODERS
from cases.language_model import SEGMENTS, TOKENS, model_of
from cases.language_others import GENERATED, LAYERS, PICTURES

CASES = {**ENCODERS, **DECODERS, **PAIRS, **PICTURES, **LAYERS, **GENERATED}


def _loss(model: Any, tokens: Any, segments: Any, labels: Any) -> Any:
    return importlib.import_module("paddle").nn.functional.cross_entropy(model(tokens, segments), labels)


def _adam(parameters: Any) -> Any:
    paddle = importlib.import_module("paddle")
    return paddle.optimizer.AdamW(
        learning_rate=paddle.optimizer.lr.LinearWarmup(1e-3, 2, 1e-4, 1e-3),
        parameters=parameters,
        weight_decay=0.01,
        grad_clip=paddle.nn.ClipGradByGlobalNorm(1.0),
    )


TRAINED = {
    "Ernie_trained": Training(
        "paddlenlp",
        model_of("ernie", "ErnieForSequenceClassification", num_hidden_layers=3),
        _loss,
        (TOKENS, SEGMENTS, ("below", 5, (2,))),
        _adam,
    ),
}

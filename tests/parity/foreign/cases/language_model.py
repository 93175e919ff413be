"""How language models of paddlenlp are built in small sizes, and what they are given."""

from __future__ import annotations

import importlib
from typing import Any, Callable, Optional

import numpy as np
from recipe import uniform

from cases.case import Case

WORDS, LENGTH = 200, 16
TOKENS = ("below", WORDS, (2, LENGTH))
SEGMENTS = ("below", 2, (2, LENGTH))
PADDED = np.array([[1] * LENGTH, [1] * 11 + [0] * 5], np.int64)  # an attention mask
LENGTHS = np.array([LENGTH, 11], np.int64)
EVERYTHING = np.ones([2, LENGTH], np.int64)
POSITIONS = np.tile(np.arange(LENGTH), (2, 1))
BOXES = uniform("boxes", (2, LENGTH, 4), 0.0, 500.0).astype(np.int64).cumsum(-1) // 2
IMAGE = ("uniform", (2, 3, 32, 32))

SIZES = {
    "vocab_size": WORDS,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 64,
    "max_position_embeddings": 64,
    "hidden_dropout_prob": 0.0,
    "attention_probs_dropout_prob": 0.0,
    "num_labels": 5,
}
PAIR = {  # of encoder and decoder
    "vocab_size": WORDS,
    "d_model": 32,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "num_encoder_layers": 2,
    "num_decoder_layers": 2,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "encoder_ffn_dim": 64,
    "decoder_ffn_dim": 64,
    "max_position_embeddings": 64,
    "dropout": 0.0,
    "attention_dropout": 0.0,
    "activation_dropout": 0.0,
}
T5 = {"vocab_size": WORDS, "d_model": 32, "d_kv": 8, "d_ff": 64, "num_layers": 2, "num_heads": 4, "dropout_rate": 0.0}
BLOOM = {"vocab_size": WORDS, "hidden_size": 32, "n_layer": 2, "n_head": 4}
CODEGEN = {
    "vocab_size": WORDS,
    "n_embd": 32,
    "n_layer": 2,
    "n_head": 4,
    "n_positions": 64,
    "n_ctx": 64,
    "rotary_dim": 4,
}


def model_of(family: str, name: str, settings: Optional[dict[str, Any]] = None, **more: Any) -> Callable[[], Any]:
    """Return what builds a model of paddlenlp from its configuration.

    Args:
        family: the module below ``paddlenlp.transformers``.
        name: the class.
        settings: those of the configuration; the usual ones of encoders when it is None.
        more: further ones.
    """

    def build() -> Any:
        modeling = importlib.import_module(f"paddlenlp.transformers.{family}.modeling")
        network = getattr(modeling, name)
        return network(network.config_class(**{**(SIZES if settings is None else settings), **more}))

    return build


def case_of(*build: Any, inputs: tuple[Any, ...] = (TOKENS, SEGMENTS), **how: Any) -> Case:
    """Return a case of what :func:`model_of` builds; ``how`` holds fields of the case and settings of the model."""
    settings = {key: how.pop(key) for key in list(how) if key not in Case._fields}
    return Case("paddlenlp", model_of(*build, **settings), inputs, **how)

"""Names in the folders and archives of Fluid 1.x (ERNIE 1.0 and 2.0, PaddleLARK's BERT) to today's.

Names are facts of PaddlePaddle/ERNIE at 1.x and PaddlePaddle/models at 1.6 (``model/ernie.py``, ``model/bert.py``,
``model/transformer_encoder.py``). Linear weights are (inputs, outputs), as today's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

import numpy

_LINEAR = (("w_0", "weight"), ("b_0", "bias"))
_NORM = (("scale", "weight"), ("bias", "bias"))
_HEAD = "(?:out|squad_out|mrc_out|seq_label_out)"

RULES = (
    ("word_embedding", "embeddings.word_embeddings.weight"),
    ("pos_embedding", "embeddings.position_embeddings.weight"),
    ("sent_embedding", "embeddings.token_type_embeddings.weight"),
    ("task_embedding", "embeddings.task_type_embeddings.weight"),
    *((rf"pre_encoder_layer_norm_{old}", f"embeddings.layer_norm.{new}") for old, new in _NORM),
    *(
        (rf"encoder_layer_(\d+)_multi_head_att_{part}_fc\.{old}", rf"encoder.layers.\1.self_attn.{name}.{new}")
        for part, name in (("query", "q_proj"), ("key", "k_proj"), ("value", "v_proj"), ("output", "out_proj"))
        for old, new in _LINEAR
    ),
    *((rf"encoder_layer_(\d+)_post_att_layer_norm_{old}", rf"encoder.layers.\1.norm1.{new}") for old, new in _NORM),
    *((rf"encoder_layer_(\d+)_ffn_fc_0\.{old}", rf"encoder.layers.\1.linear1.{new}") for old, new in _LINEAR),
    *((rf"encoder_layer_(\d+)_ffn_fc_1\.{old}", rf"encoder.layers.\1.linear2.{new}") for old, new in _LINEAR),
    *((rf"encoder_layer_(\d+)_post_ffn_layer_norm_{old}", rf"encoder.layers.\1.norm2.{new}") for old, new in _NORM),
    *((rf"pooled_fc\.{old}", f"pooler.dense.{new}") for old, new in _LINEAR),
    *((rf"mask_lm_trans_fc\.{old}", f"cls.predictions.transform.{new}") for old, new in _LINEAR),
    *((rf"mask_lm_trans_layer_norm_{old}", f"cls.predictions.layer_norm.{new}") for old, new in _NORM),
    (r"mask_lm_out_fc\.b_0", "cls.predictions.decoder.bias"),
    (r"mask_lm_out_fc\.w_0", "cls.predictions.decoder.weight"),
    *((rf"next_sent_fc\.{old}", f"cls.seq_relationship.{new}") for old, new in _LINEAR),
    *((rf"cls_{_HEAD}_{old}", f"classifier.{new}") for old, new in (("w", "weight"), ("b", "bias"))),
)
"""Pattern of a whole name, and what it is today, without the family's prefix."""

_RULES = [(re.compile(pattern), today) for pattern, today in RULES]


def is_fluid(names: Iterable[str]) -> bool:
    """Tell whether these are names of Fluid 1.x."""
    return "word_embedding" in names


def renamed(values: Mapping[str, numpy.ndarray]) -> dict[str, numpy.ndarray]:
    """Return entries under today's names, without the family's prefix.

    What a training run of Fluid kept besides, moments and counters, stays under its own name.

    Args:
        values: name to array.
    """
    found = {}
    for name, value in values.items():
        today = next((rule.sub(new, name) for rule, new in _RULES if rule.fullmatch(name)), name)
        found[today] = value.T if today.endswith("decoder.weight") else value
    return found


def older(names: Iterable[str]) -> list[str]:
    """Return the names that a file of Fluid 1.x without a program has for some of today's.

    Args:
        names: today's, with or without the family's prefix.
    """
    found = []
    for name in names:
        for pattern, today in RULES:
            layer = re.fullmatch(rf"(?:\w+\.)?{re.escape(today)}".replace(r"\\1", r"(\d+)"), name)
            if layer and "decoder.weight" not in today:
                plain = pattern.replace(_HEAD, "out").replace(r"(\d+)", layer[1] if layer.groups() else "")
                found.append(plain.replace("\\", ""))
    return found

"""Names in files of Hugging Face's transformers to Paddle's, for encoders of BERT's kind.

Names are facts of transformers 4 (``models/bert/modeling_bert.py`` and its relatives), and of its first releases, whose
normalisations have ``gamma`` and ``beta``. Linear weights are (outputs, inputs) there, and are transposed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

import numpy

RULES = (
    (r"LayerNorm\.gamma$", "LayerNorm.weight"),
    (r"LayerNorm\.beta$", "LayerNorm.bias"),
    (r"(^|\.)encoder\.layer\.", r"\1encoder.layers."),
    (r"\.attention\.self\.query\.", ".self_attn.q_proj."),
    (r"\.attention\.self\.key\.", ".self_attn.k_proj."),
    (r"\.attention\.self\.value\.", ".self_attn.v_proj."),
    (r"\.attention\.output\.dense\.", ".self_attn.out_proj."),
    (r"\.attention\.output\.LayerNorm\.", ".norm1."),
    (r"\.intermediate\.dense\.", ".linear1."),
    (r"(layers\.\d+)\.output\.dense\.", r"\1.linear2."),
    (r"(layers\.\d+)\.output\.LayerNorm\.", r"\1.norm2."),
    (r"embeddings\.LayerNorm\.", "embeddings.layer_norm."),
    (r"predictions\.transform\.dense\.", "predictions.transform."),
    (r"predictions\.transform\.LayerNorm\.", "predictions.layer_norm."),
    (r"predictions\.bias$", "predictions.decoder.bias"),
    (r"^qa_outputs\.", "classifier."),
)
"""Pattern within a name, and what takes its place; one after the other."""

_RULES = [(re.compile(pattern), new) for pattern, new in RULES]
_TABLE = re.compile(r"_embeddings\.weight$|decoder\.weight$")
_COUNTERS = re.compile(r"(^|\.)embeddings\.(position_ids|token_type_ids)$")
_SIGN = re.compile(r"(^|\.)encoder\.layer\.\d+\.attention\.self\.")


def is_hugging_face(names: Iterable[str]) -> bool:
    """Tell whether these are names of Hugging Face's."""
    return any(_SIGN.search(name) for name in names)


def renamed(values: Mapping[str, numpy.ndarray]) -> dict[str, numpy.ndarray]:
    """Return entries under Paddle's names, with the prefix that they have.

    Args:
        values: name to array.
    """
    found = {}
    for name, value in values.items():
        if _COUNTERS.search(name):
            continue
        for rule, new in _RULES:
            name = rule.sub(new, name)
        found[name] = value.T if value.ndim == 2 and not _TABLE.search(name) else value
    return found

"""Names in files of Hugging Face's transformers to Paddle's, for families whose names are not BERT's.

Names are facts of transformers 5 (``models/FAMILY/modeling_FAMILY.py``), and of 4. Linear weights are (outputs, inputs)
there, and are transposed; those of GPT-2 are not. Files under Paddle's names pass unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy

from PaddleNLP.models.weights import hugging_face

_COUNTERS = re.compile(r"(^|\.)(embeddings\.(position_ids|token_type_ids)|attn\.(masked_)?bias)$")

ELECTRA = (
    (r"generator_predictions\.LayerNorm\.", "generator_predictions.layer_norm."),
    (r"^generator_lm_head\.bias$", "generator_lm_head_bias"),
    (r"^sequence_summary\.summary\.", "sequence_summary.dense."),
)
ALBERT = ((r"LayerNorm\.", "layer_norm."),)
DISTILBERT = (
    (r"embeddings\.LayerNorm\.", "embeddings.layer_norm."),
    (r"(^|\.)transformer\.layer\.", r"\1encoder.layers."),
    (r"\.attention\.(q|k|v|out)_lin\.", r".self_attn.\1_proj."),
    (r"\.sa_layer_norm\.", ".norm1."),
    (r"\.output_layer_norm\.", ".norm2."),
    (r"\.ffn\.lin([12])\.", r".linear\1."),
    (r"^qa_outputs\.", "classifier."),
)
XLNET = (
    (r"^sequence_summary\.summary\.", "classifier.dense."),
    (r"^logits_proj\.", "classifier.out_proj."),
    (r"^lm_loss\.", "decoder_"),
)
GPT = (
    (r"(^|\.)wte\.", r"\1embeddings.word_embeddings."),
    (r"(^|\.)wpe\.", r"\1embeddings.position_embeddings."),
    (r"(^|\.)h\.(\d+)\.", r"\1decoder.layers.\2."),
    (r"(^|\.)ln_f\.", r"\1decoder.norm."),
    (r"\.ln_([12])\.", r".norm\1."),
    (r"\.attn\.c_proj\.", ".self_attn.out_proj."),
    (r"\.mlp\.c_fc\.", ".linear1."),
    (r"\.mlp\.c_proj\.", ".linear2."),
)
"""Pattern within a name, and what takes its place; one after the other, for each family."""


def electra(values: Mapping[str, numpy.ndarray]) -> dict[str, numpy.ndarray]:
    """Return ELECTRA's entries under Paddle's names.

    Args:
        values: name to array.
    """
    if not hugging_face.is_hugging_face(values):
        return dict(values)
    kept = {name: value for name, value in values.items() if name != "generator_lm_head.weight"}  # the table of words
    return {_renamed(name, ELECTRA): value for name, value in hugging_face.renamed(kept).items()}


def albert(values: Mapping[str, numpy.ndarray]) -> dict[str, numpy.ndarray]:
    """Return ALBERT's entries under Paddle's names, with the positions' numbers, which not all files have.

    Args:
        values: name to array.
    """
    found = dict(values)
    if any(name.endswith("embeddings.LayerNorm.weight") for name in values):
        found = _transposed(values, ALBERT, r"_embeddings\.weight$|decoder\.weight$")
    for name in list(found):
        if name.endswith("embeddings.position_embeddings.weight"):
            numbers = numpy.arange(len(found[name]), dtype=numpy.int64)[None]
            found.setdefault(name.replace("position_embeddings.weight", "position_ids"), numbers)
    return found


def distilbert(values: Mapping[str, numpy.ndarray]) -> dict[str, numpy.ndarray]:
    """Return DistilBERT's entries under Paddle's names, with the decoder, which foreign files may have as words alone.

    Args:
        values: name to array.
    """
    if not any(name.endswith(".attention.q_lin.weight") for name in values):
        return dict(values)
    found = _transposed(values, DISTILBERT, r"_embeddings\.weight$")
    words = next((value for name, value in found.items() if name.endswith("word_embeddings.weight")), None)
    if words is not None and "vocab_projector.bias" in found:
        found.setdefault("vocab_projector.weight", words.T)
    return found


def xlnet(values: Mapping[str, numpy.ndarray]) -> dict[str, numpy.ndarray]:
    """Return XLNet's entries under Paddle's names; weights of attention have an axis of heads in foreign files.

    Args:
        values: name to array.
    """
    if not any(name.endswith(".rel_attn.q") and value.ndim == 3 for name, value in values.items()):
        return dict(values)
    found = _transposed(values, XLNET, r"word_embedding\.weight$|decoder_weight$|rel_attn\.\w+$")
    square = re.compile(r"\.rel_attn\.[qkvor]$")
    return {name: value.reshape(len(value), -1) if square.search(name) else value for name, value in found.items()}


def gpt(values: Mapping[str, numpy.ndarray]) -> dict[str, numpy.ndarray]:
    """Return GPT-2's entries under Paddle's names; queries, keys and values are one weight in foreign files.

    Args:
        values: name to array.
    """
    if not any(name.endswith(".attn.c_attn.weight") for name in values):
        return dict(values)
    found = {}
    for name, value in values.items():
        if _COUNTERS.search(name):
            continue
        if ".attn.c_attn." in name:
            for letter, part in zip("qkv", numpy.split(value, 3, axis=-1)):
                found[_renamed(name.replace("attn.c_attn", f"self_attn.{letter}_proj"), GPT)] = part
        else:
            heads = name.startswith(("score.", "classifier.")) and value.ndim == 2
            found[_renamed(name, GPT)] = value.T if heads else value
    return found


def _renamed(name: str, rules: tuple[tuple[str, str], ...]) -> str:
    for pattern, new in rules:
        name = re.sub(pattern, new, name)
    return name


def _transposed(
    values: Mapping[str, numpy.ndarray], rules: tuple[tuple[str, str], ...], tables: str
) -> dict[str, numpy.ndarray]:
    """Return entries under new names, matrices transposed but those whose new name has a pattern."""
    kept = {_renamed(name, rules): value for name, value in values.items() if not _COUNTERS.search(name)}
    return {name: value.T if value.ndim == 2 and not re.search(tables, name) else value for name, value in kept.items()}

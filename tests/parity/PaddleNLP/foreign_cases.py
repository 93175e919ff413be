"""Small models of Hugging Face's transformers, whose files ours read; numpy alone.

The file holds no weights: they are drawn by their names (:mod:`tests.parity.recipe`), which the stored file lists.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from tests.parity import recipe
from tests.parity.PaddleNLP.model_cases import FOLDER

FILE = FOLDER / "hugging_face.npz"


class Case(NamedTuple):
    """A model there and here.

    Attributes:
        foreign: its class in transformers.
        settings: of its configuration.
        family: ours.
        task: ours.
        ours: settings of our encoder.
    """

    foreign: str
    settings: Mapping[str, Any]
    family: str
    task: str
    ours: Mapping[str, Any]


_SIZES = {
    "vocab_size": 40,
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 24,
    "max_position_embeddings": 20,
}
_NARROW = {**_SIZES, "embedding_size": 12}
_ALBERT = {**_NARROW, "hidden_act": "gelu_new"}
_DISTIL = {"vocab_size": 40, "dim": 16, "n_layers": 2, "n_heads": 2, "hidden_dim": 24, "max_position_embeddings": 20}
_XLNET = {"vocab_size": 40, "d_model": 16, "n_layer": 2, "n_head": 2, "d_inner": 24, "pad_token_id": 0}
_GPT = {"vocab_size": 40, "n_embd": 16, "n_layer": 2, "n_head": 2, "n_inner": 24, "n_positions": 20, "pad_token_id": 0}
_OUR_GPT = {**_SIZES, "eos_token_id": 0}

CASES = (
    Case("ElectraForSequenceClassification", _NARROW, "electra", "sequence_classification", _NARROW),
    Case("ElectraForMaskedLM", _NARROW, "electra", "masked_lm", _NARROW),
    Case("ElectraForPreTraining", _NARROW, "electra", "discriminator", _NARROW),
    Case("ElectraForQuestionAnswering", _NARROW, "electra", "question_answering", _NARROW),
    Case("AlbertForMaskedLM", _ALBERT, "albert", "masked_lm", _ALBERT),
    Case("AlbertForPreTraining", _ALBERT, "albert", "pretraining", _ALBERT),
    Case("AlbertForQuestionAnswering", _ALBERT, "albert", "question_answering", _ALBERT),
    Case("DistilBertForSequenceClassification", _DISTIL, "distilbert", "sequence_classification", _SIZES),
    Case("DistilBertForQuestionAnswering", _DISTIL, "distilbert", "question_answering", _SIZES),
    Case("DistilBertForMaskedLM", _DISTIL, "distilbert", "masked_lm", _SIZES),
    Case("XLNetForSequenceClassification", _XLNET, "xlnet", "sequence_classification", _XLNET),
    Case("XLNetForTokenClassification", _XLNET, "xlnet", "token_classification", _XLNET),
    Case("XLNetForQuestionAnsweringSimple", _XLNET, "xlnet", "question_answering", _XLNET),
    Case("XLNetLMHeadModel", _XLNET, "xlnet", "language_model", _XLNET),
    Case("GPT2LMHeadModel", _GPT, "gpt", "language_model", _OUR_GPT),
    Case("GPT2ForSequenceClassification", _GPT, "gpt", "sequence_classification", _OUR_GPT),
    Case("GPT2ForTokenClassification", _GPT, "gpt", "token_classification", _OUR_GPT),
)
CLASSES = 3


def weights(shapes: Mapping[str, Sequence[int]]) -> dict[str, np.ndarray]:
    """Return seeded values of parameters by name.

    Args:
        shapes: name to shape.
    """
    return {name: recipe.parameter(f"foreign.{name}", shape, {}) for name, shape in shapes.items()}


def inputs(family: str) -> dict[str, np.ndarray]:
    """Return tokens and a mask, with padding before XLNet's texts and behind the others'.

    Args:
        family: ours.
    """
    draw = np.random.RandomState(5)
    mask = (np.arange(9) < np.array([[9], [5]])).astype(np.int64)
    mask = mask[:, ::-1].copy() if family == "xlnet" else mask
    return {"input_ids": draw.randint(1, 40, mask.shape) * mask, "attention_mask": mask}


def listing(shapes: Mapping[str, Sequence[int]]) -> np.ndarray:
    """Return names with their shapes as texts.

    Args:
        shapes: name to shape.
    """
    return np.array([" ".join([name, *map(str, shape)]) for name, shape in shapes.items()])


def shapes(listed: np.ndarray) -> dict[str, list[int]]:
    """Return name to shape of a listing.

    Args:
        listed: result of :func:`listing`.
    """
    return {text.split()[0]: [int(size) for size in text.split()[1:]] for text in listed.tolist()}

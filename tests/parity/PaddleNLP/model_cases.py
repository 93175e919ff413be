"""Small seeded language models, texts and labels, that paddlenlp and ours compute alike; numpy alone.

Weights are drawn by their names (:mod:`tests.parity.recipe`). A family is a line of ``FAMILIES``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tests.parity import recipe

FOLDER = Path(__file__).resolve().parent
ROWS, LENGTH, CHOICES, CLASSES = 3, 11, 3, 3
LENGTHS = (11, 7, 4)
RATE = 0.05
"""Learning rate of the one step of gradient descent."""


class Family(NamedTuple):
    """A family's small model.

    Attributes:
        module: of ``paddlenlp.transformers``.
        prefix: of its classes: "Ernie" of ErnieModel and ErnieForSequenceClassification.
        settings: of the encoder, under our names.
        tasks: those with an official head, and the rest of that class's name.
        official: settings under the official names, where they differ from ours or are further ones.
        labels: names of the official labels by task, where they differ from ``LABELS``; () where the official forward
            computes no loss.
    """

    module: str
    prefix: str
    settings: Mapping[str, Any]
    tasks: Mapping[str, str]
    official: Mapping[str, Any] = {}
    labels: Mapping[str, Sequence[str]] = {}


SIZES = {
    "vocab_size": 60,
    "hidden_size": 24,
    "num_hidden_layers": 2,
    "num_attention_heads": 3,
    "intermediate_size": 40,
    "max_position_embeddings": 32,
    "type_vocab_size": 3,
}
TASKS = {
    "encoder": "Model",
    "sequence_classification": "ForSequenceClassification",
    "token_classification": "ForTokenClassification",
    "question_answering": "ForQuestionAnswering",
    "multiple_choice": "ForMultipleChoice",
    "masked_lm": "ForMaskedLM",
    "pretraining": "ForPretraining",
}
LABELS = {
    "sequence_classification": ("labels",),
    "token_classification": ("labels",),
    "question_answering": ("start_positions", "end_positions"),
    "multiple_choice": ("labels",),
    "masked_lm": ("labels",),
    "pretraining": ("labels", "next_sentence_label"),
}


def without(*names: str) -> dict[str, str]:
    """Return the tasks but some, for a family that has no official class for those."""
    return {name: value for name, value in TASKS.items() if name not in names}


FAMILIES = {
    "ernie": Family(
        "ernie",
        "Ernie",
        {**SIZES, "use_task_id": True, "task_type_vocab_size": 4, "task_id": 2, "hidden_act": "relu"},
        TASKS,
    ),
    "bert": Family("bert", "Bert", {**SIZES, "layer_norm_eps": 1e-5}, TASKS),
    "roberta": Family("roberta", "Roberta", {**SIZES, "layer_norm_eps": 1e-6}, without("pretraining")),
}
"""Name of a family here to its small model; a new family is a line here, and its file is made by the script."""


def weights(family: str, shapes: Mapping[str, Sequence[int]]) -> dict[str, np.ndarray]:
    """Return seeded values of parameters by name; a parameter of two names has one value.

    Args:
        family: which one; it seeds the draw besides the names.
        shapes: name to shape.
    """
    tables = [name for name in shapes if name.endswith("word_embeddings.weight")]
    names = {name: name.replace("decoder_bias", "decoder.bias") for name in shapes}
    names.update({name: tables[0] for name in shapes if name.endswith("decoder.weight") and tables})
    names.update({name: "lm_head.decoder.bias" for name in shapes if name == "lm_head.bias"})
    return {name: recipe.parameter(f"{family}.{names[name]}", shape, {}) for name, shape in shapes.items()}


def ids(family: str, *lead: int, lengths: Sequence[int] = LENGTHS, pad: int = 0) -> np.ndarray:
    """Return int64 tokens (*lead, LENGTH), with padding behind each row's length.

    Args:
        family: which one.
        *lead: sizes before the length; their product is the number of rows.
        lengths: how long the rows are, repeated as needed.
        pad: the token that is padding.
    """
    size = FAMILIES[family].settings["vocab_size"]
    drawn = np.random.RandomState(7).randint(5, size, (int(np.prod(lead)), LENGTH))
    for row, tokens in enumerate(drawn):
        tokens[lengths[row % len(lengths)] :] = pad
    return drawn.reshape(*lead, LENGTH).astype(np.int64)


def inputs(family: str, task: str) -> dict[str, np.ndarray]:
    """Return what a task's model is given.

    Args:
        family: which one.
        task: of ``TASKS``.
    """
    settings = FAMILIES[family].settings
    lead = (ROWS, CHOICES) if task == "multiple_choice" else (ROWS,)
    tokens = ids(family, *lead, pad=settings.get("pad_token_id", 0))
    kinds = np.random.RandomState(8).randint(0, max(settings.get("type_vocab_size", 2), 1), tokens.shape)
    return {"input_ids": tokens, "token_type_ids": kinds.astype(np.int64)}


def further(family: str) -> dict[str, dict[str, np.ndarray]]:
    """Return other ways to call an encoder: masks and positions that are given.

    Args:
        family: which one.
    """
    given = inputs(family, "encoder")
    draw = np.random.RandomState(9)
    flat = (np.arange(LENGTH) < np.array([[11], [6], [2]])).astype(np.int64)
    square = draw.uniform(-2, 0, (ROWS, 1, LENGTH, LENGTH)).astype(np.float32)
    positions = draw.permutation(LENGTH)[None].repeat(ROWS, 0).astype(np.int64)
    return {
        "plain": {"input_ids": given["input_ids"]},
        "mask": {**given, "attention_mask": flat},
        "square": {**given, "attention_mask": square, "position_ids": positions},
    }


def labels(task: str) -> tuple[np.ndarray, ...]:
    """Return what is to be learnt, in the order of ``LABELS``.

    Args:
        task: of ``TASKS``.
    """
    draw = np.random.RandomState(11)
    if task == "question_answering":
        return np.array([3, 0, 2], np.int64), np.array([5, 4, LENGTH], np.int64)
    if task in ("token_classification", "masked_lm", "pretraining"):
        count = CLASSES if task == "token_classification" else SIZES["vocab_size"]
        tokens = draw.randint(0, count, (ROWS, LENGTH)).astype(np.int64)
        tokens[draw.uniform(size=tokens.shape) < 0.5] = -100
        return (tokens, np.array([1, 0, 1], np.int64)) if task == "pretraining" else (tokens,)
    return (draw.randint(0, CLASSES, ROWS).astype(np.int64),)


def sample(values: np.ndarray, count: int = 24) -> np.ndarray:
    """Return some of an array's values, spread evenly, and their root mean square, float32.

    Args:
        values: any array.
        count: how many values.
    """
    flat = np.asarray(values, np.float32).reshape(-1)
    picked = flat[np.linspace(0, flat.size - 1, min(count, flat.size)).astype(int)]
    return np.append(picked, np.sqrt(np.mean(np.square(flat, dtype=np.float64)))).astype(np.float32)

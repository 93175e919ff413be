"""Small seeded language models, texts and labels, that paddlenlp and ours compute alike; numpy alone.

Weights are drawn by their names (:mod:`tests.parity.recipe`). A family is a line of ``FAMILIES``.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tests.parity import recipe

FOLDER = Path(__file__).resolve().parent / "references"
ROWS, LENGTH, CHOICES, CLASSES = 3, 11, 3, 3
LENGTHS = (11, 7, 4)
HIDDEN_SETTINGS = ("hidden_act", "num_attention_heads", "pad_token_id", "hidden_dropout_prob", "initializer_range")
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
        by_task: official settings of a task, besides ``official``.
        masked: whether the mask is given: official models that see padding otherwise, where ours does not.
        left: whether padding comes before a text.
        ways: of :func:`further`, those that the official encoder knows.
        ignored: the official label that counts for nothing by task, where it is not -100.
    """

    module: str
    prefix: str
    settings: Mapping[str, Any]
    tasks: Mapping[str, str]
    official: Mapping[str, Any] = {}
    labels: Mapping[str, Sequence[str]] = {}
    by_task: Mapping[str, Mapping[str, Any]] = {}
    masked: bool = False
    left: bool = False
    ways: Sequence[str] = ("plain", "mask", "square")
    ignored: Mapping[str, int] = {}


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
    "language_model": ("labels",),
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
    "electra": Family(
        "electra",
        "Electra",
        {**SIZES, "embedding_size": 16, "layer_norm_eps": 1e-5},
        {**without("masked_lm", "pretraining"), "discriminator": "Discriminator", "masked_lm": "Generator"},
    ),
    "ernie_gram": Family(
        "ernie_gram",
        "ErnieGram",
        {**SIZES, "embedding_size": 24, "rel_pos_size": 5},
        without("multiple_choice", "masked_lm", "pretraining"),
    ),
    "xlnet": Family(
        "xlnet",
        "XLNet",
        {"vocab_size": 60, "d_model": 24, "n_layer": 2, "n_head": 3, "d_inner": 40, "pad_token_id": 0},
        {**without("masked_lm", "pretraining"), "language_model": "LMHeadModel"},
        by_task={"multiple_choice": {"num_labels": 1}},
        masked=True,
        left=True,
        ways=("mask", "permuted"),
    ),
    "albert": Family(
        "albert",
        "Albert",
        {
            **SIZES,
            "num_hidden_layers": 4,
            "embedding_size": 16,
            "hidden_act": "gelu_new",
            "num_hidden_groups": 2,
            "inner_group_num": 2,
        },
        without("question_answering"),  # the official one gives the start for the end
        labels={"pretraining": ("labels", "sentence_order_label")},
        by_task={"pretraining": {"num_labels": 2}},
        masked=True,
        ways=("mask",),
    ),
    "skep": Family("skep", "Skep", SIZES, without("question_answering", "multiple_choice", "masked_lm", "pretraining")),
    "nezha": Family(
        "nezha",
        "NeZha",
        {name: size for name, size in SIZES.items() if name != "max_position_embeddings"}
        | {"max_relative_position": 4},
        without("masked_lm"),
        official={"use_relative_position": True},
        labels={"pretraining": ("masked_lm_labels", "next_sentence_label")},
        masked=True,
        ways=("mask",),
        ignored={"pretraining": -1},
    ),
    "distilbert": Family(
        "distilbert",
        "DistilBert",
        {name: size for name, size in SIZES.items() if name != "type_vocab_size"},
        without("multiple_choice", "pretraining"),
        labels=dict.fromkeys(TASKS, ()),
        ways=("plain", "mask"),
    ),
    "tinybert": Family(
        "tinybert",
        "TinyBert",
        {**SIZES, "layer_norm_eps": 1e-5, "fit_size": 10},
        without("token_classification", "masked_lm"),
        labels={"pretraining": ()},
    ),
    "gpt": Family(
        "gpt",
        "GPT",
        {name: size for name, size in SIZES.items() if name != "type_vocab_size"}
        | {"pad_token_id": 1, "eos_token_id": 1},
        without("question_answering", "multiple_choice", "masked_lm", "pretraining")
        | {"language_model": "ForCausalLM"},
        ways=("plain", "mask"),
        ignored={"language_model": 0},
    ),
}
"""Name of a family here to its small model; a new family is a line here, and its file is made by the script."""


def weights(family: str, shapes: Mapping[str, Sequence[int]]) -> dict[str, np.ndarray]:
    """Return seeded values of parameters by name; a parameter of two names has one value.

    Args:
        family: which one; it seeds the draw besides the names.
        shapes: name to shape.
    """
    tables = [name for name in shapes if name.endswith(("word_embeddings.weight", "word_embedding.weight"))]
    names = {name: name.replace("decoder_bias", "decoder.bias") for name in shapes}
    tied = ("decoder.weight", "decoder_weight", "lm_head.weight", "word_embeddings.weight")
    names.update({name: tables[0] for name in shapes if name.endswith(tied) and tables})
    names.update({name: "lm_head.decoder.bias" for name in shapes if name == "lm_head.bias"})
    names.update({name: "predictions.decoder.bias" for name in shapes if name == "predictions.bias"})
    values = {name: recipe.parameter(f"{family}.{names[name]}", shape, {}) for name, shape in shapes.items()}
    buffers = {name: np.arange(shape[-1])[None] for name, shape in shapes.items() if name.endswith("position_ids")}
    return {**values, **buffers}


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
    drawn = drawn[:, ::-1] if FAMILIES[family].left else drawn
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
    given = {"input_ids": tokens, "token_type_ids": kinds.astype(np.int64)}
    if FAMILIES[family].masked:
        given["attention_mask"] = (tokens != settings.get("pad_token_id", 0)).astype(np.int64)
    return given


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
    hidden = (draw.uniform(size=(ROWS, LENGTH, LENGTH)) < 0.4).astype(np.float32)
    chosen = np.eye(LENGTH, dtype=np.float32)[draw.permutation(LENGTH)[:4]][None].repeat(ROWS, 0)
    ways = {
        "plain": {"input_ids": given["input_ids"]},
        "mask": {**given, "attention_mask": flat},
        "square": {**given, "attention_mask": square, "position_ids": positions},
        "permuted": {**given, "perm_mask": hidden, "target_mapping": chosen},
    }
    return {way: ways[way] for way in FAMILIES[family].ways}


def labels(task: str) -> tuple[np.ndarray, ...]:
    """Return what is to be learned, in the order of ``LABELS``.

    Args:
        task: of ``TASKS``.
    """
    draw = np.random.RandomState(11)
    if task == "question_answering":
        return np.array([3, 0, 2], np.int64), np.array([5, 4, LENGTH], np.int64)
    if task in ("token_classification", "masked_lm", "pretraining", "language_model"):
        count = CLASSES if task == "token_classification" else SIZES["vocab_size"]
        tokens = draw.randint(task == "language_model", count, (ROWS, LENGTH)).astype(np.int64)
        tokens[draw.uniform(size=tokens.shape) < 0.5] = -100
        return (tokens, np.array([1, 0, 1], np.int64)) if task == "pretraining" else (tokens,)
    return (draw.randint(0, CLASSES, ROWS).astype(np.int64),)


def mixture(index: int, shape: Sequence[int]) -> np.ndarray:
    """Return the weights of a sum over a result, which stands for a loss where the official model has none.

    Args:
        index: which of the model's results.
        shape: of that.
    """
    return recipe.uniform(f"mixture {index}", shape, -1.0, 1.0)


def sample(values: np.ndarray, count: int = 24) -> np.ndarray:
    """Return some of an array's values, spread evenly, and their root mean square, float32.

    Args:
        values: any array.
        count: how many values.
    """
    flat = np.asarray(values, np.float32).reshape(-1)
    picked = flat[np.linspace(0, flat.size - 1, min(count, flat.size)).astype(int)]
    return np.append(picked, np.sqrt(np.mean(np.square(flat, dtype=np.float64)))).astype(np.float32)


def checksum(shapes: Mapping[str, Sequence[int]]) -> int:
    """Return a number that stands for all names and shapes.

    Args:
        shapes: name to shape.
    """
    return zlib.crc32("\n".join(f"{name} {list(shape)}" for name, shape in sorted(shapes.items())).encode())

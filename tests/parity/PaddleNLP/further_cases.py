"""What some families are asked besides: texts in parts for a memory, masked texts for ELECTRA; numpy alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from tests.parity.PaddleNLP.model_cases import CLASSES, FAMILIES, ROWS, ids, inputs, weights


def parts(family: str) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Return two parts of texts without padding, for encoders that remember the first while they read the second.

    Args:
        family: which one.
    """
    draw = np.random.RandomState(13)
    first, second = draw.randint(5, 60, (2, ROWS, 5)).astype(np.int64)
    if family != "xlnet":
        return {"input_ids": first}, {"input_ids": second}
    kinds = draw.randint(0, 2, (ROWS, 5)).astype(np.int64)
    hidden = (draw.uniform(size=(ROWS, 5, 5)) < 0.4).astype(np.float32)
    chosen = np.eye(5, dtype=np.float32)[[3, 1]][None].repeat(ROWS, 0)
    further = {"token_type_ids": kinds, "perm_mask": hidden, "target_mapping": chosen}
    return {"input_ids": first, "token_type_ids": kinds}, {"input_ids": second, **further}


ELECTRA = {
    "electra": ("Electra", FAMILIES["electra"].settings),
    "health": ("ErnieHealth", {**FAMILIES["electra"].settings, "embedding_size": 24}),
}
"""The official name and the settings of ELECTRA's and ERNIE-Health's pretraining."""


def electra_inputs() -> dict[str, np.ndarray]:
    """Return four texts with masked tokens for ELECTRA's pretraining, and what those were."""
    raw = ids("electra", 4)
    hidden = (np.random.RandomState(15).uniform(size=raw.shape) < 0.4) & (raw != 0)
    return {
        "input_ids": np.where(hidden, 4, raw),
        "token_type_ids": np.random.RandomState(8).randint(0, 3, raw.shape).astype(np.int64),
        "raw_input_ids": raw,
        "generator_labels": np.where(hidden, raw, -100),
    }


def chained(shapes: Mapping[str, Sequence[int]]) -> dict[str, np.ndarray]:
    """Return seeded values of SKEP's chain of tags, whose transitions have three names.

    Args:
        shapes: name to shape.
    """
    names = {name: "crf.transitions" if name.endswith("transitions") else name for name in shapes}
    values = weights("skep", {names[name]: shape for name, shape in shapes.items()})
    return {name: values[names[name]] for name in shapes}


def chain_inputs() -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Return what SKEP's chain of tags is given, and paths to learn."""
    given = inputs("skep", "token_classification")
    given["attention_mask"] = (given["input_ids"] != 0).astype(np.int64)
    return given, np.random.RandomState(12).randint(0, CLASSES, given["input_ids"].shape).astype(np.int64)

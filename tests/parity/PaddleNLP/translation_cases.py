"""Small translating Transformers with seeded weights, and sentences for them, for both implementations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tests.parity.recipe import uniform

FILE = Path(__file__).with_name("references") / "translation.npz"
WORDS = 23
SIZE = {
    "max_length": 16, "num_encoder_layers": 2, "num_decoder_layers": 2, "n_head": 2, "d_model": 12, "d_inner_hid": 20,
    "dropout": 0.1, "bos_id": 0, "eos_id": 1,
}  # fmt: skip
CASES: dict[str, dict[str, Any]] = {
    "shared": {"src_vocab_size": WORDS, "trg_vocab_size": WORDS, "weight_sharing": True},
    "apart": {"src_vocab_size": WORDS, "trg_vocab_size": 19, "weight_sharing": False, "activation": "gelu"},
    "post_norm": {
        "src_vocab_size": WORDS, "trg_vocab_size": WORDS, "weight_sharing": True, "normalize_before": False,
        "pad_id": 2,
    },
}  # fmt: skip
SOURCE = np.array([[5, 6, 7, 8, 9, 1], [10, 4, 1, 0, 0, 0], [3, 17, 12, 1, 0, 0]], np.int64)
TARGET = np.array([[0, 5, 12, 7, 8], [0, 9, 3, 0, 0], [0, 6, 6, 18, 0]], np.int64)
LABELS = np.array([[5, 12, 7, 8, 1], [9, 3, 1, 0, 0], [6, 6, 18, 1, 0]], np.int64)
BEAMS, LONGEST = 3, 9


def settings(case: str) -> dict[str, Any]:
    """Return the arguments of a case's network."""
    return {**SIZE, **CASES[case]}


def sentences(case: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return source, target and labels, padded as the case's network has it."""
    pad = CASES[case].get("pad_id", 0)
    behind = [np.cumsum(rows == 1, axis=1) - (rows == 1) > 0 for rows in (SOURCE, LABELS)]
    target = TARGET.copy()
    target[:, 1:][LABELS[:, :-1] == 1] = pad
    target[:, 1:][behind[1][:, :-1]] = pad
    return np.where(behind[0], pad, SOURCE), target, np.where(behind[1], pad, LABELS)


def weights(case: str, shapes: Mapping[str, Sequence[int]]) -> dict[str, np.ndarray]:
    """Return the weights of a case's network; positions are no weights.

    Args:
        case: its name.
        shapes: of the weights, by name.
    """
    found = {}
    for name, shape in shapes.items():
        if "pos_encoder" in name:
            continue
        stem = name.replace("trg_word", "src_word") if CASES[case]["weight_sharing"] else name
        if "norm" in name and name.endswith("weight"):
            found[name] = uniform(f"{case} {stem}", shape, 0.7, 1.3)
        else:
            found[name] = uniform(f"{case} {stem}", shape, -0.5, 0.5)
    return found

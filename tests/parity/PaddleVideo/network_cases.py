"""The networks that are compared with ppvideo's, at reduced width: what builds each in both, inputs and targets."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, Optional

import numpy as np

from tests.parity.PaddleVideo.network_weights import random_clips, whole_numbers

FOLDER = Path(__file__).with_name("networks")
"""Where the answers are, one file for each case."""


class Case(NamedTuple):
    """One comparison.

    Attributes:
        framework: what holds backbone and head in ppvideo: "recognizers.Recognizer1D".
        backbone: its settings there.
        head: likewise; None: it has none.
        inputs: what the official forward takes, in order.
        targets: what the official loss takes beside outputs.
    """

    framework: str
    backbone: Optional[Mapping[str, Any]]
    head: Optional[Mapping[str, Any]]
    inputs: tuple[np.ndarray, ...]
    targets: tuple[np.ndarray, ...]


HIDDEN_SIZES = (16, 10)
"""Of the fully connected layers of AttentionLSTM."""

LENGTHS = np.array([5, 3, 1], np.int64)

CASES: dict[str, Case] = {
    "attention_lstm": Case(
        "recognizers.Recognizer1D",
        None,
        {"name": "AttentionLstmHead", "num_classes": 7, "feature_dims": [12, 6], "embedding_size": 8, "lstm_size": 6},
        (random_clips("rgb features", 3, 5, 12), random_clips("audio features", 3, 5, 6), LENGTHS),
        (whole_numbers("labels", 21, 2).reshape(3, 7).astype(np.float32),),
    ),
}

"""Sequences of drawn words whose translation is known: the same words, or the same in reverse order."""

from __future__ import annotations

from typing import Literal, Optional

import numpy as np

from PaddleNLP.data.dataset import TextDataset, Texts, Transform

PARTS = ("train", "valid", "test")


class DrawnSequences(TextDataset):
    """Words ``w0``, ``w1``, ... in any order; "target" is what becomes of them.

    Args:
        rule: "copy" or "reverse".
        split: "train", "valid" or "test", which are drawn apart.
        count: how many sequences.
        words: different words.
        shortest: words of a sequence at least.
        longest: words of a sequence at most.
        seed: of what is drawn.
        transform: what to do with a sample.

    Raises:
        ValueError: a number is out of range.
    """

    def __init__(
        self,
        rule: Literal["copy", "reverse"],
        split: Literal["train", "valid", "test"],
        count: int,
        words: int = 20,
        shortest: int = 3,
        longest: int = 10,
        seed: int = 0,
        transform: Optional[Transform] = None,
    ) -> None:
        if count < 1 or words < 1 or not 1 <= shortest <= longest:
            raise ValueError(
                "DrawnSequences: count, words and shortest are at least 1, and longest is no less than shortest"
            )
        generator = np.random.default_rng([seed, PARTS.index(split)])
        columns: dict[str, Texts] = {"source": Texts(), "target": Texts()}
        for length in generator.integers(shortest, longest + 1, count).tolist():
            drawn = [f"w{number}" for number in generator.integers(0, words, length).tolist()]
            columns["source"].append(" ".join(drawn))
            columns["target"].append(" ".join(drawn if rule == "copy" else drawn[::-1]))
        super().__init__(columns, path=f"DrawnSequences {rule} {split}", transform=transform)

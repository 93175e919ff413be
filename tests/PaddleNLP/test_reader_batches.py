"""How long a reader makes batches of texts, and how many sizes stay prepared."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from PaddleNLP.readers.base import rounded_up
from PaddleNLP.readers.classification import ClassificationReader
from PaddleNLP.word_level import WordLevelTokenizer


@pytest.mark.parametrize(
    ("length", "alone", "among"),
    [(1, 8, 1), (8, 8, 8), (31, 32, 31), (33, 40, 34), (65, 72, 68), (127, 128, 128), (130, 136, 136), (260, 272, 272)],
)
def test_lengths_are_rounded_up_by_a_sixteenth_at_most(length: int, alone: int, among: int) -> None:
    assert rounded_up(length, 8) == alone and rounded_up(length, 1) == among


def test_texts_of_alike_length_go_together_and_little_is_padded(tmp_path: Path) -> None:
    (tmp_path / "vocab.txt").write_text("a\nb\n", encoding="utf-8")
    shapes = []

    def run(arrays: dict[str, np.ndarray]) -> list[np.ndarray]:
        shapes.append(arrays["input_ids"].shape)
        counts = (arrays["input_ids"] == 1).sum(axis=1)
        return [np.stack([np.zeros(len(counts)), counts - 1.5], axis=1)]

    tokenizer = WordLevelTokenizer(str(tmp_path / "vocab.txt"), "characters")
    reader = ClassificationReader(tmp_path, run, tokenizer, 40, ["few", "many"])
    texts = ["a" * 35 + "bb", "ab", "b" * 9, "a" * 9, "b" * 38]
    assert [answer.label for answer in reader.predict(texts, 2)] == ["many", "few", "many", "few", "many"]
    assert shapes == [(2, 9), (2, 38), (1, 40)]

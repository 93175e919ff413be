"""What metrics of language models are asked, and paddlenlp's and seqeval's answers are stored for."""

from __future__ import annotations

from typing import Any

import numpy as np

SCHEMES = {
    "BIO": ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"],
    "BIOES": ["O", *(f"{mark}-{kind}" for kind in ("PER", "LOC", "ORG") for mark in "BIES")],
    "suffix": ["O", "n-B", "n-I", "v-B", "v-I", "LOC-B", "LOC-I"],
}
"""Of each scheme its tags."""


def tag_rows(scheme: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return true tags, predicted tags, (60, 12), of which many break the scheme, and lengths, (60,)."""
    source = np.random.RandomState(sorted(SCHEMES).index(scheme))
    count = len(SCHEMES[scheme])
    truth = source.randint(count, size=(60, 12))
    predicted = np.where(source.uniform(size=truth.shape) < 0.6, truth, source.randint(count, size=truth.shape))
    return truth, predicted, source.randint(1, 13, size=60)


ANSWERS: list[tuple[list[str], str, float]] = [
    (["Denver Broncos"], "the Denver Broncos.", -3.0),
    (["Denver Broncos", "The Broncos"], "Broncos of Denver", -2.5),
    (["24-10"], "24 10", 0.5),
    (["a"], "", 1.0),
    (["An apple a day"], "apple day", -0.5),
    (["Santa Clara, California", "Santa Clara"], "in Santa Clara", -6.25),
    (["$5 million"], "5 million dollars", 2.0),
    (["café"], "cafe", -1.0),
    (["one two two three"], "two two two", 0.25),
    (["its own"], "its\u00a0own", -0.125),
    ([], "nothing at all", 3.0),
    ([], "", 4.0),
    ([], "something", -4.0),
    ([], "the", 0.75),
    (["the"], "the", 0.0),
    (["x" * 30], "y", 5.0),
]
"""Of questions the right answers, the one that is given, and how much better no answer is."""

WINDOWS, LENGTH = 12, 40


def windows() -> list[dict[str, Any]]:
    """Return six questions: of each its text, and of its two windows the logits and offsets, some of them None."""
    source = np.random.RandomState(7)
    context = "".join(chr(ord("a") + number) for number in source.randint(26, size=200))
    questions = []
    for _ in range(WINDOWS // 2):
        parts = []
        for first in (0, 60):
            offsets: list[Any] = [None] * 6
            for place in range(LENGTH - 8):
                offsets.append((first + 4 * place, first + 4 * place + 3))
            offsets += [None] * 2
            logits = source.randn(2, LENGTH).astype(np.float32) * 3
            logits[:, 0] += 2
            parts.append({"start": logits[0], "end": logits[1], "offsets": offsets})
        questions.append({"context": context, "windows": parts})
    return questions


def marks() -> tuple[np.ndarray, np.ndarray]:
    """Return logits, float32 (50, 2), and classes, (50,)."""
    source = np.random.RandomState(11)
    logits = source.randn(50, 2).astype(np.float32)
    return logits, (logits[:, 1] + source.randn(50) > 0).astype(np.int64)


def degrees() -> tuple[np.ndarray, np.ndarray]:
    """Return predicted and true degrees, float (50,), some of them equal."""
    source = np.random.RandomState(12)
    truth = source.randint(0, 11, size=50) / 2.0
    return np.round(truth + source.randn(50), 1).astype(np.float32), truth.astype(np.float32)

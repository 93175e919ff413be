"""Questions and texts as windows of tokens, with the characters that each token stands for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np


class Windows(NamedTuple):
    """Windows over texts, in order.

    Attributes:
        columns: "input_ids" and "token_type_ids", a list for each window.
        samples: of which question each is, int64 (W,).
        offsets: of each token the first character in the text and the one behind its last, a list of (L, 2) arrays;
            (0, 0) for tokens that are not of the text.
    """

    columns: dict[str, list[list[int]]]
    samples: np.ndarray
    offsets: list[np.ndarray]


def question_windows(
    tokenizer: Any,
    questions: Sequence[str],
    contexts: Sequence[str],
    max_length: int,
    stride: int,
    max_question: int = 64,
) -> Windows:
    """Return the windows of some questions.

    Args:
        tokenizer: of :mod:`core.text`.
        questions: the questions; longer ones than ``max_question`` tokens are cut.
        contexts: the text that each asks about.
        max_length: tokens of a window, question and special tokens included.
        stride: how many tokens apart windows begin.
        max_question: see ``questions``.

    Raises:
        ValueError: ``max_length`` leaves no room for the text behind a question.
    """
    short = [_cut(tokenizer, question, max_question) for question in questions]
    options = {"truncation": "only_second", "return_offsets_mapping": True, "return_token_type_ids": True}
    try:
        columns = tokenizer.batch(short, list(contexts), max_length, stride, **options)
    except ValueError as error:
        raise ValueError(f"{error}; raise tokenizer.max_length, or lower task.max_question") from None
    samples = np.array(columns.pop("overflow_to_sample"), np.int64)
    offsets = []
    for pairs, types in zip(columns.pop("offset_mapping"), columns["token_type_ids"]):
        places = np.array(pairs, np.int64).reshape(-1, 2)
        places[np.array(types) != 1] = 0
        offsets.append(places)
    return Windows(columns, samples, offsets)


def _cut(tokenizer: Any, question: str, most: int) -> str:
    """Return the beginning of a question that has no more tokens than so many."""
    if len(question) <= most:
        return question
    offsets = tokenizer.batch([question], add_special_tokens=False, return_offsets_mapping=True)["offset_mapping"][0]
    return question if len(offsets) <= most else question[: offsets[most - 1][1]]


def answer_tokens(offsets: np.ndarray, start: int, end: int) -> tuple[int, int]:
    """Return the first and the last token of an answer; (0, 0) where the window does not hold all of it.

    Args:
        offsets: of the window's tokens, (L, 2).
        start: the answer's first character.
        end: the character behind its last.
    """
    inside = np.flatnonzero(offsets[:, 1] > offsets[:, 0])
    if not len(inside) or offsets[inside[0], 0] > start or offsets[inside[-1], 1] < end:
        return 0, 0
    first = inside[int(np.searchsorted(offsets[inside, 1], start, side="right"))]
    last = inside[int(np.searchsorted(offsets[inside, 0], end, side="left")) - 1]
    return (int(first), int(last)) if first <= last else (0, 0)

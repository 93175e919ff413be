"""A pair of entities in a sentence, as a network reads it: how far each word is from them, and what they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from PaddleNLP.answers.question_windows import answer_tokens


def pair_columns(sample: Mapping[str, Any], offsets: Sequence[Any], types: Sequence[str]) -> dict[str, list[int]]:
    """Return of each word "first" and "second", how far it is from each entity, "types", and "guide".

    "guide" is 1 at the words of both entities and between them. An entity that is cut off is at the last word.

    Args:
        sample: "first" and "second", their characters; "first_type" and "second_type".
        offsets: of each word its first character and the one behind its last.
        types: the types of entities that the network knows, the first of which stands for all others.
    """
    places = np.array(offsets, np.int64).reshape(-1, 2)
    count = len(places)
    away, kinds = {}, np.zeros(count, np.int64)
    spans = []
    for side in ("first", "second"):
        start, end = sample[side]
        whole = bool(count) and places[-1, 1] >= end
        first, last = answer_tokens(places, start, end) if whole else (max(count - 1, 0), max(count - 1, 0))
        words = np.arange(count)
        away[side] = np.where(words < first, words - first, np.maximum(words - last, 0))
        name = sample.get(f"{side}_type", "")
        kinds[first : last + 1] = types.index(name) if name in types else 0
        spans.append((first, last))
    guide = np.zeros(count, np.int64)
    guide[min(span[0] for span in spans) : max(span[1] for span in spans) + 1] = 1
    columns = {**away, "types": kinds, "guide": guide}
    return {name: column.tolist() for name, column in columns.items()}


def pattern_of(sample: Mapping[str, Any]) -> str:
    """Return the words between two entities, with a mark where the second one comes first.

    Args:
        sample: "text", and the characters of "first" and "second".
    """
    first, second = sample["first"], sample["second"]
    if first[1] <= second[0]:
        return str(sample["text"][first[1] : second[0]].strip())
    return f"< {sample['text'][second[1] : first[0]].strip()}"

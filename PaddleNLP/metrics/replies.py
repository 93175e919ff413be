"""How replies are judged: BLEU of one and two words, DISTINCT, and F1 of characters, as DuConv's evaluation has them.

The formulas are a fact of PaddlePaddle/models at 1.6 (``ACL2019-DuConv/generative_paddle/tools/eval.py``): counts are
gathered over all replies, and BLEU's numbers are not smoothed.
"""

from __future__ import annotations

import collections
import math
from collections.abc import Iterable, Sequence


def grams(words: Sequence[str], count: int) -> collections.Counter[tuple[str, ...]]:
    """Return how often each run of so many words occurs."""
    return collections.Counter(tuple(words[place : place + count]) for place in range(len(words) - count + 1))


def reply_bleu(replies: Sequence[str], references: Sequence[str], most: int = 2) -> list[float]:
    """Return BLEU-1 up to BLEU-``most``, each from 0 to 1.

    Args:
        replies: words between spaces.
        references: of each reply the right one.
        most: of the longest runs of words.
    """
    pairs = [(one.split(), other.split()) for one, other in zip(replies, references)]
    length, wanted = sum(len(one) for one, _ in pairs), sum(len(other) for _, other in pairs)
    if not length:
        return [0.0] * most
    brevity = 1.0 if length >= wanted else math.exp(1 - wanted / length)
    logarithms, found = 0.0, []
    for count in range(1, most + 1):
        hits = sum(sum((grams(one, count) & grams(other, count)).values()) for one, other in pairs)
        total = sum(max(len(one) - count + 1, 0) for one, _ in pairs)
        logarithms += math.log(hits / total) if hits else -math.inf
        found.append(brevity * math.exp(logarithms / count))
    return found


def distinct(replies: Iterable[str], count: int) -> float:
    """Return the share of different runs of so many words among all (DISTINCT; Li et al. 2016, arXiv:1510.03055).

    Args:
        replies: words between spaces.
        count: of the runs.
    """
    found: collections.Counter[tuple[str, ...]] = collections.Counter()
    for reply in replies:
        found += grams(reply.split(), count)
    return len(found) / max(sum(found.values()), 1)


def character_f1(replies: Sequence[str], references: Sequence[str]) -> float:
    """Return the F1 of the characters of all replies, spaces apart.

    Args:
        replies: the replies.
        references: of each the right one.
    """
    hits = given = wanted = 0
    for reply, reference in zip(replies, references):
        own, right = "".join(reply.split()), "".join(reference.split())
        hits += sum((collections.Counter(own) & collections.Counter(right)).values())
        given, wanted = given + len(own), wanted + len(right)
    return 2 * hits / (given + wanted) if hits else 0.0

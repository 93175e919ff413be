"""How DuReader scores answers: ROUGE-L and BLEU of characters, against all texts that count as right.

He et al. 2017, https://arxiv.org/abs/1711.05073; Lin 2004, ROUGE, https://aclanthology.org/W04-1013; Papineni et al.
2002, BLEU, https://aclanthology.org/P02-1040. Numbers are those of the official script (``utils/dureader_eval.py`` of
PaddlePaddle/models at 1.6, with the scorers of COCO's captions), in percent. White space counts for nothing.
"""

from __future__ import annotations

import collections
import math
from collections.abc import Mapping, Sequence

References = Mapping[str, Sequence[str]]
"""Of each question, by its id, the texts that count as right."""

BETA = 1.2
"""How much more recall counts than precision."""

ORDER = 4
SMALL, TINY = 1e-9, 1e-15
"""What the official scorer adds to counts, so that no precision is 0 or a division by 0."""


def characters(text: str) -> list[str]:
    """Return the characters of a text but for white space."""
    return [letter for letter in text if letter.strip()]


def common_subsequence(one: Sequence[str], other: Sequence[str]) -> int:
    """Return the length of the longest common subsequence."""
    places: dict[str, int] = collections.defaultdict(int)  # of each letter, as bits
    for place, letter in enumerate(one):
        places[letter] |= 1 << place
    whole = row = (1 << len(one)) - 1
    for letter in other:  # Hyyrö 2004: a bit that becomes 0 is a step of the longest common subsequence
        hits = row & places.get(letter, 0)
        row = ((row + hits) | (row - hits)) & whole
    return len(one) - bin(row).count("1")


def rouge_l(prediction: str, references: Sequence[str]) -> float:
    """Return ROUGE-L of an answer, between 0 and 1: of the best precision and the best recall, of whichever references.

    Args:
        prediction: the answer; an empty one counts as one character that none but an empty reference has.
        references: the texts that count as right, at least one.
    """
    found = characters(prediction) or [""]
    precision = recall = 0.0
    for reference in references:
        true = characters(reference) or [""]
        common = common_subsequence(true, found)
        precision, recall = max(precision, common / len(found)), max(recall, common / len(true))
    if not precision or not recall:
        return 0.0
    return (1 + BETA**2) * precision * recall / (recall + BETA**2 * precision)


def bleu(predictions: Mapping[str, str], references: References, order: int = ORDER) -> list[float]:
    """Return BLEU of all answers together with n-grams up to 1, 2, ..., between 0 and 1.

    Args:
        predictions: the answer to each question.
        references: of the same questions; of each the one of the nearest length counts for the brevity penalty.
        order: of the longest n-grams.
    """
    right, given = [0] * order, [0] * order
    length = nearest = 0
    for question, prediction in predictions.items():
        found = characters(prediction)
        true = [characters(reference) for reference in references[question]]
        length += len(found)
        nearest += min((abs(len(one) - len(found)), len(one)) for one in true)[1]
        for size in range(1, order + 1):
            most: collections.Counter[tuple[str, ...]] = collections.Counter()
            for one in true:
                most |= _grams(one, size)
            right[size - 1] += sum((_grams(found, size) & most).values())
            given[size - 1] += max(0, len(found) - size + 1)
    product, scores = 1.0, []
    for size, (hits, count) in enumerate(zip(right, given), 1):
        product *= (hits + TINY) / (count + SMALL)
        scores.append(product ** (1 / size))
    ratio = (length + TINY) / (nearest + SMALL)
    penalty = math.exp(1 - 1 / ratio) if ratio < 1 else 1.0
    return [score * penalty for score in scores]


def _grams(letters: Sequence[str], size: int) -> collections.Counter[tuple[str, ...]]:
    return collections.Counter(tuple(letters[place : place + size]) for place in range(len(letters) - size + 1))


def dureader_result(references: References, predictions: Mapping[str, str]) -> dict[str, float]:
    """Return what DuReader's official scorer says of its main task, percent.

    Args:
        references: the right texts of each question; questions without any are left out.
        predictions: the answer given to each question; a missing one counts as an empty one.

    Returns:
        "rouge_l", "bleu_1" ... "bleu_4".

    Raises:
        ValueError: no question has a reference.
    """
    answered = {question: list(texts) for question, texts in references.items() if list(texts) not in ([], [""])}
    if not answered:
        raise ValueError("there are no questions with an answer to be scored")
    given = {question: predictions.get(question, "") for question in answered}
    rouge = sum(rouge_l(given[question], texts) for question, texts in answered.items()) / len(answered)
    scores = {f"bleu_{size}": 100 * score for size, score in enumerate(bleu(given, answered), 1)}
    return {"rouge_l": 100 * rouge, **scores}

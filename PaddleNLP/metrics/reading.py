"""How answers to questions are scored: as SQuAD 1.1 and 2.0 do, and as CMRC 2018 does.

Rajpurkar et al., SQuAD, https://arxiv.org/abs/1606.05250, and with questions that have no answer,
https://arxiv.org/abs/1806.03822; Cui et al., CMRC 2018, https://arxiv.org/abs/1810.07366. Numbers are those of the
official scorers, in percent.
"""

from __future__ import annotations

import collections
import difflib
import re
import string
from collections.abc import Mapping, Sequence
from typing import Optional

import numpy as np

References = Mapping[str, Sequence[str]]
"""Of each question, by its id, the answers that are right; none: there is no answer."""

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


def normalized(answer: str) -> str:
    """Return an answer in lower case without punctuation, English articles and further white space."""
    return " ".join(_ARTICLES.sub(" ", answer.lower().translate(_NO_PUNCTUATION)).split())


def token_f1(reference: str, prediction: str) -> float:
    """Return the F1 of the words of two answers after normalisation; of empty ones 1 where both are empty, else 0."""
    true, found = normalized(reference).split(), normalized(prediction).split()
    if not true or not found:
        return float(true == found)
    return _f1(sum((collections.Counter(true) & collections.Counter(found)).values()), len(found), len(true))


def _f1(common: int, found: int, true: int) -> float:
    if not common:
        return 0.0
    precision, recall = common / found, common / true
    return 2 * precision * recall / (precision + recall)


def squad_scores(
    references: References, predictions: Mapping[str, str], version_2: bool = False
) -> tuple[dict[str, float], dict[str, float]]:
    """Return exact match and F1 of each question, between 0 and 1; 0 where there is no prediction.

    Args:
        references: the right answers.
        predictions: the answer given to each question; empty: none.
        version_2: whether there may be no answer: references that normalise to nothing are none (SQuAD 2.0).
    """
    exact, f1 = {}, {}
    for question, answers in references.items():
        given = predictions.get(question)
        right = list(answers)
        if version_2:
            right = [answer for answer in right if normalized(answer)] or [""]
        exact[question] = f1[question] = 0.0
        if given is not None and right:
            exact[question] = max(float(normalized(answer) == normalized(given)) for answer in right)
            f1[question] = max(_squad_f1(answer, given, version_2) for answer in right)
    return exact, f1


def _squad_f1(reference: str, prediction: str, version_2: bool) -> float:
    return token_f1(reference, prediction) if version_2 or normalized(prediction) else 0.0


def squad_result(
    references: References,
    predictions: Mapping[str, str],
    version_2: bool = False,
    null_scores: Optional[Mapping[str, float]] = None,
    threshold: float = np.inf,
) -> dict[str, float]:
    """Return what SQuAD's official scorer says.

    Args:
        references: the right answers.
        predictions: the answer given to each question; empty: none.
        version_2: as SQuAD 2.0 does it, where there may be no answer.
        null_scores: of each question how much better no answer is; the answers are then those that count where there
            is one, and the best thresholds are searched.
        threshold: no answer counts where its score is larger.

    Returns:
        "exact" and "f1", percent. Of version 2 also the same of the questions that have an answer, "HasAns_exact" ...,
        and of those that have none, "NoAns_exact" ...; and, with null scores, "best_exact", "best_exact_thresh",
        "best_f1", "best_f1_thresh".

    Raises:
        ValueError: there are no questions.
    """
    if not references:
        raise ValueError("there are no questions to be scored")
    scores = squad_scores(references, predictions, version_2)
    answerable = {question: bool(answers) for question, answers in references.items()}
    given = scores
    if version_2 and null_scores is not None:
        given = tuple(
            {
                question: float(not answerable[question]) if null_scores.get(question, 0.0) > threshold else score
                for question, score in part.items()
            }
            for part in scores
        )  # type: ignore[assignment]  # of two parts
    result = _means("", given, list(references))
    if not version_2:
        return result
    for prefix, kind in (("HasAns_", True), ("NoAns_", False)):
        questions = [question for question in references if answerable[question] is kind]
        if questions:
            result.update(_means(prefix, given, questions))
    if null_scores is not None and not all(answerable.values()):
        for name, part in zip(("exact", "f1"), scores):
            best, place = best_threshold(part, predictions, null_scores, answerable)
            result[f"best_{name}"], result[f"best_{name}_thresh"] = best, place
    return result


def _means(prefix: str, scores: Sequence[Mapping[str, float]], questions: Sequence[str]) -> dict[str, float]:
    return {
        f"{prefix}{name}": 100.0 * sum(part[question] for question in questions) / len(questions)
        for name, part in zip(("exact", "f1"), scores)
    }


def best_threshold(
    scores: Mapping[str, float],
    predictions: Mapping[str, str],
    null_scores: Mapping[str, float],
    answerable: Mapping[str, bool],
) -> tuple[float, float]:
    """Return the best score that any threshold of no answer gives, in percent, and the smallest such threshold.

    Args:
        scores: of each question, if its prediction counts.
        predictions: the answer given to each question.
        null_scores: how much better no answer is.
        answerable: whether there is an answer.
    """
    questions = sorted((question for question in null_scores if question in scores), key=lambda name: null_scores[name])
    gains = [
        scores[question] if answerable[question] else -1.0 if predictions.get(question) else 0.0
        for question in questions
    ]
    totals = np.cumsum([sum(not found for found in answerable.values()), *gains])
    best = int(totals.argmax())
    return 100.0 * float(totals[best]) / len(scores), null_scores[questions[best - 1]] if best else 0.0


CMRC_PUNCTUATION = frozenset("-:_*^/\\~`+=，。：？！“”；’《》·、「」（）－～『』")
_HAN = re.compile("[\u4e00-\u9fa5]")


def cmrc_segments(answer: str) -> list[str]:
    """Return the Chinese characters and other words of an answer, in lower case, without punctuation.

    What is not Chinese is cut as the Penn Treebank's tokeniser does: signs such as ``%`` and a last full stop for
    themselves.
    """
    kept = "".join(letter for letter in answer.lower().strip() if letter not in CMRC_PUNCTUATION)
    segments: list[str] = []
    for part in re.findall("[\u4e00-\u9fa5]|[^\u4e00-\u9fa5]+", kept):
        segments.extend([part] if _HAN.match(part) else treebank_words(part))
    return segments


_TREEBANK = (
    (re.compile(r'^"|(?<=[ (\[{<])"'), " `` "),
    (re.compile(r'"'), " '' "),
    (re.compile(r",(?![0-9])"), " , "),
    (re.compile(r"\.\.\."), " ... "),
    (re.compile(r"[;@#$%&?!\[\](){}<>]"), r" \g<0> "),
    (re.compile(r"([^.])\.(\s*)$"), r"\1 . \2"),
    (re.compile(r"([^' ])('ll|'re|'ve|n't|'s|'m|'d)(?=\s|$)"), r"\1 \2"),
    (re.compile(r"([^'])'(?=\s|$)"), r"\1 ' "),
)


def treebank_words(text: str) -> list[str]:
    """Return the words of a text that has no Chinese, and its signs, as the Penn Treebank's tokeniser cuts them."""
    for pattern, spaced in _TREEBANK:
        text = pattern.sub(spaced, text)
    return text.split()


def cmrc_scores(references: References, predictions: Mapping[str, str]) -> tuple[dict[str, float], dict[str, float]]:
    """Return exact match and F1 of each question, between 0 and 1; 0 where there is no prediction.

    F1 counts the segments of the longest part that answer and prediction have in common.

    Args:
        references: the right answers.
        predictions: the answer given to each question.
    """
    exact, f1 = {}, {}
    for question, answers in references.items():
        given = predictions.get(question)
        exact[question] = f1[question] = 0.0
        if given is None or not answers:
            continue
        found = cmrc_segments(given)
        exact[question] = float(any(_plain(answer) == _plain(given) for answer in answers))
        f1[question] = max(_common_f1(cmrc_segments(answer), found) for answer in answers)
    return exact, f1


def _plain(answer: str) -> str:
    return "".join(letter for letter in answer.lower().strip() if letter not in CMRC_PUNCTUATION)


def _common_f1(true: Sequence[str], found: Sequence[str]) -> float:
    match = difflib.SequenceMatcher(None, true, found, autojunk=False).find_longest_match(0, len(true), 0, len(found))
    return _f1(match.size, len(found), len(true))


def cmrc_result(references: References, predictions: Mapping[str, str]) -> dict[str, float]:
    """Return what CMRC 2018's official scorer says: "exact", "f1" and their mean "average", percent.

    Args:
        references: the right answers.
        predictions: the answer given to each question.

    Raises:
        ValueError: there are no questions.
    """
    if not references:
        raise ValueError("there are no questions to be scored")
    result = _means("", cmrc_scores(references, predictions), list(references))
    return {**result, "average": (result["exact"] + result["f1"]) / 2}

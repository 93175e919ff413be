"""From start and end logits of windows to answers: the step between a reading network and its metric, on the host.

A long text is read in overlapping windows. Of each window the best spans are found by array operations; those of all
windows of a question together give its n best answers, and a score for there being none (SQuAD 2.0).
Devlin et al., BERT, https://arxiv.org/abs/1810.04805, section 4.2 and 4.3.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import NamedTuple, Optional

import numpy as np


class WindowSpans(NamedTuple):
    """The best spans of some windows, the best first.

    Attributes:
        starts: first tokens, int64 (W, n).
        ends: last tokens, likewise.
        scores: sums of the two logits, float (W, n); minus infinity where there are fewer spans.
        null: the scores of there being no answer, those of the first token, float (W,).
    """

    starts: np.ndarray
    ends: np.ndarray
    scores: np.ndarray
    null: np.ndarray


@dataclasses.dataclass
class Answer:
    """A part of the text that may answer the question.

    Attributes:
        text: it; empty: there is no answer.
        start: its first character in the text.
        end: the character behind its last.
        score: the sum of the logits of its first and last token.
        probability: among the n best.
    """

    text: str
    start: int
    end: int
    score: float
    probability: float = 0.0


def window_spans(
    start_logits: np.ndarray,
    end_logits: np.ndarray,
    inside: np.ndarray,
    n_best: int = 20,
    longest: int = 30,
    may_start: Optional[np.ndarray] = None,
) -> WindowSpans:
    """Return the best spans of windows, of those that begin and end at one of the ``n_best`` best tokens for that.

    Args:
        start_logits: float (W, L).
        end_logits: likewise.
        inside: which tokens are of the text, and not of the question or padding, bool (W, L).
        n_best: how many spans.
        longest: the most tokens of a span.
        may_start: where a span may start, bool (W, L), such as where no other window shows more around the token; None:
            anywhere.
    """
    begin = inside if may_start is None else inside & may_start
    rows = np.arange(len(start_logits))[:, None]
    starts, ends = (np.argsort(-logits, axis=1, kind="stable")[:, :n_best] for logits in (start_logits, end_logits))
    scores = start_logits[rows, starts][:, :, None] + end_logits[rows, ends][:, None, :]
    lengths = ends[:, None, :] - starts[:, :, None]
    fit = begin[rows, starts][:, :, None] & inside[rows, ends][:, None, :] & (lengths >= 0) & (lengths < longest)
    flat = np.where(fit, scores, -np.inf).reshape(len(scores), -1)
    best = np.argsort(-flat, axis=1, kind="stable")[:, :n_best]
    columns = ends.shape[1]
    null = start_logits[:, 0] + end_logits[:, 0]
    return WindowSpans(starts[rows, best // columns], ends[rows, best % columns], flat[rows, best], null)


def inside_text(offsets: Sequence[np.ndarray], shape: tuple[int, ...]) -> np.ndarray:
    """Return which tokens of some windows are of the text, bool (W, L).

    Args:
        offsets: of each window of each token its first character in the text and the one behind its last, (L, 2).
        shape: (W, L) of the batch, in which windows are padded.
    """
    inside = np.zeros(shape, bool)
    for row, places in zip(inside, offsets):
        row[: len(places)] = places[:, 1] > places[:, 0]
    return inside


def joined(parts: Sequence[WindowSpans]) -> WindowSpans:
    """Return the spans of several windows as those of all of them.

    Args:
        parts: of some windows each, which may have different numbers of spans.
    """
    width = max(part.scores.shape[1] for part in parts)
    padded = []
    for part in parts:
        more = ((0, 0), (0, width - part.scores.shape[1]))
        scores = np.pad(part.scores, more, constant_values=-np.inf)
        padded.append(WindowSpans(np.pad(part.starts, more), np.pad(part.ends, more), scores, part.null))
    return WindowSpans(*(np.concatenate(columns) for columns in zip(*padded)))


def best_answers(
    context: str, spans: WindowSpans, offsets: Sequence[np.ndarray], n_best: int = 20, may_be_none: bool = False
) -> tuple[list[Answer], float]:
    """Return the n best answers to a question, and how much better no answer is than the best.

    Args:
        context: the text.
        spans: those of the windows of this question.
        offsets: of each window of each token its first character in the text and the one behind its last, (L, 2).
        n_best: how many answers.
        may_be_none: whether no answer, an empty text, is among the answers (SQuAD 2.0).

    Returns:
        The answers, the best first; and the score of no answer less that of the best answer, minus infinity where there
        is no span at all but must be one.
    """
    windows, places = np.nonzero(np.isfinite(spans.scores))
    order = np.argsort(-spans.scores[windows, places], kind="stable")[:n_best]
    found = []
    for window, place in zip(windows[order], places[order]):
        start = int(offsets[window][spans.starts[window, place]][0])
        end = int(offsets[window][spans.ends[window, place]][1])
        found.append(Answer(context[start:end], start, end, float(spans.scores[window, place])))
    null = float(spans.null.min())
    if not found:
        difference = np.inf if may_be_none else -np.inf
    else:
        difference = null - found[0].score
    if may_be_none:
        better = sum(answer.score >= null for answer in found)
        found.insert(better, Answer("", 0, 0, null))
        del found[max(n_best, better + 1) :]
    best = max((answer.score for answer in found), default=0.0)
    raised = np.exp([answer.score - best for answer in found])
    for answer, share in zip(found, raised / raised.sum()):
        answer.probability = float(share)
    return found, float(difference)


def chosen_answer(answers: Sequence[Answer], difference: float, threshold: float = 0.0) -> str:
    """Return the answer's text: the best, or none where none is better by more than the threshold.

    Args:
        answers: the n best.
        difference: how much better no answer is.
        threshold: how much better it must be; infinite: there always is an answer.
    """
    if difference > threshold:
        return ""
    return next((answer.text for answer in answers if answer.text), "")

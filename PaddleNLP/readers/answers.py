"""A reader that answers questions about a text."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from PaddleNLP.answers.question_windows import question_windows
from PaddleNLP.answers.spans import Answer, WindowSpans, best_answers, chosen_answer, inside_text, joined, window_spans
from PaddleNLP.readers.base import Text, TextReader


@dataclasses.dataclass
class Answered:
    """The answer to a question.

    Attributes:
        text: the answer, a part of the text; empty where the text gives none.
        start: its first character in the text.
        end: the character behind its last.
        probability: among the best answers.
        others: the best answers, this one first unless there is none.
    """

    text: str
    start: int
    end: int
    probability: float
    others: list[Answer]

    def record(self) -> dict[str, Any]:
        """Return what is written of it."""
        return {
            "answer": self.text,
            "start": self.start,
            "end": self.end,
            "probability": round(self.probability, 6),
            "others": [{"text": one.text, "probability": round(one.probability, 6)} for one in self.others[:5]],
        }

    def describe(self) -> str:
        """Return it in a line."""
        return f"{self.text or 'no answer'} {self.probability:.1%}"


class AnswerReader(TextReader):
    """Pairs of a question and a text to answers; a long text is read in windows."""

    def _read(self, texts: list[Text], batch_size: int) -> list[Any]:
        """Return the answers to questions."""
        if any(not isinstance(text, tuple) or not all(isinstance(part, str) for part in text) for text in texts):
            raise TypeError("what is to be answered is a tuple of a question and a text")
        search = self.settings
        found = question_windows(
            self.tokenizer,
            [text[0] for text in texts],
            [text[1] for text in texts],
            self.max_length,
            search["stride"],
            search["max_question"],
        )
        spans: dict[int, WindowSpans] = {}
        for rows, (start, end) in self.computed(found.columns, batch_size):
            inside = inside_text([found.offsets[row] for row in rows], start.shape)
            best = window_spans(start, end, inside, search["n_best"], search["longest"])
            for place, row in enumerate(rows):
                spans[row] = WindowSpans(*(part[place : place + 1] for part in best))
        return [self._answer(text[1], number, spans, found) for number, text in enumerate(texts)]

    def _answer(self, context: str, number: int, spans: dict[int, WindowSpans], found: Any) -> Answered:
        rows = np.flatnonzero(found.samples == number).tolist()
        none = self.settings["may_be_none"]
        offsets = [found.offsets[row] for row in rows]
        answers, difference = best_answers(
            context, joined([spans[row] for row in rows]), offsets, self.settings["n_best"], none
        )
        text = chosen_answer(answers, difference, self.settings["threshold"] if none else np.inf)
        best = next((answer for answer in answers if answer.text == text), Answer("", 0, 0, 0.0))
        return Answered(best.text, best.start, best.end, best.probability, answers)

"""A reader that answers questions from several passages."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from PaddleNLP.answers.passage_spans import best_span
from PaddleNLP.evaluators.passages import answer_text
from PaddleNLP.readers.base import Text, TextReader


@dataclasses.dataclass
class Found:
    """The answer to a question.

    Attributes:
        text: its words, one behind the other; empty where no passage has words.
        passage: the number of the passage; -1: none.
        score: the product of the probabilities of its passage, its first and its last word.
    """

    text: str
    passage: int
    score: float

    def record(self) -> dict[str, Any]:
        """Return what is written of it."""
        return {"answer": self.text, "passage": self.passage, "score": self.score}

    def describe(self) -> str:
        """Return it in a line."""
        return f"{self.text or 'no answer'} (passage {self.passage + 1})" if self.passage >= 0 else "no answer"


class PassageReader(TextReader):
    """Pairs of a question and its passages, parted by tabs, to answers; or tuples of a question and each passage."""

    def _read(self, texts: list[Text], batch_size: int) -> list[Any]:
        """Return the answers to questions."""
        parts = [_parts(text) for text in texts]
        found: dict[int, Found] = {}
        order = sorted(range(len(parts)), key=lambda number: max(map(len, parts[number][1:])))
        for start in range(0, len(order), batch_size):
            rows = order[start : start + batch_size]
            found.update(zip(rows, self._answers([parts[row] for row in rows])))
        return [found[row] for row in range(len(parts))]

    def _answers(self, parts: list[list[str]]) -> list[Found]:
        count = self.settings["passages"]
        passages = [part[1 : 1 + count] for part in parts]
        filled = [text for own in passages for text in (*own, *[""] * (count - len(own)))]
        options: dict[str, Any] = {"add_special_tokens": False, "return_offsets_mapping": True}
        most = self.settings["max_question"]
        questions = self.tokenizer.batch([part[0] for part in parts], None, most, **options)["input_ids"]
        columns = self.tokens(filled, **options)
        ids, offsets = columns["input_ids"], columns["offset_mapping"]
        asked = self.batch({"input_ids": questions})["input_ids"]
        read = self.batch({"input_ids": ids})["input_ids"].reshape(len(parts), count, -1)
        begins, ends = self.run({"question_ids": asked, "input_ids": read})
        search = {"longest": self.settings["longest"], "prior": self.settings["prior"]}
        answers = []
        for row, own in enumerate(passages):
            places = offsets[row * count : (row + 1) * count]
            span = best_span(np.asarray(begins)[row], np.asarray(ends)[row], [len(words) for words in places], **search)
            answers.append(Found(answer_text(own, places, span), span.passage, span.score))
        return answers


def _parts(text: Any) -> list[str]:
    if not isinstance(text, tuple) or len(text) < 2 or not all(isinstance(part, str) for part in text):
        raise TypeError("what is to be answered is a tuple of a question and its passages, or these parted by tabs")
    return [own for part in text for own in part.split("\t")]

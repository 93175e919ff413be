"""A reader that finds relations in texts."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from PaddleNLP.evaluators.numbers import sigmoid
from PaddleNLP.metrics.triples import Triple
from PaddleNLP.readers.base import Text, WholeTextReader
from PaddleNLP.relations.tags import found_relations


@dataclasses.dataclass
class Related:
    """The relations in a text.

    Attributes:
        text: the text.
        relations: predicate, and the first character of each end and the one behind its last.
    """

    text: str
    relations: list[Triple]

    def named(self) -> list[tuple[str, str, str]]:
        """Return subject, predicate and object of each, as they stand in the text."""
        cut = [(self.text[slice(*one.subject)], one.predicate, self.text[slice(*one.object)]) for one in self.relations]
        return list(dict.fromkeys(cut))

    def record(self) -> dict[str, Any]:
        """Return what is written of it."""
        return {"spo_list": [one._asdict() for one in self.relations]}

    def describe(self) -> str:
        """Return it in a line."""
        return "; ".join(" ".join(one) for one in self.named()) or "no relation"


class RelationReader(WholeTextReader):
    """Texts to relations between their parts; a character is a token."""

    def encode(self, texts: Sequence[Text]) -> dict[str, list[Any]]:
        """Return the columns of texts, with "characters", of each token its character or -1.

        Raises:
            TypeError: a text is a pair.
        """
        if any(not isinstance(text, str) for text in texts):
            raise TypeError("a text to find relations in is a string")
        options: dict[str, Any] = {"is_split_into_words": True, "return_word_ids": True}
        columns = self.tokens([list(text) or [" "] for text in texts], **options)
        words = columns.pop("word_ids")
        return {**columns, "characters": [[-1 if word is None else word for word in row] for row in words]}

    def decode(self, text: Text, columns: dict[str, Any], outputs: Sequence[np.ndarray]) -> Related:
        """Return the relations of a text; see :meth:`WholeTextReader.decode`."""
        marks = sigmoid(outputs[0]) >= self.settings["threshold"]
        return Related(str(text), found_relations(marks, columns["characters"], self.class_names))

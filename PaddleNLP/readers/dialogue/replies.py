"""A reader that replies."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

from PaddleNLP.data.dialogue.duconv import Moment, replaced, source_text
from PaddleNLP.readers.base import Text, TextReader
from PaddleNLP.readers.dialogue.knowledge import moment_of_text


@dataclasses.dataclass
class Replied:
    """Replies to a text.

    Attributes:
        texts: the best first; of a network with several mappings one of each.
        scores: logarithms of their probabilities.
        ended: False of a reply that was cut off, as no end had come.
    """

    texts: list[str]
    scores: list[float]
    ended: list[bool]

    def record(self) -> dict[str, Any]:
        """Return what is written of it."""
        scores = [round(score, 6) for score in self.scores]
        return {"reply": self.texts[0], "replies": self.texts, "scores": scores, "ended": self.ended}

    def describe(self) -> str:
        """Return it in a line, each of several alike replies once."""
        first: dict[str, bool] = {}
        for text, ended in zip(self.texts, self.ended):
            first.setdefault(text, ended)
        return " | ".join(text if ended else f"{text} [no end came]" for text, ended in first.items())


def replied(tokenizer: Any, end: int, tokens: Any, scores: Any, lengths: Any, ended: Any) -> Replied:
    """Return the replies that a network's tokens are.

    Args:
        tokenizer: knows the words.
        end: the end token.
        tokens: int64 (S, max_length).
        scores: float32 (S,).
        lengths: int64 (S,).
        ended: bool (S,).
    """
    words = tokenizer.vocab.idx_to_token
    rows = [row[:count] for row, count in zip(tokens.tolist(), lengths.tolist())]
    texts = [" ".join(words.get(token, "") for token in row if token != end) for row in rows]
    return Replied(texts, [float(score) for score in scores], [bool(one) for one in ended])


class ReplyReader(TextReader):
    """Texts to replies; with facts, texts are lines of DuConv: JSON with "goal", "knowledge" and "history"."""

    def predict(self, texts: Any, batch_size: int = 32) -> Any:
        """Reply; see :meth:`TextReader.predict`."""
        if self.settings["facts"]:
            single = isinstance(texts, (str, tuple))
            found = self._read([texts] if single else list(texts), batch_size)
            return found[0] if single else found
        return super().predict(texts, batch_size)

    def _read(self, texts: list[Text], batch_size: int) -> list[Any]:
        if not self.settings["facts"] and any(not isinstance(text, str) for text in texts):
            raise TypeError("a text to reply to is a string without a TAB")
        found: list[Any] = []
        for text in texts:  # one by one: a reply does not depend on what else is read
            if self.settings["facts"]:
                found.append(self.reply(moment_of_text(text)))
            else:
                found.append(self._replied([self.tokenizer.encode_text(text)], None))
        return found

    def reply(self, moment: Moment) -> Replied:
        """Return what to say next in a conversation of DuConv."""
        given = moment.generalized() if self.settings["generalized"] else moment
        encode = self.tokenizer.encode_text
        facts = [encode(" ".join(fact)) for fact in given.knowledge]
        reply = self._replied([encode(source_text(given))], facts)
        if self.settings["generalized"]:
            reply.texts = [replaced(text, moment.marks()) for text in reply.texts]
        return reply

    def _replied(self, sources: Sequence[list[int]], facts: Optional[Sequence[list[int]]]) -> Replied:
        arrays = self.batch({"input_ids": [ids[-self.max_length :] for ids in sources]})
        if facts is not None:
            width = max([1, *map(len, facts)])
            arrays["fact_ids"] = np.full((1, max(len(facts), 1), width), self.tokenizer.pad_token_id, np.int64)
            for row, ids in zip(arrays["fact_ids"][0], facts):
                row[: len(ids)] = ids
        tokens, scores, lengths, ended = (np.asarray(one)[0] for one in self.run(arrays))
        return replied(self.tokenizer, self.settings["end_token"], tokens, scores, lengths, ended)

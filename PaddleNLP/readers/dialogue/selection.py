"""Readers of conversations with a response: whether it fits, and how good it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

from PaddleNLP.data.dialogue.conversations import cut_ids, fitted
from PaddleNLP.data.dialogue.understanding import JOINT
from PaddleNLP.readers.base import Text
from PaddleNLP.readers.choices import StackedReader
from PaddleNLP.readers.classification import RankingReader, RegressionReader


class ConversationReader(StackedReader):
    """Reads tuples of the turns of a conversation and a response behind them; tabs part a text, too."""

    def rows(self, texts: Sequence[Text]) -> tuple[list[str], Any, list[int]]:
        """Return the turns of each conversation, and the response.

        Raises:
            TypeError: there is no turn, or no response.
        """
        count, keep = self.settings["turns"], self.settings["keep"]
        found: list[str] = []
        for text in texts:
            *said, response = parted(text, 2)
            turns = [turn for part in said for turn in part.split(JOINT)]
            found += [*fitted(turns, count, keep), response]
        return found, None, [count + 1] * len(texts)

    def tokens(self, texts: Sequence[Any], pairs: Optional[Sequence[Any]] = None, **options: Any) -> dict[str, Any]:
        """Return the ids of texts without special tokens; of longer ones the first or the last."""
        return {**cut_ids(self.tokenizer, texts, self.max_length, self.settings["keep"])}


class SelectionReader(ConversationReader, RankingReader):
    """Conversations with a response to whether it fits."""


class QualityReader(ConversationReader, RegressionReader):
    """Conversations with a response to how good it is."""


def parted(text: Any, least: int) -> list[str]:
    """Return the parts of a conversation: a tuple of texts, or a text with tabs between them.

    Args:
        text: what was given.
        least: how many parts there must be.

    Raises:
        TypeError: there are fewer, or it is something else.
    """
    given = [text] if isinstance(text, str) else text
    if not isinstance(given, (tuple, list)) or not all(isinstance(part, str) for part in given):
        raise TypeError("a conversation is a tuple of its turns and the response, or a text with tabs between them")
    parts = [own for part in given for own in part.split("\t")]
    if len(parts) < least:
        raise TypeError("a conversation is a tuple of its turns and the response, or a text with tabs between them")
    return parts

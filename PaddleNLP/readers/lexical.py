"""A reader that cuts a text into words with their tags, by the best path through a chain, and a user's dictionary."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Optional

import numpy as np

from PaddleNLP.data.tagging.schemes import OUTSIDE
from PaddleNLP.lexical.user_dictionary import UserDictionary, Word
from PaddleNLP.readers.base import Text
from PaddleNLP.readers.tagging import Chunk, Tagged, TaggingReader


class LexicalReader(TaggingReader):
    """Texts to words with their tags; a long text is read in windows, as :class:`TaggingReader` reads one.

    Attributes:
        dictionary: words that the user knows better; None: there is no dictionary.
    """

    multiple: ClassVar[int] = 4  # recurrent layers take as long as a batch is
    dictionary: Optional[UserDictionary] = None

    def best(self, results: np.ndarray) -> np.ndarray:
        """Return the number of each token's tag, (N, L): the network gives paths."""
        return results

    def _read(self, texts: list[Text], batch_size: int) -> list[Any]:
        """Return the words of texts, the dictionary's in place of the network's."""
        found: Sequence[Tagged] = super()._read(texts, batch_size)
        if self.settings["segmentation"]:
            for text, one in zip(texts, found):
                one.chunks = list(_whole(str(text), one))
        if self.dictionary is not None:
            for text, one in zip(texts, found):
                words = [Word(chunk.start, chunk.end, chunk.kind) for chunk in one.chunks]
                changed = self.dictionary.applied(str(text), words)
                one.chunks = [Chunk(kind, start, end, str(text)[start:end]) for start, end, kind in changed]
        return list(found)


def _whole(text: str, tagged: Tagged) -> Iterator[Chunk]:
    """Iterate over all words of a text; characters in a row that no word covers are one, with the tag "O"."""
    waiting: list[tuple[int, int]] = []
    chunks = iter((*tagged.chunks, None))
    following = next(chunks)
    for start, end in tagged.units:
        if following is None or start < following.start:
            waiting.append((start, end))
        elif end == following.end:
            if waiting:
                yield Chunk(OUTSIDE, waiting[0][0], waiting[-1][1], text[waiting[0][0] : waiting[-1][1]])
                waiting = []
            yield following
            following = next(chunks)
    if waiting:
        yield Chunk(OUTSIDE, waiting[0][0], waiting[-1][1], text[waiting[0][0] : waiting[-1][1]])

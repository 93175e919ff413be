"""A reader that tags the characters or words of a text, and gives the chunks that the tags mean."""

from __future__ import annotations

import dataclasses
import functools
import re
from typing import Any, Optional

import numpy as np

from PaddleNLP.data.tagging.schemes import Tag, chunks, has_suffixes, parsed
from PaddleNLP.readers.base import Text, TextReader

WORD = re.compile(r"\S+")
CHARACTER = re.compile(r"\S")


@dataclasses.dataclass
class Chunk:
    """A part of a text.

    Attributes:
        kind: what it is, such as "PER".
        start: its first character.
        end: the character behind it.
        text: its characters.
    """

    kind: str
    start: int
    end: int
    text: str


@dataclasses.dataclass
class Tagged:
    """What a tagger says of a text.

    Attributes:
        units: start and end of each tagged character or word.
        tags: one for each unit.
        chunks: what the tags mean; where they say of no chunks where they begin, each unit is one.
    """

    units: list[tuple[int, int]]
    tags: list[str]
    chunks: list[Chunk]

    def record(self) -> dict[str, Any]:
        """Return what is written of it."""
        return {"tags": self.tags, "chunks": [dataclasses.asdict(chunk) for chunk in self.chunks]}

    def describe(self) -> str:
        """Return it in a line."""
        return " ".join(f"{chunk.text}/{chunk.kind}" for chunk in self.chunks) or "nothing"


class TaggingReader(TextReader):
    """Texts to tags; a long text is read in windows of ``max_length`` tokens that overlap by a quarter."""

    def _read(self, texts: list[Text], batch_size: int) -> list[Any]:
        """Return the tags of texts, of each unit those of the window in whose middle it is."""
        pattern = CHARACTER if self.settings["units"] == "characters" else WORD
        if any(not isinstance(text, str) for text in texts):
            raise TypeError("a text to tag is a string")
        units = [[found.span() for found in pattern.finditer(str(text))] for text in texts]
        words = [[str(text)[start:end] for start, end in spans] for text, spans in zip(texts, units)]
        filled = [number for number, row in enumerate(words) if row]
        tags = [[""] * len(row) for row in words]
        if filled:
            self._fill(tags, filled, [words[number] for number in filled], batch_size)
        return [self._tagged(str(text), spans, row) for text, spans, row in zip(texts, units, tags)]

    @functools.cached_property
    def _marks(self) -> dict[str, Optional[Tag]]:
        """What each tag says of chunks."""
        suffix = has_suffixes(self.class_names)
        return {name: parsed(name, suffix) for name in self.class_names}

    def best(self, results: np.ndarray) -> np.ndarray:
        """Return the number of each token's tag, (N, L), of the network's results."""
        found: np.ndarray = results.argmax(axis=-1)
        return found

    def _fill(self, tags: list[list[str]], filled: list[int], words: list[list[str]], batch_size: int) -> None:
        step = max((self.max_length - 2) * 3 // 4, 1)
        options = {"stride": step, "is_split_into_words": True, "return_word_ids": True}
        columns = self.tokenizer.batch(words, None, self.max_length, **options)
        texts = columns.pop("overflow_to_sample")
        nearest = [[-1] * len(row) for row in words]
        for rows, (scores,) in self.computed(columns, batch_size):
            for row, best in zip(rows, self.best(np.asarray(scores))):
                numbers, before = columns["word_ids"][row], None
                for place, word in enumerate(numbers):
                    if word is not None and word != before:
                        inside = min(place, len(numbers) - 1 - place)
                        if inside > nearest[texts[row]][word]:
                            nearest[texts[row]][word] = inside
                            tags[filled[texts[row]]][word] = self.class_names[best[place]]
                    before = word

    def _tagged(self, text: str, units: list[tuple[int, int]], tags: list[str]) -> Tagged:
        outside = "O" if "O" in self.class_names else self.class_names[0]
        tags = [tag or outside for tag in tags]
        spans = [(tag, number, number + 1) for number, tag in enumerate(tags)]
        if self.settings["chunked"]:
            spans = list(chunks([self._marks[tag] for tag in tags]))
        found = [(kind, units[first][0], units[last - 1][1]) for kind, first, last in spans]
        return Tagged(units, tags, [Chunk(kind, start, end, text[start:end]) for kind, start, end in found])

"""A text as tokens: what a tokeniser's rules make of it, before special tokens are put around it."""

from __future__ import annotations

from typing import NamedTuple, Optional

Offsets = list[tuple[int, int]]
"""Of each token the first character that it covers, and the one behind the last."""


class Pieces(NamedTuple):
    """A text as tokens: ids, and where asked for, the characters that each covers and the word that it is of."""

    ids: list[int]
    offsets: Optional[Offsets] = None
    words: Optional[list[int]] = None

    def cut(self, start: int, end: int) -> Pieces:
        """Return some of the tokens."""
        if start == 0 and end >= len(self.ids):
            return self
        return Pieces(*(None if column is None else column[start:end] for column in self))  # type: ignore[arg-type]  # columns in order

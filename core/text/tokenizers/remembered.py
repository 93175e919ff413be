"""What is worked out once for each word."""

from __future__ import annotations

from typing import Any, Callable

_MOST_WORDS = 1 << 16  # so that no text fills the memory


class Remembered(dict[str, Any]):
    """What a function returns for each word, worked out when the word first occurs.

    Args:
        find: the function of a word.
        longest: how many characters a word has at most that is remembered.
    """

    def __init__(self, find: Callable[[str], Any], longest: int) -> None:
        super().__init__()
        self.find, self.longest = find, longest

    def __missing__(self, word: str) -> Any:
        found = self.find(word)
        if len(word) <= self.longest:
            if len(self) >= _MOST_WORDS:
                self.clear()
            self[word] = found
        return found

"""Words that a user knows better than the network: how a text with them is to be cut, and their tags."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple, Optional, Union

from core.weights.messages import shown
from PaddleNLP.data.lines import text_lines

Conflict = Literal["override", "keep"]
"""Where an item begins or ends inside a word that the network found: the item counts, or the network's words."""

_GROUP = re.compile(r"\[D:([^\]\s/]+)\]")
_PART = re.compile(r"(?:\\.|[^\\\s])+")
_WHOLE = re.compile(r"(?:\\.|[^\\])*")
_SLASH = re.compile(r"(?:\\.|[^\\/])*")
_TAG = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
LONGEST = 1000
"""Characters of an item at most."""


class Word(NamedTuple):
    """A word of a text: first character, the one behind its last, and its tag."""

    start: int
    end: int
    tag: str


class Part(NamedTuple):
    """A word of an item: its characters, and its tag; None: the tag that the network finds."""

    text: str
    tag: Optional[str]


class UserDictionary:
    """Items that stand in texts, each as the words that it is to be cut into.

    A line is an item of one word or several with spaces between them, each perhaps with ``/TAG`` behind it:
    ``春天/SEASON`` or ``花/n 开/v``. A line ``[D:TAG]`` gives its tag to the words without one in the lines behind it,
    until ``[D:]`` or the next one. A space, a slash or a backslash in a word has a backslash in front, as in
    ``New\\ York/LOC`` and ``TCP\\/IP``. Empty lines and lines that begin with ``#`` are passed over.

    Args:
        items: of each item its words.
        conflict: "override", the longest item from the left counts; "keep", only where it begins and ends with words
            that the network found.

    Attributes:
        items: the words of each item by its characters.

    Example:
        >>> dictionary = UserDictionary.read("user.dic")
        >>> dictionary.applied("春天的花开", [Word(0, 2, "n"), Word(2, 3, "u"), Word(3, 4, "n"), Word(4, 5, "v")])
    """

    def __init__(self, items: Iterable[Sequence[Part]], conflict: Conflict = "override") -> None:
        if conflict not in ("override", "keep"):
            raise ValueError(f"conflict is 'override' or 'keep', not {conflict!r}")
        self.conflict = conflict
        self.items = {"".join(part.text for part in parts): tuple(parts) for parts in items}
        lengths: dict[str, set[int]] = {}
        for text in self.items:
            lengths.setdefault(text[:2], set()).add(len(text))
        self._lengths = {start: sorted(found, reverse=True) for start, found in lengths.items()}

    @classmethod
    def read(cls, path: Union[str, os.PathLike[str]], conflict: Conflict = "override") -> UserDictionary:
        """Return the dictionary of a file.

        Args:
            path: the file, UTF-8.
            conflict: as the class takes it.

        Raises:
            OSError: it cannot be read.
            ValueError: a line is wrong; names file and line.
        """
        found: list[tuple[Part, ...]] = []
        lines: dict[str, int] = {}
        group: Optional[str] = None
        for number, line in text_lines(os.fspath(path)):
            where, line = f"{os.fspath(path)}:{number}", line.strip()
            if not line or line.startswith("#"):
                continue
            head = _GROUP.fullmatch(line)
            if head or line == "[D:]":
                group = _checked(head[1], where) if head else None
                continue
            if not _WHOLE.fullmatch(line):
                message = "ends with a backslash; a backslash in a word is written twice"
                raise ValueError(f"{where}: {shown(line)} {message}")
            parts = tuple(_part(token[0], group, where) for token in _PART.finditer(line))
            text = "".join(part.text for part in parts)
            if len(text) > LONGEST:
                raise ValueError(f"{where}: an item has at most {LONGEST:,} characters, not {len(text):,}")
            if text in lines:
                raise ValueError(f"{where}: {shown(text)} is in line {lines[text]} already")
            lines[text] = number
            found.append(parts)
        if not found:
            raise ValueError(f"{os.fspath(path)}: a dictionary without words")
        return cls(found, conflict)

    def matches(self, text: str) -> list[tuple[int, int]]:
        """Return where items stand in a text: from left to right the longest one, without overlaps.

        Args:
            text: the text.

        Returns:
            Of each the first character, and the one behind its last.
        """
        found, place, items, lengths = [], 0, self.items, self._lengths
        while place < len(text):
            length = 1
            for own in (*lengths.get(text[place : place + 2], ()), *lengths.get(text[place], ())):
                if text[place : place + own] in items:
                    found.append((place, place + own))
                    length = own
                    break
            place += length
        return found

    def applied(self, text: str, words: Sequence[Word]) -> list[Word]:
        """Return a text's words with the dictionary's in place of the network's.

        Args:
            text: the text.
            words: what the network found, in order.
        """
        found = list(words)
        for start, end in self.matches(text):
            if self.conflict == "keep" and any(
                word.start < edge < word.end for word in found for edge in (start, end)
            ):
                continue
            own = self._words(text[start:end], start, found)
            before = [word for word in found if word.start < start]
            behind = [word for word in found if word.end > end]
            if before and before[-1].end > start:
                before[-1] = before[-1]._replace(end=start)
            if behind and behind[0].start < end:
                behind[0] = behind[0]._replace(start=end)
            found = [*before, *own, *behind]
        return found

    def _words(self, item: str, start: int, found: Sequence[Word]) -> list[Word]:
        own, place = [], start
        for part in self.items[item]:
            end = place + len(part.text)
            tag = part.tag
            if tag is None:  # that of the network's word at its last character, as in LAC 2.x
                tag = next((word.tag for word in found if word.start < end <= word.end), "O")
            own.append(Word(place, end, tag))
            place = end
        return own


def _part(token: str, group: Optional[str], where: str) -> Part:
    """Return a word of an item, ``word/TAG`` or ``word``."""
    word = _SLASH.match(token)
    text = re.sub(r"\\(.)", r"\1", word[0] if word else "")
    rest = token[word.end() :] if word else token
    if not text:
        raise ValueError(f"{where}: {shown(token)} has no word before its tag; a slash in a word is written \\/")
    if not rest:
        return Part(text, group)
    return Part(text, _checked(rest[1:], where))


def _checked(tag: str, where: str) -> str:
    if not _TAG.fullmatch(tag):
        message = "a tag is letters, digits and _, such as n or PER; a slash in a word is written \\/"
        raise ValueError(f"{where}: {shown(tag)} is no tag: {message}")
    return tag

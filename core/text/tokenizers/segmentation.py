"""Words of a dictionary in texts without spaces: the longest ones, or the likeliest path."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Mapping
from typing import Optional, Union

from core.text.tokenizers.pieces import Offsets
from core.text.vocabulary_files import decode_lines

_BLOCKS = re.compile("([\u4e00-\u9fd5a-zA-Z0-9+#&._%-]+)")
_LATIN = re.compile("[a-zA-Z0-9]")
_GAPS = re.compile(r"(\r\n|\s)")
_LINE = re.compile(r"(\S+)(?:[ \t]+(\d{1,18}))?(?:[ \t]+\S+)?")


class Segmenter:
    """Base of what cuts texts into words; together they are the text."""

    def cut(self, text: str) -> list[str]:
        """Return the words of a text."""
        raise NotImplementedError

    def place(self, text: str) -> tuple[list[str], Offsets]:
        """Return the words of a text, and the first character and the one behind the last of each."""
        words = self.cut(text)
        offsets, start = [], 0
        for word in words:
            offsets.append((start, start + len(word)))
            start += len(word)
        return words, offsets


class LongestMatch(Segmenter):
    """From left to right the longest word of a dictionary (forward maximum matching); other characters stand alone.

    Args:
        words: the words.
        longest: how many characters a word has at most; None: as many as the longest one.

    Attributes:
        words: the words.
    """

    def __init__(self, words: Iterable[str], longest: Optional[int] = None) -> None:
        self.words = frozenset(words)
        lengths: dict[str, set[int]] = {}
        for word in self.words:
            if 1 < len(word) <= (longest or len(word)):
                lengths.setdefault(word[:2], set()).add(len(word))
        self._lengths = {start: sorted(found, reverse=True) for start, found in lengths.items()}

    def cut(self, text: str) -> list[str]:
        """Return the words of a text."""
        found = []
        known, lengths, place = self.words, self._lengths.get, 0
        end = len(text)
        while place < end:
            for length in lengths(text[place : place + 2], ()):
                word = text[place : place + length]
                if word in known:
                    break
            else:
                word = text[place]
            found.append(word)
            place += len(word)
        return found


class LikeliestPath(Segmenter):
    """The words of a dictionary whose frequencies have the greatest product, as jieba finds them without its HMM.

    Latin letters and digits that are in no word stand together; between other characters than Chinese, Latin and a few
    signs a text is cut in any case.

    Args:
        frequencies: how often each word occurs.
        prefixes: whether a word is found although its beginnings are no words, as with jieba's own dictionary.
    """

    def __init__(self, frequencies: Mapping[str, int], prefixes: bool = True) -> None:
        self._counts = dict(frequencies)
        total = sum(self._counts.values())
        if prefixes:
            for word in frequencies:
                for end in range(1, len(word)):
                    self._counts.setdefault(word[:end], 0)
        self._total = math.log(total) if total > 0 else 0.0
        self._logs = {word: math.log(count or 1) for word, count in self._counts.items()}

    def cut(self, text: str) -> list[str]:
        """Return the words of a text."""
        found: list[str] = []
        for number, block in enumerate(_BLOCKS.split(text)):
            if number % 2:
                found += self._words(block)
            elif block:
                for place, part in enumerate(_GAPS.split(block)):
                    found += [part] if place % 2 else list(part)
        return found

    def _words(self, block: str) -> list[str]:
        ends = self._path(block)
        found: list[str] = []
        place, latin = 0, 0
        while place < len(block):
            end = ends[place]
            if end == place + 1 and _LATIN.match(block[place]):
                place = end
                continue
            if latin < place:
                found.append(block[latin:place])
            found.append(block[place:end])
            place = latin = end
        if latin < place:
            found.append(block[latin:place])
        return found

    def _path(self, block: str) -> list[int]:
        """Return for each place of a text where the word ends that begins there."""
        counts, logs, total = self._counts, self._logs, self._total
        length = len(block)
        best = [0.0] * (length + 1)
        ends = [0] * length
        for start in range(length - 1, -1, -1):
            top, choice = -math.inf, start + 1
            end = start + 1
            word = block[start:end]
            while word in counts:
                if counts[word]:
                    score = logs[word] - total + best[end]
                    if score >= top:
                        top, choice = score, end
                end += 1
                if end > length:
                    break
                word = block[start:end]
            if top == -math.inf:
                top = logs.get(block[start], 0.0) - total + best[start + 1]
            best[start], ends[start] = top, choice
        return ends


def read_frequencies(path: Union[str, os.PathLike[str]]) -> dict[str, int]:
    """Return the words of a file of lines ``word``, ``word frequency`` or ``word frequency tag``; without one it is 1.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is not UTF-8, or a line has not this form.
    """
    name = os.fspath(path)
    found: dict[str, int] = {}
    for number, line in enumerate(decode_lines(name), 1):
        parts = _LINE.fullmatch(line.strip())
        if parts is None:
            raise ValueError(f"{name}, line {number}: {line[:60]!r} is not a word, its frequency and its tag")
        found[parts[1]] = int(parts[2] or 1)
    if not found:
        raise ValueError(f"{name}: a dictionary without words")
    return found

"""Byte pair encoding of words, as subword-nmt 0.3 learns and applies it, with code files of its version 0.2.

Paper: R. Sennrich et al., "Neural Machine Translation of Rare Words with Subword Units", 2016, arXiv:1508.07909.
"""

from __future__ import annotations

import heapq
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Optional, Union

from core.text.tokenizers.pieces import Offsets
from core.text.vocabulary_files import decode_lines

PathLike = Union[str, "os.PathLike[str]"]
Codes = list[tuple[str, str]]
END = "</w>"
_WORDS = re.compile("[^ ]+")
_EDGES = "\r\n "
_MOST_WORDS = 1 << 17
_LONGEST_REMEMBERED = 64


class SubwordBPE:
    """Cuts the words of a text, between spaces, into pieces; those that do not end a word are marked.

    Args:
        codes: the merges, in their order: a file of them, or pairs.
        merges: how many of them are used; -1: all.
        separator: the mark.
        vocab: pieces with their marks; what is not among them is cut into smaller pieces.

    Raises:
        OSError: the file cannot be read.
        ValueError: a line of it is no merge.
    """

    def __init__(
        self,
        codes: Union[PathLike, Sequence[tuple[str, str]]],
        merges: int = -1,
        separator: str = "@@",
        vocab: Optional[Iterable[str]] = None,
    ) -> None:
        version, pairs = read_codes(codes) if isinstance(codes, (str, os.PathLike)) else ((0, 2), list(codes))
        pairs = pairs if merges == -1 else pairs[:merges]
        self.separator = separator
        self.vocab = None if vocab is None else frozenset(vocab)
        self._end_apart = version == (0, 1)
        self._ranks = {pair: rank for rank, pair in reversed(list(enumerate(pairs)))}
        self._parts = {first + second: (first, second) for first, second in self._ranks}
        self._known: dict[str, tuple[str, ...]] = {}

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_known": {}}

    def tokenize(self, text: str) -> list[str]:
        """Return the pieces of a text, marked where they do not end a word."""
        return self.place(text)[0]

    def segment(self, text: str) -> str:
        """Return the pieces of a text with spaces between them."""
        return " ".join(self.tokenize(text))

    def process_line(self, line: str) -> str:
        """Return a line cut into pieces, with the spaces and line ends that it begins and ends with."""
        start, end = len(line) - len(line.lstrip(_EDGES)), len(line.rstrip(_EDGES))
        return line[:start] + self.segment(line) + (line[end:] if end else "")

    def place(self, text: str) -> tuple[list[str], Offsets]:
        """Return the pieces of a text, and the first character and the one behind the last of each."""
        found: list[str] = []
        offsets: Offsets = []
        place = len(text) - len(text.lstrip(_EDGES))
        for word in _WORDS.finditer(text, place, len(text.rstrip(_EDGES))):
            start = word.start()
            pieces = self.pieces(word[0])
            for piece in pieces[:-1]:
                found.append(piece + self.separator)
                offsets.append((start, start + len(piece)))
                start += len(piece)
            found.append(pieces[-1])
            offsets.append((start, word.end()))
        return found, offsets

    def pieces(self, word: str) -> tuple[str, ...]:
        """Return the pieces of a word, without marks."""
        known = self._known.get(word)
        if known is None:
            known = tuple(self._cut(word))
            if len(word) <= _LONGEST_REMEMBERED:
                if len(self._known) >= _MOST_WORDS:
                    self._known.clear()
                self._known[word] = known
        return known

    def _cut(self, word: str) -> list[str]:
        if len(word) == 1:
            return [word]
        symbols = [*word, END] if self._end_apart else [*word[:-1], word[-1] + END]
        found = merged(symbols, self._ranks)
        if found[-1] == END:
            found.pop()
        elif found[-1].endswith(END):
            found[-1] = found[-1][: -len(END)]
        if self.vocab is None:
            return found
        return [part for place, piece in enumerate(found) for part in self._in_vocab(piece, place == len(found) - 1)]

    def _in_vocab(self, piece: str, final: bool) -> Iterator[str]:
        """Undo merges until the pieces are in the vocabulary, or are none."""
        left = [(piece, final)]
        while left:
            piece, final = left.pop()
            mark = "" if final else self.separator
            parts = self._parts.get(piece + END if final else piece)
            if piece + mark in self.vocab or parts is None:  # type: ignore[operator]  # there is one
                yield piece
                continue
            first, second = parts
            left += [(second[: -len(END)] if final else second, final), (first, False)]


def merged(symbols: list[str], ranks: dict[tuple[str, str], int]) -> list[str]:
    """Return symbols after the merges: again and again all places of the first pair that there is."""
    following = [*range(1, len(symbols)), -1]
    before = [*range(-1, len(symbols) - 1)]
    places: dict[int, list[int]] = {}
    queue: list[int] = []

    def note(place: int) -> None:
        rank = ranks.get((symbols[place], symbols[following[place]]))
        if rank is not None:
            if rank not in places:
                places[rank] = []
                heapq.heappush(queue, rank)
            places[rank].append(place)

    for place in range(len(symbols) - 1):
        note(place)
    while queue:
        rank = heapq.heappop(queue)
        for place in sorted(places.pop(rank)):
            after = following[place]
            if after < 0 or not symbols[place] or ranks.get((symbols[place], symbols[after])) != rank:
                continue  # another merge took one of the two
            symbols[place] += symbols[after]
            symbols[after] = ""
            following[place] = following[after]
            if following[after] >= 0:
                before[following[after]] = place
                note(place)
            if before[place] >= 0:
                note(before[place])
    return [symbol for symbol in symbols if symbol]


def read_codes(path: PathLike) -> tuple[tuple[int, ...], Codes]:
    """Return the version of a file of merges, and the merges.

    Args:
        path: a local path or a URL.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is not UTF-8, a line of it is no merge, or its version is another one than 0.1 and 0.2.
    """
    name = os.fspath(path)
    lines = decode_lines(name)
    version: tuple[int, ...] = (0, 1)
    first = 1
    if lines and lines[0].startswith("#version:"):
        text = re.sub(r"(\.0+)*$", "", lines[0][len("#version:") :].strip())
        version = tuple(int(part) for part in text.split(".")) if re.fullmatch(r"\d{1,4}(\.\d{1,4}){1,3}", text) else ()
        if version not in ((0, 1), (0, 2)):
            raise ValueError(f"{name}, line 1: version {text[:20]!r} of merges; 0.1 and 0.2 are known")
        first = 2
    codes = []
    for number, line in enumerate(lines[first - 1 :], first):
        pair = line.strip(_EDGES).split(" ")
        if len(pair) != 2 or not all(pair):
            raise ValueError(f"{name}, line {number}: {line[:60]!r} is no merge: two pieces with a space between them")
        codes.append((pair[0], pair[1]))
    return version, codes


def write_codes(codes: Iterable[tuple[str, str]], path: PathLike) -> None:
    """Write merges into a file, which subword-nmt reads, too."""
    with open(path, "w", encoding="utf-8", newline="\n") as stream:
        stream.write("#version: 0.2\n")
        stream.writelines(f"{first} {second}\n" for first, second in codes)


def read_pieces(path: PathLike, threshold: int = 0) -> set[str]:
    """Return the pieces of a file of lines ``piece count`` that are counted at least ``threshold`` times.

    Raises:
        OSError: the file cannot be read.
        ValueError: a line of it has not this form.
    """
    name = os.fspath(path)
    found = set()
    for number, line in enumerate(decode_lines(name), 1):
        piece, _, count = line.strip(_EDGES).partition(" ")
        if not piece or not re.fullmatch(r"\d{1,18}", count):
            raise ValueError(f"{name}, line {number}: {line[:60]!r} is no piece with its count")
        if int(count) >= threshold:
            found.add(piece)
    return found

"""Text in archives and files, read line by line within limits, and kept in few bytes."""

from __future__ import annotations

import contextlib
import io
import os
from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Optional

import numpy as np

from core.weights.archives import Member, archive_members
from core.weights.compressed import LimitedStream, file_limit

_TEXT_BYTES = 1 << 26
_TEXT_RATIO = 30
_LONGEST_LINE = 1 << 20


class TextError(ValueError):
    """A line is wrong; the message names file and line."""


@contextlib.contextmanager
def named(owner: str, path: str) -> Iterator[None]:
    """Name the data set, and the file, in the error of a damaged one.

    Args:
        owner: the data set.
        path: the file.

    Raises:
        ValueError: instead of what reading raised.
    """
    try:
        yield
    except TextError as error:
        raise ValueError(f"{owner}: {path!r}, {error}") from None
    except ValueError as error:
        raise ValueError(f"{owner}: {path!r} cannot be read: {error}") from None


def members(path: str, maximum_bytes: Optional[int] = None) -> Iterator[Member]:
    """Yield the files of an archive, tar or zip, compressed or not; their names have no ``./`` in front.

    Args:
        path: the archive.
        maximum_bytes: how many bytes may come out; None: 64 MB or 30 times the file's size, whichever is more: text
            does not shrink to less.

    Raises:
        ValueError: it is no archive, is damaged, or unpacks to too much.
    """
    for member in archive_members(path, _allowed(path, maximum_bytes)):
        if member.kind == "file":
            member.name = member.name[2:] if member.name.startswith("./") else member.name
            yield member


def unpacked(raw: Any, path: str, maximum_bytes: Optional[int] = None) -> io.BufferedReader:
    """Return a stream of what another one holds, unpacked if that is compressed.

    Args:
        raw: the other one.
        path: the file that it is, or is in.
        maximum_bytes: as of :func:`members`.
    """
    return io.BufferedReader(LimitedStream(raw, file_limit(path, _allowed(path, maximum_bytes))), 1 << 16)


def _allowed(path: str, maximum_bytes: Optional[int]) -> int:
    return max(_TEXT_BYTES, _TEXT_RATIO * os.path.getsize(path)) if maximum_bytes is None else maximum_bytes


def byte_lines(stream: Any, place: str = "") -> Iterator[bytes]:
    """Yield the lines of a stream, without white space at their ends.

    Args:
        stream: the text, bytes.
        place: its name in the archive, for messages.

    Raises:
        TextError: a line is longer than 1 MB.
    """
    number = 0
    while True:
        line = stream.readline(_LONGEST_LINE + 1)
        number += 1
        if not line:
            return
        if len(line) > _LONGEST_LINE:
            raise TextError(f"{place}line {number}: it is longer than {_LONGEST_LINE:,} bytes; this is no such text")
        yield line.strip()


def text_lines(stream: Any, place: str = "", encoding: str = "utf-8") -> Iterator[str]:
    """Yield the lines of a stream as text, without white space at their ends.

    Args:
        stream: the text, bytes.
        place: its name in the archive, for messages.
        encoding: of the text.

    Raises:
        TextError: a line is longer than 1 MB, or is in another encoding.
    """
    for number, line in enumerate(byte_lines(stream, place), 1):
        try:
            yield line.decode(encoding)
        except UnicodeDecodeError:
            raise TextError(f"{place}line {number}: it is not {encoding.upper()}; convert the file") from None


def file_lines(owner: str, path: str, maximum_bytes: Optional[int] = None) -> Iterator[str]:
    """Yield the lines of a text file, UTF-8, compressed or not, without white space at their ends.

    Args:
        owner: the data set, for messages.
        path: the file.
        maximum_bytes: as of :func:`members`.

    Raises:
        ValueError: it is damaged or not UTF-8, or unpacks to too much.
    """
    with named(owner, path), open(path, "rb") as raw:
        yield from text_lines(unpacked(raw, path, maximum_bytes))


class Sequences(Sequence[np.ndarray]):
    """Sequences of whole numbers, each an array of int64; together they are one array of 32 bits."""

    def __init__(self) -> None:
        self._numbers = array("i")
        self._ends = array("q", [0])

    def append(self, numbers: Iterable[int]) -> None:
        """Add a sequence."""
        self._numbers.extend(numbers)
        self._ends.append(len(self._numbers))

    def extend(self, others: Sequences) -> None:
        """Add all of other sequences."""
        start = self._ends[-1]
        self._numbers.extend(others._numbers)
        self._ends.extend(start + end for end in others._ends[1:])

    def mapped(self, table: np.ndarray) -> Sequences:
        """Return the sequences with ``table[number]`` in place of each number."""
        other = Sequences()
        if self._numbers:
            other._numbers = array("i", table[np.frombuffer(self._numbers, np.int32)].astype(np.int32).tobytes())
        other._ends = self._ends
        return other

    def __len__(self) -> int:
        return len(self._ends) - 1

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        place = range(len(self))[index]
        return np.array(self._numbers[self._ends[place] : self._ends[place + 1]], dtype=np.int64)


class CountedWords:
    """Words with numbers in the order of their first appearance, and how often each was counted."""

    def __init__(self) -> None:
        self._numbers: dict[Any, int] = {}
        self._counts = array("q")

    def numbers(self, words: Iterable[Any], count: bool = True) -> list[int]:
        """Return the words' numbers.

        Args:
            words: the words.
            count: whether they are counted.
        """
        found = []
        for word in words:
            number = self._numbers.setdefault(word, len(self._counts))
            if number == len(self._counts):
                self._counts.append(0)
            self._counts[number] += count
            found.append(number)
        return found

    def ranked(self, cutoff: int) -> tuple[dict[Any, int], np.ndarray]:
        """Return the words that are counted more than ``cutoff`` times, the most frequent one first.

        Args:
            cutoff: that number.

        Returns:
            The rank of each, with ``"<unk>"`` as the last one; and for each number of a word its rank, or the last one.
        """
        kept = [(word, number) for word, number in self._numbers.items() if self._counts[number] > cutoff]
        kept.sort(key=lambda pair: (-self._counts[pair[1]], _as_bytes(pair[0])))
        ranks = {word: rank for rank, (word, _) in enumerate(kept)}
        table = np.full(len(self._counts), len(kept), dtype=np.int64)
        for rank, (_, number) in enumerate(kept):
            table[number] = rank
        ranks["<unk>"] = len(kept)
        return ranks, table


def _as_bytes(word: Any) -> bytes:
    return word if isinstance(word, bytes) else word.encode()

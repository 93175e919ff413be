"""Pairs of sentences in two columns, as numbers for a translator."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

from core.text.datasets.archive import Sequences, text_lines
from core.weights.archives import Member


class SentencePairs:
    """Pairs of sentences that are read and kept.

    Args:
        owner: the data set, for messages.
        path: its file, for messages.

    Attributes:
        source: the numbers of each source sentence.
        target: those of each target sentence, behind the mark of its start.
        following: those of each target sentence, followed by the mark of its end.
    """

    def __init__(self, owner: str, path: str) -> None:
        self.source = Sequences()
        self.target = Sequences()
        self.following = Sequences()
        self._file = f"{owner}: {path!r}"
        self._members = 0
        self._left_out: list[str] = []

    def read(self, member: Member) -> Iterator[tuple[str, str]]:
        """Yield the pairs of a member of the archive; lines that have not two columns are left out.

        Raises:
            ValueError: it is damaged or not UTF-8.
        """
        self._members += 1
        for number, line in enumerate(text_lines(member.open(), f"{member.name}, "), 1):
            columns = line.strip().split("\t")
            if len(columns) == 2:
                yield columns[0], columns[1]
            elif line:
                self._left_out.append(f"{member.name}, line {number}")

    def append(self, source: list[int], target: list[int], start: int, end: int) -> None:
        """Keep a pair.

        Args:
            source: its numbers, with marks.
            target: its numbers, without.
            start: the mark in front of the target.
            end: the mark behind it.
        """
        self.source.append(source)
        self.target.append([start, *target])
        self.following.append([*target, end])

    def finish(self, wanted: str, warn: bool = True) -> None:
        """Check that something was read.

        Args:
            wanted: the name of a member of the archive.
            warn: whether a warning says what was left out.

        Raises:
            ValueError: there was no such member.
        """
        if not self._members:
            raise ValueError(f"it holds no member {wanted}; is it another data set's archive?")
        if warn and self._left_out:
            count = len(self._left_out)
            warnings.warn(
                f"{self._file}: {count} {'lines have' if count > 1 else 'line has'} not two columns and "
                f"{'are' if count > 1 else 'is'} left out, first {self._left_out[0]}",
                stacklevel=3,
            )

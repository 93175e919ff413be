"""Pairs of sentences, the second a translation of the first: two aligned files, or pairs joined by a TAB in one."""

from __future__ import annotations

import itertools
from array import array
from typing import Optional

from core.weights.messages import shown
from PaddleNLP.data.dataset import TextDataset, Texts, Transform
from PaddleNLP.data.lines import text_lines


class ParallelDataset(TextDataset):
    """Sentences with their translations as samples: "source" and "target".

    Args:
        source: a sentence in each line, or, without ``target``, both with a TAB between them. ``.gz``, ``.bz2`` and
            ``.xz`` files are unpacked.
        target: the translations, line by line those of ``source``.
        reverse: the second language is translated into the first.
        transform: what to do with a sample.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: the files have different numbers of lines, a sentence is empty, or a line is no pair; the message
            names the line.
    """

    def __init__(
        self,
        source: str,
        target: Optional[str] = None,
        reverse: bool = False,
        transform: Optional[Transform] = None,
    ) -> None:
        found: dict[str, Texts] = {"source": Texts(), "target": Texts()}
        lines = array("q")
        for number, first, second in _joined(source) if target is None else _aligned(source, target):
            pair = (second, first) if reverse else (first, second)
            for name, text in zip(("source", "target"), pair):
                found[name].append(text)
            lines.append(number)
        super().__init__(found, path=source, lines=lines, transform=transform)


def _aligned(source: str, target: str) -> itertools.starmap[tuple[int, str, str]]:
    """Return the lines of two files, with their numbers."""
    return itertools.starmap(
        lambda one, other: _checked(source, target, one, other),
        itertools.zip_longest(text_lines(source, blank=True), text_lines(target, blank=True)),
    )


def _checked(
    source: str, target: str, one: Optional[tuple[int, str]], other: Optional[tuple[int, str]]
) -> tuple[int, str, str]:
    """Return a pair of lines with its number.

    Raises:
        ValueError: a file has ended before the other, or a line is empty.
    """
    if one is None or other is None:
        shorter, longer = (source, target) if one is None else (target, source)
        number = (one or other or (0, ""))[0]
        message = f"there is no such line, but {longer}:{number} is one: parallel files have as many lines"
        raise ValueError(f"{shorter}:{number}: {message}")
    for path, (number, text) in ((source, one), (target, other)):
        if not text.strip():
            raise ValueError(f"{path}:{number}: the sentence is empty; leave out the line in both files")
    return one[0], one[1], other[1]


def _joined(path: str) -> itertools.starmap[tuple[int, str, str]]:
    """Return the pairs of a file's lines, with their numbers."""
    return itertools.starmap(lambda number, line: (number, *_parted(path, number, line)), text_lines(path))


def _parted(path: str, number: int, line: str) -> tuple[str, str]:
    parts = line.split("\t")
    if len(parts) != 2 or not all(part.strip() for part in parts):
        raise ValueError(f"{path}:{number}: {shown(line)} is no pair: a sentence, a TAB and its translation")
    return parts[0], parts[1]

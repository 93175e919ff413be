"""Files of vocabularies: a token a line, or ``token<TAB>id``; a mistake in one is reported with its line."""

from __future__ import annotations

import os
import re
import warnings
from typing import Union

from core.io.files import open_path

MAXIMUM_BYTES = 1 << 26
MAXIMUM_ID = 10_000_000
NUMBERED = re.compile(r"(.+)\t(\d{1,18})")
MARK = b"\xef\xbb\xbf"


def read_vocabulary(path: Union[str, os.PathLike[str]]) -> dict[str, int]:
    """Return the ids of the tokens of a file.

    Args:
        path: a file of one token a line, whose number counted from 0 is its id; or of lines ``token<TAB>id``.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is empty, not UTF-8, holds a NUL, or a line is none of a vocabulary.
    """
    name = os.fspath(path)
    lines = decode_lines(name)
    if not lines:
        raise ValueError(f"{name}: a vocabulary without tokens")
    numbered = NUMBERED.fullmatch(lines[0]) is not None
    return _numbered(name, lines) if numbered else _by_line(name, lines)


def decode_lines(name: str) -> list[str]:
    """Return the lines of a text file without their ends, repaired with a warning where that is safe.

    Args:
        name: a local path or a URL.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is too large, not UTF-8, or holds a NUL or a carriage return inside a line.
    """
    with open_path(name, "rb", maximum_bytes=MAXIMUM_BYTES) as stream:
        content = stream.read(MAXIMUM_BYTES + 1)
    if len(content) > MAXIMUM_BYTES:
        raise ValueError(f"{name}: no vocabulary: larger than {MAXIMUM_BYTES >> 20} MB")
    if content.startswith(MARK):
        warnings.warn(f"{name}, line 1: a byte order mark is left out", stacklevel=4)
        content = content[len(MARK) :]
    place = content.find(b"\0")
    if place >= 0:
        raise ValueError(f"{name}, line {content.count(10, 0, place) + 1}: a NUL byte; this is no text file")
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(10, 0, error.start) + 1
        raise ValueError(
            f"{name}, line {line}: byte 0x{content[error.start]:02x} is not UTF-8; convert the file to UTF-8"
        ) from None
    lines = text.split("\n")
    if any(line.endswith("\r") for line in lines):
        number = next(index for index, line in enumerate(lines) if line.endswith("\r")) + 1
        warnings.warn(f"{name}, line {number}: Windows line ends are left out", stacklevel=4)
        lines = [line[:-1] if line.endswith("\r") else line for line in lines]
    for number, line in enumerate(lines, 1):
        if "\r" in line:
            raise ValueError(f"{name}, line {number}: a carriage return inside the line")
    while lines and not lines[-1]:
        lines.pop()
    return lines


def _by_line(name: str, lines: list[str]) -> dict[str, int]:
    ids: dict[str, int] = {}
    twice = empty = 0
    for index, token in enumerate(lines):
        if not token:
            empty = empty or index + 1
            continue
        if token in ids:
            twice = twice or index + 1
        ids[token] = index
    if empty:
        warnings.warn(f"{name}, line {empty}: an empty line, whose id {empty - 1} has no token", stacklevel=4)
    if twice:
        _warn_of_duplicate(name, twice, lines[twice - 1])
    return ids


def _numbered(name: str, lines: list[str]) -> dict[str, int]:
    ids: dict[str, int] = {}
    owners: dict[int, int] = {}
    for number, line in enumerate(lines, 1):
        found = NUMBERED.fullmatch(line)
        if found is None:
            raise ValueError(f"{name}, line {number}: {line[:60]!r} is not token<TAB>id, as the first line is")
        token, index = found[1], int(found[2])
        if index > MAXIMUM_ID:
            raise ValueError(f"{name}, line {number}: the id {index} is above {MAXIMUM_ID}")
        if index in owners:
            raise ValueError(f"{name}, line {number}: the id {index} of {token!r} is that of line {owners[index]}, too")
        if token in ids:
            _warn_of_duplicate(name, number, token)
        ids[token] = index
        owners[index] = number
    missing = next((index for index in range(len(owners)) if index not in owners), None)
    if missing is not None:
        after = owners.get(missing - 1, 1)
        warnings.warn(f"{name}, line {after}: no token has the id {missing}, though greater ones do", stacklevel=4)
    return ids


def _warn_of_duplicate(name: str, number: int, token: str) -> None:
    warnings.warn(f"{name}, line {number}: {token!r} for the second time; its last line counts", stacklevel=5)

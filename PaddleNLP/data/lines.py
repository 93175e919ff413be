"""Lines and JSON values of text files, whatever is in the files: each mistake is one message with file and line.

Windows line ends and a byte order mark are put right without a word.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from typing import IO, Any

from core.io.files import is_url, open_path
from core.weights.limits import LimitError
from core.weights.messages import one_line, shown

LONGEST_LINE = 64_000_000
"""Bytes; a longer line is no line of a data set, and would fill the memory."""

LARGEST_FILE = 1_000_000_000
"""Bytes of a JSON file that is read as a whole."""

UNPACKED = 100_000_000
"""Bytes to which a compressed file may be unpacked; or 100 times its size: texts do not shrink so much."""


@contextlib.contextmanager
def _opened(path: str) -> Iterator[IO[bytes]]:
    largest = None if is_url(path) or not os.path.isfile(path) else max(UNPACKED, 100 * os.path.getsize(path))
    try:
        with open_path(path, maximum_bytes=largest) as stream:
            yield stream
    except LimitError as error:
        problem = str(error).split(";")[0]
        raise ValueError(f"{problem}; unpack it yourself if you trust it") from None


def text_lines(path: str, blank: bool = False) -> Iterator[tuple[int, str]]:
    """Iterate over the lines of a UTF-8 file without their line ends.

    Only a line feed ends a line: the other separators of Unicode occur in texts.

    Args:
        path: a local path or a URL; ``.gz``, ``.bz2`` and ``.xz`` files are unpacked while reading.
        blank: give empty lines, too.

    Yields:
        The line's number from 1, and the line.

    Raises:
        FileNotFoundError: there is no such file.
        OSError: it cannot be read.
        ValueError: a line is not UTF-8, holds a NUL, or is longer than 64 MB; or far more is unpacked than the file is
            large.
    """
    with _opened(path) as stream:
        number = 0
        while True:
            line = stream.readline(LONGEST_LINE + 1)
            if not line:
                return
            number += 1
            if len(line) > LONGEST_LINE:
                raise ValueError(f"{path}:{number}: the line is longer than {LONGEST_LINE:,} bytes")
            text = decoded(line, f"{path}:{number}").rstrip("\r\n")
            if number == 1:
                text = text.lstrip("\ufeff")
            if text or blank:
                yield number, text


def decoded(content: bytes, where: str) -> str:
    """Return bytes as text.

    Args:
        content: UTF-8.
        where: file and line, for the message.

    Raises:
        ValueError: they are not UTF-8, or hold a NUL.
    """
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{where}: byte {error.start + 1} is not UTF-8; save the file as UTF-8 text") from None
    if "\0" in text:
        raise ValueError(f"{where}: character {text.index(chr(0)) + 1} is a NUL; this is no text file")
    return text


def json_value(text: str, where: str) -> Any:
    """Return what a JSON text says.

    Args:
        text: the JSON text.
        where: file and line, for the message.

    Raises:
        ValueError: it is no JSON, nested too deeply, or holds half of a pair of surrogates.
    """
    try:
        value = json.loads(text)
    except RecursionError:
        raise ValueError(f"{where}: the JSON is nested too deeply") from None
    except ValueError as error:  # also of a number of too many digits
        raise ValueError(f"{where}: not JSON: {one_line(error, 200)}") from None
    if "\\u" in text:
        _refuse_half_characters(value, where)
    return value


def _refuse_half_characters(value: Any, where: str) -> None:
    waiting = [value]
    while waiting:
        found = waiting.pop()
        if isinstance(found, dict):
            waiting.extend(found)
            waiting.extend(found.values())
        elif isinstance(found, list):
            waiting.extend(found)
        elif isinstance(found, str):
            if any("\ud800" <= letter <= "\udfff" for letter in found):
                raise ValueError(f"{where}: {shown(found)} holds half of a character")
            if "\0" in found:
                raise ValueError(f"{where}: {shown(found)} holds a NUL")


def json_lines(path: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Iterate over the objects of a file with a JSON object in each line.

    Args:
        path: as :func:`text_lines` takes it.

    Yields:
        The line's number from 1, and the object.

    Raises:
        ValueError: a line holds no JSON object; see also :func:`text_lines`.
    """
    for number, line in text_lines(path):
        if not line.strip():
            continue
        value = json_value(line, f"{path}:{number}")
        if not isinstance(value, dict):
            raise ValueError(f"{path}:{number}: a line must hold a JSON object, not {shown(value)}")
        yield number, value


def json_file(path: str) -> Any:
    """Return what a JSON file says.

    Args:
        path: a local path or a URL; compressed files are unpacked.

    Raises:
        ValueError: it is no JSON, not UTF-8, or larger than 1 GB.
    """
    with _opened(path) as stream:
        content = stream.read(LARGEST_FILE + 1)
    if len(content) > LARGEST_FILE:
        raise ValueError(f"{path}: a JSON file of more than {LARGEST_FILE:,} bytes")
    return json_value(decoded(content, path).lstrip("\ufeff"), path)


def label_list(path: str) -> list[str]:
    """Return the names in a label file, one in a line, or lines ``id<TAB>name`` in the order of ids, as LAC's tag.dic.

    Args:
        path: the file.

    Raises:
        ValueError: a name is there twice, or there are none.
    """
    names: dict[str, int] = {}
    numbered = True
    for number, line in text_lines(path):
        name = line.strip()
        place, tab, rest = name.partition("\t")
        numbered = numbered and tab == "\t" and place == str(len(names))
        name = rest if numbered else name
        if name in names:
            raise ValueError(f"{path}:{number}: the label {shown(name)} is in line {names[name]} already")
        if name:
            names[name] = number
    if not names:
        raise ValueError(f"{path}: there are no labels")
    return list(names)
